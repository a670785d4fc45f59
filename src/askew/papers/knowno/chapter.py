"""KnowNo's chapter: accuracy with and without the right option, beside the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from askew.papers.knowno.paper import ABLATION, HINTS, PATTERNS, WITH_GOLD, WITHOUT_GOLD
from askew.papers.knowno.printed import HUMAN
from askew.report.chapters import by_sign, flip_section, headline, rate, section, worst
from askew.report.document import Block, Cell, Headline, Model, Section, Table
from askew.report.evidence import Evidence
from askew.report.figures import PUBLISHED, dumbbell_figure, interval_figure, share_figure
from askew.report.palette import colour
from askew.report.tables import Items, Line, Rank, Slice, Value, Words, models, slices, table
from askew.schema import PERCENT, POINTS, Unit

_TABLE3, _PATTERNS_TABLE = "knowno-table3", "knowno-patterns-table"
_DISTANCE = Unit("points", 100.0)
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SOURCE = (
    "Published rows: Xu et al., Know-No, {table}, in percent as printed; GPT-4 is "
    "gpt-4o-2024-05-13, Claude3 is claude-3-opus-20240229, Llama3 is 8B. They answered the "
    "paper's own questions, three shuffles each."
)
_SHADES = (
    *("right-1", "right-2", "right-3", "right-4"),
    *("wrong-2", "wrong-1", "wrong-3", "wrong-4"),
)
_OFFERED, _GONE = "right option offered", "right option gone"


def headlines(evidence: Evidence) -> Iterator[Headline]:
    for model in evidence.models:
        said, finding = _sentence(evidence, model), worst(_drops(evidence, model))
        yield headline(evidence, model, "omni_accuracy", said, finding, "It falls nowhere.")


def _sentence(evidence: Evidence, model: Model) -> str:
    """What the headline means for this model, in one plain sentence."""
    offered, without, gap = (
        evidence.estimate(metric, model) for metric in (WITH_GOLD, "e_wo_gold", "gap")
    )
    if gap.missing:
        return f"Can't be said: {gap.why}."
    size, (low, high) = _DISTANCE.write(abs(gap.value)), sorted((abs(gap.low), abs(gap.high)))
    change = f"{size} points ({_DISTANCE.write(low)} to {_DISTANCE.write(high)})"
    told = by_sign(
        gap,
        f"without it, the model falls by {change}",
        f"without it, the model gains {change}",
        f"no difference shown ({gap.interval(POINTS)} points)",
    )
    return (
        f"Right {PERCENT.write(offered.value)}% of the time when the right option is on offer, "
        f"{PERCENT.write(without.value)}% when it is not: {told}."
    )


def _drops(evidence: Evidence, model: Model) -> Iterator[tuple[float, str, str]]:
    """By how much each hint of each subset falls from the right option on offer."""
    for subset in evidence.values("subset"):
        offered = evidence.estimate(WITH_GOLD, model, subset=subset)
        for hint in WITHOUT_GOLD:
            without = evidence.estimate(hint, model, subset=subset)
            yield (
                offered.value - without.value,
                f"{evidence.label('subset', subset)}, {HINTS[hint].label}: {rate(without)} right, "
                f"against {rate(offered)} with the right option (n = {without.n_items}).",
                f"{_TABLE3}-{evidence.slug('subset', subset)}",
            )


def sections(evidence: Evidence) -> Iterator[Section]:
    asked = set(evidence.observations["hint"])
    yield section(evidence, "knowno-main", _main(evidence))
    subsets = evidence.values("subset")
    subset = "mctest" if "mctest" in subsets else subsets[0]
    by_hint = interval_figure(
        evidence,
        "knowno-hints-figure",
        f"Accuracy by way of asking, {evidence.label('subset', subset)}",
        [
            (Slice(HINTS[hint].label.capitalize(), {"subset": subset}, hint), Value(hint))
            for hint in (WITH_GOLD, *WITHOUT_GOLD)
        ],
        table_id=_TABLE3,
    )
    yield section(evidence, "knowno-hints", (by_hint,))
    if "no_hint" in asked:
        yield section(evidence, "knowno-patterns", _free_answers(evidence))
    if len(evidence.models) > 1:
        yield section(evidence, "knowno-ranks", _ranks(evidence))
    if ABLATION in asked:
        table4 = table(
            evidence,
            "knowno-table4",
            "Change of accuracy when none-of-them replaces a wrong option, in points",
            [
                Value("ablation_change", printed=_PRINTED_POINTS),
                Value(ABLATION, meaning="accuracy, in percent", printed=_PRINTED),
                Items("ablation_change"),
            ],
            slices(evidence, "subset", anchored=False),
            source=_SOURCE.format(table="Table 4") + " Theirs compares 250 items with the full "
            "set; ours is paired on the same items.",
        )
        yield section(evidence, "knowno-ablation", (table4,))
    yield flip_section(evidence, "knowno-items", "hint", WITH_GOLD, WITHOUT_GOLD, "gold")


def _main(evidence: Evidence) -> Iterator[Block]:
    """OmniAccuracy, how far accuracy falls, and both by way of asking (Table 3)."""
    parts = slices(evidence, "subset")
    yield interval_figure(
        evidence,
        "knowno-omni",
        "OmniAccuracy",
        [(part, Value("omni_accuracy")) for part in parts],
        table_id=_TABLE3,
    )
    yield dumbbell_figure(
        evidence,
        "knowno-gap",
        "Accuracy with the right option and without it",
        ((Value(WITH_GOLD), _OFFERED), (Value("e_wo_gold"), _GONE)),
        parts,
        reading="The longer the line between the two dots, the more the model's success depends on "
        "being shown the right option. Bands are 95% intervals.",
        said=(_OFFERED, f"{_GONE}, mean of three hints"),
        also=(PUBLISHED,),
        table_id=_TABLE3,
    )
    heads = {
        WITH_GOLD: ("Right option offered", "with_gold"),
        "hint_as_option": ("None as an option", "gone: hint_as_option"),
        "hint_in_instruction": ("None in the instruction", "gone: hint_in_instruction"),
        "no_hint": ("No hint", "gone: no_hint"),
    }
    others = [h for h in HINTS if h not in heads and h != ABLATION]
    asked = [h for h in others if (evidence.rows["metric"] == h).any()]
    yield table(
        evidence,
        _TABLE3,
        "Accuracy in percent, by way of asking, with 95% intervals",
        [
            *(Value(hint, *words, printed=_PRINTED) for hint, words in heads.items()),
            *(Value(hint, HINTS[hint].label.capitalize(), hint) for hint in asked),
            Value("e_wo_gold", printed=_PRINTED),
            Value("omni_accuracy", printed=_PRINTED),
            Value("gap", printed=_PRINTED_POINTS),
            Items(WITH_GOLD, "asked every way"),
        ],
        parts,
        source=_SOURCE.format(table="Table 3") + " Their gap is computed here.",
    )


def _free_answers(evidence: Evidence) -> Iterator[Block]:
    """What replies under no hint say (Figure 4), and how they write it (questions 3 and 4)."""
    columns = [
        Value(f"pattern_{name}", pattern.label[0].upper() + pattern.label[1:], marked=name)
        for name, pattern in PATTERNS.items()
    ]
    parts = slices(evidence, "subset")
    yield share_figure(
        evidence,
        "knowno-patterns-figure",
        "Replies under no hint, by pattern",
        [replace(part, columns=columns) for part in parts],
        {
            name: (pattern.label, colour(shade))
            for (name, pattern), shade in zip(PATTERNS.items(), _SHADES, strict=True)
        },
        reading="Blue and green parts are right replies, the others wrong ones.",
        table_id=_PATTERNS_TABLE,
    )
    yield table(
        evidence,
        _PATTERNS_TABLE,
        "Replies under no hint by pattern, in percent, with 95% intervals",
        [*columns, Items("pattern_none")],
        slices(evidence, "subset", anchored=False),
    )
    free = evidence.observations[evidence.observations["hint"] == "no_hint"]
    if {"letter_kind", "pattern"} <= set(free):
        new = free[free["pattern"].isin(["new_gold", "new_wrong"])]
        if len(new):
            yield _letters(evidence, new)
    asked = evidence.observations[evidence.observations["subset"] == "bank77"]
    rewritten = [
        line
        for line in (models(evidence) if "gold" in asked else ())
        if len(texts := asked.loc[asked["model"] == line.model, "gold"].dropna().astype(str))
        and not texts.str.contains("_", regex=False).any()
    ]
    if rewritten:
        yield table(
            evidence,
            "knowno-delimiter",
            "Answers with underscores although none was shown (BANK-77, no hint), in percent",
            [Value("delimiter_leak", meaning=""), Items("delimiter_leak")],
            [Slice(at={"subset": "bank77"})],
            lines=rewritten,
            source="A model that writes them has probably met the data set before. In the paper "
            "(question 4) only Llama3 did.",
        )


def _letters(evidence: Evidence, new: pd.DataFrame) -> Table:
    """The letter that a new answer came with, as counts."""

    def counted(label: str, *kinds: str) -> Words:
        counts = new.loc[new["letter_kind"].isin(kinds), "model"].value_counts()
        return Words(label, lambda _, line, at: Cell(str(counts.get(line.model, 0))), numeric=True)

    return table(
        evidence,
        "knowno-letters",
        "The letter that a new answer came with under no hint (counts of replies)",
        [
            counted("The next free letter", "next"),
            counted("An offered letter", "offered"),
            counted("No letter", "none"),
            counted("New answers", "next", "offered", "none"),
        ],
        source="The paper reports this in words only: GPT-4 took the next letter, D, and the "
        "other models mostly an offered one.",
    )


def _ranks(evidence: Evidence) -> Iterator[Table]:
    """The models under test, ranked with the right option and without it, then the paper's."""
    with_it = Value(WITH_GOLD, "Accuracy with", "right option offered", printed=_PRINTED)
    without = Value("e_wo_gold", "Accuracy without", "mean over three hints", printed=_PRINTED)
    ranks = Rank(WITH_GOLD, "Rank with"), Rank("e_wo_gold", "Rank without")
    yield table(
        evidence,
        "knowno-ranks-table",
        "Ranks with the right option and without it",
        [ranks[0], with_it, ranks[1], without, Items("e_wo_gold")],
        slices(evidence, "subset", anchored=False),
        printed=False,
    )
    # Table 3 holds the same numbers as numbers.
    told = [replace(value, plain=True) for value in (with_it, without)]
    printed = evidence.printed
    names = [name for name in dict.fromkeys(map(str, printed["model"])) if name != HUMAN]
    yield table(
        evidence,
        "knowno-ranks-published",
        "The paper's models, ranked the same way",
        [ranks[0], told[0], ranks[1], told[1]],
        [
            Slice(evidence.label("subset", subset), {"subset": subset})
            for subset in dict.fromkeys(printed["subset"])
        ],
        lines=[Line(name, name, "published") for name in names],
        printed=False,
        source=_SOURCE.format(table="Table 3") + " The ranks are computed here.",
    )
