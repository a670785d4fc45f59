"""Instruction Boundary from end to end: what each setting changes, what it must not say, runs."""

import re
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.questions import PROMPTS
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.solvers.chain import planned_dialogue
from tests.cases import cases_of

DOCS = Path(__file__).parents[3] / "docs" / "reference/tasks/instruction_boundary.md"
LABELS = PROMPTS["labels"]
SMALL = {"data": "bundled", "n_wrong": "1,5"}


def samples(**parameters):
    return list(instruction_boundary(**{**SMALL, **parameters}).dataset)


def prompt(sample):
    """All that the model is told before its last reply."""
    return "\n\n".join(text for role, text in planned_dialogue(sample) if role != "assistant")


SAYS = cases_of(__file__, "SAYS")


@pytest.mark.whole
@pytest.mark.parametrize("missing", SAYS)
def test_no_prompt_without_a_choice_mentions_it_anywhere(missing):
    subset = "logic" if missing in LABELS["judging"] else "choice"
    asked = samples(subset=subset, setting="missing_choices", missing=missing)
    assert len(asked) >= 50
    for sample in asked:
        assert not re.search(SAYS[missing], prompt(sample), re.IGNORECASE), sample.id
        others = [label for label in LABELS[sample.metadata["family"]] if label != missing]
        for label in others:
            assert LABELS[sample.metadata["family"]][label] in prompt(sample)


def test_the_statement_is_an_option_of_none_items_only():
    asked = samples(subset="choice", setting="vanilla", none_style="stated", items=6)
    for sample in asked:
        stated = PROMPTS["statement"] in sample.choices
        assert stated is (sample.metadata["form"] == "none") is ("0" in sample.metadata["shown"])
        assert not stated or sample.target == str(sample.choices.index(PROMPTS["statement"]) + 1)


def test_polish_by_a_model_records_the_rewrite_and_needs_the_role(run):
    parameters = {**SMALL, "items": 2, "subset": "logic,choice", "setting": "prompt_polishing"}
    task = instruction_boundary(**parameters, polish="model")
    log = run(task, fail_on_error=False)
    for sample in log.samples:
        assert "model role 'polisher', which is not bound" in sample.error.message
        assert not any(event.event == "model" for event in sample.events)
    task = instruction_boundary(**parameters, polish="model")
    log = run(task, model_roles={"polisher": "respondent/typical"})
    for sample in log.samples:
        (kept,) = [e.data for e in sample.events if e.event == "info" and "polished" in str(e.data)]
        # Inspect keeps long texts of events beside them.
        kept = {k: sample.attachments.get(v.rpartition("/")[2], v) for k, v in kept.items()}
        assert kept["polished"] in sample.messages[0].text
        assert kept["original"] == sample.input


@pytest.mark.whole
def test_the_docs_show_prompts_as_they_are_sent():
    sent = {s.id: s for s in samples()}
    text = DOCS.read_text(encoding="utf-8")
    examples = re.findall(r"^`([\w/-]+)`, target [^`]+```text\n(.*?)\n```", text, re.M | re.S)
    assert {id.partition("-")[0] for id, _ in examples} == {"none", "logic"}
    for id, shown in examples:
        turns = planned_dialogue(sent[id])
        assert shown == "\n\n".join(f"[{role}]\n{turn}" for role, turn in turns)
