"""Replies to answers: what several papers need to read a reply."""

import re
from collections.abc import Mapping

from askew.files import toml_of


def phrases(table: str, home: str = __name__) -> Mapping[str, re.Pattern[str]]:
    """What finds the phrases of a table of a package's `replies.toml`, by name.

    Line breaks in a phrase do not count, and `@name@` stands for one of the table's parts.
    """
    written = toml_of(home, "replies.toml")[table]

    def whole(text: str) -> str:
        text = text.replace("\n", "")
        return re.sub(r"@(\w+)@", lambda part: whole(written["parts"][part[1]]), text)

    return {name: re.compile(whole(text)) for name, text in written.items() if name != "parts"}
