"""A scenario, the 14 framings of Figure 1, the judge of Table 8, and how people are named.

Figure 1 asks about time; a `Phrase` holds the words that change with the scenario. Its noun must
fit "amount", "more" and "less"; `published/phrases.toml` lists tasks with words of their own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Self

from askew.files import toml_of
from askew.papers.mathcomp.comparisons import MIRRORED
from askew.papers.mathcomp.paper import (
    IDENTITIES,
    NEUTRAL,
    NO_TERM,
    ONE_WORD,
    OTHER_PERSON,
    OUTPUTS,
    POSITIONS,
    STANDARD,
    STYLES,
    WORDING,
    WORDS,
    Label,
    Mention,
    subset_of,
)
from askew.papers.mathcomp.reading import read_comparison
from askew.parameters import SelectionError, quote, split_parts, suboption_values

QUANTITIES = ("money", "time", "distance", "weight", "others")
_PHRASES = toml_of(__package__, "published/phrases.toml")
# Where a task brings no words of its own.
USUAL: Mapping[str, Mapping[str, str]] = _PHRASES["usual"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is compared (`noun`), what a person does with it (`verb`), and in what (`rest`)."""

    noun: str
    verb: str
    verb_s: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Sentences of `{A}` and `{B}`; `label` says what the second total is against the first.

    `verbal` is true where an amount is told in words ("twice that").
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
    # What it is resampled with: the scenarios of its pattern; else it stands alone.
    pattern: str = field(default="", repr=False)
    difficulty: int = field(default=0, repr=False)  # its level, where it was generated at one

    @property
    def cluster(self) -> str:
        return self.pattern or self.id

    @property
    def subset(self) -> str:
        return subset_of(self.category)


def label_of(total1: Fraction | int, total2: Fraction | int) -> Label:
    """What the second total is against the first."""
    if total1 == total2:
        return "equal"
    return "more" if total2 > total1 else "less"


# Tasks of the paper's file, each with its quantity, that need words of their own, with the reason.
FIXES: Mapping[tuple[str, str], Mapping[str, str]] = {
    (task, quantity): fix
    for quantity in QUANTITIES
    for task, fix in _PHRASES.get(quantity, {}).items()
}


def phrase_for(task: str, quantity: str) -> Phrase:
    """The words for a task: its own, where the authors' does not fit, or those of its quantity."""
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity {quantity!r} is unknown: use one of {', '.join(QUANTITIES)}")
    words = dict(USUAL.get(quantity, {}))
    if fix := FIXES.get((task, quantity)):
        return Phrase(**words | {name: word for name, word in fix.items() if name != "reason"})
    if not words:
        raise ValueError(
            f"task {task!r} with quantity {quantity!r} needs words of its own: "
            "give a Phrase with a noun that 'more' and 'less' both fit"
        )
    return Phrase(**words, rest=f"{'while' if quantity == 'distance' else 'on'} {task}")


_PLACEHOLDER = re.compile(r"\{[AB]\}")
# What stands before the first word of a sentence, or of a line.
_OPENS_SENTENCE = re.compile(r"(?:^|[.?!]\s|\n)\s*\Z")


def people_of(
    identity: str, names: tuple[Mention, Mention] | None = None
) -> tuple[Mention, Mention]:
    """The two people of an identity; only what the second one is called may differ by identity."""
    one, other = (names if identity == STANDARD else None) or IDENTITIES[identity].people
    return one, OTHER_PERSON if one == other else other


def name_people(text: str, identity: str, names: tuple[Mention, Mention] | None = None) -> str:
    """Put the people of an identity, the standard one under these names, for `{A}` and `{B}`."""
    mentions = dict(zip(("{A}", "{B}"), people_of(identity, names), strict=True))
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
    style: str, term: str, phrase: Phrase, a: str = "{A}", b: str = "{B}",
    wordings: Mapping[tuple[str, str], str] = WORDINGS,
) -> str:  # fmt: skip
    """Figure 1's words for one style and term; people are placeholders unless named."""
    # The rest follows a word: with its space, or not at all.
    tail = f" {phrase.rest}" if phrase.rest else ""
    return wordings[style, term].format(**asdict(phrase), tail=tail, a=a, b=b)


def judge_prompt(phrase: Phrase, a: str = "person A", b: str = "person B") -> str:
    """Table 8's system prompt; for time spent on a task it is the printed sentence."""
    text = question(NEUTRAL, NO_TERM, phrase, a, b)
    return JUDGE_PROMPT.format(question=text[0].lower() + text[1:])


@dataclass(frozen=True, slots=True)
class Wording:
    """What one prompt says, people named: the framing, the two sentences, and later mentions."""

    question: str
    context: str
    first: str  # the first person once both are introduced, as a reply would speak of them
    second: str


@dataclass(frozen=True)
class Words:
    """How prompts are worded where the paper leaves it open, or its authors' code differs."""

    wording: str = "askew"  # or that of the authors' notebooks
    judge_people: str = "letters"  # or names: of whom the judge's question is
    names: tuple[Mention, Mention] = IDENTITIES[STANDARD].people  # of the standard identity

    @classmethod
    def of(cls, identities: Sequence[str], names: object = None, **given: Any) -> Self:
        """What the parts of `framing` that choose words ask for; anything else is refused."""
        chosen: Any = suboption_values(given, WORDING)
        if names is not None and STANDARD not in identities:
            raise SelectionError(
                f"names={quote(names)}: names are for identity={STANDARD}; add it, or leave them"
            )
        if chosen["wording"] == "authors" and names is None:
            names = _AUTHORS["names"]
        return cls(**chosen) if names is None else cls(**chosen, names=_two_names(names))

    def phrase(self, item: Scenario) -> Phrase:
        """The words of what is compared: the notebooks name quantity and task as the file does."""
        if self.wording == "askew":
            return item.phrase
        return Phrase(item.quantity, "spend", "spends", f"on {item.task}")

    def told(
        self, sentences: tuple[str, str], framing: Framing, phrase: Phrase, identity: str
    ) -> Wording:
        """The framing and the sentences as they stand in a prompt, whichever comes first.

        Who is introduced by whom depends on the order, so all of it is named at once.
        """
        context = " ".join(" ".join(sentence.split()) for sentence in sentences)
        text = question(framing.style, framing.term, phrase, wordings=self._questions)
        if self.wording == "authors":
            return self._as_authors(text, context, identity)
        turn = 1 if framing.position == "begin" else -1
        texts = "\n".join([*(text, context)[::turn], "|{A}|{B}"])
        *placed, mentions = name_people(texts, identity, self.names).split("\n")
        (asked, told), (_, first, second) = placed[::turn], mentions.split("|")
        return Wording(asked, told, first, second)

    def _as_authors(self, query: str, context: str, identity: str) -> Wording:
        """The notebooks introduce the second person once, in the sentences, always with "a"."""
        a, b = people_of(identity, self.names)
        one = f"a {b.later.removeprefix('the ')}" if b.first.startswith("an ") else b.first
        context = context.replace("{B}", one, 1)
        query, context = (
            text.replace("{A}", a.first).replace("{B}", b.later) for text in (query, context)
        )
        return Wording(query, context, a.later, b.later)

    def instruction(self, output: str) -> str:
        """The options, and what a reply is to look like."""
        if self.wording == "askew":
            return OUTPUTS[output].instruction
        # The notebooks leave a line blank behind the options unless one word is asked for.
        blank = "" if output == ONE_WORD else "\n"
        return f"{_AUTHORS['options']}{blank}{_AUTHORS['instructions'][output]}"

    def judged(self, phrase: Phrase, wording: Wording) -> str:
        """What a judge is asked of a reply to a prompt that says this."""
        named = self.judge_people == "names"
        return judge_prompt(phrase, *((wording.first, wording.second) if named else ()))

    @property
    def _questions(self) -> Mapping[tuple[str, str], str]:
        same = {_EQUAL: _AUTHORS["same"]} if self.wording == "authors" else {}
        return {**WORDINGS, **same}

    @property
    def texts(self) -> tuple[object, ...]:
        """All that prompts are made of: another version of the task for every other wording."""
        people = {name: identity.people for name, identity in IDENTITIES.items()}
        return (
            [*self._questions.values()],
            {name: self.instruction(name) for name in OUTPUTS},
            JUDGE_PROMPT,
            repr(people | {STANDARD: self.names}),
            # Prompts of before named the people to a judge too.
            *([] if self.judge_people == "names" else [self.judge_people]),
        )


_AUTHORS, _EQUAL = WORDS["authors"], ("indirect", "equal")
# A name as people write one; a longer one is a sentence.
_NAME = re.compile(r"[^\W\d](?:[^\W\d]|[ .'\u2019-]){1,39}")


def _two_names(names: object) -> tuple[Mention, Mention]:
    """Two names that replies can be read with."""
    problem = "two names of at most 40 letters, spaces and . _ ' -"
    names_given = [" ".join(name.split()) for name in split_parts(names)]
    if len(names_given) == 2 and all(map(_NAME.fullmatch, names_given)):
        problem = (
            "two names that replies can be read with: not equal, not one within the other, and no "
            "words with a meaning of their own, such as May, Less or Person B for the first"
        )
        one, other = names_given
        first, second = (f" {name.casefold()} " for name in names_given)
        # Plain comparisons are read for what they say, whoever comes first.
        said = product(((other, one), (one, other)), ("more", "less"))
        is_read = all(
            read_comparison(f"So {who} spends {word} than {whom}.", one, other).answer
            == (word if who == other else MIRRORED[word])
            for (who, whom), word in said
        )
        if is_read and first not in second and second not in first:
            return Mention(one, one), Mention(other, other)
    raise SelectionError(f"names={quote(names, 100)}: give {problem}; such as names=Alex,Sam")
