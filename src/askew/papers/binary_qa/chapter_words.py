"""Binary QA's domains, metrics and forms in words, its units, and the paper's printed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from askew.papers.binary_qa.printed import published
from askew.papers.binary_qa.quantities import ALL
from askew.papers.binary_qa.score import CORE, DELTAS
from askew.report.document import Estimate
from askew.report.evidence import Evidence
from askew.schema import Unit
from askew.untrusted import one_line

# The paper prints fractions with two digits; measured numbers are written the same way.
FRACTION = Unit("", digits=2)
DIFFERENCE = Unit("", digits=2, signed=True)
SCORE = Unit("", digits=1)
CONSISTENCIES = ("prc", "nrc", "arc", "sc")

DOMAIN_NAMES: Mapping[str, str] = {
    ALL: "All domains",
    "reading": "Reading comprehension",
    "multi_hop": "Multi-hop reasoning",
    "numerical": "Numerical reasoning",
    "translation": "Translation evaluation",
    "ethics": "Ethical judgement",
}
# Heads of narrow columns.
_DOMAIN_HEADS: Mapping[str, str] = {
    "reading": "Reading",
    "multi_hop": "Multi-hop",
    "numerical": "Numerical",
    "translation": "Translation",
    "ethics": "Ethics",
}
METRIC_NAMES: Mapping[str, str] = {
    "f1": "F1",
    "delta_recall": "Recall difference",
    "delta_precision": "Precision difference",
    "prc": "PRC",
    "nrc": "NRC",
    "arc": "ARC",
    "sc": "SC",
    "mbs": "MBS",
}
METRIC_MEANINGS: Mapping[str, str] = {
    "f1": "weighted over Yes and No",
    "delta_recall": "No minus Yes; above 0 leans to No",
    "delta_precision": "No minus Yes",
    "prc": "same answer when reworded",
    "nrc": "opposite answer when turned round",
    "arc": "same answer when the options swap",
    "sc": "same answer three times",
    "mbs": "0 to 100",
}
FORM_NAMES: Mapping[str, str] = {
    "original": "the original question",
    "contradictory": "asking for the opposite",
    "false_framing": "is it false that",
    "synonym": "other words",
    "hedged": "a hedged question",
    "swapped_options": "options swapped",
    "repeat_2": "second asking",
    "repeat_3": "third asking",
}


def domain_name(domain: str) -> str:
    """A domain as it is shown."""
    return DOMAIN_NAMES.get(domain) or one_line(domain)


def domain_head(domain: str) -> str:
    """A domain in one word, where it heads a narrow column."""
    return _DOMAIN_HEADS.get(domain) or one_line(domain)


def domains_of(evidence: Evidence) -> list[str]:
    """The domains that were asked, in the paper's order."""
    seen = [str(s) for s in evidence.rows["subset"].unique() if s != ALL]
    return [d for d in DOMAIN_NAMES if d in seen] + [d for d in seen if d not in DOMAIN_NAMES]


def unit_of(metric: str) -> Unit:
    """How a metric is written."""
    if metric.startswith("mbs"):
        return SCORE
    return DIFFERENCE if metric in DELTAS else FRACTION


@lru_cache(maxsize=1)
def _printed() -> dict[tuple[str, str, str], float]:
    return {(p.model, p.metric, p.subset): p.value for p in published()}


def published_models(metric: str, subsets: Sequence[str]) -> list[str]:
    """The models with a printed number of this metric in one of these domains."""
    found = (m for m, of, subset in _printed() if of == metric and subset in subsets)
    return list(dict.fromkeys(found))


def published_estimate(model: str, metric: str, subset: str) -> Estimate:
    """A printed number, which comes without an interval."""
    value = _printed().get((model, metric, subset))
    return Estimate(float("nan"), reason="not printed") if value is None else Estimate(value)


def published_parts(model: str) -> tuple[dict[str, float], dict[str, float]]:
    """A model's printed core metrics and their printed spreads over domains."""
    printed = _printed()
    core = {m: printed[model, m, ALL] for m in CORE}
    return core, {m: printed[model, f"stdev_{m}", ALL] for m in CORE}
