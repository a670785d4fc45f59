"""Format bias's chapter: how far the requested output format moves the estimated true score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from askew.papers.format_bias.chapter_tables import (
    NOTES,
    Asked,
    bias,
    bias_by_task,
    by_format,
    categories_of,
    category_name,
    cells,
    format_name,
    means,
    of_formats,
    others,
    titled,
)
from askew.papers.format_bias.formulas import bias_f
from askew.papers.format_bias.paper import BIAS_F, PAPER
from askew.papers.format_bias.printed import ARMS, TREATED, TREATMENTS, VARIANCES, treated
from askew.papers.format_bias.treatments import (
    Criterion,
    Verdict,
    fi_holds,
    has_treatment,
    mitigations,
)
from askew.report.chapters import block_words, headline, rate, section, verdict_of
from askew.report.document import (
    Cell,
    Column,
    FlipList,
    Group,
    Headline,
    Row,
    Section,
    Table,
    WorstFinding,
)
from askew.report.estimates import Estimate, RowKind
from askew.report.evidence import OVERALL, Evidence
from askew.report.flips import flip_list
from askew.report.tables import Line, Slice, Value, Words, table
from askew.report.verdicts import Verdict as Told
from askew.schema import MISSING, Unit
from askew.stats.intervals import exceeds
from askew.untrusted import one_line

_CHANGE = Unit("squared points", signed=True)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """BiasF of each category that a model was asked, in its plainest arm."""
    plainest = [(asked, arm) for asked in categories_of(evidence) for arm in asked.plainest]
    for model in evidence.models:
        arms = [(asked, arm) for asked, arm in plainest if arm.model == model.label]
        for asked, arm in arms:
            found = asked.number("bias_f", arm)
            of = verdict_of(evidence, model, found, together=len(arms))
            told = headline(
                evidence,
                model,
                "bias_f",
                _sentence(asked, arm, of),
                _finding(asked, arm) if of.shown else None,
                of=of,
                label=f"{BIAS_F.label}, {asked.name}{arm.head.removeprefix(model.short)}",
                # Most of what the printed definition shows of a short run is noise.
                estimate=replace(found, value=found.null.without_noise)
                if _has_null(found)
                else found,
                scale=None,
            )
            yield replace(told, metric=f"bias_f_{asked.category}")
        if not arms:
            why = evidence.estimate("bias_f", model).why
            yield headline(evidence, model, "bias_f", f"Can't be said: {why}.", scale=None)


def _sentence(asked: Asked, arm: Line, of: Told) -> str:
    """What the headline means for this model, in one plain sentence."""
    found = asked.number("bias_f", arm)
    if found.missing:
        over = asked.number("bias_f_over_followed", arm)
        rest = f" Over what was followed it is {over.text(BIAS_F.unit)}."
        return f"Can't be said: {found.why}.{'' if over.missing else rest}"
    distance = f"{math.sqrt(found.value):.1f}"
    apart = f"Estimated true scores lie typically {distance} points from their mean over formats"
    if not _has_null(found):
        return f"{apart}; too few replies follow the formats to tell that from noise."
    by_definition = (
        f"{apart} ({BIAS_F.label} by its definition: {BIAS_F.unit.write(found.value)}; without "
        f"format bias {BIAS_F.unit.write(found.null.null_mean)} on average, p = "
        f"{found.null.null_p:.3f})"
    )
    if of.shown:
        return f"{by_definition}: the format moves the score."
    return f"{by_definition}. Format bias: {of.said}."


def _has_null(found: Estimate) -> bool:
    return not math.isnan(found.null.null_p)


def _finding(asked: Asked, arm: Line) -> WorstFinding | None:
    """The formats with the lowest and the highest EstTrue."""
    found = {f: asked.number("est_true", arm, format=f) for f in asked.formats}
    scores = {f: score for f, score in found.items() if not score.missing}
    worst, best = (pick(scores, key=lambda f: scores[f].value, default="") for pick in (min, max))
    if not scores or not exceeds(scores[best].value, scores[worst].value):
        return None
    without = len(found) - len(scores)
    left_out = f"; {without} without a value left out" if without else ""
    return WorstFinding(
        f"{titled(format_name(worst))}: estimated true score {rate(scores[worst])}, against "
        f"{rate(scores[best])} for {format_name(best)} (n = {scores[worst].n_items}{left_out}).",
        asked.formats_id,
    )


def sections(evidence: Evidence) -> Iterator[Section]:
    categories = categories_of(evidence)
    yield section(
        evidence, "format_bias-main", (*bias(evidence, categories), *map(bias_by_task, categories))
    )
    for asked in categories:
        yield section(
            evidence,
            "category",
            (*by_format(asked), *means(asked), *(cells(asked, m) for m in _cell_metrics(asked))),
            id=f"format_bias-{asked.slug}",
            title=asked.title,
        )
    yield from _mitigation(evidence, categories)
    if categories:
        yield section(evidence, "format_bias-others", (others(evidence, categories),))
    some = tuple(flips for flips in map(_flips, categories) if flips and flips.n_found)
    if some:
        yield section(evidence, "format_bias-items", some)


def _cell_metrics(asked: Asked) -> list[str]:
    """What is shown cell by cell, as the authors read rankings too where there are some."""
    shown = ("est_true", "fi", "sys_e", "est_true_as_published", "fi_as_published")
    return [m for m in (*shown, "map_as_published") if m in set(asked.evidence.rows["metric"])]


def _flips(asked: Asked) -> FlipList | None:
    """Flips of the plainest arm and the first prompting, which pair by format alone."""
    part, names = asked.evidence, asked.formats
    way = part.values("prompting")[0]
    demos, repeat = min(tuple(map(float, arm.at.values())) for arm in asked.arms)
    rows = part.observations
    rows = rows[(rows["category"] == asked.category) & (rows["prompting"] == way)]
    rows = rows[(rows["demos"] == demos) & (rows["repeat"] == repeat)]
    # A part of the score tells neither way.
    rows = rows[rows["score"].isin([0.0, 1.0])]
    right = rows.groupby("format")["score"].sum()
    if len(right) < 2:
        return None
    best = max((n for n in names if n in right), key=lambda n: float(right[n]))
    where = f"{asked.title}, {part.label('prompting', way)}"
    return flip_list(
        replace(
            part, task=f"format_bias-{asked.slug}", observations=rows.assign(correct=rows["score"])
        ),
        rows["format"],
        best,
        [n for n in names if n != best],
        {n: format_name(n) for n in names}
        | {s: part.label("subset", s) for s in part.values("subset")},
        "target",
        NOTES["flips"].format(asked=where, best=format_name(best)),
    )


def _mitigation(evidence: Evidence, categories: list[Asked]) -> Iterator[Section]:
    """The paper's verdict on every treatment that was tried; nothing where none was."""
    groups = [
        Group(
            [
                _verdict_row(one_line(after), verdict, model.kind)
                for _, after, verdict in mitigations(
                    evidence.of(model), model.label, (), evidence.interval
                )
            ],
            model.marked,
        )
        for model in evidence.models
        if has_treatment(evidence.observations, model.label)
    ]
    if not groups:
        return
    theirs = [
        Group(
            [
                _verdict_row(
                    TREATMENTS[arm][0], _printed_verdict(evidence, model, arm), "published"
                )
                for arm in arms[1:]
            ],
            f"{model} in the paper",
        )
        for model, arms in ARMS.items()
    ]
    verdicts = Table(
        id="format_bias-mitigation-verdicts",
        columns=[Column(**told) for told in NOTES["verdict_columns"]],
        groups=[*groups, *theirs],
        **NOTES["verdicts"],
    )
    yield section(
        evidence,
        "format_bias-mitigation",
        (verdicts, *(_arms_by_format(a) for a in categories if a.category == "wrapping")),
    )


def _verdict_row(head: str, verdict: Verdict, kind: RowKind) -> Row:
    """A verdict: BiasF before, after and its change; formats that FI falls or stays for."""
    estimate = partial(Estimate, n_items=verdict.n_items, reason=verdict.reason)
    before = after = change = Estimate(math.nan, reason=verdict.reason)
    for moved in verdict.criteria[:1]:
        before, after = estimate(moved.before), estimate(moved.after)
        change = estimate(moved.change, moved.low, moved.high)
    failing = [c.format for c in verdict.criteria if c.metric == "fi" and not c.holds]
    names = ", ".join(map(format_name, failing)) or "none"
    beyond = "" if verdict.settled else ", not beyond chance"
    outcome = f"yes{beyond}" if verdict.effective else "no"
    if verdict.effective is None:
        outcome = f"can't be said: {one_line(verdict.reason)}"
    cells = [
        Cell(category_name(verdict.category)),
        Cell(estimate=before, unit=BIAS_F.unit),
        Cell(estimate=after, unit=BIAS_F.unit),
        Cell(estimate=change, unit=_CHANGE),
        Cell(names if verdict.criteria else MISSING),
        Cell(outcome),
        Cell(MISSING if kind == "published" else f"{verdict.n_items:,}"),
    ]
    return Row(head, cells, kind)


def _printed_verdict(evidence: Evidence, model: str, arm: str) -> Verdict:
    """The verdict on an arm that follows from Table 18; it was printed without intervals."""

    def of(arm: str, metric: str) -> dict[str, float]:
        rows = evidence.printed
        rows = rows[(rows["model"] == treated(arm, model)) & (rows["metric"] == metric)]
        by_format = zip(rows["format"], rows["value"], strict=True)
        return {str(f): float(v) for f, v in by_format if metric == "bias_f" or f != OVERALL}

    def criterion(metric: str, name: str, before: float, after: float, holds: bool) -> Criterion:
        return Criterion(metric, name, before, after, math.nan, math.nan, holds, holds)

    plain = ARMS[model][0]
    (before,), (after,) = (of(each, "bias_f").values() for each in (plain, arm))
    fi_before = of(plain, "fi")
    criteria = (
        criterion("bias_f", "all", before, after, after < before),
        *(
            criterion("fi", name, fi_before[name], fi, fi_holds(fi_before[name], fi))
            for name, fi in of(arm, "fi").items()
        ),
    )
    return Verdict(TREATED["category"], criteria)


def _arms_by_format(asked: Asked) -> Table:
    """Table 18: every arm's EstTrue, FI and SysE by format, with what varies over formats."""

    def variance(metric: str, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        """SysE's, which is no metric, is of the numbers beside it."""
        found = Value(VARIANCES[metric]).estimate(evidence, line, at)
        if metric == "sys_e" and line.kind != "published":
            each = (v.estimate(evidence, line, at).value for v in of_formats(asked, metric))
            found = Estimate(bias_f([value * 100 for value in each]))
        return Cell(estimate=found, unit=BIAS_F.unit)

    parts = [
        Slice(
            PAPER.metric(metric).label,
            asked.at,
            columns=[
                *(replace(value, mark=None) for value in of_formats(asked, metric)),
                Words("Variance", partial(variance, metric), "over formats, squared points", True),
            ],
        )
        for metric in VARIANCES
    ]
    theirs = [
        Line(treated(arm, model), treated(arm, model), "published", {**TREATED, **at})
        for model, arms in ARMS.items()
        for arm, (_, at) in ((arm, TREATMENTS[arm]) for arm in arms)
    ]
    return table(
        asked.evidence,
        columns=parts[0].columns,
        parts=parts,
        lines=[*asked.arms, *theirs],
        printed=False,
        **block_words(PAPER.home, "format_bias-mitigation-formats"),
    )
