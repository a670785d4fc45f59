"""Binary QA's chapter: how good, how biased and how consistent Yes and No are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from askew.papers.binary_qa import chapter_figures as figures
from askew.papers.binary_qa.chapter_figures import GUESSER, SCORE, TABLE1
from askew.papers.binary_qa.guesser import random_guesser
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
from askew.report.chapters import comparability, headline
from askew.report.document import (
    Cell,
    Estimate,
    Headline,
    Model,
    Section,
    Table,
    WorstFinding,
)
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.tables import Items, Line, Slice, Value, Words, models, slices, table
from askew.schema import MISSING

# Fewer questions in a domain, and the interval of MBS holds the truth too rarely
# (docs/binary_qa.md has the shares).
ENOUGH = 8
_CONSISTENCIES = tuple(COMPARED)
# Those in which the answer is to stay the same.
_SAME = tuple(m for m, forms in COMPARED.items() if not any(FORMS[f].flips for f in forms))
_SOURCE = "Published rows: Khrapunova, Unified Benchmark (2025), {table}, as printed."
_FLIP_RULE = (
    "Items that a model answers right as they are and wrong when asked in another form: those "
    "that are wrong in most forms first, models and domains taking turns. The right answer named "
    "is that of the original question."
)
_GOOD, _MEDIUM = 0.80, 0.70


# --- In words ---------------------------------------------------------------------------------


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """MBS, or its core where there is no MBS."""
    for model in evidence.models:
        whole, core = (evidence.estimate(m, model) for m in ("mbs", "mbs_core"))
        metric = "mbs_core" if whole.missing and not core.missing else "mbs"
        yield headline(
            evidence,
            model,
            metric,
            _sentence(evidence, model, metric),
            _worst(evidence, model),
            "Nothing falls short in any domain.",
            unit=SCORE,
        )


def _sentence(evidence: Evidence, model: Model, metric: str) -> str:
    """What the headline means for this model, in plain words."""
    f1, lean, nrc, whole, shown = (
        evidence.estimate(m, model) for m in ("f1", "delta_recall", "nrc", "mbs", metric)
    )
    if f1.missing:
        return f"Can't be said: {f1.why}."
    said = (
        f"F1 {f1.text(FRACTION)}; {_lean(lean)}; turns its answer with the question at a rate of "
        f"{nrc.text(FRACTION)}."
    )
    if metric != "mbs":
        said += f" No MBS: {whole.why}."
    if shown.missing:
        return said
    # A number without an interval says why, such as that a run is too small for one.
    name = PAPER.metric(metric).label
    return said + (
        f" {name} has {shown.reason}." if shown.reason else _rough(evidence, model, name)
    )


def _rough(evidence: Evidence, model: Model, name: str) -> str:
    """A word of caution where the spread over domains is mostly noise."""
    asked = [evidence.estimate("f1", model, subset=d).n_items for d in evidence.values("subset")]
    if len(asked) < 2 or min(asked) >= ENOUGH:
        return ""
    return (
        f" Fewer than {ENOUGH} questions in a domain: take the interval of {name} as a rough one."
    )


def _lean(lean: Estimate) -> str:
    if lean.missing:
        return f"whether it leans can't be said ({lean.why})"
    size = f"recall difference {lean.text(DIFFERENCE)}"
    if lean.low > 0:
        return f"leans to No, {size}"
    if lean.high < 0:
        return f"leans to Yes, {size}"
    return f"no lean to Yes or No shown, {size}"


def _worst(evidence: Evidence, model: Model) -> WorstFinding | None:
    """What is furthest from the best value, as MBS counts it, among all metrics of all domains."""
    found = [
        (abs(estimate.value) if metric in DELTAS else 1 - estimate.value, domain, metric, estimate)
        for domain in evidence.values("subset")
        for metric in CORE
        if not (estimate := evidence.estimate(metric, model, subset=domain)).missing
    ]
    size, domain, metric, worst = max(found, key=lambda f: f[0], default=(0.0, "", "", None))
    if worst is None or size <= 0:
        return None
    said = CORE_METRICS[metric].said.format(value=worst.text(figures.unit_of(metric)))
    return WorstFinding(
        f"{evidence.label('subset', domain)}: {said} (n = {worst.n_items}).",
        f"{figures.table_of(metric)}-{figures.slug(metric)}",
    )


def sections(evidence: Evidence) -> Iterator[Section]:
    guessed = random_guesser(evidence.observations).assign(model=GUESSER.model)
    evidence = replace(evidence, rows=pd.concat([evidence.rows, guessed], ignore_index=True))
    whole = [evidence.estimate("mbs", m) for m in evidence.models]
    metric = "mbs_core" if all(e.missing for e in whole) else "mbs"
    yield Section(
        "binary-qa-main",
        "One score, and what it is made of",
        (
            "Every item is asked in eight forms. The Model Binary Score (MBS) weighs performance, "
            "bias, consistency and how steady all of these are over domains; 100 is best.",
            comparability(evidence.data, "(where models fall short, and which way they lean)"),
        ),
        (
            figures.score_figure(evidence, metric),
            _overall(evidence),
            figures.parts_figure(evidence, metric),
            _parts_table(evidence, metric),
            _others(evidence),
        ),
    )
    yield Section(
        "binary-qa-performance",
        "Which domain is hard",
        ("F1 counts the original questions, Yes and No weighted by how often they are right.",),
        (
            figures.domain_map(evidence, "f1", "F1 by domain", ("f1",)),
            _by_domain(evidence, "F1 by domain, with 95% intervals", ("f1",)),
        ),
    )
    yield Section(
        "binary-qa-bias",
        "Does it lean to No?",
        (
            "Recall and precision of No minus those of Yes, on the original questions. A model "
            "that says No too often finds more of the questions whose answer is No.",
        ),
        (
            figures.domain_map(evidence, "bias", "Bias by domain, No minus Yes", DELTAS),
            _by_domain(evidence, "Bias by domain: No minus Yes, with 95% intervals", DELTAS),
        ),
    )
    yield Section(
        "binary-qa-consistency",
        "Does the answer hold when the question is put differently?",
        (
            "An answer should stay when a question is reworded (PRC), when the options swap "
            "(ARC) and when it is asked again (SC), and turn when the question turns (NRC). It "
            f"counts only if it holds in every form compared with {FORMS[ORIGINAL].label}. "
            f"{_forms_compared()}.",
        ),
        (
            figures.domain_map(evidence, "consistency", "Consistency by domain", _CONSISTENCIES),
            _by_domain(evidence, "Consistency by domain, with 95% intervals", _CONSISTENCIES),
        ),
    )
    yield Section(
        "binary-qa-domains",
        "The domains summed up",
        ("How far results differ between domains, then each domain in words.",),
        (_spread(evidence), _summary(evidence)),
    )
    # Forms that turn the question round first: of several that are wrong they say most.
    others = sorted((f for f in FORMS if f != ORIGINAL), key=lambda f: not FORMS[f].flips)
    names = {**PAPER.subset_names, **{name: form.label for name, form in FORMS.items()}}
    asked = evidence.observations["form"]
    found = flip_list(evidence, asked, ORIGINAL, others, names, "truth", _FLIP_RULE)
    yield Section("binary-qa-items", "Items that flip", (_FLIP_RULE,), (found,))


def _forms_compared() -> str:
    """The forms behind each consistency metric."""
    return "; ".join(
        f"{CORE_METRICS[metric].label}: {', '.join(FORMS[form].label for form in forms)}"
        for metric, forms in COMPARED.items()
    )


# --- Tables -----------------------------------------------------------------------------------


def _overall(evidence: Evidence) -> Table:
    """Performance, bias, consistency and MBS over all domains (Table 1)."""
    no_score = any(evidence.estimate("mbs", m).missing for m in evidence.models)
    shown = (*CORE, "mbs", "mbs_core") if no_score else (*CORE, "mbs")
    return table(
        evidence,
        TABLE1,
        "Performance, bias and consistency over all domains, with 95% intervals",
        [*(Value(m, unit=figures.unit_of(m)) for m in shown), Items("mbs", "asked in all forms")],
        lines=[*models(evidence), GUESSER],
        source=_SOURCE.format(table="Table 1") + " The random guesser answers the questions of "
        "this run by coin flips: the mean over many guessers and the range that holds 95% of them.",
    )


def _spread(evidence: Evidence) -> Table:
    """Standard deviations over domains (Table 2)."""
    columns = [Value(spread.name, meaning="", unit=FRACTION) for spread in SPREADS.values()]
    return table(
        evidence,
        "binary-qa-table2",
        "Standard deviation over domains, with 95% intervals",
        [*columns, Items(columns[0].metric)],
        source=_SOURCE.format(table="Table 2"),
    )


def _by_domain(evidence: Evidence, caption: str, metrics: Sequence[str]) -> Table:
    """A group a metric, a column a domain (Tables 3 to 5; the last prints PRC and NRC)."""
    place = figures.table_of(metrics[0])
    made = [
        table(
            evidence,
            place,
            caption,
            [*_of_domains(evidence, metric), Items(meaning="by domain")],
            [Slice(figures.titled(metric), slug=figures.slug(metric))],
            source=_SOURCE.format(table=f"Table {place[-1]}"),
        )
        for metric in metrics
    ]
    notes = {mark: text for each in made for mark, text in each.notes.items()}
    return replace(made[0], groups=[g for each in made for g in each.groups], notes=notes)


def _of_domains(evidence: Evidence, metric: str) -> list[Value]:
    return [
        Value(metric, evidence.label("subset", d), "", {"subset": d}, figures.unit_of(metric))
        for d in evidence.values("subset")
    ]


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
        "binary-qa-table6",
        "Each domain in words",
        [*(Words(c[0], partial(write, i), c[1]) for i, c in enumerate(columns)), Items("f1")],
        [
            replace(part, slug="", lines=models(evidence) + theirs * (part.at["subset"] in SUMMARY))
            for part in slices(evidence, "subset", whole=False)
        ],
        source=_SOURCE.format(table="Table 6")
        + f" The paper gives no rule for its words. Here good is from {_GOOD:.2f}, medium from "
        f"{_MEDIUM:.2f}, poor below; a bias is named where the interval excludes 0.",
    )


def _grade(value: float) -> str:
    if math.isnan(value):
        return MISSING
    word = "good" if value >= _GOOD else "medium" if value >= _MEDIUM else "poor"
    return f"{word} ({FRACTION.write(value)})"


def _bias(bias: Estimate) -> str:
    if bias.missing:
        return MISSING
    word = "No-bias" if bias.low > 0 else "Yes-bias" if bias.high < 0 else "none shown"
    return f"{word} ({DIFFERENCE.write(bias.value)})"


def _others(evidence: Evidence) -> Table:
    """What is no part of MBS: its core, replies without an answer, originals answered No."""
    shown = {*CORE, "mbs", *(spread.name for spread in SPREADS.values())}
    metrics = [m.name for m in PAPER.metrics if m.name not in shown]
    return table(
        evidence,
        "binary-qa-others",
        "Other numbers over all domains, with 95% intervals",
        [*(Value(m, unit=figures.unit_of(m)) for m in metrics), Items()],
    )


def _parts_table(evidence: Evidence, metric: str) -> Table:
    """What each metric adds to the score, in points."""

    def write(part: str, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        return Cell(estimate=figures.parts_of_score(evidence, line, metric)[part], unit=SCORE)

    def add_up(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        parts = figures.parts_of_score(evidence, line, metric).values()
        return Cell(SCORE.write(sum(part.value for part in parts)))

    return table(
        evidence,
        figures.PARTS_TABLE,
        "What each metric adds to the score, in points",
        [
            *(
                Words(figures.PARTS[part], partial(write, part), numeric=True)
                for part in figures.parts_shown(metric)
            ),
            Words("Sum", add_up, numeric=True),
        ],
        lines=figures.scored_lines(evidence),
        source=_SOURCE.format(table="Tables 1 and 2") + " Their parts are computed here.",
    )
