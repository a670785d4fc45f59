"""Format bias, declared: its tasks, its formats, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from askew.schema import NUMBER, Condition, Factor, Metric, Paper, SampleMeta, Unit

SUBSETS = (
    "mmlu", "bbh", "gsm8k", "hotpotqa", "fairytaleqa", "scidocsrr", "semeval2017", "scirex_easy",
    "scirex_medium", "scirex_hard",
)  # fmt: skip
_FORMATS: Mapping[str, str] = {
    "char": "mcq: the letter of an option",
    "text": "mcq: the text of an option",
    "special_character": "wrapping: between <ANSWER> and </ANSWER>",
    "bolding": "wrapping: between double asterisks",
    "italicizing": "wrapping: between single asterisks",
    "brackets": "wrapping: between double square brackets",
    "parentheses": "wrapping: between double parentheses",
    "placeholder": 'wrapping: behind "So the answer is: "',
    "quoting": "wrapping: between triple quotes",
    "python": "list: a Python list",
    "bullet": "list: bullet points",
    "separator": "list: elements with <SEP> between them",
    "newline": "list: one element a line",
    "json": "mapping: a Python dictionary or JSON",
    "yaml": "mapping: YAML",
}
_SQUARED = Unit("squared points", digits=1)
# BiasF of scores that differ by 5 points between the better and the worse half of the formats.
_SQUARED_MARGIN = 6.25
_SQUARED_BOUNDS = (0.0, 2_500.0)

PAPER = Paper(
    task="format_bias",
    home=__name__.rpartition(".")[0],
    title="Format bias: does the requested output format move the score?",
    reference="Long et al., LLMs Are Biased Towards Output Formats! (FormatBiasEval)",
    subsets=SUBSETS,
    subset_names={
        "all": "Mean of tasks",
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
    },
    factors=(
        Factor(
            "format",
            {name: Condition(name.replace("_", " "), said) for name, said in _FORMATS.items()},
        ),
        Factor(
            "prompting",
            {
                "zs": Condition("zero-shot", "nothing but the answer"),
                "cot": Condition("chain of thought", "step by step, then the answer"),
            },
        ),
        Factor(
            "demos",
            {
                "0": Condition("none", "no demonstration"),
                "1": Condition("one", "one formatted example", asked=False),
                "5": Condition("five", "five of them", asked=False),
            },
        ),
        Factor(
            "repeat",
            {
                "1": Condition("once", "the format instruction once"),
                "3": Condition("three times", "three times", asked=False),
                "5": Condition("five times", "five times", asked=False),
            },
        ),
    ),
    headlines=("bias_f_wrapping", "bias_f_mcq", "bias_f_list", "bias_f_mapping"),
    formulas={"bias_f": "numbers", "est_true": "numbers", "est_true_reliable": "numbers", "mitigates": "mitigation", "mitigation_verdict": "mitigation"},
    measures={
        "format_ok": "1 where the reply follows the format",
        "score": "how right the extracted answer is, from 0 to 1",
    },
    metrics=(
        Metric(
            "bias_f", "BiasF", "", "lower", _SQUARED, _SQUARED_BOUNDS, _SQUARED_MARGIN, "mirrored"
        ),
        Metric(
            "bias_f_over_followed", "BiasF over formats that were followed", "", "lower",
            _SQUARED, _SQUARED_BOUNDS, _SQUARED_MARGIN, "mirrored",
        ),
        Metric(
            "fi_variance", "Variance of FI", "", "lower",
            _SQUARED, _SQUARED_BOUNDS, _SQUARED_MARGIN, "mirrored",
        ),
        Metric("fi", "FI"),
        Metric("sys_e", "SysE", interval="percentile"),
        Metric("est_true", "EstTrue", interval="percentile"),
        Metric("est_true_strict", "EstTrue, strict", interval="percentile"),
        Metric("map_as_published", "MAP as published", better="neither", interval="percentile"),
        Metric("*", better="neither", unit=NUMBER, interval="percentile"),
    ),
    selectors=("category",),
    reasons=lambda metadata: metadata.get("prompting") == "cot",
)  # fmt: skip


class FormatBiasMeta(SampleMeta):
    """What a sample of format bias carries: its condition, and the type of its answer."""

    category: str
    format: str
    prompting: Literal["zs", "cot"]
    demos: int
    repeat: int
    kind: Literal["letter", "option", "text", "ranking", "keyphrases", "entities"]
    keys: str = ""
    """Keys of the mapping, with commas between them."""
    n_elements: int = 0
    """How many documents there are to mark."""
