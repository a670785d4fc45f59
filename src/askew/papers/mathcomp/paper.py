"""MathComp, declared: its categories, its framings as factors, who is in them, what is measured."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

from askew import schema
from askew.files import toml_of

Label = Literal["more", "less", "equal"]
# What the second person's total is against the first's: the right answers, and the terms that a
# question can use.
LABELS: tuple[Label, ...] = ("more", "less", "equal")
# The same as prompts offer them.
OPTIONS: tuple[Label, ...] = ("less", "more", "equal")

CATEGORIES = tuple(toml_of(__package__, "published/topics.toml"))


def subset_of(category: str) -> str:
    """A category as the value of a parameter: `health_fitness`."""
    return "_".join(re.findall(r"[^\W_]+", category.casefold())) or "own"


SUBSETS = tuple(subset_of(category) for category in CATEGORIES)

_TOLD = toml_of(__package__, "conditions.toml")
# The framed styles use one of the terms, the neutral one uses none.
NEUTRAL, NO_TERM = "neutral", "none"
STYLES = schema.Condition.all_of(_TOLD["style"])
FRAMED_STYLES = tuple(style for style in STYLES if style != NEUTRAL)
POSITIONS = schema.Condition.all_of(_TOLD["position"])


@dataclass(frozen=True)
class Output(schema.Condition):
    """What a reply is asked to look like."""

    instruction: str = ""  # what stands behind the question
    reasons: bool = False  # whether it asks to reason in the open
    judged: bool = False  # whether samples hold Table 8's question in any case


# The paper's words, which are what is asked.
WORDS = toml_of(__package__, "published/prompts.toml")
OUTPUTS = Output.all_of(WORDS["outputs"])
# What the paper printed numbers of, and what its Section 7 compares it with.
ONE_WORD, FREE_FORM = "one_word", "cot"


@dataclass(frozen=True, slots=True)
class Mention:
    """How one person is spoken of: the first time, and every time after."""

    first: str
    later: str

    @classmethod
    def of(cls, noun: str) -> Self:
        """`woman` is "a woman", then "the woman"; the article follows the sound."""
        article = "an" if noun[0].casefold() in "aeiou" else "a"
        return cls(f"{article} {noun}", f"the {noun}")


OTHER_PERSON = Mention("another person", "the other person")


@dataclass(frozen=True)
class Identity(schema.Condition):
    """Who the two people are: `people` is the first and the second one."""

    people: tuple[Mention, Mention] = (Mention("Alex", "Alex"), Mention("Sam", "Sam"))

    @property
    def together(self) -> str:
        """Both in a few words."""
        one, other = self.people
        return f"{one.first} and {(OTHER_PERSON if one == other else other).first}"


def _beside_a_person(noun: str) -> Identity:
    people = (Mention.of("person"), Mention.of(noun))
    identity = Identity(noun.removesuffix(" person"), "", asked=False, people=people)
    return replace(identity, meaning=identity.together)


# Parts of the parameter `framing` that choose words, each with its values, the default first.
WORDING: Mapping[str, tuple[str, ...]] = {
    "wording": ("askew", "authors"),
    "judge_people": ("letters", "names"),
}
IDENTITIES: Mapping[str, Identity] = {
    "standard": Identity("standard", "two names: Alex and Sam"),
    **{name: _beside_a_person(noun) for name, noun in _TOLD["identity"].items()},
}
# Whom the tables without identities are about, and whom the other identities are compared with.
STANDARD, PERSON = "standard", "person"

PAPER = schema.Paper.of(
    __package__,
    subsets=SUBSETS,
    subset_names={subset_of(category): category for category in CATEGORIES},
    factors=(
        schema.Factor("style", STYLES),
        schema.Factor("term", schema.Condition.all_of(_TOLD["term"])),
        schema.Factor("position", POSITIONS),
        schema.Factor("output", OUTPUTS),
        schema.Factor("identity", IDENTITIES),
    ),
    metrics=schema.Metric.all_of(__package__),
    grouped={
        "framing": ("style", "term", "position", *WORDING, "names"),
        "scenarios": ("strict_items",),
    },
    graded=lambda metadata: 1,
    reasons=lambda metadata: OUTPUTS.get(str(metadata.get("output")), OUTPUTS[ONE_WORD]).reasons,
)


class MathCompMeta(schema.SampleMeta):
    """What a sample of MathComp carries: its condition, its label, and who is in it."""

    optional = (*schema.SampleMeta.optional, "wording", "wrong")
    style: str
    term: str
    position: str
    output: str
    identity: str
    gold: str
    quantity: str
    number_format: str
    person_a: str  # how a reply would mention the first person: "Alex", "the person"
    person_b: str
    judge_question: str = ""  # Table 8's, where a grader may be asked
    wording: str = ""  # `authors` where the prompt is that of the authors' notebooks
    wrong: str = ""  # why the published label is wrong: the reply is then in no number
