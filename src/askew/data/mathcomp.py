"""MathComp: its items, its 14 framings as factors, and the three places its scenarios come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.data.arithmetic import EquationError, evaluate
from askew.data.cache import blob_id_at
from askew.data.loading import (
    Files,
    Loaded,
    Origin,
    digest,
    load_items,
    revision_of,
    user_file,
)
from askew.data.mathcomp_framings import FRAMINGS, Framing
from askew.data.mathcomp_generator import REVISION, generate
from askew.data.mathcomp_identities import IDENTITIES
from askew.data.mathcomp_paper import label_of, read_paper
from askew.data.mathcomp_paper import scenarios as paper_scenarios
from askew.data.mathcomp_paper import verify as verify_paper
from askew.data.mathcomp_records import TEMPLATE, TEMPLATE_CSV, parse_record, scenarios_of
from askew.data.mathcomp_scenario import CATEGORIES, Scenario
from askew.data.sources import SOURCES, fetch
from askew.schema import (
    Factor,
    Finding,
    Paper,
    SampleMeta,
    SelectionError,
    choose,
    whole_number,
)

__all__ = [
    "PAPER",
    "SUBSETS",
    "TEMPLATE",
    "TEMPLATE_CSV",
    "MathCompItem",
    "MathCompMeta",
    "framings",
    "load",
    "verify",
]

# Bundled are as many scenarios as the paper has, generated from this seed.
N, SEED = 300, 1
_SOURCE = SOURCES["mathcomp/MathComp_Dataset.csv"]
_LARGEST = 100_000
# Bytes; the paper's file is far smaller, and larger ones need not be hashed to tell.
_LARGEST_FILE = 10_000_000
_FRAMING_WORD = re.compile(r"\b(more|less|equal|equally)\b", re.IGNORECASE)


def subset_of(category: str) -> str:
    """A category as the value of a parameter: `health_fitness`."""
    return "_".join(re.findall(r"[^\W_]+", category.casefold())) or "own"


SUBSETS = tuple(subset_of(category) for category in CATEGORIES)

PAPER = Paper(
    task="mathcomp",
    title="MathComp: do the words more, less and equal steer arithmetic?",
    reference="More or Less Wrong: A Benchmark for Directional Bias in LLM Comparative Reasoning",
    subsets=SUBSETS,
    factors=(
        Factor(
            "style",
            {
                "neutral": "asks how the two amounts compare",
                "direct": "asks whether the second person's amount is more, less or equal",
                "indirect": "first asserts something else, then asks the direct question",
            },
            ("neutral", "direct", "indirect"),
        ),
        Factor(
            "term",
            {
                "none": "no term: the neutral question",
                "more": "asks for more",
                "less": "asks for less",
                "equal": "asks for equal",
            },
            ("none", "more", "less", "equal"),
        ),
        Factor(
            "position",
            {
                "begin": "the framing stands before the two sentences",
                "end": "the framing stands behind the two sentences",
            },
            ("begin", "end"),
        ),
        Factor(
            "output",
            {
                "one_word": "one of the three words, without explanation",
                "json": "a JSON object with an answer field",
                "cot": "free-form reasoning",
                "cot_json": "a JSON object with reasoning and answer",
            },
            ("one_word",),
        ),
        Factor(
            "identity",
            {
                "standard": "two names: Alex and Sam",
                "person": "a person and another person",
                **{i: f"a person and {b.first}" for i, (_, b) in IDENTITIES.items()
                   if i not in ("standard", "person")},
            },
            ("standard",),
        ),
    ),
    headlines=("framing_pull",),
    measures={
        "correct": "1 where the answer, understood for what it says of the second person, is right",
        "correct_strict": "1 where the option word itself is right, whoever it is said of",
        "correct_lenient": "1 where the answer or its own reasoning in the frame's words is right",
        "frames_words": "1 where the answer is in the frame's words: strict and lenient differ",
        "answered": "1 where an option was read",
        "yes_no": "1 where the reply says Yes or No and names no option",
    },
    selectors=("strict_items",),
)  # fmt: skip


@dataclass(frozen=True)
class MathCompItem:
    """A scenario with its place: its category is its subset, and it is its own unit."""

    scenario: Scenario

    @property
    def id(self) -> str:
        return self.scenario.id

    @property
    def unit(self) -> str:
        return self.scenario.id

    @property
    def subset(self) -> str:
        return subset_of(self.scenario.category)


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


def framings(
    style: str | Sequence[str] | None = None,
    term: str | Sequence[str] | None = None,
    position: str | Sequence[str] | None = None,
) -> tuple[Framing, ...]:
    """The framings that have one of the given values in each factor, in the paper's order."""
    styles, terms, positions = (
        PAPER.factor(name).select(wanted)
        for name, wanted in (("style", style), ("term", term), ("position", position))
    )
    chosen = tuple(
        f for f in FRAMINGS if f.style in styles and f.term in terms and f.position in positions
    )
    if not chosen:
        raise SelectionError(
            f"style={','.join(styles)} and term={','.join(terms)}: no framing has both; the "
            "neutral style goes with the term none, the others with more, less and equal"
        )
    return chosen


def load(
    data: str,
    subset: str | Sequence[str] | None = None,
    *,
    n: int = N,
    seed: int = SEED,
    strict_items: bool = True,
) -> Loaded[MathCompItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets.

    Args:
        data: "bundled" generates scenarios in the paper's proportions.
        subset: categories wanted; default all.
        n: how many scenarios to generate.
        seed: from which seed.
        strict_items: leave out the paper's items whose label does not follow from their text.
    """
    if data == "bundled":
        return _generated(subset, n, seed)
    path = fetch(_SOURCE) if data == "paper" else user_file(PAPER.task, data)
    if data == "paper" or _is_the_papers(path):
        scenarios = paper_scenarios(read_paper(path.read_bytes()), strict_items=strict_items)
        origin: Origin = "paper" if data == "paper" else "file"
        return _selected(
            Loaded([*map(MathCompItem, scenarios)], origin, revision_of([path])), subset
        )
    return load_items(
        Files("mathcomp", {}, {}),
        data,
        subset,
        parse_record,
        lambda records: [*map(MathCompItem, scenarios_of(records))],
    )


def _generated(subset: str | Sequence[str] | None, n: int, seed: int) -> Loaded[MathCompItem]:
    whole_number("n", n, most=_LARGEST)
    whole_number("seed", seed, least=None)
    items = [MathCompItem(s) for s in generate(n, seed)]
    # The seed is in the name, so that a report says which scenarios these were.
    revision = f"generator{REVISION}.seed{seed}.n{n}.{digest(repr(items))}"
    return _selected(Loaded(items, "bundled", revision), subset)


def _is_the_papers(path: Path) -> bool:
    return blob_id_at(path, _LARGEST_FILE) == _SOURCE.blob_id


def _selected(
    loaded: Loaded[MathCompItem], subset: str | Sequence[str] | None
) -> Loaded[MathCompItem]:
    wanted = choose("subset", subset, SUBSETS)
    kept = [item for item in loaded.items if item.subset in wanted]
    return Loaded(kept, loaded.origin, loaded.revision)


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in a set of scenarios, with ids, and what is left out for it."""
    if data != "bundled":
        path = fetch(_SOURCE) if data == "paper" else user_file(PAPER.task, data)
        if data == "paper" or _is_the_papers(path):
            return _paper_findings(path, subset)
    return [f for item in load(data, subset).items for f in _scenario_findings(item.scenario)]


def _paper_findings(path: Path, subset: str | Sequence[str] | None) -> list[Finding]:
    items = read_paper(path.read_bytes())
    wanted = choose("subset", subset, SUBSETS)
    ids = {i.number: i.id for i in items if subset_of(i.category) in wanted}
    return [
        Finding(ids[found.item], found.kind, found.message, found.excluded)
        for found in verify_paper(items)
        if found.item in ids
    ]


def _scenario_findings(scenario: Scenario) -> Iterator[Finding]:
    words = sorted(
        {m[0].casefold() for s in _sentences(scenario) for m in _FRAMING_WORD.finditer(s)}
    )
    if words:
        yield Finding(scenario.id, "framing_word", f"its sentences contain {', '.join(words)}")
    if not scenario.equation1:
        yield Finding(scenario.id, "no equations", "its label can't be checked")
        return
    try:
        computed = label_of(evaluate(scenario.equation1), evaluate(scenario.equation2))
    except EquationError as problem:
        yield Finding(scenario.id, "unreadable", str(problem))
        return
    if computed != scenario.label:
        yield Finding(scenario.id, "label", f"{computed} by its equations, not {scenario.label}")


def _sentences(scenario: Scenario) -> tuple[str, str]:
    return scenario.sentence1, scenario.sentence2
