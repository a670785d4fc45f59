"""KnowNo's chapter: accuracy with and without the right option, beside the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from askew.papers.knowno.paper import (
    ABLATION,
    ALARMS,
    DISCERNMENT,
    GAP,
    HINTS,
    LENGTH,
    PAPER,
    PATTERNS,
    WITH_GOLD,
    WITHOUT_GOLD,
)
from askew.papers.knowno.printed import PEOPLE
from askew.report.chapters import (
    block_words,
    flip_section,
    headline,
    rate,
    section,
    verdict_of,
    worst,
)
from askew.report.charts import Spec, Step, colour, line_plot
from askew.report.document import Block, Cell, Headline, Section, Table
from askew.report.estimates import Estimate, Model
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import (
    MEASURED,
    PUBLISHED,
    dumbbell_figure,
    figure,
    interval_figure,
    share_figure,
)
from askew.report.tables import (
    Items,
    Line,
    Rank,
    Slice,
    Value,
    Words,
    models,
    printed_models,
    slices,
    table,
)
from askew.report.verdicts import Verdict
from askew.schema import PERCENT, Unit

_words = partial(block_words, PAPER.home)
_DISTANCE = Unit("points", 100.0)
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_SHADES = (
    *("right-1", "right-2", "right-3", "right-4"),
    *("wrong-2", "wrong-1", "wrong-3", "wrong-4"),
)
_ALARMED = frozenset(ALARMS.values())
_OFFERED, _GONE = "right option offered", "right option gone"


def headlines(evidence: Evidence) -> Iterator[Headline]:
    for model in evidence.models:
        gap = evidence.estimate(GAP, model)
        of = verdict_of(evidence, model, gap)
        yield headline(evidence, model, "omni_accuracy", _rates_in_words(evidence, model, gap))
        said, finding = _gap_in_words(gap, of), worst(_drops(evidence, model), of)
        yield headline(evidence, model, GAP, said, finding)
        if _ALARMED & set(evidence.observations["hint"]):
            yield headline(evidence, model, DISCERNMENT, _discernment_in_words(evidence, model))


def _discernment_in_words(evidence: Evidence, model: Model) -> str:
    """How well saying none goes with none being right, in one plain sentence."""
    told = evidence.estimate(DISCERNMENT, model)
    if told.missing:
        return f"Can't be said: {told.why}."
    alarms = evidence.estimate("false_none", model)
    hits = PERCENT.write(told.value + alarms.value)
    return (
        f"Where none-of-them may be said, it is said {hits}% of the time without the right option, "
        f"and {PERCENT.write(alarms.value)}% with it on offer."
    )


def _rates_in_words(evidence: Evidence, model: Model, gap: Estimate) -> str:
    """What the headline rests on, in one plain sentence."""
    if gap.missing:
        return f"Can't be said: {gap.why}."
    offered, without = (evidence.estimate(metric, model) for metric in (WITH_GOLD, "e_wo_gold"))
    return (
        f"Right {PERCENT.write(offered.value)}% of the time when the right option is on offer, "
        f"{PERCENT.write(without.value)}% when it is not."
    )


def _gap_in_words(gap: Estimate, of: Verdict) -> str:
    """What a missing right option does to this model, in one plain sentence."""
    if gap.missing:
        return f"Can't be said: {gap.why}."
    size, (low, high) = _DISTANCE.write(abs(gap.value)), sorted((abs(gap.low), abs(gap.high)))
    change = f"{size} points ({_DISTANCE.write(low)} to {_DISTANCE.write(high)})"
    if not of.shown:
        return f"A fall without the right option: {of.said}."
    return (
        f"Without the right option, the model {'falls by' if gap.value > 0 else 'gains'} {change}."
    )


def _drops(evidence: Evidence, model: Model) -> Iterator[tuple[Estimate, float, str, str]]:
    """By how much each hint of each subset falls from the right option on offer."""
    for subset in evidence.values("subset"):
        offered = evidence.estimate(WITH_GOLD, model, subset=subset)
        for hint in WITHOUT_GOLD:
            without = evidence.estimate(hint, model, subset=subset)
            yield (
                without,
                offered.value - without.value,
                f"{evidence.label('subset', subset)}, {HINTS[hint].label}: {rate(without)} right, "
                f"against {rate(offered)} with the right option (n = {without.n_items}).",
                f"knowno-table3-{evidence.slug('subset', subset)}",
            )


def sections(evidence: Evidence) -> Iterator[Section]:
    asked = set(evidence.observations["hint"])
    yield section(evidence, "knowno-main", _main(evidence))
    subsets = evidence.values("subset")
    subset = "mctest" if "mctest" in subsets else subsets[0]
    by_hint = interval_figure(
        evidence,
        panels=[
            (Slice(HINTS[hint].label.capitalize(), {"subset": subset}, hint), Value(hint))
            for hint in (WITH_GOLD, *WITHOUT_GOLD)
        ],
        **_words("knowno-hints-figure", subset=evidence.label("subset", subset)),
    )
    yield section(evidence, "knowno-hints", (by_hint,))
    if "no_hint" in asked:
        yield section(evidence, "knowno-patterns", _free_answers(evidence))
    if len(evidence.models) > 1:
        yield section(evidence, "knowno-ranks", _ranks(evidence))
    if _ALARMED & asked:
        yield section(evidence, "knowno-discernment", _discernment(evidence))
    if ABLATION in asked:
        table4 = table(
            evidence,
            columns=[
                Value("ablation_change", printed=_PRINTED_POINTS),
                Value(ABLATION, meaning="accuracy, in percent", printed=_PRINTED),
                Items("ablation_change"),
            ],
            parts=slices(evidence, "subset", anchored=False),
            **_words("knowno-table4"),
        )
        yield section(evidence, "knowno-ablation", (table4,))
    if LENGTH in evidence.levels:
        yield section(evidence, "knowno-lengths", _lengths(evidence))
    yield flip_section(_apart(evidence), "knowno-items", "hint", WITH_GOLD, WITHOUT_GOLD, "gold")


def _discernment(evidence: Evidence) -> Iterator[Block]:
    """None said where it is right, less where it is not."""
    yield interval_figure(
        evidence,
        panels=[(part, Value(DISCERNMENT)) for part in slices(evidence, "subset")],
        **_words("knowno-discernment-figure"),
    )
    yield table(
        evidence,
        columns=[
            Value(DISCERNMENT),
            Value("false_none"),
            *(Value(hint, HINTS[hint].label.capitalize(), hint) for hint in ALARMS.values()),
            Items(DISCERNMENT),
        ],
        parts=slices(evidence, "subset"),
        printed=False,
        **_words("knowno-discernment-table"),
    )


def _apart(evidence: Evidence) -> Evidence:
    """The evidence with each length of context as an asking of its own, as orders are."""
    rows = evidence.observations
    if LENGTH not in evidence.levels:
        return evidence
    askings = rows["order"].astype(str) + "/" + rows[LENGTH].astype("string").fillna("")
    return replace(evidence, observations=rows.assign(order=askings))


def _main(evidence: Evidence) -> Iterator[Block]:
    """OmniAccuracy, how far accuracy falls, and both by way of asking (Table 3)."""
    parts = slices(evidence, "subset")
    # Of the lowest and the highest of several people there are no means to lay apart.
    ends = [Value(WITH_GOLD), Value("e_wo_gold")]
    apart = [
        replace(
            part,
            lines=[
                *models(evidence),
                *(p for p in printed_models(evidence, ends, part.at) if p.model not in PEOPLE[1:]),
            ],
        )
        for part in parts
    ]
    yield interval_figure(
        evidence, panels=[(part, Value("omni_accuracy")) for part in parts], **_words("knowno-omni")
    )
    yield dumbbell_figure(
        evidence,
        ends=((Value(WITH_GOLD), _OFFERED), (Value("e_wo_gold"), _GONE)),
        panels=apart,
        said=(_OFFERED, f"{_GONE}, mean of three hints"),
        printed=False,
        also=(PUBLISHED,),
        **_words("knowno-gap"),
    )
    heads = {
        WITH_GOLD: ("Right option offered", "with_gold"),
        "hint_as_option": ("None as an option", "gone: hint_as_option"),
        "hint_in_instruction": ("None in the instruction", "gone: hint_in_instruction"),
        "no_hint": ("No hint", "gone: no_hint"),
    }
    others = [h for h in HINTS if h not in heads and h not in _ALARMED]
    asked = [h for h in others if (evidence.rows["metric"] == h).any()]
    yield table(
        evidence,
        columns=[
            *(Value(hint, *words, printed=_PRINTED) for hint, words in heads.items()),
            *(Value(hint, HINTS[hint].label.capitalize(), hint) for hint in asked),
            Value("e_wo_gold", printed=_PRINTED),
            Value("omni_accuracy", printed=_PRINTED),
            Value("gap", printed=_PRINTED_POINTS),
            Items(WITH_GOLD, "asked every way"),
        ],
        parts=parts,
        **_words("knowno-table3"),
    )


def _free_answers(evidence: Evidence) -> Iterator[Block]:
    """What replies under no hint say (Figure 4), and how they write it (questions 3 and 4)."""
    columns = [
        Value(f"pattern_{name}", pattern.label[0].upper() + pattern.label[1:], marked=name)
        for name, pattern in PATTERNS.items()
    ]
    yield share_figure(
        evidence,
        panels=[replace(part, columns=columns) for part in slices(evidence, "subset")],
        parts={
            name: (pattern.label, colour(shade))
            for (name, pattern), shade in zip(PATTERNS.items(), _SHADES, strict=True)
        },
        **_words("knowno-patterns-figure"),
    )
    yield table(
        evidence,
        columns=[*columns, Items("pattern_none")],
        parts=slices(evidence, "subset", anchored=False),
        **_words("knowno-patterns-table"),
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
            columns=[Value("delimiter_leak", meaning=""), Items("delimiter_leak")],
            parts=[Slice(at={"subset": "bank77"})],
            lines=rewritten,
            **_words("knowno-delimiter"),
        )


def _lengths(evidence: Evidence) -> Iterator[Block]:
    """Accuracy by how many words stand on each side of an equation (Figure 5)."""
    subsets = [s for s in evidence.values("subset") if _by_length(evidence, WITH_GOLD, s)]
    metrics = (WITH_GOLD, "e_wo_gold", "omni_accuracy")

    def draw(part: Slice) -> Spec:
        steps = [
            Step(line.marked, line.kind, int(value.at[LENGTH]), found)
            for line in part.lines
            for value in part.columns
            if isinstance(value, Value)
            for found in [value.estimate(evidence, line, part.at)]
        ]
        return line_plot(steps, "words on each side", PERCENT, (0.0, 100.0))

    curves = [
        Slice(
            f"{line.marked}, {PAPER.metric(metric).label.lower()}"
            + f", {evidence.label('subset', subset)}" * (len(subsets) > 1),
            {"subset": subset},
            f"{metric.replace('_', '-')}-{n}" + f"-{i}" * (i > 1),
            [line],
            columns,
        )
        for i, subset in enumerate(subsets, start=1)
        for n, line in enumerate(models(evidence), start=1)
        for metric in metrics
        if len(columns := _by_length(evidence, metric, subset, line.model)) > 1
    ]
    if curves:
        yield figure(
            evidence,
            panels=curves,
            draw=draw,
            legend=(MEASURED,),
            **_words("knowno-lengths-figure"),
        )
    lengths = sorted(
        {v.at[LENGTH] for s in subsets for v in _by_length(evidence, WITH_GOLD, s)}, key=int
    )
    yield table(
        evidence,
        columns=[Value(metric) for metric in (*metrics, *WITHOUT_GOLD)] + [Items(WITH_GOLD)],
        parts=[
            Slice(f"{evidence.label('subset', s)}, {int(n):,} words", {"subset": s, LENGTH: n})
            for s in subsets
            for n in lengths
        ],
        printed=False,
        **_words("knowno-lengths-table"),
    )


def _by_length(evidence: Evidence, metric: str, subset: str, model: str = "") -> list[Value]:
    """A column a length in which a number was asked and has a value, the shortest first."""
    rows = evidence.rows[(evidence.rows["metric"] == metric) & (evidence.rows["subset"] == subset)]
    rows = rows[(rows[LENGTH] != OVERALL) & rows[LENGTH].notna() & rows["value"].notna()]
    rows = rows[rows["model"] == model] if model else rows
    return [Value(metric, at={LENGTH: n}) for n in sorted(set(rows[LENGTH].astype(str)), key=int)]


def _letters(evidence: Evidence, new: pd.DataFrame) -> Table:
    """The letter that a new answer came with, as counts."""

    def counted(label: str, *kinds: str) -> Words:
        counts = new.loc[new["letter_kind"].isin(kinds), "model"].value_counts()
        return Words(label, lambda _, line, at: Cell(str(counts.get(line.model, 0))), numeric=True)

    return table(
        evidence,
        columns=[
            counted("The next free letter", "next"),
            counted("An offered letter", "offered"),
            counted("No letter", "none"),
            counted("New answers", "next", "offered", "none"),
        ],
        **_words("knowno-letters"),
    )


def _ranks(evidence: Evidence) -> Iterator[Table]:
    """The models under test, ranked with the right option and without it, then the paper's."""
    with_it = Value(WITH_GOLD, "Accuracy with", "right option offered", printed=_PRINTED)
    without = Value("e_wo_gold", "Accuracy without", "mean over three hints", printed=_PRINTED)
    ranks = Rank(WITH_GOLD, "Rank with"), Rank("e_wo_gold", "Rank without")
    yield table(
        evidence,
        columns=[ranks[0], with_it, ranks[1], without, Items("e_wo_gold")],
        parts=slices(evidence, "subset", anchored=False),
        printed=False,
        **_words("knowno-ranks-table"),
    )
    # Table 3 holds the same numbers as numbers.
    told = [replace(value, plain=True) for value in (with_it, without)]
    printed = evidence.printed
    names = [name for name in dict.fromkeys(map(str, printed["model"])) if name not in PEOPLE]
    yield table(
        evidence,
        columns=[ranks[0], told[0], ranks[1], told[1]],
        parts=[
            Slice(evidence.label("subset", subset), {"subset": subset})
            for subset in dict.fromkeys(printed["subset"])
        ],
        lines=[Line(name, name, "published") for name in names],
        printed=False,
        **_words("knowno-ranks-published"),
    )
