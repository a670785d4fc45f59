"""Format bias, declared: its tasks, its formats and treatments, and what is measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from askew.files import toml_of
from askew.reading.formats import FORMATS, PAPER_FORMATS, Kind, Prompting
from askew.schema import Condition, Factor, Metric, Paper, SampleMeta

ItemKind = Literal[
    "mcq", "arithmetic", "reading", "multihop", "ranking", "keyphrases", "extraction"
]
_TOLD = toml_of(__package__, "conditions.toml")
SUBSETS: Mapping[str, str] = {name: label for name, (label, _) in _TOLD["subsets"].items()}
KINDS: Mapping[str, ItemKind] = {name: kind for name, (_, kind) in _TOLD["subsets"].items()}
ENTITY_KEYS = ("Task", "Method", "Material", "Metric")
LEVELS: Mapping[str, tuple[str, ...]] = {
    "scirex_easy": ENTITY_KEYS[:1], "scirex_medium": ENTITY_KEYS[:2], "scirex_hard": ENTITY_KEYS,
}  # fmt: skip


@dataclass(frozen=True)
class Category:
    """Formats that are compared with each other."""

    label: str  # as tables and figures show it
    kinds: Sequence[ItemKind]  # which items are asked in its formats


CATEGORIES: Mapping[str, Category] = {
    n: Category(**told) for n, told in _TOLD["categories"].items()
}


class _FormatConditions(Mapping[str, Condition]):
    """A condition for every format as registered so far; the paper's are asked by default."""

    def __getitem__(self, name: str) -> Condition:
        fmt = FORMATS[name]
        text = f"{fmt.category}: {fmt.meaning}"
        return Condition(name.replace("_", " "), text, asked=name in PAPER_FORMATS)

    def __iter__(self) -> Iterator[str]:
        return iter(FORMATS)

    def __len__(self) -> int:
        return len(FORMATS)


PROMPTINGS = Condition.all_of(_TOLD["prompting"])


def demonstrations_label(number: int) -> str:
    """A number of demonstrations in words."""
    return f"{number} demonstration{'' if number == 1 else 's'}"


def repetitions_label(number: int) -> str:
    """How often the format instruction is given, in words."""
    return f"instruction given {'once' if number == 1 else f'{number} times'}"


# Kinds of answers of which there are so few that the grader can be asked for one.
CLOSED: tuple[Kind, ...] = ("letter", "option")
# Without a treatment: what observations that name none were asked with.
PLAIN: Mapping[str, int] = {"demos": 0, "repeat": 1}


def _treatment(name: str, words: Callable[[int], str]) -> Factor:
    meanings = _TOLD[name].items()
    return Factor(
        name, {n: Condition(words(int(n)), m, int(n) == PLAIN[name]) for n, m in meanings}
    )


# Parts of the parameter `reading` with their values, the default first.
READING: Mapping[str, tuple[str, ...]] = {
    "extraction": ("published", "strict"), "casefold": ("false", "true"),
    "placeholder": ("appendix", "table1"), "credit": ("declared", "exact", "contained"),
    "wording": ("askew", "authors"),
}  # fmt: skip

# The most that scores between 0 and 100 points can vary.
MOST_VARIANCE = 2_500.0
METRICS = Metric.all_of(__package__)
BIAS_F = METRICS[0]

PAPER = Paper.of(
    __package__, subsets=tuple(SUBSETS), subset_names={"all": "Mean of tasks", **SUBSETS},
    factors=(
        Factor("format", _FormatConditions()),
        Factor("prompting", PROMPTINGS),
        _treatment("demos", demonstrations_label),
        _treatment("repeat", repetitions_label),
    ),
    headlines=tuple(f"bias_f_{category}" for category in CATEGORIES),
    console=tuple(f"bias_f_{category}" for category in CATEGORIES), metrics=METRICS,
    grouped={"reading": tuple(READING)},
    graded=lambda metadata: int(metadata.get("kind") in CLOSED),
    reasons=lambda metadata: metadata.get("prompting") == "cot",
)  # fmt: skip


class FormatBiasMeta(SampleMeta):
    """What a sample of format bias carries: its condition, and the type of its answer."""

    optional = (*SampleMeta.optional, "accepted", "wording")
    category: str
    format: str
    prompting: Prompting
    demos: int
    repeat: int
    kind: Kind
    keys: str = ""  # of the mapping, with commas between them
    n_elements: int = 0  # how many documents there are to mark
    wording: str = ""  # `authors` where the prompt is that of the authors' scripts
    # Aliases of the answer, or phrases that may be given, as JSON; nothing where none are declared:
    # then the paper's measure is the only one.
    accepted: str = ""
