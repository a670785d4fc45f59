"""Format bias, declared: its tasks, its formats and treatments, and what is measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from askew.reading.formats import FORMATS, PAPER_FORMATS, Kind, Prompting
from askew.schema import NUMBER, PERCENT, Condition, Factor, Metric, Paper, SampleMeta, Unit

ItemKind = Literal[
    "mcq", "arithmetic", "reading", "multihop", "ranking", "keyphrases", "extraction"
]
SUBSETS: Mapping[str, str] = {
    "mmlu": "MMLU",
    "bbh": "BBH",
    "gsm8k": "GSM8K",
    "hotpotqa": "HotpotQA",
    "fairytaleqa": "FairytaleQA",
    "scidocsrr": "SciDocsRR",
    "semeval2017": "SemEval2017",
    "scirex_easy": "SciREX, easy",
    "scirex_medium": "SciREX, medium",
    "scirex_hard": "SciREX, hard",
}


@dataclass(frozen=True)
class Category:
    """Formats that are compared with each other.

    Attributes:
        label: as tables and figures show it.
        kinds: which items are asked in its formats.
    """

    label: str
    kinds: tuple[ItemKind, ...]


CATEGORIES: Mapping[str, Category] = {
    "wrapping": Category("wrapping formats", ("mcq", "arithmetic", "reading", "multihop")),
    "mcq": Category("multiple-choice formats", ("mcq",)),
    "list": Category("list formats", ("ranking", "keyphrases")),
    "mapping": Category("mapping formats", ("extraction",)),
}
"""In the order of the headlines."""


class _FormatConditions(Mapping[str, Condition]):
    """A condition for every format as registered so far; the paper's are asked by default."""

    def __getitem__(self, name: str) -> Condition:
        fmt = FORMATS[name]
        said = f"{fmt.category}: {fmt.meaning}"
        return Condition(name.replace("_", " "), said, asked=name in PAPER_FORMATS)

    def __iter__(self) -> Iterator[str]:
        return iter(FORMATS)

    def __len__(self) -> int:
        return len(FORMATS)


PROMPTINGS: Mapping[str, Condition] = {
    "zs": Condition("zero-shot", "nothing but the answer"),
    "cot": Condition("chain of thought", "step by step, then the answer"),
}


def demonstrated(number: int) -> str:
    """A number of demonstrations in words."""
    return f"{number} demonstration{'' if number == 1 else 's'}"


def repeated(number: int) -> str:
    """How often the format instruction is given, in words."""
    return f"instruction given {'once' if number == 1 else f'{number} times'}"


DEMOS: Mapping[int, str] = {0: "no demonstration", 1: "one formatted example", 5: "five of them"}
REPEATS: Mapping[int, str] = {1: "the format instruction once", 3: "three times", 5: "five times"}
# Without a treatment: what observations that name none were asked with.
PLAIN: Mapping[str, int] = {"demos": 0, "repeat": 1}
TREATMENTS = (
    Factor(
        "demos",
        {
            str(n): Condition(demonstrated(n), m, asked=n == PLAIN["demos"])
            for n, m in DEMOS.items()
        },
    ),
    Factor(
        "repeat",
        {str(n): Condition(repeated(n), m, asked=n == PLAIN["repeat"]) for n, m in REPEATS.items()},
    ),
)

_SQUARED = Unit("squared points")
_COUNT = Unit("", digits=0)
# A variance of scores between 0 and 100 points.
_SQUARED_BOUNDS = (0.0, 2_500.0)
# BiasF of scores that differ by 5 points between the better and the worse half of the formats.
_SQUARED_MARGIN = 6.25
BIAS_F = Metric(
    "bias_f", "BiasF", "variance of EstTrue over formats", "lower", _SQUARED, _SQUARED_BOUNDS,
    _SQUARED_MARGIN, "spread",
)  # fmt: skip
METRICS = (
    BIAS_F,
    Metric(
        "bias_f_over_followed", "BiasF over formats that were followed",
        "only formats that some reply followed", "lower", _SQUARED, _SQUARED_BOUNDS,
        _SQUARED_MARGIN, "spread",
    ),
    Metric(
        "fi_variance", "Variance of FI", "squared points", "lower", _SQUARED, _SQUARED_BOUNDS,
        _SQUARED_MARGIN, "percentile",
    ),
    Metric("fi", "FI", "replies that follow the format"),
    Metric("sys_e", "SysE", "score of all replies"),
    Metric(
        "est_true", "EstTrue", "score per reply that follows the format",
        bounds=(0.0, math.inf), interval="percentile",
    ),
    Metric(
        "est_true_strict", "EstTrue, strict", "the same, scoring only replies that follow it",
        interval="percentile",
    ),
    Metric(
        "map_as_published", "MAP as published", "marks scored against themselves", "neither",
    ),
    Metric(
        "est_true_reliable", "Reliable", "1 where Theorem 3.1 holds of a cell", "neither", NUMBER,
        interval="none",
    ),
    Metric(
        "est_true_constant", "Constant", "1 where all scores of a cell are equal", "neither",
        NUMBER, interval="none",
    ),
    Metric(
        "fi_needed", "FI needed", "from which on EstTrue is reliable", "neither", PERCENT,
        interval="none",
    ),
    Metric(
        "n_formats", "Formats asked", "in a category", "neither", _COUNT, (0.0, math.inf),
        interval="none",
    ),
    Metric(
        "n_formats_followed", "Formats followed", "by some reply", "neither", _COUNT,
        (0.0, math.inf), interval="none",
    ),
    Metric(
        "reliable_share", "Reliable", "share of cells, percent", "neither", PERCENT,
        interval="none",
    ),
)  # fmt: skip

PAPER = Paper(
    task="format_bias",
    home=__name__.rpartition(".")[0],
    title="Format bias: does the requested output format move the score?",
    reference="Long et al., LLMs Are Biased Towards Output Formats! (FormatBiasEval)",
    subsets=tuple(SUBSETS),
    subset_names={"all": "Mean of tasks", **SUBSETS},
    factors=(
        Factor("format", _FormatConditions()),
        Factor("prompting", PROMPTINGS),
        *TREATMENTS,
    ),
    headlines=tuple(f"bias_f_{category}" for category in CATEGORIES),
    formulas={
        "bias_f": "formulas",
        "est_true": "formulas",
        "est_true_reliable": "formulas",
        "mitigates": "mitigation",
        "mitigation_verdict": "mitigation",
    },
    measures={
        "format_ok": "1 where the reply follows the format",
        "score": "how right the extracted answer is, from 0 to 1",
    },
    metrics=METRICS,
    selectors=("category",),
    reasons=lambda metadata: metadata.get("prompting") == "cot",
)


class FormatBiasMeta(SampleMeta):
    """What a sample of format bias carries: its condition, and the type of its answer."""

    category: str
    format: str
    prompting: Prompting
    demos: int
    repeat: int
    kind: Kind
    keys: str = ""
    """Keys of the mapping, with commas between them."""
    n_elements: int = 0
    """How many documents there are to mark."""
