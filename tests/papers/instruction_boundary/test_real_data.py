"""Instruction Boundary on the paper's real files: how many runs they make, and what a run says."""

import re
from collections import Counter

import pytest

from askew.papers.instruction_boundary.paper import SETTINGS
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.solvers.chain import planned_dialogue
from tests.cases import cases

pytestmark = pytest.mark.real_data


def runs(dataset, *by):
    return Counter(tuple(s.metadata[name] for name in by) for s in dataset)


def test_folio_and_the_450_make_9947_runs_under_the_eight_settings(published):
    dataset = instruction_boundary(data="paper").dataset
    found = runs(dataset, "subset", "setting")
    folio = {("folio", setting): 798 for setting in SETTINGS}
    # Three of the 450 speak of other options; the single ones have three wrong options each.
    choice = {("mcq_450", s): 447 for s in SETTINGS if s != "miscellany"}
    # Seven passages use the word none, which nothing could keep from their prompts.
    choice |= {("mcq_450", "missing_choices"): 440, ("mcq_450", "miscellany"): 147 * 3}
    assert found == {**folio, **choice}
    assert len({s.id for s in dataset}) == len(dataset) == 9_947


@cases("missing", "subset", "n")
def test_no_prompt_on_the_papers_questions_names_the_label_that_goes_missing(
    published, missing, subset, n
):
    dataset = instruction_boundary(
        data="paper", subset=subset, setting="missing_choices", missing=missing
    ).dataset
    assert len(dataset) == n
    for sample in dataset:
        told = "\n".join(text for _, text in planned_dialogue(sample))
        assert not re.search(rf"\b{missing}\b", told, re.IGNORECASE), sample.id
