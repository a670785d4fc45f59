"""Charts as files that stand alone: SVG or PNG, drawn without a browser or a network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from textwrap import wrap
from typing import Any, Literal

import vl_convert

from askew.files import write_whole
from askew.report.blocks import Figure, Panel, Part
from askew.report.charts import LIGHT, Spec, designed, resolved
from askew.sources.pinned import SourceError, cache_folder
from askew.untrusted import PASSAGE, shown


@cache
def chart_library() -> str:
    """The library that draws charts in a browser, as one script that loads nothing.

    Bundling it takes seconds: it is kept in the cache, by the version that bundled it.
    """
    kept = None
    with suppress(SourceError, OSError):
        kept = cache_folder() / "vega" / f"vl-convert-{version('vl-convert-python')}.js"
    if kept is not None and kept.is_file():
        script = kept.read_text(encoding="utf-8")
    else:
        script = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
        if kept is not None:
            # A cache that can't be written to costs time, no more.
            with suppress(OSError):
                write_whole(kept, script)
    if "</script" in script.casefold() or "<!--" in script:
        raise RuntimeError("the chart library holds markup that would end its own script element")
    return script


def fallback_svg(panel: Panel) -> str:
    """The panel as SVG for the page: colours stay variables, so it follows the reader's scheme."""
    return str(vl_convert.vegalite_to_svg(_drawable(panel.spec), allowed_base_urls=[]))


def standalone(chart: Figure, panel: Panel, format: Literal["svg", "png"]) -> str | bytes:
    """The panel as a file with its title, how to read it, and its legend; PNG at twice its size."""
    spec = standalone_spec(chart, panel)
    if format == "svg":
        return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    return bytes(vl_convert.vegalite_to_png(spec, scale=2.0, allowed_base_urls=[]))


def standalone_spec(chart: Figure, panel: Panel) -> Spec:
    """The panel's specification with all that it needs to stand alone, fit to be drawn."""
    spec: Spec = _drawable(_standalone(chart, panel))
    return spec


def panels_of(part: Part) -> Iterator[tuple[Figure, Panel]]:
    """All panels of a part, figure by figure."""
    charts = (block for block in part.blocks if isinstance(block, Figure))
    return ((chart, panel) for chart in charts for panel in chart.panels)


def file_stem(chart: Figure, panel: Panel) -> str:
    """A readable, safe file name for a panel."""
    return re.sub(r"[^a-z0-9]+", "-", f"{chart.id}-{panel.name}".lower()).strip("-")


def _drawable(node: Any) -> Any:
    """The specification with every text fit to be shown.

    The drawing library ends the whole process at a NUL, which no caller could catch.
    """
    if isinstance(node, Mapping):
        return {key: _drawable(child) for key, child in node.items()}
    if isinstance(node, list):
        return [_drawable(child) for child in node]
    return shown(node, PASSAGE) if isinstance(node, str) else node


def _standalone(chart: Figure, panel: Panel) -> Spec:
    """The specification in plain colours on a ground, with a title and a legend in words."""
    simulated = f"simulated: {', '.join(chart.simulated)}" if chart.simulated else ""
    ground = designed(
        "_standalone",
        text=f"{chart.caption}: {panel.title}" if panel.title else chart.caption,
        subtitle=[*wrap(chart.reading, 96), *wrap(simulated, 96)],
    )
    spec = {**panel.spec, **ground, "config": {**panel.spec["config"], **ground["config"]}}
    plain: Spec = json.loads(resolved(json.dumps(spec), LIGHT))
    _show_legends(plain)
    return plain


def _show_legends(node: Any) -> None:
    """Turn on the legends that the page draws itself."""
    if isinstance(node, Mapping):
        for name, channel in node.items():
            if name == "color" and isinstance(channel, dict) and channel.get("legend", 0) is None:
                channel["legend"] = designed("_legend")
            _show_legends(channel)
    elif isinstance(node, list):
        for child in node:
            _show_legends(child)
