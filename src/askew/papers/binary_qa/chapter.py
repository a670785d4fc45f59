"""Binary QA's chapter: how good, how biased and how consistent Yes and No are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from askew.files import yaml_of
from askew.papers.binary_qa.numbers import random_guesser
from askew.papers.binary_qa.paper import (
    COMPARED,
    CORE,
    CORE_METRICS,
    DELTAS,
    FORMS,
    ORIGINAL,
    PAPER,
    SPREADS,
)
from askew.papers.binary_qa.printed import DIFFERENCE, FRACTION, SUMMARY
from askew.papers.binary_qa.score import STABILITY, model_binary_parts
from askew.report.chapters import by_sign, flip_section, headline, section, verdict_of, worst
from askew.report.charts import Bands, Point, colour
from askew.report.document import Block, Cell, Headline, Key, Section, Table
from askew.report.estimates import Estimate, Model
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, PUBLISHED, heat_figure, interval_figure, share_figure
from askew.report.tables import (
    Items,
    Line,
    Slice,
    Value,
    Words,
    models,
    printed_models,
    slices,
    table,
)
from askew.report.verdicts import Verdict
from askew.schema import MISSING, Unit
from askew.untrusted import one_line

_TOLD = yaml_of(__package__, "chapter.yaml")
LEAN = "delta_recall"
# Fewer questions in a domain, and the interval of MBS holds the truth too rarely
# (docs/binary_qa.md has the shares).
ENOUGH = 6
# Consistencies in which the answer is to stay the same.
_SAME = tuple(m for m, forms in COMPARED.items() if not any(FORMS[f].flips for f in forms))
_GOOD, _MEDIUM = 0.80, 0.70
_SCORE = Unit("", digits=1)
# Bars of shares are drawn from fractions; a part of the score is shown in points.
_OUT_OF_100 = Unit("points", 100.0)
_GUESSER = Line("Random guesser", "random guesser", "reference", {}, "random guesser (reference)")
_GUESSED = Key(
    "square", colour("published"), "coin flips on the same questions, with the range of 95% of them"
)
_STEADINESS = "steadiness"
# By part of the score: what it is called, and its colour.
_PARTS: Mapping[str, tuple[str, str]] = {
    part: (CORE_METRICS[part].label if part in CORE else "steadiness over domains", colour(shade))
    for part, shade in zip(
        (*CORE, _STEADINESS),
        ("right-1", "wrong-1", "wrong-2", "right-2", "right-3", "right-4", "wrong-3", "wrong-4"),
        strict=True,
    )
}
_SHADES = {
    name: (Bands(tuple(told["ends"]), tuple(told["colours"])), told["words"])
    for name, told in _TOLD["shades"].items()
}
# By section on domains: what its figure adds to ids, and what it is about.
_BY_DOMAIN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "performance": ("f1", ("f1",)),
    "bias": ("bias", DELTAS),
    "consistency": ("consistency", tuple(COMPARED)),
}
# More columns than this have heads that a phone's screen would lay over each other.
_NARROW = 2


def _unit(metric: str) -> Unit:
    """How a metric is written: as the paper prints it, fractions with two digits."""
    if metric.startswith("mbs"):
        return _SCORE
    return DIFFERENCE if metric in DELTAS else FRACTION


def _table_of(metric: str) -> str:
    """The table that has a metric by domain."""
    return f"binary-qa-table{3 if metric == 'f1' else 4 if metric in DELTAS else 5}"


def _words(name: str, **filled: str) -> dict[str, Any]:
    """A block's id and words as `chapter.yaml` has them; a figure's name the table behind it."""
    told = {key: text.format(**filled) for key, text in _TOLD["blocks"][name].items()}
    return {**told, "chart_id" if "table_id" in told else "table_id": name}


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """MBS, or its core where there is no MBS, and the lean to Yes or No."""
    for model in evidence.models:
        lean = evidence.estimate(LEAN, model)
        of = verdict_of(evidence, model, lean)
        whole, core = (evidence.estimate(m, model) for m in ("mbs", "mbs_core"))
        metric = "mbs_core" if whole.missing and not core.missing else "mbs"
        yield headline(
            evidence,
            model,
            metric,
            _sentence(evidence, model, metric),
            unit=_SCORE,
        )
        said, finding = _lean(lean, of), worst(_shortfalls(evidence, model), of)
        yield headline(evidence, model, LEAN, f"{said[:1].upper()}{said[1:]}.", finding)


def _sentence(evidence: Evidence, model: Model, metric: str) -> str:
    """What the headline means for this model, in plain words."""
    f1, nrc, whole, shown = (evidence.estimate(m, model) for m in ("f1", "nrc", "mbs", metric))
    if f1.missing:
        return f"Can't be said: {f1.why}."
    said = (
        f"F1 {f1.text(FRACTION)}; turns its answer with the question at a rate of "
        f"{nrc.text(FRACTION)}."
    )
    if metric != "mbs":
        said += f" No MBS: {whole.why}."
    if shown.missing:
        return said
    # A number without an interval says why, such as that a run is too small for one.
    name = PAPER.metric(metric).label
    if shown.reason:
        return f"{said} {name} has {shown.reason}."
    asked = [evidence.estimate("f1", model, subset=d).n_items for d in evidence.values("subset")]
    if len(asked) < 2 or min(asked) >= ENOUGH:
        return said
    # The spread over domains is mostly noise.
    return (
        f"{said} Fewer than {ENOUGH} questions in a domain: take the interval of {name} as a "
        "rough one."
    )


def _lean(lean: Estimate, of: Verdict) -> str:
    """Whether a model leans to Yes or No, in a few words."""
    if lean.missing:
        return f"whether it leans can't be said ({lean.why})"
    way = "No" if lean.value > 0 else "Yes"
    leans = f"leans to {way}" if of.shown else f"a lean to Yes or No: {of.said}"
    return f"{leans}, recall difference {lean.text(DIFFERENCE)}"


def _shortfalls(evidence: Evidence, model: Model) -> Iterator[tuple[Estimate, float, str, str]]:
    """How far each metric of each domain is from its best value, as MBS counts it."""
    for domain in evidence.values("subset"):
        for metric in CORE:
            found = evidence.estimate(metric, model, subset=domain)
            said = CORE_METRICS[metric].said.format(value=found.text(_unit(metric)))
            yield (
                found,
                abs(found.value) if metric in DELTAS else 1 - found.value,
                f"{evidence.label('subset', domain)}: {said} (n = {found.n_items}).",
                f"{_table_of(metric)}-{metric.replace('_', '-')}",
            )


def sections(evidence: Evidence) -> Iterator[Section]:
    guessed = random_guesser(evidence.observations).assign(model=_GUESSER.model)
    evidence = replace(evidence, rows=pd.concat([evidence.rows, guessed], ignore_index=True))
    yield section(evidence, "binary-qa-main", _score(evidence))
    told = (
        f"{CORE_METRICS[m].label}: {', '.join(FORMS[f].label for f in forms)}"
        for m, forms in COMPARED.items()
    )
    compared = {"original": FORMS[ORIGINAL].label, "compared": "; ".join(told)}
    for words, (name, metrics) in _BY_DOMAIN.items():
        shown = _by_domain(evidence, f"binary-qa-map-{name}", metrics)
        yield section(evidence, f"binary-qa-{words}", shown, **compared)
    spreads = [Value(spread.name, meaning="", unit=FRACTION) for spread in SPREADS.values()]
    table2 = table(
        evidence, columns=[*spreads, Items(spreads[0].metric)], **_words("binary-qa-table2")
    )
    yield section(evidence, "binary-qa-domains", (table2, _summary(evidence)))
    # Forms that turn the question round first: of several that are wrong they say most.
    others = sorted((f for f in FORMS if f != ORIGINAL), key=lambda f: not FORMS[f].flips)
    yield flip_section(evidence, "binary-qa-items", "form", ORIGINAL, others, "truth")


def _score(evidence: Evidence) -> Iterator[Block]:
    """MBS beside the paper's and a random guesser's, what it is made of, and what is no part."""
    unscored = [evidence.estimate("mbs", m).missing for m in evidence.models]
    metric = "mbs_core" if all(unscored) else "mbs"
    yield interval_figure(
        evidence,
        panels=[(Slice("All domains", slug="all"), Value(metric, unit=_SCORE))],
        lines=[*models(evidence), _GUESSER],
        legend=(MEASURED, _GUESSED, PUBLISHED),
        **_words("binary-qa-score", without=" without the spread" * (metric == "mbs_core")),
    )
    shown = (*CORE, "mbs", "mbs_core") if any(unscored) else (*CORE, "mbs")
    yield table(
        evidence,
        columns=[*(Value(m, unit=_unit(m)) for m in shown), Items("mbs", "asked in all forms")],
        lines=[*models(evidence), _GUESSER],
        **_words("binary-qa-table1"),
    )
    yield from _parts(evidence, metric)
    shown = (*CORE, "mbs", *(spread.name for spread in SPREADS.values()))
    rest = [m.name for m in PAPER.metrics if m.name not in shown]
    yield table(
        evidence,
        columns=[*(Value(m, unit=_unit(m)) for m in rest), Items()],
        **_words("binary-qa-others"),
    )


def _parts(evidence: Evidence, metric: str) -> Iterator[Block]:
    """What each metric adds to the score, as a stacked bar and in points."""
    lines = [*models(evidence), *printed_models(evidence, [Value("mbs")], {})]
    found = {(line.kind, line.model): _parts_of(evidence, line, metric) for line in lines}
    shown = tuple(_PARTS) if metric == "mbs" else CORE
    yield share_figure(
        evidence,
        panels=[Slice("All domains", slug="all")],
        parts={part: _PARTS[part] for part in shown},
        drawn=lambda _: [
            Point(line.marked or line.head, line.kind, replace(e, value=e.value / 100), part)
            for line in lines
            for part, e in found[line.kind, line.model].items()
        ],
        unit=_OUT_OF_100,
        **_words("binary-qa-parts-figure"),
    )

    def write(part: str, _: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        return Cell(estimate=found[line.kind, line.model][part], unit=_SCORE)

    def add_up(_: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        return Cell(_SCORE.write(sum(part.value for part in found[line.kind, line.model].values())))

    yield table(
        evidence,
        columns=[
            *(Words(_PARTS[part][0], partial(write, part), numeric=True) for part in shown),
            Words("Sum", add_up, numeric=True),
        ],
        lines=lines,
        **_words("binary-qa-parts"),
    )


def _parts_of(evidence: Evidence, line: Line, metric: str) -> dict[str, Estimate]:
    """What the seven metrics add, and all spreads as one; the core alone is rescaled to 100."""

    def number(name: str) -> Estimate:
        return evidence.number(name, line.model, line.kind, {})

    core_only = metric == "mbs_core"
    # A printed score has its parts whatever is shown of the models under test.
    whole = number("mbs" if line.kind == "published" else metric)
    shown = CORE if core_only else tuple(_PARTS)
    if whole.missing:
        return {part: Estimate(math.nan, reason=whole.why) for part in shown}
    parts = model_binary_parts(
        {m: number(m).value for m in CORE},
        {m: 0.0 if core_only else number(SPREADS[m].name).value for m in CORE},
    )
    scale = 1 / (1 - STABILITY) if core_only else 1.0
    points = {m: parts[m] * scale for m in CORE}
    points[_STEADINESS] = math.fsum(parts[spread.name] for spread in SPREADS.values())
    return {part: Estimate(points[part], n_items=whole.n_items) for part in shown}


def _by_domain(evidence: Evidence, figure: str, metrics: tuple[str, ...]) -> tuple[Block, ...]:
    """A heat-map and a group a metric, a column a domain (Tables 3 to 5)."""
    domains, unit = evidence.values("subset"), _unit(metrics[0])
    # One word where it heads a narrow column.
    heads = [
        d.capitalize().replace("_", "-") if d in PAPER.subsets else one_line(d) for d in domains
    ]
    parts = [
        Slice(
            f"{CORE_METRICS[metric].label}: {CORE_METRICS[metric].meaning}",
            slug=metric.replace("_", "-"),
            columns=[
                *(
                    Value(metric, evidence.label("subset", d), "", {"subset": d}, unit, marked=head)
                    for d, head in zip(domains, heads, strict=True)
                ),
                Items(meaning="by domain"),
            ],
        )
        for metric in metrics
    ]
    maps = heat_figure(
        evidence,
        panels=parts,
        shades=_SHADES["bias" if metrics == DELTAS else "rate"],
        unit=unit,
        wide=len(domains) > _NARROW,
        **_words(figure),
    )
    columns = parts[0].columns
    return maps, table(evidence, columns=columns, parts=parts, **_words(_table_of(metrics[0])))


def _summary(evidence: Evidence) -> Table:
    """Performance, bias and consistency by domain in words (Table 6)."""
    theirs = [Line("The paper's models", "", "published")]
    columns = (
        ("Performance", "by F1", lambda number: _grade(number("f1").value)),
        ("Bias", "by recall difference", lambda number: _bias(number("delta_recall"))),
        (
            "Consistency",
            "mean of PRC, ARC and SC",
            lambda number: _grade(math.fsum(number(m).value for m in _SAME) / len(_SAME)),
        ),
    )

    def write(i: int, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        if line.kind == "published":
            return Cell(SUMMARY[at["subset"]][i])
        return Cell(columns[i][2](lambda m: evidence.number(m, line.model, line.kind, at)))

    return table(
        evidence,
        columns=[
            *(Words(c[0], partial(write, i), c[1]) for i, c in enumerate(columns)),
            Items("f1"),
        ],
        parts=[
            replace(part, lines=models(evidence) + theirs * (part.at["subset"] in SUMMARY))
            for part in slices(evidence, "subset", whole=False, anchored=False)
        ],
        **_words("binary-qa-table6", good=f"{_GOOD:.2f}", medium=f"{_MEDIUM:.2f}"),
    )


def _grade(value: float) -> str:
    if math.isnan(value):
        return MISSING
    word = "good" if value >= _GOOD else "medium" if value >= _MEDIUM else "poor"
    return f"{word} ({FRACTION.write(value)})"


def _bias(bias: Estimate) -> str:
    if bias.missing:
        return MISSING
    word = by_sign(bias, "No-bias", "Yes-bias", "none shown")
    return f"{word} ({DIFFERENCE.write(bias.value)})"
