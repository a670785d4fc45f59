r"""Formulas in LaTeX as text that can be read: `\frac{a}{b}` as a/b, `\mathbf{x}_i` as 𝐱ᵢ.

For people who look at a page only: data keeps what was said. What is not known stays as it is
written, and formulas that differ in more than how they are set stay different.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from contextlib import suppress
from importlib.resources import files

# Deeper formulas stay as they are; longer groups too, so that hostile text takes no time.
_DEEPEST = 8
_GROUP = r"\{([^{}\\]{0,200})\}"
_FORMULA = re.compile(r"\\[A-Za-z]+|[_^][{\\]")
_COMMAND = re.compile(r"\\([A-Za-z]+|[,;:!|])")
_FRACTION = re.compile(rf"\\[dt]?frac *{_GROUP} *{_GROUP}")
_WITH_GROUP = re.compile(rf"\\([A-Za-z]+) *{_GROUP}")
_SCRIPT = re.compile(rf"([_^])(?:{_GROUP}|([A-Za-z0-9])(?![A-Za-z0-9]))")
_ONE = re.compile(r"[\w∇∂]+")
_SPACES = re.compile(r"(?<=\S) {2,}")
_TABLE = tomllib.loads(files(__package__).joinpath("latex.toml").read_text("utf-8"))
# Each command that stands for a sign; Greek letters by their names.
_SYMBOLS: dict[str, str] = {
    first(name): unicodedata.lookup(f"GREEK {case} LETTER {name}")
    for case, first in (("SMALL", str.lower), ("CAPITAL", str.capitalize))
    for name in _TABLE["greek"]
} | _TABLE["symbols"]
_SCRIPTS = {
    place: str.maketrans(_TABLE["scripts"]["plain"], _TABLE["scripts"][place]) for place in "_^"
}


def readable(text: str) -> str:
    """The text with the formulas in its lines written without LaTeX, as far as that is known."""
    if "\\" not in text:
        return text
    return "".join(
        _convert(line) if len(_FORMULA.findall(line)) > 1 or _FRACTION.search(line) else line
        for line in text.splitlines(keepends=True)
    )


def _convert(line: str) -> str:
    # Braces that are meant are no groups.
    line = line.replace(r"\{", "\x00").replace(r"\}", "\x01")
    line = _SPACES.sub(" ", _COMMAND.sub(lambda m: _SYMBOLS.get(m[1], m[0]), line))
    for _ in range(_DEEPEST):
        before = line
        line = _FRACTION.sub(lambda m: f"{_one(m[1])}/{_one(m[2])}", line)
        line = _WITH_GROUP.sub(_apply_command, line)
        line = _SCRIPT.sub(_script, line)
        if line == before:
            break
    return line.replace("\x00", "{").replace("\x01", "}")


def _one(text: str) -> str:
    return text if _ONE.fullmatch(text) else f"({text})"


def _apply_command(found: re.Match[str]) -> str:
    """What a command makes of the group behind it; itself where it is not known."""
    name, text = found.groups()
    if style := _TABLE["letters"].get(name):
        with suppress(KeyError, ValueError):
            return "".join(_letter(style, sign) if sign.isalpha() else sign for sign in text)
    if name in _TABLE["upright"]["names"]:
        return text
    if (accent := _TABLE["accents"].get(name)) and sum(map(str.isalnum, text)) == len(text) == 1:
        return unicodedata.normalize("NFC", text + str(accent))
    return f"√{_one(text)}" if name == "sqrt" else found[0]


def _letter(style: str, letter: str) -> str:
    """A letter in a style; KeyError where Unicode has none."""
    _, case, _, name = unicodedata.name(letter).split(" ", 3)
    with suppress(KeyError):
        return unicodedata.lookup(f"MATHEMATICAL {style} {case} {name}")
    return unicodedata.lookup(f"{style} {case} {name}")


def _script(found: re.Match[str]) -> str:
    place, group, sign = found.groups()
    text = sign or group
    raised = _SCRIPTS[place]
    if text and all(ord(one) in raised for one in text):
        return text.translate(raised)
    return f"{place}{_one(text)}" if text else found[0]
