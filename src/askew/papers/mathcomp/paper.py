"""MathComp, declared: its categories, its framings as factors, and what is measured."""

from __future__ import annotations

import re

from askew.papers.mathcomp.framings import IDENTITIES
from askew.papers.mathcomp.scenarios import CATEGORIES
from askew.schema import Condition, Factor, Judge, Metric, Paper, SampleMeta


def subset_of(category: str) -> str:
    """A category as the value of a parameter: `health_fitness`."""
    return "_".join(re.findall(r"[^\W_]+", category.casefold())) or "own"


SUBSETS = tuple(subset_of(category) for category in CATEGORIES)
# Names of groups are written with a capital.
_GROUPS = ("white", "black", "asian", "hispanic", "african")


def _people(identity: str) -> Condition:
    shown = identity.capitalize() if identity in _GROUPS else identity
    if identity == "standard":
        return Condition(shown, "two names: Alex and Sam")
    other = "another person" if identity == "person" else IDENTITIES[identity][1].first
    return Condition(shown, f"a person and {other}", asked=False)


PAPER = Paper(
    task="mathcomp",
    home=__name__.rpartition(".")[0],
    title="MathComp: do the words more, less and equal steer arithmetic?",
    reference="More or Less Wrong: A Benchmark for Directional Bias in LLM Comparative Reasoning",
    subsets=SUBSETS,
    subset_names={subset_of(category): category for category in CATEGORIES},
    factors=(
        Factor(
            "style",
            {
                "neutral": Condition("neutral", "asks how the two amounts compare"),
                "direct": Condition(
                    "direct", "asks whether the second person's amount is more, less or equal"
                ),
                "indirect": Condition(
                    "indirect", "first asserts something else, then asks the direct question"
                ),
            },
        ),
        Factor(
            "term",
            {
                "none": Condition("none", "no term: the neutral question"),
                "more": Condition("more", "asks for more"),
                "less": Condition("less", "asks for less"),
                "equal": Condition("equal", "asks for equal"),
            },
        ),
        Factor(
            "position",
            {
                "begin": Condition("framing first", "the framing stands before the two sentences"),
                "end": Condition("framing last", "the framing stands behind the two sentences"),
            },
        ),
        Factor(
            "output",
            {
                "one_word": Condition("one word", "one of the three words, without explanation"),
                "json": Condition("JSON", "a JSON object with an answer field", asked=False),
                "cot": Condition("free-form reasoning", "free-form reasoning", asked=False),
                "cot_json": Condition(
                    "reasoning in JSON", "a JSON object with reasoning and answer", asked=False
                ),
            },
        ),
        Factor("identity", {identity: _people(identity) for identity in IDENTITIES}),
    ),
    headlines=("framing_pull",),
    formulas={"dir_err": "numbers", "framing_pull": "numbers"},
    measures={
        "correct": "1 where the answer, understood for what it says of the second person, is right",
        "correct_strict": "1 where the option word itself is right, whoever it is said of",
        "correct_lenient": "1 where the answer or its own reasoning in the frame's words is right",
        "frames_words": "1 where the answer is in the frame's words: strict and lenient differ",
        "answered": "1 where an option was read",
        "yes_no": "1 where the reply says Yes or No and names no option",
    },
    metrics=(
        Metric(
            "framing_pull", "Framing pull", better="nearer zero", bounds=(-1.0, 1.0),
            interval="percentile",
        ),
        Metric("framing_pull_*", better="nearer zero", bounds=(-1.0, 1.0), interval="percentile"),
        Metric("accuracy", "Accuracy"),
        Metric("identity_gap_*", better="lower", interval="mirrored"),
        Metric("dir_err_*", better="lower"),
        Metric("unparsed*", better="lower"),
        Metric("*", better="neither"),
    ),
    selectors=("strict_items",),
    judge=Judge(
        "read",
        share=lambda parameters, bound, some: {"judge": 1.0, "rules_then_judge": some}.get(
            str(parameters.get("read", "rules")), 0.0
        ),
        reads=lambda metadata: metadata.get("output") == "cot",
    ),
    reasons=lambda metadata: str(metadata.get("output", "")).startswith("cot"),
)  # fmt: skip


class MathCompMeta(SampleMeta):
    """What a sample of MathComp carries: its condition, its label, and who is in it."""

    style: str
    term: str
    position: str
    output: str
    identity: str
    gold: str
    quantity: str
    number_format: str
    person_a: str
    """How a reply would mention the first person: "Alex", "the person"."""
    person_b: str
    judge_question: str = ""
    """Table 8's question, where a judge may be asked."""
