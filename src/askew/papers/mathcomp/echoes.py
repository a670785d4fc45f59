"""What of a reply is the prompt come back: the frame's own sentence, the list's head, the example.

None of it answers, though each holds one of the three words.
"""

from __future__ import annotations

from collections.abc import Sequence

from askew.papers.mathcomp.comparisons import without_lists
from askew.papers.mathcomp.loose_json import JsonObject, answer_values, objects_in
from askew.reading import phrases
from askew.reading.reply import plain

_SAYS = phrases("echoes", __package__)


# A sentence of no more words may be an answer: "answer: more", "more".
_SHORTEST = 3


def only_echoes(text: str, asked: str) -> bool:
    """Whether every sentence of a reply is one of the prompt's, and one more than an option."""
    if not asked or len(text) > 2 * len(asked):
        return False
    of_prompt, said = _sentences(asked), _sentences(without_lists(text)[0])
    return any(len(words) > _SHORTEST for words in said) and said <= of_prompt


def _sentences(text: str) -> set[tuple[str, ...]]:
    """Sentences by their words, as a question and its statement share them, in any tense."""
    told = (_SAYS["word"].findall(s) for s in _SAYS["sentence"].split(plain(text).casefold()))
    cut = (_SAYS["set_aside"].sub(" ", " ".join(words)).split() for words in told)
    return {tuple(_stem(word) for word in words) for words in cut if words}


def _stem(word: str) -> str:
    word = "spend" if word == "spent" else word.removesuffix("s")
    return word.removesuffix("d").removesuffix("e") if word.endswith("ed") else word


def goes_on_as_asked(text: str, asked: str) -> bool:
    """Whether a reply is the list's first option with the line that follows the list."""
    head, _, rest = text.strip().partition("\n")
    following = rest.strip().partition("\n")[0].strip()
    if _SAYS["first_option"].fullmatch(head.strip()) is None:
        return False
    return len(following.split()) > _SHORTEST and following in asked


def copied_examples(found: Sequence[JsonObject], asked: str) -> list[JsonObject]:
    """Those of a reply's objects that are the prompt's own example, reasoning and all."""
    examples = [one.value for one in objects_in(asked) if len(one.value) > 1]
    return [one for one in found if one.value in examples and answer_values(one.value)]
