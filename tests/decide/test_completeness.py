"""What must be there before any rule means anything, on accounts of logs made by hand."""

import pandas as pd
import pytest

from askew.decide.completeness import Asked, is_model, missing_evidence
from askew.decide.policy import Policy
from askew.logs.left_out import ATTRIBUTE, account
from askew.untrusted import whole_characters

RULE = {"metric": "omni_accuracy", "task": "knowno", "min": 0}


def entry(model="x/one", samples=20, planned=20, scored=20, **about):
    """A log's entry, as it is read from the log."""
    return {
        "run": model, "task": "knowno", "model": model, "model_name": model, "log": "a.eval",
        "settings": {"data": "bundled"}, "packages": {}, "created": "2026-01-01T00:00:00",
        "planned": planned, "samples": samples, "scored": scored, "left_out": [], **about,
    }  # fmt: skip


def rows(*seen, entries=()):
    found = pd.DataFrame(seen, columns=["task", "model", "subset"])
    found.attrs[ATTRIBUTE] = account(list(entries), [])
    return found


def missing(observations, models=("x/one",), names=None, simulated=(), **policy):
    asked = Policy.model_validate({"version": 1, "rules": [RULE], **policy})
    known = {model: model in simulated for model in models}
    return [*missing_evidence(observations, asked, known, names or {})]


def told(checks):
    return [(c.rule.title, c.task, c.model, c.why) for c in checks]


def test_nothing_is_missing_where_all_that_was_planned_is_scored():
    assert missing(rows(entries=[entry()])) == []


def test_a_model_that_a_policy_names_is_there_by_its_label_or_its_name():
    found = rows(entries=[entry()])
    assert missing(found, models=("x/one [1]",), names={"x/one [1]": "x/one"}) == []
    about = {"models": ("x/one", "x/t\nwo"), "names": {"x/one": "y/one"}}
    checks = [
        *missing_evidence(
            found, Policy.model_validate({"version": 1, "rules": [RULE], "models": ["y/*", "z"]}),
            dict.fromkeys(about["models"], False), about["names"],
        )
    ]  # fmt: skip
    assert told(checks) == [
        ("models", "", "z", "no such model in the logs; there are: x/one, x/t wo")
    ]
    assert (checks[0].status, checks[0].rule.metric) == ("can't tell", "models")
    (none,) = missing_evidence(
        rows(), Policy.model_validate({"version": 1, "rules": [RULE], "models": ["z"]}), {}, {}
    )
    assert none.why == "no such model in the logs; there are: none"


def test_a_pattern_fits_the_label_or_the_name():
    assert is_model("x/one", "x/*", {})
    assert not is_model("x/one", "y/*", {})
    assert is_model("x/one", "y/*", {"x/one": "y/one"})
    assert is_model("x/one", "x/*", {"x/one": "y/one"})


@pytest.mark.parametrize(
    ("scored", "share", "enough"), [(19, 0.05, True), (18, 0.1, False), (0, 1.0, False)]
)
def test_as_much_as_is_allowed_may_be_left_out(scored, share, enough):
    lossy = entry(scored=scored, left_out=[{"what": "errored", "why": "e", "count": 20 - scored}])
    checks = missing(rows(entries=[lossy]))
    assert (checks == []) is enough
    for check in checks:
        assert told([check]) == [
            ("complete runs", "knowno", "x/one", f"{scored} of 20 planned samples are scored")
        ]
        assert (check.status, check.metric, check.rule.max) == ("can't tell", "left out", 0.05)
        assert (check.shown, check.value) == (f"{100 * share:.1f} %", pytest.approx(share))
        assert check.simulated is False
        assert check.asked == "<= 0.05"
    assert missing(rows(entries=[lossy]), max_left_out=1.0) == []


def test_a_simulated_run_that_lost_samples_is_marked():
    lossy = entry(scored=1_000, samples=2_000, planned=2_000)
    (check, real) = missing(rows(entries=[lossy]), simulated=("x/one",))
    assert check.why == "1,000 of 2,000 planned samples are scored"
    assert check.simulated is True
    assert told([real]) == [
        ("real models", "", "x/one", "a simulated model; allow_simulated: true takes it")
    ]
    assert real.simulated is True
    assert [c.rule.title for c in missing(
        rows(entries=[lossy]), simulated=("x/one",), allow_simulated=True
    )] == ["complete runs"]  # fmt: skip


def test_a_log_without_samples_says_nothing():
    empty = entry(samples=0, planned=0, scored=0, log="b\n.eval", model="x/mute", run="z")
    (check,) = missing(rows(entries=[entry(), empty]))
    assert told([check]) == [("readable logs", "knowno", "x/mute", "b .eval: it holds no samples")]
    # One that planned some says by that what it lost.
    planned = entry(samples=0, planned=20, scored=0, model="x/mute", run="z")
    (lost,) = missing(rows(entries=[entry(), planned]))
    assert (lost.rule.title, lost.model, lost.simulated) == ("complete runs", "x/mute", False)
    unknown = {k: v for k, v in entry(planned=0).items() if k != "samples"}
    assert missing(rows(entries=[unknown])) == []


def test_a_log_that_could_not_be_read_is_told_with_the_reason():
    found = rows()
    found.attrs[ATTRIBUTE] = account(
        [{"log": "broken\n.eval", "left_out": [
            {"what": "unreadable log", "why": "no\nlog", "count": 1},
            {"what": "errored", "why": "refused", "count": 1},
        ]}],
        [],
    )  # fmt: skip
    checks = missing(found)
    assert [c.why for c in checks if c.rule.title == "readable logs"] == ["broken .eval: no log"]


# --- Which subsets were asked --------------------------------------------------------------------

ALL = ("mctest", "bank77", "equinfer")


def asked(subsets, *entries):
    return Asked(rows(*(("knowno", "x/one", s) for s in subsets), entries=entries))


def test_all_subsets_are_asked_where_each_has_a_row():
    assert asked(ALL, entry()).lacks("knowno", "x/one", "all") == ""
    part = asked(ALL[:1], entry())
    assert part.lacks("knowno", "x/one", "all") == (
        "not asked, or nothing of it is scored: bank77, equinfer"
    )
    assert part.lacks("knowno", "x/one", "mctest") == ""
    assert part.lacks("knowno", "x/one", "b*") == "not asked, or nothing of it is scored: bank77"
    # Of a model without a log nothing is known.
    assert part.lacks("knowno", "x/two", "all") == ""
    assert part.lacks("mathcomp", "x/one", "all") == ""


def test_a_file_is_asked_whole_where_one_log_chose_no_subset_of_it():
    file = {"settings": {"data": "file"}}
    part, other = entry(subset="a", **file), entry(subset="b\n", **file)
    assert asked(["a"], part, other).lacks("knowno", "x/one", "all") == (
        "only asked of its file: a, b"
    )
    assert asked(["a"], part).lacks("knowno", "x/one", "a") == ""
    assert asked(["a"], part, entry(**file)).lacks("knowno", "x/one", "all") == ""
    assert asked(["a"], entry(subset=None, **file)).lacks("knowno", "x/one", "all") == ""


def test_a_model_whose_name_holds_half_a_character_is_found_by_its_label():
    half = entry(model="x/\ud800one")
    label = whole_characters("x/\ud800one")
    found = Asked(rows(("knowno", label, "mctest"), entries=[half]))
    assert found.lacks("knowno", label, "all").endswith(": bank77, equinfer")


def test_what_was_asked_is_read_without_changing_it():
    given = rows(("knowno", "x/one", "mctest"), entries=[entry()])
    Asked(given)
    assert set(given.attrs) == {ATTRIBUTE}
