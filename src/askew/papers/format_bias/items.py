"""Format bias: its items, its conditions, and the three places its questions come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from askew.papers.format_bias.findings import find
from askew.papers.format_bias.paper import PAPER
from askew.papers.format_bias.pins import SOURCES
from askew.papers.format_bias.records import (
    LEVELS,
    FormatItem,
    ItemKind,
    items_of,
    parse_record,
)
from askew.schema import Finding
from askew.sources.loading import Files, Loaded, bundled, load_items
from askew.sources.records import read_records

CATEGORY_KINDS: Mapping[str, tuple[ItemKind, ...]] = {
    "mcq": ("mcq",),
    "wrapping": ("mcq", "arithmetic", "reading", "multihop"),
    "list": ("ranking", "keyphrases"),
    "mapping": ("extraction",),
}
"""Which items each category of formats is asked about."""

FILES = Files(
    task=PAPER.task,
    home=PAPER.home,
    bundled={
        "mmlu": "mcq.jsonl",
        "bbh": "bbh.jsonl",
        "gsm8k": "arithmetic.jsonl",
        "hotpotqa": "multihop.jsonl",
        "fairytaleqa": "reading.jsonl",
        "scidocsrr": "ranking.jsonl",
        "semeval2017": "keyphrases.jsonl",
        **dict.fromkeys(LEVELS, "extraction.jsonl"),
    },
    paper={
        "mmlu": SOURCES["mcq_mmlu_test_27.csv"],
        "bbh": SOURCES["mcq_bbh_test_1.csv"],
        "gsm8k": SOURCES["generation_gsm8k_test_200.csv"],
        "hotpotqa": SOURCES["generation_hotpotqa_validation_200.csv"],
        "fairytaleqa": SOURCES["generation_fairytaleqa_200.csv"],
        "scidocsrr": SOURCES["list_scidocs_reranking_200.csv"],
        "semeval2017": SOURCES["list_keyphrases_SemEval2017_200.csv"],
        "scirex_easy": SOURCES["dict_SciREX_easy.csv"],
        "scirex_medium": SOURCES["dict_SciREX_medium.csv"],
        "scirex_hard": SOURCES["dict_SciREX_hard.csv"],
    },
)


def load(data: str, subset: str | Sequence[str] | None = None) -> Loaded[FormatItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    return load_items(FILES, data, subset, parse_record, items_of)


DEMOS_FILE = bundled(PAPER.home, "demos.jsonl")


@lru_cache(maxsize=1)
def demonstrations() -> Mapping[str, tuple[FormatItem, ...]]:
    """Our own worked examples, never tested, by kind of item; yes-or-no questions are "bbh"."""
    by_kind: dict[str, list[FormatItem]] = {}
    for item in items_of(read_records(DEMOS_FILE, parse_record)):
        # An extraction demonstration is shown at the level of the item it stands before.
        by_kind.setdefault("bbh" if item.subset == "bbh" else item.kind, []).append(item)
    return {kind: tuple(items) for kind, items in by_kind.items()}


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in the items of `data`, with ids."""
    return find(load(data, subset).items)


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
