"""A document as one HTML file: it loads nothing, runs two known scripts, and escapes the rest."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from importlib import resources
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from markupsafe import Markup

from askew import __version__
from askew.report.chart_files import chart_library, fallback_svg, panels_of
from askew.report.document import Chart, Document, FlipList, Headline, Panel
from askew.report.explorer import key_of
from askew.report.palette import DARK, LIGHT, style_variables
from askew.statistics.tables import OVERALL

_JSON_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN_WITH = {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath", "title"}
# The little plot beside a headline: where its scale begins and ends.
_GAUGE = (8.0, 192.0)


def page_values(document: Document) -> dict[str, Any]:
    """What fills the page's template; scripts only where there is something to draw or unfold."""
    panels = {f"{c.id}/{p.name}": p for part in document.parts for c, p in panels_of(part)}
    moves = any(isinstance(b, Chart | FlipList) for b in document.blocks)
    scripts = (chart_library(), _template("report.js")) if moves else ("", "")
    names = ("explorer.js", "explorer.css")
    explorer = [_template(name) if document.explorer else "" for name in names]
    return {
        "document": document,
        "version": __version__,
        "policy": _policy(*filter(None, (*scripts, explorer[0]))),
        "light": Markup(style_variables(LIGHT)),
        "dark": Markup(style_variables(DARK)),
        "style": Markup(_template("report.css")),
        "library": Markup(scripts[0]),
        "script": Markup(scripts[1]),
        "chart_data": json_for_script({name: p.spec for name, p in panels.items()}),
        "drawings": {name: drawing(p) for name, p in panels.items()},
        "places": gauge_places,
        "explorer_script": Markup(explorer[0]),
        "explorer_style": Markup(explorer[1]),
        "at": query_of,
    }


def json_for_script(data: object) -> Markup:
    """JSON that can't end the script element it stands in, nor a line of it."""
    # Plain ASCII: the line separators U+2028 and U+2029 are escaped like all the rest.
    return Markup(json.dumps(data, ensure_ascii=True, allow_nan=False).translate(_JSON_ESCAPES))


def drawing(panel: Panel) -> Markup:
    """The panel's picture, if it is nothing but shapes and text."""
    svg = fallback_svg(panel)
    return Markup(svg if is_plain_picture(svg) else "")


def is_plain_picture(svg: str) -> bool:
    """Whether an SVG holds shapes and text only: no script, handler, link or foreign element."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError:
        return False
    for element in root.iter():
        if element.tag.removeprefix(_SVG) not in _DRAWN_WITH:
            return False
        names = [name.rpartition("}")[2].casefold() for name in element.attrib]
        if any(name.startswith("on") or name in ("href", "src") for name in names):
            return False
    return True


def gauge_places(headline: Headline) -> Mapping[str, Any]:
    """Where the value, the ends of its interval and the ticks stand in the little plot."""
    estimate, scale = headline.estimate, headline.scale or (0.0, 1.0)
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    ticks = (scale[0], sum(scale) / 2, scale[1])
    return {
        **{name: _place(value, scale) for name, value in ends.items()},
        "ticks": [(_place(at, scale), f"{at * headline.unit.factor:g}") for at in ticks],
    }


def _place(value: float, scale: tuple[float, float]) -> float | None:
    if math.isnan(value):
        return None
    share = min(1.0, max(0.0, (value - scale[0]) / (scale[1] - scale[0])))
    return round(_GAUGE[0] + share * (_GAUGE[1] - _GAUGE[0]), 2)


def query_of(at: Mapping[str, str]) -> str:
    """Where a number stands, as the page's script reads it; pooled levels choose nothing."""
    return urlencode({name: key_of(value) for name, value in at.items() if value != OVERALL})


def _policy(*scripts: str) -> str:
    """Nothing may be loaded or sent; only these scripts may run."""
    digests = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; form-action 'none'; base-uri 'none'"
    )


def _template(name: str) -> str:
    source = resources.files("askew.report").joinpath("templates", name)
    # Line ends as the browser counts them: the scripts' hashes depend on every character.
    return source.read_text(encoding="utf-8").replace("\r\n", "\n")
