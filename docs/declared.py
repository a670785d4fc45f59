"""Write what is declared into the pages: `python docs/declared.py` (or `--check`).

Each paper's conditions and metrics stand in its page, and the public names in the reference.

A page holds the tables between two marks; whatever stands there is replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc, getmodule
from pathlib import Path
from typing import Any

from askew.logs.observations import COMMON, TABLE_VERSION, observation_columns
from askew.papers import papers
from askew.schema import INTERVAL_KINDS, Metric, Paper

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- declared -->", "<!-- /declared -->"
# Public names, by module or one by one (`module:name`), and the table of them.
PUBLIC = re.compile(r"<!-- public: (?P<names>.+?) -->.*?<!-- /public -->", re.DOTALL)


def block(paper: Paper) -> str:
    """The tables of a paper's conditions and metrics, between their marks."""
    return "\n".join([BEGIN, "", *_conditions(paper), "", *_metrics(paper), "", END])


def _conditions(paper: Paper) -> list[str]:
    lines = [
        "| factor | value | shown as | what it does | asked by default |",
        "|---|---|---|---|---|",
    ]
    for factor in paper.factors:
        for name, condition in factor.conditions.items():
            asked = "of the data" if factor.free else "yes" if condition.asked else "no"
            words = (factor.name, f"`{name}`", condition.label, condition.meaning, asked)
            lines.append(_row(words))
    return lines


def _metrics(paper: Paper) -> list[str]:
    lines = [
        "| metric | shown as | what it says | unit | bounds | better | matters from | interval "
        "| null |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    kinds = dict.fromkeys(m.interval for m in paper.metrics)
    legend = "; ".join(f"*{kind}*: {INTERVAL_KINDS[kind]}" for kind in kinds)
    told = f"Intervals: {legend}. Nulls: what trades places where there is no effect."
    return [*lines, *(_row(_words(m)) for m in paper.metrics), "", told]


def _words(metric: Metric) -> tuple[str, ...]:
    unit = metric.unit
    low, high = (f"{bound * unit.factor:g}" for bound in metric.bounds)
    margin = "" if metric.better == "neither" else f"{metric.margin * unit.factor:g}"
    null = metric.null.trading if metric.null else "-"
    return (f"`{metric.name}`", metric.label, metric.meaning, unit.name or "-", f"{low} to {high}",
            metric.better, margin or "-", metric.interval, null)  # fmt: skip


def _row(words: tuple[str, ...]) -> str:
    return "| " + " | ".join(word.replace("|", "\\|") for word in words) + " |"


def public(names: str) -> dict[str, Any]:
    """What may be used, by where it is defined: a module stands for all that it offers."""
    found = {}
    for name in names.split():
        module, _, one = name.partition(":")
        home = import_module(module)
        for offered in [one] if one else [n for n in dir(home) if n[0] != "_"]:
            value = getattr(home, offered)
            if callable(value):
                found[f"{getmodule(value).__name__}.{value.__qualname__}"] = value
    return found


def _listed(found: re.Match[str]) -> str:
    rows = ["| name | what it is |", "|---|---|"]
    for value in public(found["names"]).values():
        said = (getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
        rows.append(_row((f"`{value.__name__}`", said)))
    return "\n".join([f"<!-- public: {found['names']} -->", "", *rows, "", "<!-- /public -->"])


def every_column() -> str:
    """The columns of the observation table, between the same marks."""
    common = [c for c in observation_columns() if c in COMMON]
    told = observation_columns()
    lines = [f"Version {TABLE_VERSION}.", "", "| column | meaning |", "|---|---|"]
    lines += [_row((f"`{c}`", told[c].partition(" Condition of ")[0])) for c in common]
    for paper in papers():
        own = [c for c in observation_columns(paper.task) if c not in common]
        lines += ["", f"Of `{paper.task}`:", "", "| column | what it is |", "|---|---|"]
        factors = {f.name: f for f in paper.factors}
        for name in own:
            if name in factors:
                said = "condition: " + ", ".join(map(str, factors[name].conditions))
            else:
                said = f"measure: {paper.measures[name]}"
            lines.append(_row((f"`{name}`", said)))
    return "\n".join([BEGIN, "", *lines, "", END])


def page(paper: Paper) -> Path:
    folder = "reference" if paper.task == "bend" else "reference/tasks"
    return HERE / folder / f"{paper.task}.md"


def with_block(text: str, paper: Paper) -> str:
    """A page's text with the declared tables in their place: at its end where it has none yet."""
    if BEGIN not in text:
        text = f"{text.rstrip()}\n\n## Conditions and metrics, as declared\n\n{BEGIN}\n{END}\n"
    return _put(text, block(paper))


def _put(text: str, declared: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return before + declared + rest.partition(END)[2]


def pages() -> Iterator[tuple[Path, str]]:
    """Every page that holds what is declared, with the text that it should have."""
    for paper in papers():
        yield page(paper), with_block(page(paper).read_text(encoding="utf-8"), paper)
    observations = HERE / "reference/observations.md"
    yield observations, _put(observations.read_text(encoding="utf-8"), every_column())
    reference = HERE / "reference/python.md"
    yield reference, PUBLIC.sub(_listed, reference.read_text(encoding="utf-8"))


def main() -> int:
    stale = []
    for file, wanted in pages():
        if wanted != file.read_text(encoding="utf-8"):
            stale.append(file.name)
            if "--check" not in sys.argv:
                file.write_text(wanted, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not what is declared: {', '.join(stale)}; run python docs/declared.py")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
