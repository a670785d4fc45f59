"""Instruction Boundary, declared: its subsets, its settings, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from askew.papers.instruction_boundary.questions import TEN, Family
from askew.schema import Condition, Factor, Judge, Metric, Paper, SampleMeta

Group = Literal["sufficient", "redundant", "insufficient"]


@dataclass(frozen=True)
class Setting(Condition):
    """How one setting's prompt covers the question, and what it changes against vanilla."""

    group: Group = "sufficient"


def _setting(label: str, group: Group, meaning: str) -> Setting:
    return Setting(label, f"{group}: {meaning}", group=group)


SETTINGS: Mapping[str, Setting] = {
    "vanilla": _setting(
        "Vanilla", "sufficient", "labels with descriptions, guidance, response format"
    ),
    "multi_turn": _setting(
        "Multi-turn",
        "sufficient",
        "asked to show its reasoning, then to review it and give a final answer",
    ),
    "conformity": _setting("Conformity", "redundant", "a sentence says what the answer is"),
    "miscellany": _setting(
        "Miscellany",
        "redundant",
        "judging: two extra options; choice: the right option beside 1 to 9 wrong ones",
    ),
    "few_shot": _setting("Few-shot", "redundant", "an example, by default with the sparse label"),
    "missing_choices": _setting(
        "Missing choices",
        "insufficient",
        "one label is not offered; choice: a wrong option is left out as well",
    ),
    "vagueness": _setting("Vagueness", "insufficient", "bare labels, no descriptions, no guidance"),
    "prompt_polishing": _setting(
        "Prompt polishing", "insufficient", "the question in a polished rewrite"
    ),
}
# What tells conditions of one setting apart; empty for the settings that have one form only.
VARIANTS: Mapping[str, Condition] = {
    "a label": Condition(
        "a label", "suggested (conformity), shown as examples, or missing", asked=False
    ),
    "a number": Condition(
        "a number",
        "how many wrong options stand beside the right one (miscellany, choice)",
        asked=False,
    ),
    "fixed, model": Condition("fixed, model", "who polished the question", asked=False),
}
BUNDLED = ("logic", "choice", TEN)
PUBLISHED = ("folio", "mcq_450", "mcq_2700", "judging_questions")
# On request only: the 2,700 share 197 questions with the 450, and the judging file has no
# documented layout.
PUBLISHED_DEFAULT = ("folio", "mcq_450")


# The condition whose question a model rewrites.
POLISHED = ("prompt_polishing", "model")


def _judged(parameters: Mapping[str, object], bound: bool, some: float) -> float:
    asked = parameters.get("judge")
    return some if asked != "never" and (bound or asked == "required") else 0.0


PAPER = Paper(
    task="instruction_boundary",
    home=__name__.rpartition(".")[0],
    title="Instruction Boundary: what does the coverage of a prompt do to rare labels?",
    reference="Ling et al., Instruction Boundary: Quantifying Biases in LLM Reasoning",
    subsets=(*BUNDLED, *PUBLISHED),
    subset_names={
        "logic": "Generated theories",
        "choice": "Four options",
        "ten": "Ten options",
        "folio": "FOLIO",
        "mcq_450": "The paper's 450",
        "mcq_2700": "The paper's 2,700",
        "judging_questions": "The paper's judging questions",
    },
    factors=(Factor("setting", SETTINGS), Factor("variant", VARIANTS, free=True)),
    selectors=("suggest", "examples", "missing", "polish", "n_wrong"),
    headlines=("rs_vanilla", "boundary_cost"),
    formulas={"robustness_score": "numbers"},
    measures={
        "correct": "1 where the answer is exactly the right one",
        "hedged": "1 where it is Unknown or none by a hedge, such as 'unclear'",
        "judged": "1 where a judge decided what the reply says",
    },
    metrics=(
        Metric("rs_vanilla", "RS", interval="percentile"),
        Metric("boundary_cost", "Boundary cost", better="lower", interval="percentile"),
        Metric("acc", "Accuracy"),
        Metric("sr", "SR"),
        Metric("gr", "GR"),
        Metric("gr_none", "GR none"),
        Metric("gr_multi", "GR several"),
        Metric("rs", "RS", interval="percentile"),
        Metric("rr", "RR"),
        Metric("right_to_wrong", "Right to wrong", better="lower"),
        Metric("follow_gain", "Follow gain", better="nearer zero", interval="percentile"),
        Metric("moved_rate", "Moved", better="lower"),
        Metric("or_distance", "OR distance", better="lower", interval="mirrored"),
        Metric("no_answer", "No answer", better="lower"),
        Metric("*", better="neither"),
    ),
    judge=Judge("judge", share=_judged),
    polishes=lambda metadata: (metadata.get("setting"), metadata.get("variant")) == POLISHED,
)


class BoundaryMeta(SampleMeta):
    """What a sample carries: its condition, its truth, and which options its prompt shows.

    `truth` and `suggestion` are canonical: a label, "none", "several", or numbers of the item's
    options. `shown` lists those numbers in the order of the prompt; 0 stands for the statement
    that all other options are false.
    """

    family: Family
    form: str
    setting: str
    variant: str = ""
    truth: str
    shown: str = ""
    suggestion: str = ""
    source: str = ""
