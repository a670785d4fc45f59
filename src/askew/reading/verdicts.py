"""Lists of verdicts: several answers, each with a yes or a no ("1 yes, 2 no", a check mark).

A reply that goes through answers line by line has no verdict on those that it gives none.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from askew.reading import phrases

_SAYS = phrases("verdicts")
# More lines than these, and longer ones, go through no answers.
_MOST_LINES, _LONGEST_ITEM = 100, 300


@dataclass(frozen=True)
class Verdicts:
    """What a list says of each name, as it is written there, and where the list begins and ends."""

    of: Mapping[str, bool | None]  # None where a verdict is neither yes nor no, or both
    start: int
    end: int

    def after(self, text: str) -> str:
        """What stands in the lines below the list."""
        return text[self.end :].partition("\n")[2]

    @property
    def accepted(self) -> set[str] | None:
        """Names with a yes; nothing where a verdict is open."""
        if None in self.of.values():
            return None
        return {name for name, verdict in self.of.items() if verdict}


def verdicts(text: str, name: str, least: int = 2) -> Verdicts | None:
    """The verdicts on at least so many names; marks may stand before the names or behind them.

    The text is without markdown emphasis, `name` a pattern. A word that is a name is no verdict.
    """
    *patterns, head = _patterns(name)
    found: dict[str, bool | None] = {}
    start, end = len(text), 0
    first = [m.start() if (m := p.search(text)) else len(text) for p in patterns]
    for pattern in patterns if first[0] <= first[-1] else reversed(patterns):
        for match in pattern.finditer(text):
            given = {kind for kind, words in match.groupdict().items() if words}
            verdict = True if given & {"yes", "yes_said"} else None
            verdict = False if given & {"no", "no_said"} else verdict
            key = match["name"].casefold()
            found[key] = verdict if found.get(key, verdict) == verdict else None
            start, end = min(start, match.start()), match.end()
        if len(found) >= least:
            break
        found.clear()
    for match in head.finditer(text):
        found.setdefault(match["name"].casefold(), None)
        start, end = min(start, match.start()), max(end, match.end())
    return Verdicts(found, start, end) if len(found) >= least else None


def survey_end(text: str, name: Callable[[str], object | None]) -> str:
    """The last line below bullets or numbers that open with several answers; "" without them."""
    *lines, last = text.rstrip().rsplit("\n", _MOST_LINES)
    items = [(_SAYS["bullet"].match(line), line) for line in lines]
    named = {name(line[bullet.end() :][:_LONGEST_ITEM]) for bullet, line in items if bullet}
    return last.strip() if len(named - {None}) > 1 and not _SAYS["bullet"].match(last) else ""


@lru_cache(maxsize=64)
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    named = rf"(?P<name>{name})(?![^\W_])"
    yes, no = _SAYS["yes_mark"].pattern, _SAYS["no_mark"].pattern
    marked = f"(?:(?P<no>{no})|(?P<yes>{yes}))"
    yes, no = _SAYS["yes_word"].pattern, _SAYS["no_word"].pattern
    unsure, ends = _SAYS["open_word"].pattern, _SAYS["word_ends"].pattern
    words = f"(?P<no_said>{no})|(?P<yes_said>{yes})|{unsure}"
    words = rf"(?!(?:{name})(?![^\W_]))(?:{words}){ends}"
    begins, between = _SAYS["begins"].pattern, _SAYS["between"].pattern
    behind = re.compile(f"{begins}{named}{between}(?:{marked}|{words})")
    before = re.compile(rf"{marked}[ \t]{{0,3}}{named}", re.IGNORECASE)
    opens, goes_on = _SAYS["head"].pattern, _SAYS["goes_on"].pattern
    head = re.compile(f"{opens}{named}{goes_on}")
    return behind, before, head
