"""MathComp's framings, outputs, identities and categories in words, and what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from askew.papers.mathcomp.framings import WORDINGS
from askew.papers.mathcomp.paper import PAPER, subset_of
from askew.papers.mathcomp.scenarios import CATEGORIES
from askew.report.document import Estimate, Model, RowKind
from askew.report.evidence import Evidence
from askew.untrusted import one_line

ALL = "all"
STANDARD, PERSON = "standard", "person"
# The paper's order of its panels: left, centre, right.
DIRECTIONS = ("less", "equal", "more")
POSITION_WORDS: Mapping[str, str] = {"begin": "framing first", "end": "framing last"}
_PLACES: Mapping[str, str] = {"begin": "first", "end": "last"}
STYLED: Mapping[tuple[str, str], str] = {
    (style, term): style if term == "none" else f"{style} {term}" for style, term in WORDINGS
}
OUTPUT_WORDS: Mapping[str, str] = {
    "one_word": "one word",
    "json": "JSON",
    "cot": "free-form reasoning",
    "cot_json": "reasoning in JSON",
}
IDENTITY_WORDS: Mapping[str, str] = {
    "standard": "standard",
    "person": "person",
    "man": "man",
    "woman": "woman",
    "white": "White",
    "black": "Black",
    "asian": "Asian",
    "hispanic": "Hispanic",
    "african": "African",
}
_PEOPLE = {**PAPER.factor("identity").values, STANDARD: "Alex and Sam"}
_CATEGORY_NAMES = {subset_of(category): category for category in CATEGORIES}


@dataclass(frozen=True)
class Asked:
    """A model asked for one kind of output."""

    model: Model
    output: str
    named: bool
    """Whether several outputs were asked, so that the name must say which."""

    @property
    def name(self) -> str:
        said = f", {output_name(self.output)}" if self.named else ""
        return f"{self.model.short}{said}"

    @property
    def marked(self) -> str:
        said = f", {output_name(self.output)}" if self.named else ""
        return f"{self.model.short}{said}{' (simulated)' if self.model.simulated else ''}"

    @property
    def kind(self) -> RowKind:
        return self.model.kind


def estimate(evidence: Evidence, metric: str, model: Model, **levels: str) -> Estimate:
    """A number of the metric table; levels that are not named are pooled."""
    unknown = set(levels) - set(evidence.levels)
    if unknown:
        raise ValueError(f"{metric}: no level {', '.join(sorted(unknown))}")
    return evidence.estimate(metric, model, *(levels.get(level, ALL) for level in evidence.levels))


def outputs_of(evidence: Evidence) -> list[str]:
    """The outputs that were asked for, in the paper's order."""
    return _seen(evidence.rows["output"], OUTPUT_WORDS)


def identities_of(evidence: Evidence) -> list[str]:
    """The identities that were asked about, in the paper's order."""
    return _seen(evidence.rows["identity"], IDENTITY_WORDS)


def categories_of(evidence: Evidence) -> list[str]:
    """The categories that were asked about, in the paper's order."""
    return _seen(evidence.rows["subset"], _CATEGORY_NAMES)


def main_identity(evidence: Evidence) -> str:
    """Whom tables without identities are about: the standard names where they were asked."""
    return next(iter(identities_of(evidence)), STANDARD)


def asked(evidence: Evidence, output: str = "", identity: str = "") -> list[Asked]:
    """Every model with each output that it was asked for.

    Args:
        evidence: the task's observations.
        output: only this one.
        identity: only outputs under which the model was asked about this identity.
    """
    outputs = outputs_of(evidence)
    rows = evidence.observations
    if identity:
        rows = rows[rows["identity"] == identity]
    pairs = set(zip(rows["model"].astype(str), rows["output"].astype(str), strict=True))
    return [
        Asked(model, form, len(outputs) > 1)
        for form in outputs
        for model in evidence.models
        if (model.label, form) in pairs and output in ("", form)
    ]


def asked_about_others(evidence: Evidence) -> list[Asked]:
    """Every model with each output under which it was asked about more than the two names."""
    others = [i for i in identities_of(evidence) if i != STANDARD]
    found = {who for identity in others for who in asked(evidence, identity=identity)}
    return [who for who in asked(evidence) if who in found]


def _seen(values: Iterable[object], order: Iterable[str]) -> list[str]:
    seen = [v for v in dict.fromkeys(map(str, values)) if v != ALL]
    known = [v for v in order if v in seen]
    return known + [v for v in seen if v not in known]


def output_name(output: str) -> str:
    """An output as it is shown."""
    return OUTPUT_WORDS.get(output) or one_line(output)


def output_slug(evidence: Evidence, output: str) -> str:
    """An output as a part of ids: a log may name anything."""
    if output in OUTPUT_WORDS:
        return output.replace("_", "-")
    return f"output-{outputs_of(evidence).index(output) + 1}"


def identity_name(identity: str) -> str:
    """An identity as it is shown."""
    return IDENTITY_WORDS.get(identity) or one_line(identity)


def people_of(identity: str) -> str:
    """The two people of an identity."""
    return _PEOPLE.get(identity) or identity_name(identity)


def category_name(category: str) -> str:
    """A category as it is shown."""
    return _CATEGORY_NAMES.get(category) or one_line(category)


def pooled_columns() -> dict[tuple[str, str], str]:
    """Each direction and position in a few words: "less, first"."""
    return {(d, p): f"{d}, {_PLACES[p]}" for d, p in product(DIRECTIONS, POSITION_WORDS)}


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]
