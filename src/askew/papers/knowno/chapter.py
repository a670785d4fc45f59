"""KnowNo's chapter: accuracy with and without the right option, beside the paper's tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from askew.papers.knowno.paper import ABLATION, HINTS, PAPER, PATTERNS, WITH_GOLD, WITHOUT_GOLD
from askew.papers.knowno.printed import HUMAN
from askew.report.chapters import comparability, headline, rate
from askew.report.charts import Spec, shares
from askew.report.document import (
    Block,
    Cell,
    Chart,
    Headline,
    Key,
    Model,
    Panel,
    Section,
    Table,
    WorstFinding,
)
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import PUBLISHED, dumbbell_figure, interval_figure, points
from askew.report.flips import flip_list
from askew.report.palette import colour
from askew.report.tables import Items, Line, Slice, Value, Words, models, slices, table
from askew.schema import MISSING, PERCENT, POINTS, Unit

TABLE3 = "knowno-table3"
_DISTANCE = Unit("points", 100.0)
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SOURCE = (
    "Published rows: Xu et al., Know-No, {table}, in percent as printed; GPT-4 is "
    "gpt-4o-2024-05-13, Claude3 is claude-3-opus-20240229, Llama3 is 8B. They answered the "
    "paper's own questions, three shuffles each."
)
_COLOURS = dict(
    zip(
        PATTERNS,
        map(colour, ("right-1", "right-2", "right-3", "right-4", "wrong-2", "wrong-1", "wrong-3",
                     "wrong-4")),
        strict=True,
    )
)  # fmt: skip
_ENDS = ("right option offered", "right option gone")
_FLIP_RULE = (
    "Items that a model answers right with the right option on offer and wrong once it is gone: "
    "those that are wrong under most hints first, models and subsets taking turns."
)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    for model in evidence.models:
        said, finding = _sentence(evidence, model), _worst(evidence, model)
        yield headline(evidence, model, "omni_accuracy", said, finding, "It falls nowhere.")


def _sentence(evidence: Evidence, model: Model) -> str:
    """What the headline means for this model, in one plain sentence."""
    offered = evidence.estimate(WITH_GOLD, model)
    without = evidence.estimate("e_wo_gold", model)
    gap = evidence.estimate("gap", model)
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


def _worst(evidence: Evidence, model: Model) -> WorstFinding | None:
    """The largest fall from the right option on offer among subsets and hints."""
    drops = [
        (offered.value - without.value, subset, hint, offered, without)
        for subset in evidence.values("subset")
        for hint in WITHOUT_GOLD
        for offered in [evidence.estimate(WITH_GOLD, model, subset=subset)]
        for without in [evidence.estimate(hint, model, subset=subset)]
        if offered.value > without.value
    ]
    if not drops:
        return None
    _, subset, hint, offered, without = max(drops, key=lambda drop: drop[0])
    return WorstFinding(
        f"{evidence.label('subset', subset)}, {HINTS[hint].label}: {rate(without)} right, against "
        f"{rate(offered)} with the right option (n = {without.n_items}).",
        f"{TABLE3}-{evidence.slug('subset', subset)}",
    )


def sections(evidence: Evidence) -> Iterator[Section]:
    yield Section(
        "knowno-main",
        "With the right option and without it",
        (
            "Every item is asked four times: once with its right option, and three times without "
            "it. OmniAccuracy is the mean of the accuracy with it and the mean accuracy without "
            "it, so a model that always picks something can't pass 50%.",
            comparability(evidence.data, "(who falls, and how far)"),
        ),
        (_omni(evidence), _with_and_without(evidence), table3(evidence)),
    )
    yield Section(
        "knowno-hints",
        "Which hint helps",
        (
            "The paper set people beside models on MC-Test, one prompt at a time (its Figure 3): "
            "they stayed above 90% however they were asked.",
        ),
        (_by_hint(evidence),),
    )
    if (evidence.observations["hint"] == "no_hint").any():
        yield Section(
            "knowno-patterns",
            "What is said when nothing hints at none",
            (
                "With the right option gone and no hint, a reply is right that says so, or that "
                "gives the true answer although it is not offered (the paper's Figure 4 shows this "
                "for MC-Test).",
            ),
            tuple(_free_answers(evidence)),
        )
    if len(evidence.models) > 1:
        yield Section(
            "knowno-ranks",
            "Do the ranks hold?",
            (
                "Models ranked by accuracy with the right option, and again without it (the "
                "paper's Appendix A.4). Ranks whose intervals overlap are not told apart here.",
            ),
            (_ranks(evidence), _published_ranks(evidence)),
        )
    if (evidence.observations["hint"] == ABLATION).any():
        yield Section(
            "knowno-ablation",
            "Does none-of-them distract where the right option is on offer?",
            ("One wrong option is replaced by none-of-them (the paper's question 5).",),
            (_table4(evidence),),
        )
    names = {**PAPER.subset_names, **{name: hint.label for name, hint in HINTS.items()}}
    asked = evidence.observations["hint"]
    found = flip_list(evidence, asked, WITH_GOLD, WITHOUT_GOLD, names, "gold", _FLIP_RULE)
    yield Section("knowno-items", "Items that flip", (_FLIP_RULE,), (found,))


# --- Tables -----------------------------------------------------------------------------------


def table3(evidence: Evidence) -> Table:
    """Accuracy by way of asking, the models under test above the paper's (its Table 3)."""
    heads = {
        WITH_GOLD: ("Right option offered", "with_gold"),
        "hint_as_option": ("None as an option", "gone: hint_as_option"),
        "hint_in_instruction": ("None in the instruction", "gone: hint_in_instruction"),
        "no_hint": ("No hint", "gone: no_hint"),
    }
    others = [h for h in HINTS if h not in heads and h != ABLATION]
    asked = [h for h in others if (evidence.rows["metric"] == h).any()]
    return table(
        evidence,
        TABLE3,
        "Accuracy in percent, by way of asking, with 95% intervals",
        [
            *(Value(hint, *words, printed=_PRINTED) for hint, words in heads.items()),
            *(Value(hint, HINTS[hint].label.capitalize(), hint) for hint in asked),
            Value("e_wo_gold", printed=_PRINTED),
            Value("omni_accuracy", printed=_PRINTED),
            Value("gap", printed=_PRINTED_POINTS),
            Items(WITH_GOLD, "asked every way"),
        ],
        slices(evidence, "subset"),
        source=_SOURCE.format(table="Table 3") + " Their gap is computed here.",
    )


def _patterns_table(evidence: Evidence) -> Table:
    """The shares of Figure 4 with their intervals."""
    return table(
        evidence,
        "knowno-patterns-table",
        "Replies under no hint by pattern, in percent, with 95% intervals",
        [
            *(Value(f"pattern_{n}", p.label[0].upper() + p.label[1:]) for n, p in PATTERNS.items()),
            Items("pattern_none"),
        ],
        [Slice(s.title, s.at) for s in slices(evidence, "subset")],
    )


def _free_answers(evidence: Evidence) -> Iterator[Block]:
    yield _patterns_figure(evidence)
    yield _patterns_table(evidence)
    free = evidence.observations[evidence.observations["hint"] == "no_hint"]
    if {"letter_kind", "pattern"} <= set(free):
        new = free[free["pattern"].isin(["new_gold", "new_wrong"])]
        if len(new):
            yield _letters(evidence, new)
    asked = evidence.observations[evidence.observations["subset"] == "bank77"]
    rewritten = [
        line
        for line in models(evidence)
        if "gold" in asked and _without_underscores(asked[asked["model"] == line.model]["gold"])
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


def _without_underscores(gold: pd.Series) -> bool:
    texts = gold.dropna().astype(str)
    return bool(len(texts)) and not texts.str.contains("_", regex=False).any()


def _letters(evidence: Evidence, new: pd.DataFrame) -> Table:
    """The letter that a new answer came with (the paper's question 3), as counts."""

    def count(kinds: Sequence[str], _: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        mine = new[new["model"] == line.model]["letter_kind"]
        return Cell(str(int(mine.isin(kinds).sum())))

    columns = {
        "The next free letter": ("next",),
        "An offered letter": ("offered",),
        "No letter": ("none",),
        "New answers": ("next", "offered", "none"),
    }
    return table(
        evidence,
        "knowno-letters",
        "The letter that a new answer came with under no hint (counts of replies)",
        [Words(label, partial(count, kinds), numeric=True) for label, kinds in columns.items()],
        source="The paper reports this in words only: GPT-4 took the next letter, D, and the "
        "other models mostly an offered one.",
    )


def _table4(evidence: Evidence) -> Table:
    """The ablation: one wrong option replaced by none-of-them (Table 4)."""
    return table(
        evidence,
        "knowno-table4",
        "Change of accuracy when none-of-them replaces a wrong option, in points",
        [
            Value("ablation_change", printed=_PRINTED_POINTS),
            Value(ABLATION, meaning="accuracy, in percent", printed=_PRINTED),
            Items("ablation_change"),
        ],
        [Slice(s.title, s.at) for s in slices(evidence, "subset")],
        source=_SOURCE.format(table="Table 4")
        + " Theirs compares 250 items with the full set; ours is paired on the same items.",
    )


def _rank_columns(places: Mapping[tuple[str, str, str], str], printed: bool) -> list[Value | Words]:
    """Two metrics, each with the rank in front of it; printed ones stand elsewhere as numbers."""

    def place(metric: str, _: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        return Cell(places[metric, at.get("subset", OVERALL), line.model])

    def said(metric: str, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        return Cell(_PRINTED.write(Value(metric).estimate(evidence, line, at).value))

    def number(metric: str, label: str, meaning: str) -> Value | Words:
        if printed:
            return Words(label, partial(said, metric), meaning, numeric=True)
        return Value(metric, label, meaning)

    return [
        Words("Rank with", partial(place, WITH_GOLD), numeric=True),
        number(WITH_GOLD, "Accuracy with", "right option offered"),
        Words("Rank without", partial(place, "e_wo_gold"), numeric=True),
        number("e_wo_gold", "Accuracy without", "mean over three hints"),
    ]


def _placed(
    evidence: Evidence, lines: Sequence[Line], parts: Sequence[Slice]
) -> dict[tuple[str, str, str], str]:
    """Ranks from the highest down by metric, subset and model; ties share a place."""
    found = {}
    for metric in (WITH_GOLD, "e_wo_gold"):
        for part in parts:
            values = [Value(metric).estimate(evidence, line, part.at).value for line in lines]
            for line, value in zip(lines, values, strict=True):
                better, ties = sum(v > value for v in values), values.count(value)
                place = f"{1 + better}{'=' if ties > 1 else ''}"
                key = (metric, part.at.get("subset", OVERALL), line.model)
                found[key] = MISSING if math.isnan(value) else place
    return found


def _ranks(evidence: Evidence) -> Table:
    """The models under test, ranked with the right option and without it."""
    parts = [Slice(s.title, s.at) for s in slices(evidence, "subset")]
    places = _placed(evidence, models(evidence), parts)
    return table(
        evidence,
        "knowno-ranks-table",
        "Ranks with the right option and without it",
        [*_rank_columns(places, printed=False), Items("e_wo_gold")],
        parts,
        printed=False,
    )


def _published_ranks(evidence: Evidence) -> Table:
    """The paper's models, ranked the same way."""
    printed = evidence.printed
    names = [m for m in dict.fromkeys(map(str, printed["model"])) if m != HUMAN]
    lines = [Line(name, name, "published") for name in names]
    parts = [
        Slice(evidence.label("subset", s), {"subset": s}) for s in dict.fromkeys(printed["subset"])
    ]
    places = _placed(evidence, lines, parts)
    return table(
        evidence,
        "knowno-ranks-published",
        "The paper's models, ranked the same way",
        _rank_columns(places, printed=True),
        parts,
        lines=lines,
        printed=False,
        source=_SOURCE.format(table="Table 3") + " The ranks are computed here.",
    )


# --- Figures ----------------------------------------------------------------------------------


def _omni(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return interval_figure(
        evidence,
        "knowno-omni",
        "OmniAccuracy",
        [(part, Value("omni_accuracy")) for part in slices(evidence, "subset")],
        table_id=TABLE3,
    )


def _with_and_without(evidence: Evidence) -> Chart:
    """How far accuracy falls when the right option goes."""
    return dumbbell_figure(
        evidence,
        "knowno-gap",
        "Accuracy with the right option and without it",
        ((Value(WITH_GOLD), _ENDS[0]), (Value("e_wo_gold"), _ENDS[1])),
        slices(evidence, "subset"),
        reading="The longer the line between the two dots, the more the model's success depends on "
        "being shown the right option. Bands are 95% intervals.",
        said=(_ENDS[0], f"{_ENDS[1]}, mean of three hints"),
        also=(PUBLISHED,),
        table_id=TABLE3,
    )


def _by_hint(evidence: Evidence) -> Chart:
    """One panel a way of asking, people among the models (Figure 3)."""
    subsets = evidence.values("subset")
    subset = "mctest" if "mctest" in subsets else subsets[0]
    return interval_figure(
        evidence,
        "knowno-hints-figure",
        f"Accuracy by way of asking, {evidence.label('subset', subset)}",
        [
            (Slice(HINTS[hint].label.capitalize(), {"subset": subset}, hint), Value(hint))
            for hint in (WITH_GOLD, *WITHOUT_GOLD)
        ],
        table_id=TABLE3,
    )


def _patterns_figure(evidence: Evidence) -> Chart:
    """What replies under no hint say (Figure 4)."""
    words = {name: pattern.label for name, pattern in PATTERNS.items()}

    def draw(part: Slice) -> Spec:
        parts = [
            point
            for line in models(evidence)
            for name in PATTERNS
            for point in points(
                evidence,
                Value(f"pattern_{name}"),
                part.at,
                lines=[line],
                series=name,
                printed=False,
            )
        ]
        return shares(parts, _COLOURS, PERCENT, words)

    return Chart(
        id="knowno-patterns-figure",
        caption="Replies under no hint, by pattern",
        reading="Blue and green parts are right replies, the others wrong ones.",
        legend=tuple(Key("bar", _COLOURS[name], words[name]) for name in PATTERNS),
        panels=tuple(Panel(s.slug, s.title, partial(draw, s)) for s in slices(evidence, "subset")),
        simulated=evidence.simulated,
        table_id="knowno-patterns-table",
    )
