"""MathComp: its items, its 14 framings as factors, and the three places its scenarios come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.papers.mathcomp.framings import FRAMINGS, Framing
from askew.papers.mathcomp.generator import REVISION, generate
from askew.papers.mathcomp.paper import PAPER, SUBSETS, subset_of
from askew.papers.mathcomp.paper_files import read_paper
from askew.papers.mathcomp.paper_files import scenarios as paper_scenarios
from askew.papers.mathcomp.paper_files import verify as verify_paper
from askew.papers.mathcomp.pins import SOURCES
from askew.papers.mathcomp.records import TEMPLATE as TEMPLATE
from askew.papers.mathcomp.records import TEMPLATE_CSV as TEMPLATE_CSV
from askew.papers.mathcomp.records import parse_record, scenarios_of
from askew.papers.mathcomp.scenarios import Scenario, findings
from askew.parameters import SelectionError, choose, whole_number
from askew.schema import Finding
from askew.sources.loading import Files, Loaded, Origin, digest, load_items, revision_of, user_file
from askew.sources.pinned import fetch

# Bundled are as many scenarios as the paper has, generated from this seed.
N, SEED = 300, 1
_SOURCE = SOURCES["MathComp_Dataset.csv"]
_LARGEST = 100_000


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
    if data == "paper" or _SOURCE.fits(path):
        scenarios = paper_scenarios(read_paper(path.read_bytes()), strict_items=strict_items)
        origin: Origin = "paper" if data == "paper" else "file"
        return _selected(
            Loaded([*map(MathCompItem, scenarios)], origin, revision_of([path])), subset
        )
    return load_items(
        Files(PAPER.task, PAPER.home, {}, {}),
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
        if data == "paper" or _SOURCE.fits(path):
            return _paper_findings(path, subset)
    return [*findings([item.scenario for item in load(data, subset).items])]


def _paper_findings(path: Path, subset: str | Sequence[str] | None) -> list[Finding]:
    items = read_paper(path.read_bytes())
    wanted = choose("subset", subset, SUBSETS)
    ids = {item.id for item in items if subset_of(item.category) in wanted}
    return [found for found in verify_paper(items) if found.item in ids]
