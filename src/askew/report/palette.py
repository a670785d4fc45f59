"""The report's colours, by meaning, for light and dark; charts and style sheet share them."""

from __future__ import annotations

import re
from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "paper": "#faf9f6",
    "surface": "#ffffff",
    "ink": "#1b222b",
    "soft": "#59636f",
    "line": "#dad6cd",
    "grid": "#eae7e0",
    "link": "#cfcabe",
    "accent": "#1d5f8f",
    "with": "#1d6fa5",
    "without": "#b64f24",
    "mark": "#22496b",
    "published": "#767a82",
    "alarm": "#a3341c",
    "right-1": "#1d5f8f",
    "right-2": "#4b8fc0",
    "right-3": "#86b6d8",
    "right-4": "#2f8a7d",
    "wrong-1": "#c05f2c",
    "wrong-2": "#e2a480",
    "wrong-3": "#b8b3a8",
    "wrong-4": "#85827c",
    "drift-1": "#f6e3d6",
    "drift-2": "#e8b594",
    "drift-3": "#b14f28",
    "drift-4": "#742910",
}
DARK: Mapping[str, str] = {
    "paper": "#13161a",
    "surface": "#1a1e24",
    "ink": "#e9e6e0",
    "soft": "#a4acb6",
    "line": "#363c45",
    "grid": "#282d35",
    "link": "#4d5561",
    "accent": "#8cc3ec",
    "with": "#76b6e8",
    "without": "#ee966a",
    "mark": "#b3d3ec",
    "published": "#9a9ea6",
    "alarm": "#f29a80",
    "right-1": "#7fbdec",
    "right-2": "#5594c6",
    "right-3": "#3b6b92",
    "right-4": "#63bfb0",
    "wrong-1": "#e58853",
    "wrong-2": "#a0613d",
    "wrong-3": "#6d6a64",
    "wrong-4": "#96928b",
    "drift-1": "#3b2b23",
    "drift-2": "#6b4128",
    "drift-3": "#e58853",
    "drift-4": "#f8cbb0",
}
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")


def colour(name: str) -> str:
    """A colour by its meaning, as the style sheet's variable; it follows the reader's scheme."""
    if name not in LIGHT:
        raise KeyError(f"no colour is called {name!r}; there are: {', '.join(LIGHT)}")
    return f"var(--{name})"


def style_variables(colours: Mapping[str, str]) -> str:
    """Declarations for the style sheet."""
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def resolved(text: str, colours: Mapping[str, str] = LIGHT) -> str:
    """Text with every colour variable replaced by its value (for files that stand alone)."""
    return _VARIABLE.sub(lambda found: colours.get(found[1], found[0]), text)
