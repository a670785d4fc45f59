"""Format bias: categories, formats, tasks and arms in words, and what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from askew.papers.format_bias.paper import PAPER
from askew.report.document import Estimate, Model, RowKind
from askew.report.evidence import Evidence
from askew.schema import Unit
from askew.untrusted import one_line

ALL = "all"
SQUARED = Unit("squared points")
CATEGORY_WORDS: Mapping[str, str] = {
    "wrapping": "wrapping formats",
    "mcq": "multiple-choice formats",
    "list": "list formats",
    "mapping": "mapping formats",
}
SUBSET_NAMES: Mapping[str, str] = {
    ALL: "Mean of tasks",
    "mmlu": "MMLU",
    "bbh": "BBH",
    "gsm8k": "GSM8K",
    "hotpotqa": "HotpotQA",
    "fairytaleqa": "FairytaleQA",
    "scidocsrr": "SciDocsRR",
    "semeval2017": "SemEval2017",
    "scirex_easy": "SciREX, easy",
    "scirex_medium": "SciREX, medium",
    "scirex_hard": "SciREX, hard",
}
PROMPTING_WORDS: Mapping[str, str] = {ALL: "both", "zs": "zero-shot", "cot": "chain of thought"}
_FORMATS = tuple(next(f for f in PAPER.factors if f.name == "format").values)


@dataclass(frozen=True)
class Asked:
    """A model in one arm: how many demonstrations it saw, how often the format was asked for."""

    model: Model
    demos: str
    repeat: str
    named: bool
    """Whether the model was asked in several arms, so that the name must say which."""

    @property
    def arm(self) -> str:
        demos, repeat = int(float(self.demos)), int(float(self.repeat))
        shown = f"{demos} demonstration{'' if demos == 1 else 's'}"
        return f"{shown}, instruction given {'once' if repeat == 1 else f'{repeat} times'}"

    @property
    def name(self) -> str:
        return f"{self.model.short}, {self.arm}" if self.named else self.model.short

    @property
    def marked(self) -> str:
        return f"{self.model.marked}, {self.arm}" if self.named else self.model.marked

    @property
    def kind(self) -> RowKind:
        return self.model.kind


@dataclass(frozen=True)
class Place:
    """Which number of a category: "all" where it is a mean over the levels."""

    category: str
    subset: str = ALL
    format: str = ALL
    prompting: str = ALL


def estimate(evidence: Evidence, metric: str, asked: Asked, place: Place) -> Estimate:
    """A number of the metric table by name of its levels."""
    at = {
        "subset": place.subset,
        "category": place.category,
        "format": place.format,
        "prompting": place.prompting,
        "demos": asked.demos,
        "repeat": asked.repeat,
    }
    return evidence.estimate(metric, asked.model, *(at[level] for level in evidence.levels))


def arms(evidence: Evidence) -> list[Asked]:
    """Every model in every arm it was asked in, the plainest arm first."""
    found = []
    for model in evidence.models:
        rows = evidence.rows[evidence.rows["model"] == model.label]
        pairs = rows[["demos", "repeat"]].drop_duplicates().sort_values(["demos", "repeat"])
        several = len(pairs) > 1
        for demos, repeat in pairs.itertuples(index=False, name=None):
            found.append(Asked(model, str(demos), str(repeat), several))
    return found


def arms_of(evidence: Evidence, category: str) -> list[Asked]:
    """The arms in which a category was asked."""
    rows = evidence.rows[evidence.rows["category"] == category]
    keys = rows[["model", "demos", "repeat"]].drop_duplicates()
    known = {tuple(map(str, k)) for k in keys.itertuples(index=False, name=None)}
    return [a for a in arms(evidence) if (a.model.label, a.demos, a.repeat) in known]


def categories(evidence: Evidence) -> list[str]:
    """The categories that were asked, in the order of the paper's headline."""
    return _seen(evidence.rows["category"], CATEGORY_WORDS)


def formats_of(evidence: Evidence, category: str) -> list[str]:
    """The formats of a category that were asked, the paper's first."""
    return _seen(_part(evidence, category)["format"], _FORMATS)


def subsets_of(evidence: Evidence, category: str) -> list[str]:
    """The tasks that a category was asked about, in the paper's order."""
    return _seen(_part(evidence, category)["subset"], SUBSET_NAMES)


def promptings_of(evidence: Evidence, category: str) -> list[str]:
    """The ways of prompting that were asked, zero-shot first."""
    return _seen(_part(evidence, category)["prompting"], PROMPTING_WORDS)


def _part(evidence: Evidence, category: str) -> Mapping[str, Iterable[object]]:
    rows = evidence.rows[evidence.rows["category"] == category]
    return {c: rows[c] for c in ("format", "subset", "prompting")}


def _seen(values: Iterable[object], order: Iterable[str]) -> list[str]:
    seen: Sequence[str] = [v for v in dict.fromkeys(map(str, values)) if v != ALL]
    known = [v for v in order if v in seen]
    return known + [v for v in seen if v not in known]


def category_name(category: str) -> str:
    """A category as it is shown."""
    return CATEGORY_WORDS.get(category) or one_line(f"{category} formats")


def subset_name(subset: str) -> str:
    """A task as it is shown."""
    return SUBSET_NAMES.get(subset) or one_line(subset)


def prompting_name(prompting: str) -> str:
    """A way of prompting as it is shown."""
    return PROMPTING_WORDS.get(prompting) or one_line(prompting)


def format_name(name: str) -> str:
    """A format as it is shown."""
    return one_line(name.replace("_", " "))


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def category_slug(evidence: Evidence, category: str) -> str:
    """A category as a part of ids: a name from a user's file may hold anything."""
    if category in CATEGORY_WORDS:
        return category
    return f"category-{categories(evidence).index(category) + 1}"
