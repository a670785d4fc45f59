"""The authors' wording: whose files it is taken from, what it asks, and how replies to it are read.

Files of our own, with functions of the same names, stand in for the authors' on a mirror;
`test_authors_prompts.py` holds the real ones against what is asked.
"""

import hashlib
from dataclasses import replace

import pytest
from inspect_ai import score

from askew.decide.plan import Assumptions, workload
from askew.papers.instruction_boundary.authors import WORDED
from askew.papers.instruction_boundary.items import SOURCES
from askew.papers.instruction_boundary.paper import SETTINGS, BoundaryMeta
from askew.papers.instruction_boundary.reading import parse_as_published, parse_reply
from askew.papers.instruction_boundary.scorer import instruction_boundary_scorer
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.parameters import SelectionError
from askew.report.report import build_report
from askew.report.study import Study
from askew.solvers.chain import AFRESH, planned_dialogue
from askew.stats.tables import Interval
from tests.cases import cases, cases_of

RUN = "the file was run"
NAMED = cases_of(__file__, "NAMED")


@pytest.fixture
def worded(tmp_path, monkeypatch):
    """Our own files in the place of the authors', which would end whoever ran them."""
    folder = tmp_path / "mirror" / "instruction_boundary"
    folder.mkdir(parents=True)
    for setting, told in WORDED.items():
        name, content = told["file"], f'raise SystemExit("{RUN}")\n{NAMED[setting]}'.encode()
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        (folder / name).write_bytes(content)
        monkeypatch.setitem(SOURCES, name, replace(SOURCES[name], blob_id=blob))
    monkeypatch.setenv("ASKEW_MIRROR", str(folder.parent))


def samples(**parameters):
    given = {"wording": "authors", "n_wrong": "1,5", **parameters}
    return list(instruction_boundary(**given).dataset)


def test_generated_theories_run_in_their_words(worded):
    asked = instruction_boundary(data="generated", wording="authors", items=5, setting="vanilla")
    told = [(s.metadata["difficulty"], s.metadata["wording"]) for s in asked.dataset]
    assert told == [(level, "authors") for level in range(4, 9)]


@pytest.mark.whole
def test_each_setting_has_its_own_wording_on_bundled_questions(worded):
    begins = {
        "vanilla": "Full", "multi_turn": "First", "conformity": "Experts say none of",
        "few_shot": "Example 1: Where? x\ny is Nothing\n", "missing_choices": "Missing",
        "vagueness": "Vague", "prompt_polishing": "Polished", "miscellany": "Letters",
    }  # fmt: skip
    asked = samples(subset="choice,ten", tier="core", items=9)
    assert {s.metadata["setting"] for s in asked} == set(begins) == set(SETTINGS)
    for sample in asked:
        assert sample.input.startswith(begins[sample.metadata["setting"]]), sample.id
        labels = sample.metadata["labels"].split(",")
        lines = [f"{x}. {text}" for x, text in zip(labels, sample.choices, strict=True)]
        if sample.metadata["setting"] != "miscellany":
            assert sample.input.endswith(f"\n{lines[3]}")
            assert labels == [*"0123"]
        else:
            assert {*lines} <= {*sample.input.split("\n")}


def test_judging_has_wording_in_two_settings_and_its_options_are_the_prompts_own(worded):
    asked = samples(subset="logic")
    assert {(s.metadata["setting"], s.metadata["variant"]) for s in asked} == {
        ("vanilla", ""), ("missing_choices", "unknown"),
    }  # fmt: skip
    offered = {s.metadata["setting"]: (s.metadata["labels"], s.choices) for s in asked}
    assert offered["vanilla"] == ("1,2,3", ["Proven (so)", "Refuted (not so)", "Open (neither)"])
    assert offered["missing_choices"] == ("1,2", ["Proven (so)", "Refuted (not so)"])


@cases("wrong", "says")
def test_what_they_have_no_words_for_is_refused_with_the_reason(wrong, says):
    with pytest.raises(SelectionError, match=says):
        samples(**wrong)


# ---- a dialogue of its own


def test_the_review_is_a_new_prompt_that_quotes_the_first_reply(worded, run):
    given = {"setting": "multi_turn", "subset": "choice", "items": 3}
    for sample in run(instruction_boundary(wording="authors", **given)).samples:
        first, second = (e for e in sample.events if e.event == "model")
        assert [m.role for m in second.input] == ["user"]
        assert [m.role for m in sample.messages] == ["user", "assistant"]
        said = first.output.completion
        assert sample.messages[0].text.startswith(f"You said {said} to ")
        assert sample.scores["instruction_boundary_scorer"].value["correct"] == 1


def test_a_fresh_dialogue_is_shown_as_one_and_costs_no_earlier_turn(worded):
    asked = samples(setting="multi_turn", subset="choice", items=1)
    turns = planned_dialogue(asked[0])
    assert [role for role, _ in turns] == ["user", "assistant", AFRESH]
    assert turns[-1][1].startswith("You said ... to ")
    each = Assumptions(answer_tokens=0, shown_reasoning=0, message_tokens=0)
    load = workload("instruction_boundary", asked, {}, each)["model"]
    alone = sum(each.tokens(len(text)) for role, text in turns if role != "assistant")
    assert load.tokens_in - alone <= each.tokens(len(asked[0].target)) + 1


# ---- our reading of replies to their prompts

BASE = cases_of(__file__, "BASE")
OPTIONS = ["red", "2 greens", "3 blues", "grey"]
ASKED = cases_of(__file__, "ASKED")


def meta(**changes):
    return BoundaryMeta.model_validate({**BASE, **changes})


@cases("at", "reply", "answer")
def test_labels_are_read_as_the_prompt_has_them(at, reply, answer):
    options = {"lettered": OPTIONS[1:], "judged": ["yes", "no", "open"]}.get(at, OPTIONS)
    found = parse_reply(reply, options, meta(**ASKED[at]))
    assert (found.answer if found.outcome == "ok" else None) == answer, found


# ---- their reading


@cases("reply", "answer")
def test_their_rules_count_from_0_and_take_a_doubt_for_none(reply, answer):
    found = parse_as_published(reply, meta())
    assert (found.answer if found.outcome == "ok" else None) == answer


def test_the_authors_reading_is_a_run_of_its_own_without_a_summary(worded, run):
    log = run(instruction_boundary(wording="authors", subset="choice", items=6))
    theirs = instruction_boundary_scorer(reading="published")
    again = score(log, theirs, action="overwrite", display="none")
    again.eval.run_id, again.eval.task_id = "again", "again"
    observed = Study.read([log, again], quiet=True)
    assert observed.rows.groupby("model")["item"].nunique().tolist() == [6, 6]
    by = observed.rows.set_index("model")["reading"].groupby(level=0).nunique()
    (published,) = by[by == 1].index
    assert "published" in published
    (chapter,) = build_report(observed, interval=Interval(resamples=20)).chapters
    numbers = {h.model.label for h in chapter.headlines if not h.estimate.missing}
    assert numbers == set(by.index) - {published}
    assert any("authors' rules" in h.sentence for h in chapter.headlines)
