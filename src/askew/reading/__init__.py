"""Replies to answers: what several papers need to read a reply."""

import re
from collections.abc import Mapping, Sequence

from askew.files import toml_of


def phrases(table: str, home: str = __name__, flags: int = 0) -> Mapping[str, re.Pattern[str]]:
    """What finds the phrases of a table of a package's `replies.toml`, by name.

    Line breaks in a phrase do not count, a list holds alternatives, and `@name@` stands for another
    phrase of the table, or for one of its parts.
    """
    written = toml_of(home, "replies.toml")[table]
    known = {**written, **written.get("parts", {})}

    def whole(told: str | Sequence[str]) -> str:
        text = (told if isinstance(told, str) else "|".join(told)).replace("\n", "")
        return re.sub(r"@(\w+)@", lambda part: whole(known[part[1]]), text)

    return {
        name: re.compile(whole(text), flags) for name, text in written.items() if name != "parts"
    }
