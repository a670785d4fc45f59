"""Instruction Boundary's scorer: exact sets, the judge's place, and whose fault a failure is."""

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from askew.papers.instruction_boundary import scorer as scorer_module
from askew.papers.instruction_boundary.paper import FAMILIES, BoundaryMeta
from askew.papers.instruction_boundary.questions import AnswerRead
from askew.papers.instruction_boundary.scorer import (
    boundary_headlines,
    choice_question,
    instruction_boundary_scorer,
    judged,
)
from askew.scoring.judge import Verdict
from tests.cases import cases_of
from tests.scoring.direct import output_of, said, score_of

SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]


def meta(form="single", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    family = "judging" if form in FAMILIES["judging"].forms else "choice"
    return BoundaryMeta(
        task="instruction_boundary", item="q", unit="u", subset="choice", family=family, form=form,
        setting=setting, truth=truth, shown=shown, **fields,
    )  # fmt: skip


JUDGING = meta("unknown", "unknown", "")


def scores(about, *outputs, judge="fallback"):
    """Score each output as the reply to one sample."""
    asked = {"metadata": about.as_metadata(), "choices": SHAPES}
    return [score_of(instruction_boundary_scorer(judge), output, **asked) for output in outputs]


def judged_in(run, *replies, **roles):
    """Score replies in a run, with a grader where one is given."""
    samples = [
        Sample(id=f"s{i:02d}", input=str(i), target="x", choices=SHAPES,
               metadata=meta().as_metadata())
        for i in range(len(replies))
    ]  # fmt: skip
    task = Task(dataset=samples, solver=generate(), scorer=instruction_boundary_scorer())
    model = get_model(
        "mockllm/model", custom_outputs=lambda asked, *_: output_of(replies[int(asked[-1].text)])
    )
    log = run(task, model=model, max_samples=1, fail_on_error=False, model_roles=roles)
    return [s.scores["instruction_boundary_scorer"] for s in log.samples]


@pytest.mark.parametrize(
    ("about", "replies"),
    [
        (meta(), {"2": 1, "rhombus": 1, "2, 4": 0, "1": 0, "None": 0}),
        (meta("multiple", "1,3"), {"1, 3": 1, "3 and 1": 1, "1": 0, "1, 2, 3": 0, "Several": 0}),
        (meta("none", "none"), {"None": 1, "No correct answer": 1, "Unclear": 1, "2": 0}),
        (JUDGING, {"Unknown": 1, "I'm not sure.": 1, "True": 0, "All above are true": 0}),
        (meta("true", "true", ""), {"True": 1, "All above are true": 0, "Unknown": 0}),
    ],
)
def test_only_the_whole_right_answer_is_correct(about, replies):
    found = scores(about, *replies)
    assert [s.value["correct"] for s in found] == [float(v) for v in replies.values()]
    assert {s.value["judged"] for s in found} == {0.0}
    assert all(set(s.value) == {"correct", "hedged", "judged"} for s in found)


def test_the_grader_decides_what_rules_cannot_and_only_that(run):
    asked = []

    def verdict(messages, tools, *_):
        asked.append(messages[-1].text)
        made = ModelOutput.for_tool_call("mockllm/model", tools[0].name, {"verdict": "2"})
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    grader = get_model("mockllm/grader", custom_outputs=verdict)
    by_judge, by_rules = judged_in(run, "More like a rhombus than a kite.", "4", grader=grader)
    assert (by_judge.value["correct"], by_judge.value["judged"]) == (1.0, 1.0)
    assert (by_rules.value["correct"], by_rules.value["judged"]) == (0.0, 0.0)
    assert len(asked) == 1
    assert "More like a rhombus than a kite." in asked[0]


UNREAD = "invalid_response_format"


def of_family(family="choice", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    form = {"choice": "single", "judging": "unknown"}[family]
    return BoundaryMeta(
        task="instruction_boundary", item="q", unit="u", subset="choice", family=family, form=form,
        setting=setting, truth=truth, shown=shown, **fields,
    )  # fmt: skip


def score(reply, about=None, **options):
    about = (about or of_family()).as_metadata()
    scorer = instruction_boundary_scorer(**options)
    return score_of(scorer, reply, about, choices=SHAPES, target="rhombus")


def values(*ones):
    return {name: float(name in ones) for name in ("correct", "hedged", "judged")}


@pytest.fixture
def judge(monkeypatch):
    """A bound judge that gives one verdict, and keeps what it was asked."""
    kept = type("Kept", (), {"verdict": Verdict("2"), "asked": []})()

    async def ask(*given, **how):
        kept.asked.append((*given, how))
        return kept.verdict

    monkeypatch.setattr(scorer_module, "ask_judge", ask)
    monkeypatch.setattr(scorer_module, "model_roles", lambda: {"grader": kept})
    return kept


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("2", (values("correct", "judged"), "2", None, "ok")),
        ("4", (values("judged"), "4", None, "ok")),
        ("hedge", (values("hedged", "judged"), "none", None, "ok")),
        ("no_answer", (values("judged"), None, UNREAD, "ambiguous")),
    ],
)
def test_all_that_a_score_by_a_judge_says(judge, verdict, expected):
    judge.verdict = Verdict(verdict)
    value, answer, reason, outcome = expected
    why = f"offers alternatives; the judge says {verdict}; right is: rhombus"
    about = {"epoch": 2, "outcome": outcome}
    assert said(score("2 or 4")) == (value, answer, why, reason, about)
    question = choice_question("2 or 4", SHAPES)
    assert judge.asked == [(question.question, question.verdicts, "2", {})]


def test_the_authors_reading_is_of_replies_to_their_own_choice_questions():
    theirs = of_family(wording="authors", labels="0,1,2,3")
    found = said(score("Option 1, I think.", theirs, reading="published"))
    why = "has 1 somewhere, counted from 0; right is: rhombus"
    about = {"epoch": 2, "outcome": "ok", "reading": "published"}
    assert found == (values("correct"), "2", why, None, about)
    refused = said(score("2", reading="published"))
    why = "reading=published reads replies to wording=authors only"
    assert refused == (None, None, why, "scoring_failed", {"epoch": 2})
    # A conclusion is read by our rules in either case.
    judging = said(score("Unknown", of_family("judging", "unknown"), reading="published"))
    assert (judging[0], judging[4]) == (values("correct"), {"epoch": 2, "outcome": "ok"})


OPEN = AnswerRead("ambiguous", final=False, settled=False, why="hm")


@pytest.mark.parametrize(
    ("verdict", "about", "answer", "hedged"),
    [
        ("2", of_family(shown="3,1"), "1", False),
        ("hedge", of_family(), "none", True),
        ("none", of_family(), "none", False),
        ("several", of_family(), "several", False),
        ("hedge", of_family("judging"), "unknown", True),
        ("true", of_family("judging"), "true", False),
        ("1", of_family(shown="3,1", labels="0,1", wording="authors"), "1", False),
        ("B", of_family(shown="3,1", labels="A,B", wording="authors"), "1", False),
        ("hedge", of_family(shown="3,1", labels="A,B", wording="authors"), "none", True),
        ("none", of_family("judging", labels="1,2,3", wording="authors"), "unknown", False),
        ("2", of_family("judging", labels="1,2,3", wording="authors"), "false", False),
    ],
)
def test_all_that_a_verdict_makes_of_an_open_reply(verdict, about, answer, hedged):
    why = f"hm; the judge says {verdict}"
    assert judged(verdict, OPEN, about) == AnswerRead(
        "ok", answer, hedged=hedged, judged=True, why=why
    )


@pytest.mark.parametrize(
    ("verdict", "about"),
    [
        ("no_answer", of_family()),
        ("no_answer", of_family("judging")),
        ("several", of_family("judging", labels="1,2,3", wording="authors")),
    ],
)
def test_a_verdict_without_an_answer_leaves_the_reply_as_it_was_read(verdict, about):
    assert judged(verdict, OPEN, about) == AnswerRead(
        "ambiguous", final=False, settled=False, judged=True, why=f"hm; the judge says {verdict}"
    )


# subset, family, setting, variant, metric: the name it is shown by, or nothing
SHOWN = cases_of(__file__, "SHOWN")


def test_main_numbers_are_named_by_family_condition_and_variant():
    columns = ["subset", "family", "setting", "variant", "metric"]
    table = pd.DataFrame([row[:5] for row in SHOWN], columns=columns)
    found = boundary_headlines(table)
    expected = {i: row[5] for i, row in enumerate(SHOWN) if row[5]}
    assert found["metric"].to_dict() == expected
    assert [*found] == columns
