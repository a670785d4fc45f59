"""Calibration: planted values are formulas, measured ones agree, and a wrong formula is caught."""

import dataclasses
import json
import math
from itertools import product

import pytest

from askew.decide import calibrate as calibrate_module
from askew.decide.calibrate import binomial_tail, calibrate
from askew.decide.documents import certificate_document
from askew.papers import asked_for
from askew.papers import names as tasks
from askew.papers.instruction_boundary.questions import TRUTH_LABELS
from askew.papers.knowno.respondent import Tendencies as KnowNo
from askew.papers.knowno.respondent import expected as knowno_expected
from askew.report.terminal import terminal_text
from askew.report.writers import write_document
from askew.respondents.answering import Expectation
from askew.respondents.provider import answerer_of
from askew.statistics.tables import Interval

QUICK = Interval(resamples=300)
SMALL = ("knowno", "binary_qa")  # the others take seconds


def certified(task, *respondents, **options):
    options = {"items": 60, "repetitions": 12, "interval": QUICK, **options}
    return calibrate([task], respondents, **options)


@pytest.mark.parametrize("task", tasks())
def test_every_task_has_planted_values_for_what_it_headlines(task):
    from askew.decide.simulation import simulation

    made = simulation(task, items=30)
    answerer = answerer_of(task)
    planted = answerer.expected(made.truths(), answerer.tendencies["oracle"])
    names = {e.metric for e in planted}
    categories = {e.levels.get("category", "") for e in planted}
    covered = names | {f"{n}_{c}" for n in names for c in categories}
    # The cost of the worst setting, and MBS, which rewards a small spread over domains, are
    # biased by design at any finite number of items.
    assert set(asked_for(task).headlines) - {"boundary_cost", "mbs"} <= covered


@pytest.mark.parametrize(
    "task",
    [t if t in SMALL else pytest.param(t, marks=pytest.mark.whole) for t in tasks()],
)
@pytest.mark.parametrize("respondent", ["oracle", "mute"])
def test_certain_models_are_measured_exactly(task, respondent):
    table = certified(task, respondent, items=24, repetitions=2, interval=Interval(50)).table
    if (task, respondent) == ("format_bias", "mute"):
        assert not len(table)
        return
    # How an oracle of KnowNo words that nothing fits is drawn; that it does is certain.
    certain = table[~table["metric"].str.startswith("pattern_")]
    assert certain["bias"].abs().max() < 1e-9
    assert set(certain["coverage"].dropna()) == {1.0}


@pytest.mark.whole
@pytest.mark.parametrize(
    ("task", "respondent"),
    [
        ("knowno", "typical"),
        ("knowno", "random"),
        ("instruction_boundary", "overcautious"),
        ("mathcomp", "parrot"),
        ("format_bias", "sloppy"),
        ("binary_qa", "nay"),
    ],
)
def test_measured_values_agree_with_what_was_planted(task, respondent):
    """The mean of eight runs lies within four standard errors; spreads are biased by noise."""
    # No interval is looked at here.
    table = certified(task, respondent, items=45, repetitions=8, interval=Interval(20)).table
    level = table[~table["metric"].str.contains("stdev|bias_f|variance")]
    assert len(level) >= 4
    error = level["deviation"] / level["repetitions"] ** 0.5
    assert (level["bias"].abs() <= 4 * error + 0.02).all(), level.to_string()


@pytest.mark.whole
def test_intervals_cover_what_was_planted():
    certificate = certified("knowno", "typical", repetitions=25)
    assert certificate.holds
    assert certificate.table["coverage"].mean() > 0.9


def test_a_wrong_formula_is_called_off(monkeypatch):
    def wrong(truths, tendencies):
        return [
            Expectation(e.metric, e.value + 0.3 * (e.metric == "omni_accuracy"), e.levels)
            for e in knowno_expected(truths, tendencies)
        ]

    answerer = dataclasses.replace(answerer_of("knowno"), expected=wrong)
    monkeypatch.setattr("askew.decide.simulation.answerer_of", lambda task: answerer)
    certificate = certified("knowno", "typical", interval=Interval(50))
    off = certificate.table[certificate.table["verdict"] == "off"]
    assert list(off["metric"]) == ["omni_accuracy"]
    assert not certificate.holds
    assert "1 are off" in terminal_text(certificate_document(certificate)).splitlines()[-1]


def truth(hint, **fields):
    return {
        "subset": "mctest", "hint": hint, "kind": "story", "choices": list("abcd"), **fields
    }  # fmt: skip


def test_knowno_by_hand():
    hints = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
    notices = {"hint_as_option": 0.5, "hint_in_instruction": 0.25, "no_hint": 0.75}
    tendencies = KnowNo(knows=0.8, notices=notices, volunteers=0.5, refuses=0.1)
    planted = {e.metric: e.value for e in knowno_expected([truth(h) for h in hints], tendencies)}
    # 0.9 answer; 0.8 of them know; and so on.
    assert planted["with_gold"] == pytest.approx(0.72)
    assert planted["hint_as_option"] == pytest.approx(0.36)
    assert planted["e_wo_gold"] == pytest.approx((0.36 + 0.18 + 0.54) / 3)
    assert planted["omni_accuracy"] == pytest.approx((0.72 + 0.36) / 2)
    assert planted["gap"] == pytest.approx(0.36)
    assert planted["pattern_none"] == pytest.approx(0.27)
    assert planted["pattern_none_and_gold"] == pytest.approx(0.27 / 4)
    assert planted["pattern_refused"] == pytest.approx(0.1)
    patterns = [v for k, v in planted.items() if k.startswith("pattern_")]
    assert math.fsum(patterns) == pytest.approx(1)


def test_a_guesser_is_right_by_luck_only_where_luck_can_be_right():
    tendencies = KnowNo(knows=0.0, takes_none=True)
    hints = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
    planted = {e.metric: e.value for e in knowno_expected([truth(h) for h in hints], tendencies)}
    assert [planted[h] for h in hints] == pytest.approx([0.25, 0.25, 0, 0])


def planted_values(task, truths, **tendencies):
    answerer = answerer_of(task)
    chosen = dataclasses.replace(answerer.tendencies["oracle"], **tendencies)
    return {
        (e.metric, *e.levels.values()): e.value for e in answerer.expected(truths, chosen)
    }  # fmt: skip


_STYLES = ("direct", "indirect")


def test_mathcomp_by_hand():
    truths = [
        {"gold": g, "term": t, "style": s, "position": p, "output": "one_word",
         "identity": "standard"}
        for g in ("more", "less", "equal")
        for p in ("begin", "end")
        for t, s in [("none", "neutral"), *product(("more", "less", "equal"), _STYLES)]
    ]  # fmt: skip
    planted = planted_values("mathcomp", truths, follows_frame=0.3)
    assert planted[("framing_pull",)] == pytest.approx(0.3)
    # In two of seven framings the word is more: it is followed where it is wrong.
    assert planted[("dir_err_more",)] == pytest.approx(0.3 * 2 / 7)
    assert planted[("accuracy",)] == pytest.approx(1 - 0.3 * 4 / 7)


def test_format_bias_by_hand():
    truths = [
        {"category": "mapping", "format": f, "subset": "scirex_easy", "prompting": "zs",
         "kind": "entities", "target": '{"Task": ["x"]}'}
        for f in ("json", "yaml")
    ]  # fmt: skip
    planted = planted_values(
        "format_bias", truths, knows_in={"json": 0.8, "yaml": 0.6}, breaks_in={"yaml": 0.5}
    )
    assert planted["bias_f", "mapping"] == pytest.approx(100)
    assert planted["est_true", "mapping"] == pytest.approx(0.7)
    assert planted["fi", "mapping"] == pytest.approx(0.75)
    assert planted["sys_e", "mapping"] == pytest.approx((0.8 + 0.3) / 2)


def test_a_wrong_ranking_scores_what_its_relevant_documents_at_the_end_do():
    truths = [
        {"category": "list", "format": f, "subset": subset, "prompting": "zs",
         "kind": kind, "target": target}
        for f in ("python", "bullet")
        for subset, kind, target in (
            ("scidocsrr", "ranking", "[1, 0, 0, 0]"),
            ("scidocsrr", "ranking", "[0, 1]"),
            ("semeval2017", "keyphrases", '["tide"]'),
        )
    ]  # fmt: skip
    planted = planted_values("format_bias", truths, knows_in={"python": 0.8, "bullet": 0.4})
    # Last of four scores a quarter, last of two a half; a wrong keyphrase scores nothing.
    wrong = ((1 / 4 + 1 / 2) / 2 + 0) / 2
    python, bullet = 0.8 + 0.2 * wrong, 0.4 + 0.6 * wrong
    assert planted["est_true", "list"] == pytest.approx((python + bullet) / 2)
    assert planted["bias_f", "list"] == pytest.approx((100 * (python - bullet) / 2) ** 2)


def test_binary_qa_by_hand():
    truths = [
        {"form": "original", "truth": t, "subset": s} for t in ("Yes", "No") for s in ("a", "b")
    ]  # fmt: skip
    planted = planted_values("binary_qa", truths, says_no=0.2)
    assert planted[("delta_recall",)] == pytest.approx(0.2)
    assert planted[("said_no",)] == pytest.approx(0.6)
    # Precision of No: 0.5 of 0.6; of Yes: 1.
    assert planted[("delta_precision",)] == pytest.approx(0.5 / 0.6 - 1)
    # Yes thrice, or No thrice, over items of either truth.
    assert planted[("sc",)] == pytest.approx((0.8**3 + 0.2**3) / 2 + 0.5)
    # Both opposite forms have to flip, and a No can't.
    assert planted[("nrc",)] == pytest.approx((0.8 * 1 + 0.2 * 0) / 2 + (1 * 0.8**2) / 2)
    assert planted[("stdev_f1",)] == pytest.approx(0)


def test_instruction_boundary_by_hand():
    truths = [
        {
            "family": "judging",
            "form": f,
            "setting": "vanilla",
            "choices": list(TRUTH_LABELS.values())[:3],
        }
        for f in ("true", "false", "unknown", "unknown")
    ]
    planted = planted_values(
        "instruction_boundary", truths, knows={"unknown": 0.5}, overcautious=0.2, refuses=0.1
    )
    key = ("judging", "vanilla", "")
    assert planted["sr", *key] == pytest.approx(0.9 * 0.8)
    assert planted["gr", *key] == pytest.approx(0.9 * (0.2 + 0.8 * 0.5))
    assert (
        planted["rs", *key] == planted[("rs_vanilla",)] == pytest.approx(2 / (1 / 0.72 + 1 / 0.54))
    )


def test_respondents_with_equal_tendencies_are_measured_once():
    names = calibrate_module._respondents(answerer_of("knowno"), None)
    tendencies = [answerer_of("knowno").tendencies[n] for n in names]
    assert all(a not in tendencies[:i] for i, a in enumerate(tendencies))
    assert "typical" in names
    assert "nay" not in names


def test_tendencies_may_be_set_otherwise():
    table = certified("knowno", "oracle", overrides={"knows": 0.5}, repetitions=4).table
    planted = table.set_index("metric")["planted"]
    assert planted["with_gold"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((["chess"], None), "'chess' is not a value of task"),
        ((["knowno"], ["hal"]), "no respondent 'hal'; there are: oracle"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_list(arguments, told):
    with pytest.raises(ValueError, match=told):
        calibrate(*arguments, repetitions=1)


def test_no_repetition_is_refused():
    with pytest.raises(ValueError, match="repetitions=0"):
        calibrate(["knowno"], repetitions=0)


def test_the_certificate_is_written_as_what_its_name_says(tmp_path):
    document = certificate_document(certified("knowno", "oracle", items=12, repetitions=2))
    told = json.loads(write_document(document, tmp_path / "c.json").read_text())
    assert told["holds"]
    assert {n["verdict"] for n in told["numbers"]} == {"holds"}
    for kind in ("md", "html"):
        text = write_document(document, tmp_path / f"c.{kind}").read_text(encoding="utf-8")
        assert "omni_accuracy" in text
        assert "knowno: respondent/oracle" in text
    assert write_document(document, tmp_path / "c.csv").read_text().startswith("task,")


def test_binomial_tails_done_by_hand():
    assert binomial_tail(0, 3, 0.5) == pytest.approx(1 / 8)
    assert binomial_tail(2, 3, 0.5) == pytest.approx(7 / 8)
    assert binomial_tail(3, 3, 0.95) == 1


def test_progress_is_told_run_by_run():
    seen = []
    calibrate(["knowno"], ["oracle", "mute"], items=6, repetitions=3, interval=QUICK,
              progress=lambda done, total, name: seen.append((done, total, name)))  # fmt: skip
    assert seen[0] == (1, 6, "knowno, oracle")
    assert seen[-1] == (6, 6, "knowno, mute")
