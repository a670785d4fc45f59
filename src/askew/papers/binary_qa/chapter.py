"""Binary QA's chapter: how good, how biased and how consistent Yes and No are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askew.papers.binary_qa import chapter_figures as figures
from askew.papers.binary_qa import chapter_tables as tables
from askew.papers.binary_qa.chapter_words import (
    DIFFERENCE,
    DOMAIN_NAMES,
    FORM_NAMES,
    FRACTION,
    SCORE,
    domain_name,
    domains_of,
    unit_of,
)
from askew.papers.binary_qa.paper import PAPER
from askew.papers.binary_qa.quantities import ALL
from askew.papers.binary_qa.score import CORE, DELTAS
from askew.report.document import Chapter, Estimate, Finding, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.flips import telling_flips

# Fewer questions in a domain, and the interval of MBS holds the truth too rarely
# (docs/binary_qa.md has the shares).
ENOUGH = 8

_FLIP_RULE = (
    "Items that a model answers right as they are and wrong when asked in another form: those "
    "that are wrong in most forms first, models and domains taking turns. The right answer named "
    "is that of the original question."
)
_FOUND = {
    "f1": "F1 is {value}",
    "prc": "when reworded, a question keeps its answer with a rate of {value}",
    "nrc": "when turned round, a question turns its answer with a rate of {value}",
    "arc": "when Yes and No swap places, a question keeps its answer with a rate of {value}",
    "sc": "asked three times, a question keeps its answer with a rate of {value}",
    "delta_recall": "recall of No minus recall of Yes is {value}",
    "delta_precision": "precision of No minus precision of Yes is {value}",
}


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about Binary QA."""
    return Chapter(
        task="binary_qa",
        title="Binary QA",
        question="How good, how biased and how consistent are Yes and No?",
        reference=PAPER.reference,
        headlines=tuple(_headline(evidence, m) for m in evidence.models),
        sections=tuple(_sections(evidence)),
    )


def _headline(evidence: Evidence, model: Model) -> Headline:
    """MBS, or its core where there is no MBS."""
    whole = evidence.estimate("mbs", model, ALL)
    core = evidence.estimate("mbs_core", model, ALL)
    instead = whole.missing and not core.missing
    return Headline(
        task="binary_qa",
        title="Binary QA",
        model=model,
        metric="mbs_core" if instead else "mbs",
        label="MBS core" if instead else "MBS",
        estimate=core if instead else whole,
        unit=SCORE,
        scale=(0.0, 100.0),
        sentence=_sentence(evidence, model, whole if instead else None),
        finding=_worst(evidence, model),
        nothing_found="" if core.missing else "Nothing falls short in any domain.",
    )


def _sentence(evidence: Evidence, model: Model, absent: Estimate | None) -> str:
    """What the headline means for this model, in plain words."""
    f1, lean, nrc = (evidence.estimate(m, model, ALL) for m in ("f1", "delta_recall", "nrc"))
    if f1.missing:
        return f"Can't be said: {f1.why}."
    parts = [f"F1 {f1.text(FRACTION)}", _lean(lean)]
    parts.append(f"turns its answer with the question at a rate of {nrc.text(FRACTION)}")
    why = f" No MBS: {absent.why}." if absent else ""
    shown = evidence.estimate("mbs_core" if absent else "mbs", model, ALL)
    # A number without an interval says why, such as that a run is too small for one.
    name = "MBS core" if absent else "MBS"
    bare = f" {name} has {shown.reason}." if shown.reason else _rough(evidence, model, name)
    return f"{'; '.join(parts)}.{why}{bare if not shown.missing else ''}"


def _rough(evidence: Evidence, model: Model, name: str) -> str:
    """A word of caution where the spread over domains is mostly noise."""
    asked = [evidence.estimate("f1", model, d).n_items for d in domains_of(evidence)]
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


@dataclass(frozen=True)
class _Shortfall:
    domain: str
    metric: str
    estimate: Estimate

    @property
    def size(self) -> float:
        """How far it is from the best value, as MBS counts it: differences by their size."""
        value = self.estimate.value
        return abs(value) if self.metric in DELTAS else 1 - value


def _worst(evidence: Evidence, model: Model) -> Finding | None:
    """What is furthest from the best value, among all metrics of all domains."""
    found = [
        _Shortfall(d, m, estimate)
        for d in domains_of(evidence)
        for m in CORE
        if not (estimate := evidence.estimate(m, model, d)).missing
    ]
    worst = max(found, key=lambda s: s.size, default=None)
    if worst is None or worst.size <= 0:
        return None
    said = _FOUND[worst.metric].format(value=worst.estimate.text(unit_of(worst.metric)))
    return Finding(
        f"{domain_name(worst.domain)}: {said} (n = {worst.estimate.n_items}).",
        tables.place(worst.metric),
    )


def _sections(evidence: Evidence) -> Iterator[Section]:
    metric = _score_shown(evidence)
    yield Section(
        "binary-qa-main",
        "One score, and what it is made of",
        (
            "Every item is asked in eight forms. The Model Binary Score (MBS) weighs performance, "
            "bias, consistency and how steady all of these are over domains; 100 is best.",
            _comparability(evidence.data),
        ),
        (
            figures.score(evidence, metric),
            tables.overall(evidence),
            *figures.breakdown(evidence, metric),
            tables.readings(evidence),
        ),
    )
    yield Section(
        "binary-qa-performance",
        "Which domain is hard",
        ("F1 counts the original questions, Yes and No weighted by how often they are right.",),
        (figures.performance_map(evidence), tables.f1_by_domain(evidence)),
    )
    yield Section(
        "binary-qa-bias",
        "Does it lean to No?",
        (
            "Recall and precision of No minus those of Yes, on the original questions. A model "
            "that says No too often finds more of the questions whose answer is No.",
        ),
        (figures.bias_map(evidence), tables.bias_by_domain(evidence)),
    )
    yield Section(
        "binary-qa-consistency",
        "Does the answer hold when the question is put differently?",
        (
            "An answer should stay when a question is reworded (PRC), when the options swap "
            "(ARC) and when it is asked again (SC), and turn when the question turns (NRC). It "
            "counts only if it holds in every form compared.",
        ),
        (figures.consistency_map(evidence), tables.consistency_by_domain(evidence)),
    )
    yield Section(
        "binary-qa-domains",
        "The domains summed up",
        ("How far results differ between domains, then each domain in words.",),
        (tables.spread(evidence), tables.summary(evidence)),
    )
    first, *others = FORM_NAMES
    flips = telling_flips(
        evidence,
        evidence.observations["form"],
        first,
        others,
        {**DOMAIN_NAMES, **FORM_NAMES},
        "truth",
        _FLIP_RULE,
    )
    yield Section("binary-qa-items", "Telling flips", (_FLIP_RULE,), (flips,))


def _score_shown(evidence: Evidence) -> str:
    """The score that the figures show: MBS where any model has it."""
    whole = [evidence.estimate("mbs", m, ALL) for m in evidence.models]
    return "mbs_core" if all(e.missing for e in whole) else "mbs"


def _comparability(data: Sequence[str]) -> str:
    """What the published rows may be compared with."""
    if tuple(data) == ("paper",):
        return "The questions are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(data) == ("bundled",) else "not the paper's"
    return (
        f"The questions are {whose}: compare the published rows in shape (where models fall "
        "short, and which way they lean), not in level."
    )
