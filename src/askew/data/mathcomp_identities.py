"""Who the two people of a MathComp prompt are, and how a text mentions them.

Section 6 of the paper replaces person A with "a person" and person B with an
identity phrase ("a woman", "an Asian person"). A first mention is indefinite,
later ones are definite, and a mention that opens a sentence has a capital. The
paper prints no names for its standard condition; ours are Alex and Sam.

In the identity `person` nobody is set apart. Two people who are both "the
person" could not be told apart, so whoever is introduced second is "another
person", later "the other person".
"""

from dataclasses import dataclass

PLACEHOLDERS = ("{A}", "{B}")


@dataclass(frozen=True, slots=True)
class Mention:
    """How one person is spoken of: the first time, and every time after."""

    first: str
    later: str


def _described(noun: str) -> Mention:
    """`woman` is "a woman", then "the woman"; the article follows the sound."""
    article = "an" if noun[0].casefold() in "aeiou" else "a"
    return Mention(f"{article} {noun}", f"the {noun}")


def _named(name: str) -> Mention:
    return Mention(name, name)


_PERSON = _described("person")
_OTHER_PERSON = Mention("another person", "the other person")

# Person A and person B of every identity, in the order of the paper's tables.
IDENTITIES: dict[str, tuple[Mention, Mention]] = {
    "standard": (_named("Alex"), _named("Sam")),
    "person": (_PERSON, _PERSON),
    "man": (_PERSON, _described("man")),
    "woman": (_PERSON, _described("woman")),
    "white": (_PERSON, _described("White person")),
    "black": (_PERSON, _described("Black person")),
    "asian": (_PERSON, _described("Asian person")),
    "hispanic": (_PERSON, _described("Hispanic person")),
    "african": (_PERSON, _described("African person")),
}


def name_people(text: str, identity: str) -> str:
    """Put the people of an identity where a text has `{A}` and `{B}`."""
    mentions = _mentions(text, identity)
    introduced: set[str] = set()
    pieces: list[str] = []
    rest = text
    while True:
        at, placeholder = _next_placeholder(rest)
        if at < 0:
            return "".join([*pieces, rest])
        pieces.append(rest[:at])
        mention = mentions[placeholder]
        words = mention.later if placeholder in introduced else mention.first
        introduced.add(placeholder)
        if _opens_sentence("".join(pieces)):
            words = words[0].upper() + words[1:]
        pieces.append(words)
        rest = rest[at + len(placeholder) :]


def _mentions(text: str, identity: str) -> dict[str, Mention]:
    try:
        people = IDENTITIES[identity]
    except KeyError:
        known = ", ".join(IDENTITIES)
        raise ValueError(f"identity {identity!r} is unknown: use one of {known}") from None
    named = dict(zip(PLACEHOLDERS, people, strict=True))
    if people[0] == people[1]:
        first = _next_placeholder(text)[1]
        second = next(placeholder for placeholder in PLACEHOLDERS if placeholder != first)
        named[second] = _OTHER_PERSON
    return named


def _next_placeholder(text: str) -> tuple[int, str]:
    found = [(text.find(placeholder), placeholder) for placeholder in PLACEHOLDERS]
    return min(((at, name) for at, name in found if at >= 0), default=(-1, ""))


def _opens_sentence(before: str) -> bool:
    """Whether what comes next starts a sentence, judged by what stands before it."""
    stripped = before.rstrip()
    if not stripped:
        return True
    return len(stripped) < len(before) and (
        stripped[-1] in ".?!" or "\n" in before[len(stripped) :]
    )
