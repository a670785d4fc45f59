"""What of a prompt's wording a user chooses: where options stand, two of its words, two names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.papers.mathcomp.framings import JUDGE_PROMPT, WORDINGS, Phrase, judge_prompt
from askew.papers.mathcomp.framings import Wording as Told
from askew.papers.mathcomp.paper import (
    IDENTITIES,
    ONE_WORD,
    OUTPUTS,
    STANDARD,
    WORDING,
    WORDS,
    Mention,
)
from askew.papers.mathcomp.reading import read_comparison
from askew.parameters import SelectionError, one_of, parts_in, quoted

_OPTIONS = "A) less B) more C) equal\n"
_EQUAL = ("indirect", "equal")
# A name as people write one; a longer one is a sentence.
_NAME = re.compile(r"[^\W\d](?:[^\W\d]|[ .'\u2019-]){1,39}")


@dataclass(frozen=True)
class Words:
    """How prompts are worded where the paper leaves it open, or its authors' code differs."""

    layout: str = "askew"  # options in one line behind a blank one, or each on its own
    equal_wording: str = "equal"  # or the same total, in the indirect equal question
    judge_people: str = "letters"  # or names: of whom the judge's question is
    names: tuple[Mention, Mention] = IDENTITIES[STANDARD].people  # of the standard identity

    @classmethod
    def of(cls, identities: Sequence[str] = (STANDARD,), **given: Any) -> Words:
        """What the parts of `framing` that choose words ask for; anything else is refused."""
        said = {name: given.get(name, valid[0]) for name, valid in WORDING.items()}
        for name, value in said.items():
            one_of(name, value, WORDING[name])
        if (names := given.get("names")) is None:
            return cls(**said)
        if STANDARD not in identities:
            raise SelectionError(
                f"names={quoted(names)}: names are for identity={STANDARD}; add it, or leave them"
            )
        return cls(**said, names=_two_names(names))

    @property
    def wordings(self) -> Mapping[tuple[str, str], str]:
        """The questions by style and term."""
        same = {_EQUAL: WORDS["authors"]["same"]} if self.equal_wording == "same" else {}
        return {**WORDINGS, **same}

    def instruction(self, output: str) -> str:
        """The options, and what a reply is to look like."""
        told = OUTPUTS[output].instruction
        if self.layout == "askew":
            return told
        # The notebooks leave a line blank behind the options unless one word is asked for.
        blank = "" if output == ONE_WORD else "\n"
        return told.replace(_OPTIONS, WORDS["authors"]["options"] + blank, 1)

    def judged(self, phrase: Phrase, told: Told) -> str:
        """What a judge is asked of a reply to a prompt that says this."""
        named = self.judge_people == "names"
        return judge_prompt(phrase, *((told.first, told.second) if named else ()))

    @property
    def texts(self) -> tuple[object, ...]:
        """All that prompts are made of: another version of the task for every other wording."""
        people = {name: identity.people for name, identity in IDENTITIES.items()}
        return (
            [*self.wordings.values()],
            {name: self.instruction(name) for name in OUTPUTS},
            JUDGE_PROMPT,
            repr(people | {STANDARD: self.names}),
            # Prompts of before named the people to a judge too.
            *([] if self.judge_people == "names" else [self.judge_people]),
        )


def _two_names(names: object) -> tuple[Mention, Mention]:
    """Two names that replies can be read with."""
    said = [" ".join(name.split()) for name in parts_in(names)]
    problem = ""
    if len(said) != 2 or not all(map(_NAME.fullmatch, said)):
        problem = "two names of at most 40 letters, spaces and . _ ' -"
    elif not _tells_apart(*said):
        problem = (
            "two names that replies can be read with: not equal, not one within the other, and no "
            "words with a meaning of their own, such as May, Less or Person B for the first"
        )
    if problem:
        raise SelectionError(f"names={quoted(names, 100)}: give {problem}; such as names=Alex,Sam")
    one, other = said
    return Mention(one, one), Mention(other, other)


def _tells_apart(one: str, other: str) -> bool:
    """Whether plain comparisons of the two are read for what they say, whoever comes first."""
    padded = [f" {name.casefold()} " for name in (one, other)]
    if padded[0] in padded[1] or padded[1] in padded[0]:
        return False
    told = {
        f"So {second} spends {word} than {first}.": label
        for first, second, labels in (
            (one, other, ("more", "less")),
            (other, one, ("less", "more")),
        )
        for word, label in zip(("more", "less"), labels, strict=True)
    }
    return all(read_comparison(reply, one, other).answer == label for reply, label in told.items())
