"""A document as one HTML file: it loads nothing, runs two known scripts, and escapes the rest."""

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from askew.report.blocks import Document, Figure, Flips, Headline, SummaryTable
from askew.report.charts import DARK, LIGHT, fallback_svg, panels_of, style_variables
from askew.report.estimates import VERDICTS
from askew.report.explorer import key_of
from askew.stats.tables import OVERALL
from askew.version import __version__

_JSON_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page_values(document: Document) -> dict[str, Any]:
    """What fills the page's template; scripts only where there is something to draw or unfold."""
    panels = {f"{c.id}/{p.name}": p for part in document.parts for c, p in panels_of(part)}
    # What is folded away is drawn when it is unfolded.
    shown = (replace(part, folded=()) for part in document.parts)
    seen = [f"{c.id}/{p.name}" for part in shown for c, p in panels_of(part)]
    moves = any(isinstance(b, Figure | Flips) for b in document.blocks)
    scripts = (_template("vega.js"), _template("report.js")) if moves else ("", "")
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
        "drawings": {name: Markup(fallback_svg(panels[name])) for name in seen},
        "columns_of": columns_of,
        "marks": marks,
        "words": VERDICTS,
        "explorer_script": Markup(explorer[0]),
        "explorer_style": Markup(explorer[1]),
        "at": query_of,
    }


def json_for_script(data: object) -> Markup:
    """JSON that can't end the script element it stands in, nor a line of it."""
    # Plain ASCII: the line separators U+2028 and U+2029 are escaped like all the rest.
    return Markup(json.dumps(data, ensure_ascii=True, allow_nan=False).translate(_JSON_ESCAPES))


def columns_of(summary: SummaryTable) -> list[tuple[float, float]]:
    """For each task the scale of its little plots: it holds all that they show, and zero."""
    scales = []
    for column in range(len(summary.heads)):
        estimates = [h.estimate for row in summary.rows if (h := row.cells[column].headline)]
        ends = [v for e in estimates for v in (e.value, e.low, e.high) if not math.isnan(v)]
        far = max(map(abs, ends), default=0.0) or 1.0
        scales.append((-far if min(ends, default=0.0) < 0 else 0.0, far))
    return scales


def marks(headline: Headline, scale: tuple[float, float]) -> Mapping[str, float | None]:
    """Where a cell's value and its interval stand, in percent of its little plot."""
    low, high = scale
    shown = {name: getattr(headline.estimate, name) for name in ("value", "low", "high")}
    return {
        name: None if math.isnan(v) else round(1 + 98 * (v - low) / (high - low), 2)
        for name, v in shown.items()
    }


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
