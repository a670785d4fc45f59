"""Models that play a role behind the providers' real SDKs, and answer badly or not at all."""

import math

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from askew.papers import asked_for
from askew.scoring.judge import ATTEMPTS
from askew.solvers.chain import planned_dialogue
from askew_authoring.binary_qa.review import REWRITTEN, UNCLEAR
from askew_authoring.binary_qa.rewriting import (
    CHECK,
    CONVERT,
    MEND,
    REWRITE,
    binary_qa_rewriting,
    binary_qa_rewriting_scorer,
)
from askew_authoring.binary_qa.rules import REWRITES
from askew_authoring.building import CHECKER
from tests.clients.conftest import all_asked, comparable, troubles
from tests.clients.wire import Said, wire

pytestmark = pytest.mark.whole

# By the word that marks a sample: what comes in place of a verdict, or of a question.
BROKEN = {
    "kestrel": Said("Having read both, I would say that it is", "max_tokens"),
    "osprey": Said("", "max_tokens", reasoning="They are the same."),
    "heron": Said("", "content_filter"),
    "plover": Said("", "blocked"),
    "curlew": Said("I'm sorry, but I can't help with that."),
    "dunnock": Said("I'm sorry, but I can't help with that.", "declined"),
    "wagtail": Said(""),
    "siskin": Said("", "nothing"),
}
# What only a judge can do: talk instead of choosing, choose something else, or be cut choosing.
BROKEN_VERDICTS = {
    **BROKEN,
    "linnet": Said("same true more"),
    "avocet": Said(verdict='{"verdict": "perhaps"}'),
    "fulmar": Said(verdict='{"verdict": "sa', stop="max_tokens"),
}
AT_ONCE, AT_LAST = "jackdaw", "bullfinch"
BIRDS = [*BROKEN_VERDICTS, AT_ONCE, AT_LAST]

JUDGED = {
    # how the task is run; what the model says of a bird; what the judge decides where it does
    "knowno": ({"subset": "mctest", "hint": "no_hint", "judge": True}, "E. a {}", "same"),
    "instruction_boundary": (
        {"subset": "logic", "setting": "vanilla"}, "One could say {} of it.", "true",
    ),
    "mathcomp": (
        {"output": "cot", "read": "judge", "framing": "style=neutral,position=end"},
        "One could say {} of it.", "more",
    ),
}  # fmt: skip
RUNS = {task: {"items": len(BIRDS), **options} for task, (options, *_) in JUDGED.items()}
# By this word a judge's prompt shows whose reply it holds.
MARKS = dict(zip(JUDGED, ("in alder", "in birch", "in cedar"), strict=True))

ITEMS = [
    {"id": bird, "question": f"Is the {bird} the heavier one?", "answer": "Yes",
     "passage": f"The {bird} and the wren were weighed."}
    for bird in BROKEN
]  # fmt: skip


def bird_in(text):
    return next(bird for bird in BIRDS if bird in text)


def task_in(text):
    return next(task for task, mark in MARKS.items() if mark in text)


def birds_asked_about():
    """What is asked last in each sample, with its task and the bird of the reply to it."""
    return {
        planned_dialogue(sample)[-1][1]: (task, bird)
        for task, options in RUNS.items()
        for sample, bird in zip(asked_for(task).make(**options).dataset, BIRDS, strict=True)
    }


def test_a_judge_without_a_verdict_leaves_the_sample_unscored(client, tmp_path):
    asked, judged = birds_asked_about(), []

    def says(before):
        task, bird = asked[before[-1][1]]
        return Said(JUDGED[task][1].format(f"{bird} {MARKS[task]}"))

    def judges(before):
        bird, task = bird_in(before[-1][1]), task_in(before[-1][1])
        judged.append((task, bird))
        if bird == AT_ONCE or (bird == AT_LAST and judged.count((task, bird)) == ATTEMPTS):
            return Said(verdict=f'{{"verdict": "{JUDGED[task][2]}"}}')
        return BROKEN_VERDICTS.get(bird, Said(""))

    with wire(says) as served, wire(judges) as grading:
        grader = {"grader": client(grading)}
        logs = all_asked(RUNS, client(served), tmp_path, model_roles=grader)
    assert len(served.asked) == len(RUNS) * len(BIRDS)
    for task, log in logs.items():
        assert log.status == "success", troubles(log)
        attempts = {bird: judged.count((task, bird)) for bird in BIRDS}
        assert attempts == {bird: 1 if bird == AT_ONCE else ATTEMPTS for bird in BIRDS}
        scores = {bird_in(s.output.completion): s.scores[f"{task}_scorer"] for s in log.samples}
        assert set(scores) == set(BIRDS)
        for bird in BROKEN_VERDICTS:
            score = scores[bird]
            assert math.isnan(score.value), (task, bird)
            assert (score.reason, score.metadata["outcome"]) == ("grader_failed", "undecided")
            assert score.explanation, (task, bird)
        decided = [scores[AT_ONCE], scores[AT_LAST]]
        assert all(s.metadata["outcome"] == "ok" and s.reason is None for s in decided)
        assert [s.value.get("judged") or s.metadata.get("decided_by") for s in decided] == (
            [1, 1] if task == "instruction_boundary" else ["judge", "judge"]
        )
        assert len(comparable(log)) == len(decided)


def test_a_writer_and_a_checker_who_answer_badly_leave_problems_in_the_sheet(run, client):
    """Binary QA's builder: nothing of theirs becomes a question or an agreement."""
    tries = 2
    task = Task(
        dataset=[Sample(item["question"], id=item["id"], metadata=item) for item in ITEMS],
        solver=binary_qa_rewriting(CONVERT, dict(REWRITE), MEND, CHECK, attempts=tries),
        scorer=binary_qa_rewriting_scorer(),
    )
    with wire(lambda before: BROKEN[bird_in(before[0][1])]) as served:
        log = run(task, model=client(served), model_roles={CHECKER: client(served)}, max_retries=1)
    assert log.status == "success", troubles(log)
    assert len(served.asked) == len(BROKEN) * (tries * len(REWRITES) + len(REWRITES) + 1)
    for sample in log.samples:
        built = sample.metadata[REWRITTEN]
        assert all(built[form]["problems"] for form in REWRITES), sample.id
        assert {made["checker"] for made in built.values()} == {UNCLEAR}, sample.id
        (score,) = sample.scores.values()
        assert score.value == {"rules_kept": 1 / len(built), "as_expected": 0}
