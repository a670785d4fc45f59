"""KnowNo's chapter: accuracy with and without the right option, beside the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askew.papers.knowno import chapter_figures as figures
from askew.papers.knowno import chapter_tables as tables
from askew.papers.knowno.chapter_words import (
    HINT_WORDS,
    SUBSET_NAMES,
    WITHOUT_ORDER,
    subset_name,
    subsets_of,
)
from askew.papers.knowno.numbers import ALL
from askew.papers.knowno.paper import PAPER, WITH_GOLD, WITHOUT_GOLD
from askew.report.document import Block, Chapter, Estimate, Finding, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.flips import telling_flips
from askew.schema import PERCENT, POINTS, Unit

_DISTANCE = Unit("points", 100.0)
_FLIP_RULE = (
    "Items that a model answers right with the right option on offer and wrong once it is gone: "
    "those that are wrong under most hints first, models and subsets taking turns."
)


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about KnowNo."""
    return Chapter(
        task="knowno",
        title="KnowNo",
        question="Does a model notice that no option is right?",
        reference=PAPER.reference,
        headlines=tuple(_headline(evidence, m) for m in evidence.models),
        sections=tuple(_sections(evidence)),
    )


def _headline(evidence: Evidence, model: Model) -> Headline:
    headline = evidence.estimate("omni_accuracy", model, ALL)
    return Headline(
        task="knowno",
        title="KnowNo",
        model=model,
        metric="omni_accuracy",
        label="OmniAccuracy",
        estimate=headline,
        unit=PERCENT,
        scale=(0.0, 1.0),
        sentence=_sentence(evidence, model),
        finding=_worst(evidence, model),
        nothing_found="" if headline.missing else "It falls nowhere.",
    )


def _sentence(evidence: Evidence, model: Model) -> str:
    """What the headline means for this model, in one plain sentence."""
    offered = evidence.estimate(WITH_GOLD, model, ALL)
    without = evidence.estimate("e_wo_gold", model, ALL)
    gap = evidence.estimate("gap", model, ALL)
    if gap.missing:
        return f"Can't be said: {gap.why}."
    rates = (
        f"Right {PERCENT.write(offered.value)}% of the time when the right option is on offer, "
        f"{PERCENT.write(without.value)}% when it is not"
    )
    size, (low, high) = _DISTANCE.write(abs(gap.value)), sorted((abs(gap.low), abs(gap.high)))
    change = f"{size} points ({_DISTANCE.write(low)} to {_DISTANCE.write(high)})"
    if gap.low > 0:
        return f"{rates}: without it, the model falls by {change}."
    if gap.high < 0:
        return f"{rates}: without it, the model gains {change}."
    return f"{rates}: no difference shown ({gap.interval(POINTS)} points)."


def _rate(estimate: Estimate) -> str:
    return f"{PERCENT.write(estimate.value)}% ({estimate.interval(PERCENT)})"


@dataclass(frozen=True)
class _Drop:
    subset: str
    hint: str
    offered: Estimate
    without: Estimate

    @property
    def size(self) -> float:
        return self.offered.value - self.without.value


def _worst(evidence: Evidence, model: Model) -> Finding | None:
    """The largest fall from `with_gold` among subsets and hints."""
    drops = [d for d in _drops(evidence, model) if d.size > 0]
    if not drops:
        return None
    worst = max(drops, key=lambda d: d.size)
    subset = subset_name(worst.subset)
    return Finding(
        f"{subset}, {HINT_WORDS[worst.hint]}: {_rate(worst.without)} right, against "
        f"{_rate(worst.offered)} with the right option (n = {worst.without.n_items}).",
        tables.place_in_table3(evidence, worst.subset),
    )


def _drops(evidence: Evidence, model: Model) -> Iterator[_Drop]:
    for subset in subsets_of(evidence):
        offered = evidence.estimate(WITH_GOLD, model, subset)
        for hint in WITHOUT_GOLD:
            without = evidence.estimate(hint, model, subset)
            if not (offered.missing or without.missing):
                yield _Drop(subset, hint, offered, without)


def _sections(evidence: Evidence) -> Iterator[Section]:
    yield Section(
        "knowno-main",
        "With the right option and without it",
        (
            "Every item is asked four times: once with its right option, and three times without "
            "it. OmniAccuracy is the mean of the accuracy with it and the mean accuracy without "
            "it, so a model that always picks something can't pass 50%.",
            _comparability(evidence.data),
        ),
        (
            figures.omni_accuracy(evidence),
            figures.with_and_without(evidence),
            tables.table3(evidence),
        ),
    )
    yield Section(
        "knowno-hints",
        "Which hint helps",
        (
            "The paper set people beside models on MC-Test, one prompt at a time (its Figure 3): "
            "they stayed above 90% however they were asked.",
        ),
        (figures.by_hint(evidence),),
    )
    yield from _free_answers(evidence)
    if len(evidence.models) > 1:
        yield Section(
            "knowno-ranks",
            "Do the ranks hold?",
            (
                "Models ranked by accuracy with the right option, and again without it (the "
                "paper's Appendix A.4). Ranks whose intervals overlap are not told apart here.",
            ),
            (tables.ranks(evidence), tables.published_ranks()),
        )
    ablation = tables.table4(evidence)
    if ablation is not None:
        yield Section(
            "knowno-ablation",
            "Does none-of-them distract where the right option is on offer?",
            ("One wrong option is replaced by none-of-them (the paper's question 5).",),
            (ablation,),
        )
    flips = telling_flips(
        evidence,
        evidence.observations["hint"],
        WITH_GOLD,
        WITHOUT_ORDER,
        {**SUBSET_NAMES, **HINT_WORDS},
        "gold",
        _FLIP_RULE,
    )
    yield Section("knowno-items", "Telling flips", (_FLIP_RULE,), (flips,))


def _comparability(data: Sequence[str]) -> str:
    """What the published rows may be compared with."""
    if tuple(data) == ("paper",):
        return "The questions are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(data) == ("bundled",) else "not the paper's"
    return (
        f"The questions are {whose}: compare the published rows in shape (who falls, and how far), "
        "not in level."
    )


def _free_answers(evidence: Evidence) -> Iterator[Section]:
    if not (evidence.observations["hint"] == "no_hint").any():
        return
    blocks: list[Block] = [
        figures.patterns(evidence),
        tables.patterns(evidence),
    ]
    letters = tables.letters(evidence)
    leak = tables.delimiter_leak(evidence)
    blocks += [t for t in (letters, leak) if t is not None]
    yield Section(
        "knowno-patterns",
        "What is said when nothing hints at none",
        _PATTERN_WORDS,
        tuple(blocks),
    )


_PATTERN_WORDS: Sequence[str] = (
    "With the right option gone and no hint, a reply is right that says so, or that gives the "
    "true answer although it is not offered (the paper's Figure 4 shows this for MC-Test).",
)
