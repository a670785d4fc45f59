"""Lists of verdicts: several answers, each with a yes or a no ("1 yes, 2 no", a check mark)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from askew.reading import phrases

_SAYS = {name: pattern.pattern for name, pattern in phrases("verdicts").items()}


@dataclass(frozen=True)
class Verdicts:
    """What a list says of each name, as it is written there, and where the list ends.

    A verdict is None where it is neither yes nor no, or where there are two.
    """

    of: Mapping[str, bool | None]
    end: int

    @property
    def accepted(self) -> set[str] | None:
        """Names with a yes; nothing where a verdict is open."""
        if None in self.of.values():
            return None
        return {name for name, verdict in self.of.items() if verdict}


def verdicts(text: str, name: str) -> Verdicts | None:
    """The verdicts on at least two names; marks may stand before the names or behind them.

    Args:
        text: a reply without markdown emphasis.
        name: a pattern of the names. A word that is a name is no verdict.
    """
    for pattern in sorted(_patterns(name), key=lambda p: _first(p, text)):
        said: dict[str, bool | None] = {}
        end = 0
        for match in pattern.finditer(text):
            given = {kind for kind, words in match.groupdict().items() if words}
            key = match["name"].casefold()
            verdict = True if given & {"yes", "yes_said"} else False if given & {"no", "no_said"} else None
            said[key] = verdict if said.get(key, verdict) == verdict else None
            end = match.end()
        if len(said) > 1:
            return Verdicts(said, end)
    return None


def _first(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return len(text) if match is None else match.start()


@lru_cache(maxsize=64)
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    named = rf"(?P<name>{name})(?![^\W_])"
    marked = rf"(?:(?P<no>{_SAYS['no_mark']})|(?P<yes>{_SAYS['yes_mark']}))"
    words = "|".join(f"(?P<{k}_said>{_SAYS[f'{k}_word']})" for k in ("no", "yes", "open"))
    said = rf"(?:{marked}|(?!(?:{name})(?![^\W_]))(?:{words}){_SAYS['word_ends']})"
    behind = re.compile(f"{_SAYS['begins']}{named}{_SAYS['between']}{said}")
    return behind, re.compile(rf"{_SAYS['begins']}{marked}[ \t]{{0,3}}{named}")
