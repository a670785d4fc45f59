"""Replies to answers: what several papers need to read a reply."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def _tables(home: str) -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(resources.files(home).joinpath("replies.toml").read_text("utf-8"))


def phrases(table: str, home: str = __name__) -> Mapping[str, re.Pattern[str]]:
    """What finds the phrases of a table of `replies.toml`, by name.

    Line breaks in a phrase do not count, and `@name@` stands for one of the table's parts.

    Args:
        table: the table's name.
        home: the package that holds the file.
    """
    written = _tables(home)[table]

    def whole(text: str) -> str:
        text = text.replace("\n", "")
        return re.sub(r"@(\w+)@", lambda part: whole(written["parts"][part[1]]), text)

    return {name: re.compile(whole(text)) for name, text in written.items() if name != "parts"}
