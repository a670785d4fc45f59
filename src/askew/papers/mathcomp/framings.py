"""A scenario, the 14 framings of Figure 1, the judge of Table 8, and how people are named.

Source of every printed wording: "More or Less Wrong: A Benchmark for Directional Bias in LLM
Comparative Reasoning"; they stand in `published/prompts.toml`.

Figure 1 prints its questions for time spent on home maintenance. `Phrase` holds
the words that change with the scenario; they stand in these places:

    How does the amount of {noun} B {verb_s} {rest} compare to that of A?
    Does B {verb} more {noun} {rest} than A?

Money and time fit the printed wording as they are (`spends money on groceries`).
Distance is covered, not spent. Weight and the quantity "others" need words of
their own, and so do task phrases of the authors' file that don't fit; `published/phrases.toml`
lists them with the reasons. A noun must be one that "amount", "more" and "less"
all fit ("reading", not "pages": nobody reads "less pages").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction

from askew.files import toml_of
from askew.papers.mathcomp.paper import (
    IDENTITIES,
    NEUTRAL,
    NO_TERM,
    OTHER_PERSON,
    POSITIONS,
    STANDARD,
    STYLES,
    WORDS,
    Label,
    Mention,
    subset_of,
)

QUANTITIES = ("money", "time", "distance", "weight", "others")
# Where a task brings no words of its own.
USUAL = {
    "money": ("money", "spend", "spends"),
    "time": ("time", "spend", "spends"),
    "distance": ("distance", "cover", "covers"),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is compared (`noun`), what a person does with it (`verb`), and in what (`rest`)."""

    noun: str
    verb: str
    verb_s: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Two sentences to compare; `label` says what the second total is against the first.

    `sentence1` speaks of `{A}` and `sentence2` of `{B}`; `equation1` and
    `equation2` are their totals, written out. `verbal` is true where an amount
    is told in words ("twice that"), false where every number is in digits.
    """

    id: str
    sentence1: str
    sentence2: str
    category: str
    quantity: str
    task: str
    label: Label
    equation1: str
    equation2: str
    verbal: bool
    phrase: Phrase
    # No part of a revision: its tier, and why its label is wrong, where it is (it is then asked,
    # and in no number).
    tier: str = field(default="", repr=False)
    wrong: str = field(default="", repr=False)

    @property
    def unit(self) -> str:
        """A scenario is resampled alone."""
        return self.id

    @property
    def subset(self) -> str:
        return subset_of(self.category)


def label_of(total1: Fraction | int, total2: Fraction | int) -> Label:
    """What the second total is against the first."""
    if total1 == total2:
        return "equal"
    return "more" if total2 > total1 else "less"


def phrase_for(task: str, quantity: str) -> Phrase:
    """The words for a task, by the rule for its quantity."""
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity {quantity!r} is unknown: use one of {', '.join(QUANTITIES)}")
    if quantity in USUAL:
        return Phrase(*USUAL[quantity], f"{'while' if quantity == 'distance' else 'on'} {task}")
    raise ValueError(
        f"task {task!r} with quantity {quantity!r} needs words of its own: "
        "give a Phrase with a noun that 'more' and 'less' both fit"
    )


def _fix(quantity: str, reason: str, **words: str) -> tuple[Phrase, str]:
    usual = dict(zip(("noun", "verb", "verb_s"), USUAL.get(quantity, ()), strict=False))
    return Phrase(**{**usual, **words}), _PHRASES["reasons"][reason]


_PHRASES = toml_of(__package__, "published/phrases.toml")
# Tasks of the paper's file, each with its quantity, that need words of their own, and why.
FIXES: Mapping[tuple[str, str], tuple[Phrase, str]] = {
    (task, quantity): _fix(quantity, **entry)
    for quantity in QUANTITIES
    for task, entry in _PHRASES[quantity].items()
}


def paper_phrase(task: str, quantity: str) -> Phrase:
    """The words for a task of the authors' file."""
    fix = FIXES.get((task, quantity))
    return fix[0] if fix else phrase_for(task, quantity)


_PLACEHOLDER = re.compile(r"\{[AB]\}")
# What stands before the first word of a sentence, or of a line.
_OPENS_SENTENCE = re.compile(r"(?:^|[.?!]\s|\n)\s*\Z")


def name_people(text: str, identity: str, names: tuple[Mention, Mention] | None = None) -> str:
    """Put the people of an identity, the standard one under these names, for `{A}` and `{B}`."""
    one, other = (names if identity == STANDARD else None) or IDENTITIES[identity].people
    # Whoever is introduced first: only what the second one is called may differ by identity.
    mentions = {"{A}": one, "{B}": OTHER_PERSON if one == other else other}
    introduced: set[str] = set()

    def mention(found: re.Match[str]) -> str:
        words = mentions[found[0]].later if found[0] in introduced else mentions[found[0]].first
        introduced.add(found[0])
        opens = _OPENS_SENTENCE.search(text[: found.start()])
        return words[0].upper() + words[1:] if opens else words

    return _PLACEHOLDER.sub(mention, text)


# Figure 1, in its order. The neutral question carries no term.
WORDINGS: Mapping[tuple[str, str], str] = {
    (style, term): wording
    for style, terms in WORDS["questions"].items()
    for term, wording in terms.items()
}

# Each question in a few words: "neutral", "direct more".
STYLED: Mapping[tuple[str, str], str] = {
    (style, term): STYLES[style].label if term == NO_TERM else f"{STYLES[style].label} {term}"
    for style, term in WORDINGS
}

# Table 8, in its printed form and in words that fit every quantity (see `judge_prompt`).
JUDGE_PROMPT: str = WORDS["judge"]


@dataclass(frozen=True, slots=True)
class Framing:
    """One of the 14 ways of asking."""

    style: str
    term: str
    position: str


FRAMINGS: tuple[Framing, ...] = tuple(
    Framing(style, term, position) for position in POSITIONS for style, term in WORDINGS
)


def question(
    style: str,
    term: str,
    phrase: Phrase,
    a: str = "{A}",
    b: str = "{B}",
    wordings: Mapping[tuple[str, str], str] = WORDINGS,
) -> str:
    """Figure 1's words for one style and term; people are placeholders unless named."""
    # The rest follows a word: with its space, or not at all.
    tail = f" {phrase.rest}" if phrase.rest else ""
    return wordings[style, term].format(**asdict(phrase), tail=tail, a=a, b=b)


def judge_prompt(phrase: Phrase, a: str = "person A", b: str = "person B") -> str:
    """Table 8's system prompt; for time spent on a task it is the printed sentence."""
    asked = question(NEUTRAL, NO_TERM, phrase, a, b)
    return JUDGE_PROMPT.format(question=asked[0].lower() + asked[1:])


@dataclass(frozen=True, slots=True)
class Wording:
    """What one prompt says, people named: the framing, the two sentences, and later mentions."""

    question: str
    context: str
    first: str
    """The first person once both are introduced, as a reply would speak of them."""
    second: str


def wording(
    sentences: tuple[str, str],
    framing: Framing,
    phrase: Phrase,
    identity: str,
    wordings: Mapping[tuple[str, str], str] = WORDINGS,
    names: tuple[Mention, Mention] | None = None,
) -> Wording:
    """The framing and the sentences as they stand in a prompt, whichever comes first.

    Who is introduced by whom depends on the order, so all of it is named at once.
    """
    context = " ".join(" ".join(sentence.split()) for sentence in sentences)
    asked = question(framing.style, framing.term, phrase, wordings=wordings)
    parts = (asked, context) if framing.position == "begin" else (context, asked)
    named = name_people("\n".join((*parts, "|{A}|{B}")), identity, names)
    one, other, mentions = named.split("\n")
    _, first, second = mentions.split("|")
    if framing.position == "end":
        one, other = other, one
    return Wording(one, other, first, second)
