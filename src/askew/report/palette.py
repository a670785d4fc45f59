"""The report's colours, by meaning, for light and dark; charts and style sheet share them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from askew.files import yaml_of

_COLOURS = yaml_of("askew.report", "palette.yaml")
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
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
