"""Instruction Boundary's questions, the conditions they are asked under, and the options shown."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from askew.files import toml_of
from askew.papers.instruction_boundary.paper import (
    MISCELLANY,
    SETTINGS,
    SPARSE,
    TEN,
    Family,
    Form,
    Setting,
    SettingVariant,
)
from askew.parameters import SelectionError, choose, parse_list, quote, whole_number
from askew.schema import Outcome, round_robin
from askew.scoring.grader import WORDS as GRADER_WORDS
from askew.sources.loading import drawn_in_tiers, taking_turns

# Canonical answers are labels, numbers such as "1,3", and these two.
NONE = "none"
SEVERAL = "several"
"""Says that several options are right, not which."""


def label_name(described: str) -> str:
    """The name of a label that is shown with its description."""
    return described.partition(":")[0]


def phrases(table: str, flags: int = re.IGNORECASE) -> dict[str, re.Pattern[str]]:
    """The patterns of a table of `phrases.toml`."""
    found: dict[str, str] = {}
    for name, pattern in _PHRASES[table].items():
        alternatives = [pattern] if isinstance(pattern, str) else pattern
        found[name] = "|".join("".join(map(str.strip, p.splitlines())) for p in alternatives)
        for earlier, part in found.items():
            found[name] = found[name].replace(f"{{{earlier}}}", part)
    return {name: re.compile(pattern, flags) for name, pattern in found.items()}


PROMPTS = toml_of(__package__, "prompts.toml")
"""All that a model under test, a polisher or a grader is told."""
_ASKS = PROMPTS["grader"]


def _question_of(name: str, **parts: str) -> str:
    return GRADER_WORDS["question"].format(asked=_ASKS[name], reply="{reply}", **parts)


# Runs that differ in any of it differ in version.
WORDS = (
    *(words for name, words in PROMPTS.items() if name != "grader"),
    [
        _question_of("truth", shown="", answers="{meanings}"),
        _question_of("choice", shown="Options:\n{options}\n\n", answers="- {sets}\n{meanings}"),
        *(_ASKS[name] for name in ("truth_meanings", "choice_meanings")),
        GRADER_WORDS["no_answer"],
        *(_ASKS[name] for name in ("sets", "one_option")),
    ],
)
TRUTH_LABELS = {
    label: label_name(text)
    for label, text in (PROMPTS["labels"]["judging"] | PROMPTS["extra"]).items()
}
"""Every answer to a judging question, as it is written."""
_PHRASES = toml_of(__package__, "phrases.toml")
_OF_OTHERS = phrases("questions")["of_others"]


@dataclass(frozen=True)
class AnswerRead:
    """A reply as an answer, or why there is none.

    `answer` is a label, "none", "several", or numbers of options. Where a reply was cut short, only
    a `settled` one counts.
    """

    outcome: Outcome
    answer: str | None = None
    hedged: bool = False
    settled: bool = True
    judged: bool = False
    why: str = ""

    @property
    def numbers(self) -> set[int]:
        """The options chosen; none where the answer is none of them, or no set of options."""
        said = (self.answer or "").split(",")
        return {int(number) for number in said if number.isdecimal()}

    @classmethod
    def torn(cls, why: str, settled: bool = True) -> AnswerRead:
        """A reply that settles on none of the answers that it names."""
        return cls("ambiguous", settled=settled, why=why)


@dataclass(frozen=True)
class PublishedQuestion:
    """A choice question letter for letter as its file holds it; `numbered`: its options count."""

    id: str
    question: str
    passage: str
    options: tuple[str, ...]
    numbered: bool


@dataclass(frozen=True)
class BoundaryItem:
    """A question with its truth.

    Judging: `passage` holds the facts, `question` the conclusion, and `form` is the label.
    Choice: `gold` indexes the right options; `missing_gold` is the one taken out of a none item,
    where that is known; `polished` is a shipped rewrite of the question.
    """

    id: str
    subset: str
    cluster: str
    family: Family
    form: Form
    passage: str
    question: str
    options: tuple[str, ...] = ()
    gold: tuple[int, ...] = ()
    missing_gold: str = ""
    polished: str = ""
    source: str = ""
    """The data set that the paper's file took it from."""
    published: PublishedQuestion | None = None
    tier: str = ""

    @property
    def sparse(self) -> bool:
        return self.form in SPARSE

    @property
    def truth(self) -> str:
        """The canonical right answer: a label, "none", or the numbers of the right options."""
        if self.family == "judging":
            return self.form
        return numbers(self.gold)

    def says(self, label: str) -> bool:
        """Whether its own text uses the name of a label, in whatever sense."""
        text = "\n".join((self.passage, self.question, *self.options))
        return re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE) is not None

    def reordered(self, seed: int) -> BoundaryItem:
        """The item with its options in a seeded order; kept where an option speaks of others."""
        if mentions_others(self.options):
            return self
        places = list(range(len(self.options)))
        random.Random(f"{seed}/{self.id}").shuffle(places)
        return dataclasses.replace(
            self,
            options=tuple(self.options[p] for p in places),
            gold=tuple(i for i, p in enumerate(places) if p in self.gold),
        )


def numbers(indexes: Collection[int]) -> str:
    """Options as a canonical answer: their numbers from 1, ascending; "none" where there are none.

    Numbers are those of all the item's options in order, whichever of them a prompt shows.
    """
    return ",".join(str(i + 1) for i in sorted(indexes)) or NONE


def mentions_others(options: Sequence[str]) -> bool:
    """Whether an option speaks of the other options, so that its truth hangs on their places."""
    return any(_OF_OTHERS.search(option) for option in options)


def form_of(gold: Sequence[int]) -> Form:
    """The form of a choice question, by how many of its options are right."""
    return "multiple" if len(gold) > 1 else "single" if gold else "none"


def balanced_subset(items: Sequence[BoundaryItem], n: int | None, seed: int) -> list[BoundaryItem]:
    """At most `n` items, seeded, such that any prefix spreads over subsets, forms and tiers.

    Judging alternates sparse and tense items, so that halves stay halves.
    """
    if n is not None:
        whole_number("items", n)
    subsets: dict[str, dict[str, list[BoundaryItem]]] = {}
    for item in items:
        tense = item.family == "judging" and not item.sparse
        stratum = "tense" if tense else item.form
        subsets.setdefault(item.subset, {}).setdefault(stratum, []).append(item)

    def shuffled(rng: random.Random, group: list[BoundaryItem]) -> list[BoundaryItem]:
        rng.shuffle(group)
        return group

    spread: dict[str, list[BoundaryItem]] = {}
    for number, (subset, strata) in enumerate(subsets.items()):
        turns = {
            name: taking_turns(
                group if n is None else drawn_in_tiers(group, shuffled, seed, name), i
            )
            for i, (name, group) in enumerate(strata.items(), start=number)
        }
        spread[subset] = list(round_robin(turns))
    return list(round_robin(spread))[:n]


NoneStyle = Literal["removed", "stated"]
SHOTS_OF_A_FORM = 3
# The index of the statement that stands in place of the right option of a none item.
STATED = -1


Variants = Mapping[str, Mapping[Family, tuple[str, ...]]]
"""By setting, the variants of each family."""


def check_variants(**given: Any) -> Variants:
    """Checked values of the settings' parameters; nothing means the default."""
    return {s: _by_family(told, given.get(told.parameter)) for s, told in SETTINGS.items()}


def _by_family(setting: Setting, wanted: Any) -> dict[Family, tuple[str, ...]]:
    """A setting's variants by family, in the order given; one without any keeps its default."""
    name, valid = setting.parameter, setting.variants
    default = {f: of if name == "n_wrong" else of[:1] for f, of in valid.items()}
    if wanted is None:
        return default
    known = tuple(dict.fromkeys(v for of in valid.values() for v in of))
    values: Sequence[str] = choose(name, wanted, known)
    if parse_list(wanted) != ["all"] and name not in ("polish", "n_wrong"):
        values = parse_list(wanted)
    most = SHOTS_OF_A_FORM if name == "examples" else 1
    if crowded := [v for v in values if values.count(v) > most]:
        raise SelectionError(
            f"{name}={quote(wanted)}: {crowded[0]!r} is given more than {most} times"
        )
    return {f: tuple(v for v in values if v in of) or default[f] for f, of in valid.items()}


def conditions(
    item: BoundaryItem, settings: Sequence[str], variants: Variants, distracted: Collection[str],
    named_too: bool = False,
) -> list[SettingVariant]:  # fmt: skip
    """The conditions under which an item is asked, in the settings' order.

    Miscellany asks the choice items with the ids in `distracted`, and alone those of "ten". With
    `named_too`, a label also goes missing where the question itself names it.
    """
    return [
        SettingVariant(setting, variant)
        for setting in settings
        for variant in _variants(item, setting, variants, named_too)
        if (item.family == "judging" or item.id in distracted or setting != MISCELLANY)
        and (item.subset != TEN or setting == MISCELLANY)
    ]


def _variants(
    item: BoundaryItem, setting: str, variants: Variants, named_too: bool
) -> Iterable[str]:
    asked = variants[setting].get(item.family, ("",))
    # Where every option is right, there is no wrong one to suggest or to leave out.
    all_right = 0 < len(item.options) == len(item.gold)
    if setting == "conformity":
        return (v for v in asked if not (all_right and v == "wrong"))
    if setting == "missing_choices":
        # A label that the question itself names can't be kept from its prompt.
        labels = () if all_right else asked
        return (label for label in labels if named_too or not item.says(label))
    if setting == "few_shot":
        return ["+".join(asked)]
    if setting == MISCELLANY and item.family == "choice":
        # Other forms than single have no right option to stand beside wrong ones.
        wrong = len(item.options) - 1 if item.form == "single" else 0
        return (n for n in asked if int(n) <= wrong)
    return asked


def asked_under_miscellany(items: Sequence[BoundaryItem]) -> set[str]:
    """Ids of the choice items that miscellany asks: those with ten options, where there are any."""
    choice = [item for item in items if item.family == "choice"]
    ten = [item for item in choice if item.subset == TEN]
    return {item.id for item in ten or choice}


def shown_indexes(
    item: BoundaryItem, condition: SettingVariant, none_style: NoneStyle, seed: int
) -> list[int]:
    """Indexes of the item's options that a prompt shows, in order; `STATED` for the statement.

    Every form shows as many options as the others, in vanilla and without its wrong option.
    """
    if item.family == "judging":
        return []
    every = list(range(len(item.options)))
    wrong = [i for i in every if i not in item.gold]
    random.Random(f"wrong/{seed}/{item.id}").shuffle(wrong)
    if condition.setting == MISCELLANY:
        kept = {*item.gold, *wrong[: int(condition.variant)]}
        return [i for i in every if i in kept]
    if none_style == "stated" and item.form == NONE:
        stated = [STATED if i == wrong[0] else i for i in every]
        if condition.setting != "missing_choices":
            return stated
        # What is left out is the statement where none goes missing, else a wrong option.
        out = STATED if condition.variant == NONE else wrong[1]
        return [i for i in stated if i != out]
    if condition.setting == "missing_choices" and wrong and len(every) > 2:
        return [i for i in every if i != wrong[0]]
    return every


def option_text(item: BoundaryItem, index: int) -> str:
    return str(PROMPTS["statement"]) if index == STATED else item.options[index]


def suggestion(
    item: BoundaryItem, condition: SettingVariant, shown: Sequence[int], seed: int
) -> str:
    """The canonical answer that conformity suggests: a label, "several", or a wrong number."""
    if condition.setting != "conformity":
        return ""
    if condition.variant != "wrong":
        return condition.variant
    wrong = [i for i in shown if i not in item.gold and i != STATED]
    drawn = random.Random(f"suggested/{seed}/{item.id}").choice(wrong or [0])
    return numbers([drawn])
