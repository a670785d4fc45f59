"""Format bias: its items, its conditions, and the three places its questions come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from askew.data.format_bias_records import (
    ENTITY_KEYS,
    LEVELS,
    FormatItem,
    ItemKind,
    items_of,
    parse_record,
)
from askew.data.loading import Files, Loaded, load_items
from askew.data.records import read_records
from askew.schema import Factor, Paper, SampleMeta

__all__ = [
    "CATEGORY_KINDS",
    "DEMOS_FILE",
    "ENTITY_KEYS",
    "FILES",
    "LEVELS",
    "PAPER",
    "SUBSETS",
    "TEMPLATE",
    "TEMPLATE_CSV",
    "FormatBiasMeta",
    "FormatItem",
    "ItemKind",
    "demonstrations",
    "load",
]

SUBSETS = (
    "mmlu", "bbh", "gsm8k", "hotpotqa", "fairytaleqa", "scidocsrr", "semeval2017", *LEVELS
)  # fmt: skip
CATEGORY_KINDS: Mapping[str, tuple[ItemKind, ...]] = {
    "mcq": ("mcq",),
    "wrapping": ("mcq", "arithmetic", "reading", "multihop"),
    "list": ("ranking", "keyphrases"),
    "mapping": ("extraction",),
}
"""Which items each category of formats is asked about."""

PAPER = Paper(
    task="format_bias",
    title="Format bias: does the requested output format move the score?",
    reference="Long et al., LLMs Are Biased Towards Output Formats! (FormatBiasEval)",
    subsets=SUBSETS,
    factors=(
        Factor(
            "format",
            {
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
            },
            (
                "char", "text", "special_character", "bolding", "italicizing", "brackets",
                "parentheses", "placeholder", "quoting", "python", "bullet", "separator",
                "newline", "json", "yaml",
            ),
        ),
        Factor(
            "prompting",
            {"zs": "nothing but the answer", "cot": "step by step, then the answer"},
            ("zs", "cot"),
        ),
        Factor(
            "demos",
            {"0": "no demonstration", "1": "one formatted example", "5": "five of them"},
            ("0",),
        ),
        Factor(
            "repeat",
            {"1": "the format instruction once", "3": "three times", "5": "five times"},
            ("1",),
        ),
    ),
    headlines=("bias_f_wrapping", "bias_f_mcq", "bias_f_list", "bias_f_mapping"),
    measures={
        "format_ok": "1 where the reply follows the format",
        "score": "how right the extracted answer is, from 0 to 1",
    },
    selectors=("category",),
)  # fmt: skip


FILES = Files(
    task="format_bias",
    bundled={
        "mmlu": "format_bias/mcq.jsonl",
        "bbh": "format_bias/bbh.jsonl",
        "gsm8k": "format_bias/arithmetic.jsonl",
        "hotpotqa": "format_bias/multihop.jsonl",
        "fairytaleqa": "format_bias/reading.jsonl",
        "scidocsrr": "format_bias/ranking.jsonl",
        "semeval2017": "format_bias/keyphrases.jsonl",
        **dict.fromkeys(LEVELS, "format_bias/extraction.jsonl"),
    },
    paper={
        "mmlu": "format_bias/mcq_mmlu_test_27.csv",
        "bbh": "format_bias/mcq_bbh_test_1.csv",
        "gsm8k": "format_bias/generation_gsm8k_test_200.csv",
        "hotpotqa": "format_bias/generation_hotpotqa_validation_200.csv",
        "fairytaleqa": "format_bias/generation_fairytaleqa_200.csv",
        "scidocsrr": "format_bias/list_scidocs_reranking_200.csv",
        "semeval2017": "format_bias/list_keyphrases_SemEval2017_200.csv",
        "scirex_easy": "format_bias/dict_SciREX_easy.csv",
        "scirex_medium": "format_bias/dict_SciREX_medium.csv",
        "scirex_hard": "format_bias/dict_SciREX_hard.csv",
    },
)


def load(data: str, subset: str | Sequence[str] | None = None) -> Loaded[FormatItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    return load_items(FILES, data, subset, parse_record, items_of)


DEMOS_FILE = Path(str(files("askew.data"))) / "bundled" / "format_bias" / "demos.jsonl"


@lru_cache(maxsize=1)
def demonstrations() -> Mapping[str, tuple[FormatItem, ...]]:
    """Our own worked examples, never tested, by kind of item; yes-or-no questions are "bbh"."""
    by_kind: dict[str, list[FormatItem]] = {}
    for item in items_of(read_records(DEMOS_FILE, parse_record)):
        # An extraction demonstration is shown at the level of the item it stands before.
        by_kind.setdefault("bbh" if item.subset == "bbh" else item.kind, []).append(item)
    return {kind: tuple(items) for kind, items in by_kind.items()}


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


TEMPLATE = (
    '{"id": "tide-1", "subject": "geography", "question": "What causes most tides?", "choices": '
    '["the Moon", "the wind", "rivers", "whales"], "answer": "A"}',
    '{"id": "plausible-1", "question": "Is the following sentence plausible? \\"The goalkeeper '
    'hit a home run.\\"", "choices": ["yes", "no"], "answer": "B"}',
    '{"id": "eggs-1", "question": "A box holds 12 eggs. How many eggs do 4 boxes hold?", '
    '"answer": "48"}',
    '{"id": "ferry-1", "passage": "The ferry left late because a cow stood on the ramp.", '
    '"question": "Why did the ferry leave late?", "answer": "a cow stood on the ramp"}',
    '{"id": "hop-1", "paragraphs": [{"title": "Ovar", "text": "Ovar was founded by Ilse Brand."}, '
    '{"title": "Ilse Brand", "text": "Ilse Brand was born in Tarn."}], "question": "Where was the '
    'founder of Ovar born?", "answer": "Tarn"}',
    '{"id": "rank-1", "query": "How bees find home", "documents": [{"title": "Landmarks and bees", '
    '"relevant": 1}, {"title": "Loans for farmers", "relevant": 0}]}',
    '{"id": "keys-1", "text": "We measure tidal energy in a salt marsh.", "keyphrases": '
    '["tidal energy", "salt marsh"]}',
    '{"id": "names-1", "text": "TideNet does tide prediction.", "Task": ["tide prediction"], '
    '"Method": ["TideNet"], "Material": [], "Metric": []}',
)
TEMPLATE_CSV = (
    "id,subject,question,choices,answer",
    'tide-1,geography,What causes most tides?,"[""the Moon"", ""the wind"", ""rivers""]",A',
)
