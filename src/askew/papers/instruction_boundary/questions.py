"""Instruction Boundary's questions, their conditions, and the options that a prompt shows.

A setting is one of the paper's kinds of prompt, such as vanilla, conformity (suggests an answer) or
miscellany (extra options). A condition is a setting with one of its variants.
"""

import dataclasses
import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

from askew.files import toml_of
from askew.papers.instruction_boundary import paper
from askew.papers.instruction_boundary.paper import SETTINGS, TEN, Family, Form, SettingVariant
from askew.parameters import SelectionError, check_int, choose, parse_list, quote
from askew.reading import phrases
from askew.schema import Outcome, round_robin
from askew.scoring.grader import WORDS as GRADER_WORDS
from askew.sources.loading import interleave, sample_by_tier

# A canonical answer is a label, option numbers such as "1,3", or one of these two.
NONE = "none"
SEVERAL = "several"
"""The reply states that several options are correct, but not which."""


def label_name(text: str) -> str:
    """Return the part of "label: description" before the colon."""
    return text.partition(":")[0]


PROMPTS = toml_of(__package__, "prompts.toml")
"""All prompt texts for the tested model, the rewriter and the grader."""
_GRADER, _QUESTION = PROMPTS["grader"], partial(GRADER_WORDS["question"].format, reply="{reply}")
# The prompt version is a hash of these texts; placeholders stay unfilled.
HASHED_TEXTS = (
    *(words for name, words in PROMPTS.items() if name != "grader"),
    [
        _QUESTION(asked=_GRADER["truth"], shown="", answers="{meanings}"),
        _QUESTION(
            asked=_GRADER["choice"], shown="Options:\n{options}\n\n", answers="- {sets}\n{meanings}"
        ),
        *(_GRADER[name] for name in ("truth_meanings", "choice_meanings")),
        GRADER_WORDS["no_answer"],
        *(_GRADER[name] for name in ("sets", "one_option")),
    ],
)
TRUTH_LABELS = {
    label: label_name(text)
    for label, text in (PROMPTS["labels"]["judging"] | PROMPTS["extra"]).items()
}
"""Answers to a judging question, as prompts show them; only miscellany offers the extra two."""
_MENTIONS_OTHER_OPTIONS = phrases("questions", __package__, re.IGNORECASE)["of_others"]


@dataclass(frozen=True)
class ParsedAnswer:
    """The answer parsed from a reply, or the reason why there is none.

    `answer` is a label, "none", "several", or option numbers. A truncated reply counts only if it
    is `settled`: no further text could change it. It is `hedged` if it avoids a commitment.
    """

    outcome: Outcome
    answer: str | None = None
    hedged: bool = False
    settled: bool = True
    graded: bool = False
    why: str = ""

    @property
    def numbers(self) -> set[int]:
        """The options chosen; empty if the answer is "none" or not a set of options."""
        return {int(part) for part in (self.answer or "").split(",") if part.isdecimal()}

    @classmethod
    def ambiguous(cls, why: str, settled: bool = True) -> Self:
        """A reply that names answers without choosing one."""
        return cls("ambiguous", settled=settled, why=why)


@dataclass(frozen=True)
class PublishedQuestion:
    """A choice question exactly as published; `numbered`: its options already have numbers."""

    question: str
    passage: str
    options: tuple[str, ...]
    numbered: bool


@dataclass(frozen=True)
class BoundaryItem:
    """A question with its correct answer (`truth`).

    Judging: `passage` has the facts, `question` the conclusion, and `form` is the correct label.
    Choice: `form` states how many options are correct (none, single, multiple), `gold` has their
    indexes; `missing_gold` is the correct option removed to make a "none" item, if known;
    `polished` is a rewritten question included in the package.
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
    source: str = ""  # the data set that the paper took it from
    published: PublishedQuestion | None = None
    tier: str = ""
    difficulty: int = 0

    @property
    def sparse(self) -> bool:
        """Whether its label or form is a rare one."""
        return self.form in paper.SPARSE

    @property
    def truth(self) -> str:
        """The canonical correct answer: a label, "none", or the numbers of the correct options."""
        return self.form if self.family == "judging" else format_answer(self.gold)

    def mentions(self, label: str) -> bool:
        """Whether its own text contains the name of a label, in any sense."""
        text = "\n".join((self.passage, self.question, *self.options))
        return re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE) is not None

    def reordered(self, seed: int) -> Self:
        """The item with its options shuffled; unchanged if an option refers to other options."""
        if mentions_others(self.options):
            return self
        places = list(range(len(self.options)))
        random.Random(f"{seed}/{self.id}").shuffle(places)
        return dataclasses.replace(
            self,
            options=tuple(self.options[p] for p in places),
            gold=tuple(i for i, p in enumerate(places) if p in self.gold),
        )


def format_answer(indexes: Collection[int]) -> str:
    """Options as a canonical answer: their numbers in the item, from 1; "none" without options."""
    return ",".join(str(i + 1) for i in sorted(indexes)) or NONE


def mentions_others(options: Sequence[str]) -> bool:
    """Whether an option refers to others, so that shuffling could change if it is correct."""
    return any(_MENTIONS_OTHER_OPTIONS.search(option) for option in options)


def classify_form(gold: Sequence[int]) -> Form:
    """The form of a choice question, by its number of correct options."""
    return "multiple" if len(gold) > 1 else "single" if gold else "none"


def balanced_subset(items: Sequence[BoundaryItem], n: int | None, seed: int) -> list[BoundaryItem]:
    """Draw at most `n` items; the first ones cover subsets, forms (half of them rare) and tiers."""
    if n is not None:
        check_int("items", n)
    subsets: dict[str, dict[str, list[BoundaryItem]]] = {}
    for item in items:
        # Common labels share a stratum, named "tense" as in the paper: the seed uses it.
        is_common = item.family == "judging" and not item.sparse
        stratum = "tense" if is_common else item.form
        subsets.setdefault(item.subset, {}).setdefault(stratum, []).append(item)

    def shuffled(rng: random.Random, group: list[BoundaryItem]) -> list[BoundaryItem]:
        rng.shuffle(group)
        return group

    # Each stratum starts with another tier than the one before, so that few items cover all tiers.
    for number, strata in enumerate(subsets.values()):
        for first_tier, (name, group) in enumerate(strata.items(), start=number):
            drawn = group if n is None else sample_by_tier(group, shuffled, seed, name)
            strata[name] = interleave(drawn, first_tier)
    return list(round_robin({s: [*round_robin(strata)] for s, strata in subsets.items()}))[:n]


NoneStyle = Literal["removed", "stated"]
MAX_EXAMPLES_PER_FORM = 3
# Index that stands for the statement "no option is correct", shown instead of a wrong option.
STATED = -1

Variants = Mapping[str, Mapping[Family, tuple[str, ...]]]
"""Variants by setting, then by family."""


def check_variants(**given: Any) -> Variants:
    """Check the values of the settings' parameters; None means the default."""
    return {s: _by_family(setting, given.get(setting.parameter)) for s, setting in SETTINGS.items()}


def _by_family(setting: paper.Setting, wanted: Any) -> dict[Family, tuple[str, ...]]:
    """A setting's variants by family; a family without a selected one keeps its default."""
    name, valid = setting.parameter, setting.variants
    known = tuple(dict.fromkeys(v for own in valid.values() for v in own))
    values: Sequence[str] = choose(name, wanted, known, ())
    # `polish` and `n_wrong` keep their declared order, other settings the order given.
    if wanted is not None and parse_list(wanted) != ["all"] and name not in ("polish", "n_wrong"):
        values = parse_list(wanted)
    limit = MAX_EXAMPLES_PER_FORM if name == "examples" else 1
    if repeated := [v for v in values if values.count(v) > limit]:
        raise SelectionError(
            f"{name}={quote(wanted)}: {repeated[0]!r} is given more than {limit} times"
        )
    # The default of n_wrong is all variants, of other parameters the first one.
    n = None if name == "n_wrong" else 1
    return {f: tuple(v for v in values if v in own) or own[:n] for f, own in valid.items()}


def conditions(
    item: BoundaryItem, settings: Sequence[str], variants: Variants,
    miscellany_ids: Collection[str], hides_named: bool = False,
) -> list[SettingVariant]:  # fmt: skip
    """The conditions of an item, in the settings' order.

    Of choice items, miscellany runs only those in `miscellany_ids`; items of the subset "ten" (ten
    options) run under no other setting. With `hides_named`, missing_choices also omits a label that
    the question names.
    """
    # If every option is correct, there is no wrong one to suggest or to leave out.
    all_right = 0 < len(item.options) == len(item.gold)
    # Only single-answer items get a varying number of wrong options, others none.
    n_wrong = len(item.options) - 1 if item.form == "single" else 0

    def applies(setting: str, variant: str) -> bool:
        if setting == paper.MISCELLANY:
            fits = item.id in miscellany_ids and int(variant or 0) <= n_wrong
            return fits or item.family == "judging"
        if item.subset == TEN:
            return False
        if setting == "missing_choices":
            # A label that the question itself names can't be hidden from the model.
            return not all_right and (hides_named or not item.mentions(variant))
        return not (all_right and variant == "wrong")

    found = []
    for setting in settings:
        own = variants[setting].get(item.family, ("",))
        values = ["+".join(own)] if setting == "few_shot" else own
        found += [SettingVariant(setting, v) for v in values if applies(setting, v)]
    return found


def select_miscellany_items(items: Sequence[BoundaryItem]) -> set[str]:
    """Ids of the choice items run under miscellany: those with ten options; if none has, all."""
    choice = [item for item in items if item.family == "choice"]
    ten = [item for item in choice if item.subset == TEN]
    return {item.id for item in ten or choice}


def select_shown_options(
    item: BoundaryItem, condition: SettingVariant, none_style: NoneStyle, seed: int
) -> list[int]:
    """Indexes of the item's options that a prompt shows, in order; `STATED` for the statement.

    Within vanilla, and within missing_choices, all forms show equally many options, so that the
    number reveals nothing.
    """
    if item.family == "judging":
        return []
    every = list(range(len(item.options)))
    wrong = [i for i in every if i not in item.gold]
    random.Random(f"wrong/{seed}/{item.id}").shuffle(wrong)
    if condition.setting == paper.MISCELLANY:
        kept = {*item.gold, *wrong[: int(condition.variant)]}
        return [i for i in every if i in kept]
    if none_style == "stated" and item.form == NONE:
        stated = [STATED if i == wrong[0] else i for i in every]
        if condition.setting != "missing_choices":
            return stated
        # Omit the statement if the missing label is "none", else the next wrong option.
        out = STATED if condition.variant == NONE else wrong[1]
        return [i for i in stated if i != out]
    if condition.setting == "missing_choices" and wrong and len(every) > 2:
        return [i for i in every if i != wrong[0]]
    return every


def suggestion(
    item: BoundaryItem, condition: SettingVariant, shown: Sequence[int], seed: int
) -> str:
    """Answer that conformity suggests: a label, "several", or the number of a wrong option."""
    if condition.setting != "conformity":
        return ""
    if condition.variant != "wrong":
        return condition.variant
    wrong = [i for i in shown if i not in item.gold and i != STATED]
    # `[0]` is never drawn: without a wrong option there is no variant "wrong".
    drawn = random.Random(f"suggested/{seed}/{item.id}").choice(wrong or [0])
    return format_answer([drawn])
