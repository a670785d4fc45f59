"""Write what is declared into the pages: `python docs/declared.py` (or `--check`).

Each paper's conditions and metrics stand in its page, and the public names in the reference.

A page holds the tables between two marks; whatever stands there is replaced.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.resources import files
from inspect import Parameter, getdoc, getmodule, signature
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from askew.cli import main as cli
from askew.logs.tables import COMMON, TABLE_VERSION, observation_columns
from askew.papers import papers
from askew.schema import Metric, Paper
from askew.sources.levels import FILE, levels_of

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- declared -->", "<!-- /declared -->"
# More values than these of one meaning are written as a range.
_MANY = 4
# A unit at the end of a meaning has a column of its own.
_UNIT_SAID = re.compile(r"(?:^|,? )(?:in )?(?:percent|(?:squared )?points)$")
# Public names, by module or one by one (`module:name`), and the table of them.
PUBLIC = re.compile(r"<!-- public: (?P<names>.+?) -->.*?<!-- /public -->", re.DOTALL)


def block(paper: Paper, heading: str = "") -> str:
    """A paper's tables between their marks: the one that a heading names, or the first two."""
    made = _TABLES.get(heading)
    lines = made(paper) if made else [*_variants(paper), "", *_metrics(paper)]
    return "\n".join([BEGIN, "", *lines, "", END])


def _variants(paper: Paper) -> list[str]:
    """A row per condition; those of one meaning share a row."""
    lines = ["| Factor | Values | Description |", "|---|---|---|"]
    for factor in paper.factors:
        told = [
            (name, c.meaning + " (opt-in)" * (not c.asked and not factor.free))
            for name, c in factor.conditions.items()
        ]
        head = f"`{factor.name}`"
        for meaning, alike in groupby(told, lambda c: c[1]):
            lines.append(_row((head, _listed_names([f"`{name}`" for name, _ in alike]), meaning)))
            head = ""
    return lines


def _metrics(paper: Paper) -> list[str]:
    """A row per metric; neighbours of one meaning share a row."""
    lines = [
        "| Metric | Definition; unit (else %) | Better (margin) | CI; null |",
        "|---|---|---|---|",
    ]
    effect = paper.bend.metric if paper.bend else ""
    conditions = {name for factor in paper.factors for name in factor.conditions}
    primary = paper.headline_declaration(paper.headlines[0]).name
    marks = {
        effect: " (effect)",
        primary: " (primary)" if primary != effect else " (primary, effect)",
    }
    own = "accuracy in this condition"
    key = lambda m: (own, *_words(m)[1:]) if m.name in conditions else _words(m)  # noqa: E731
    for (meaning, unit, *how), alike in groupby(paper.metrics, key):
        several = list(alike)
        names = _listed_names([f"`{m.name}`{marks.get(m.name, '')}" for m in several])
        if len(several) == 1 and several[0].label != meaning:
            meaning = f"{several[0].label}: {meaning}"
        lines.append(_row((names, "; ".join(filter(None, (meaning, unit))), *how)))
    return lines


def _listed_names(names: Sequence[str]) -> str:
    return f"{names[0]} to {names[-1]}" if len(names) > _MANY else ", ".join(names)


def _words(metric: Metric) -> tuple[str, ...]:
    """What a metric's row has besides its name; no unit twice."""
    unit = metric.unit
    low, high = (f"{bound * unit.factor:g}" for bound in metric.bounds)
    usual = high == "inf" or (unit.name, low, high) in {
        ("%", "0", "100"),
        ("points", "-100", "100"),
    }
    limits = "" if usual else f"{low} to {high}"
    margin = "" if metric.better == "neither" else f" ({metric.margin * unit.factor:g})"
    meaning = _UNIT_SAID.sub("", metric.meaning) or metric.label
    if (word := metric.name.rpartition("_")[2]) in ("more", "less", "equal"):
        meaning = re.sub(rf"\b{word}\b", "*word*", meaning)
    null = f"; {metric.null.trading}" if metric.null else ""
    said = ", ".join(filter(None, (unit.name.replace("%", ""), limits)))
    return meaning, said, metric.better + margin, metric.interval + null


def _parameters(paper: Paper) -> list[str]:
    """A row per parameter of the task, from its signature and docstring."""
    task = getattr(paper.part("tasks"), paper.task)
    described = (getdoc(task) or "").partition("Args:\n")[2]
    told = {
        name: " ".join(text.split())
        for name, text in re.findall(
            r"^    (\w+): (.*?)(?=^    [\w*]+: |\Z)", described, re.M | re.S
        )
    }
    lines = ["| Parameter | Default | Description |", "|---|---|---|"]
    for name, parameter in signature(task).parameters.items():
        if name in told:
            default = (
                "" if parameter.default in (None, Parameter.empty) else f"`{parameter.default}`"
            )
            lines.append(_row((f"`{name}`", default, told[name])))
    return lines


# A table of a page stands below its heading.
_TABLES: dict[str, Callable[[Paper], list[str]]] = {
    "Prompt variants": _variants,
    "Metrics": _metrics,
    "Parameters": _parameters,
}


def _row(words: tuple[str, ...]) -> str:
    told = (w if "`" in w else w.replace("<", "&lt;") for w in words)
    return "| " + " | ".join(word.replace("|", "\\|") for word in told) + " |"


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


# Conditions of any number of values.
_OPEN = {
    "order": "an integer, 0 to `orders` - 1",
    "context_length": "words of context on each side",
    "arm": "`plain`, or a treatment's name with its variant",
}


def every_column() -> str:
    """The columns of the observation table, between the same marks."""
    common = [c for c in observation_columns() if c in COMMON]
    told = observation_columns()
    lines = [f"Version {TABLE_VERSION}.", "", "| column | meaning |", "|---|---|"]
    lines += [_row((f"`{c}`", told[c].partition(" Condition of ")[0])) for c in common]
    for paper in papers():
        own = [c for c in observation_columns(paper.task) if c not in common]
        lines += ["", f"`{paper.task}`:", "", "| column | meaning |", "|---|---|"]
        factors = {f.name: f for f in paper.factors}
        for name in own:
            if name in factors:
                named = [*map(str, factors[name].conditions)]
                values = f"{named[0]} to {named[-1]}" if len(named) > _MANY else ", ".join(named)
                said = "condition: " + _OPEN.get(name, values)
            else:
                said = paper.measures[name].removeprefix("1 if ")
            lines.append(_row((f"`{name}`", said)))
    return "\n".join([BEGIN, "", *lines, "", END])


def every_level() -> str:
    """What each level of difficulty adds, per task that has them, between the same marks."""
    lines = []
    for paper in papers():
        if (files(paper.home) / FILE).is_file():
            levels = levels_of(paper.home, dict)
            lines += ["", f"`{paper.task}`:", ""]
            lines += [f"{level}. {of['adds']}" for level, of in levels.items()]
    return "\n".join([BEGIN, *lines, "", END])


def page(paper: Paper) -> Path:
    folder = "reference" if paper.task == "bend" else "reference/tasks"
    return HERE / folder / f"{paper.task}.md"


def with_block(text: str, paper: Paper) -> str:
    """A page's text with the declared tables in their places, each below its heading."""
    sections = re.split(r"^(?=## )", text, flags=re.M)
    return "".join(
        _put(s, block(paper, s.partition("\n")[0].removeprefix("## "))) if BEGIN in s else s
        for s in sections
    )


def _put(text: str, declared: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return before + declared + rest.partition(END)[2]


def _commands(group: click.Group = cli, name: str = "askew") -> Iterator[str]:
    """A section per command: its help, then its options."""
    context = click.Context(group)
    for own in group.list_commands(context):
        full, command = f"{name} {own}", group.get_command(context, own)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, full)
            continue
        arguments = [str(p.name).upper() for p in command.params if isinstance(p, click.Argument)]
        yield from ["", f"## `{' '.join([full, *arguments])}`", ""]
        yield " ".join((command.help or "").split())
        rows = [p for p in command.params if isinstance(p, click.Option)]
        yield from [""] if rows else []
        for option in rows:
            names = ", ".join(f"`{flag}`" for flag in (*option.opts, *option.secondary_opts))
            yield f"- {names}: {option.help}" if option.help else f"- {names}"
    yield ""


def _json_tables() -> Iterator[str]:
    """A row per table that --json prints."""
    schema = json.loads(files("askew.report").joinpath("results.schema.json").read_text("utf-8"))
    yield from ["", "| Table | Commands | One row per | Columns |", "|---|---|---|---|"]
    for name, table in schema["properties"]["tables"]["properties"].items():
        row = table["description"].removeprefix("One row per ").rstrip(".")
        columns = ", ".join(f"`{column}`" for column in table["items"]["required"])
        yield _row((f"`{name}`", f"`{table['title'].replace(', ', '`, `')}`", row, columns))
    yield ""


def pages() -> Iterator[tuple[Path, str]]:
    """Every page that holds what is declared, with the text that it should have."""
    for paper in papers():
        yield page(paper), with_block(page(paper).read_text(encoding="utf-8"), paper)
    observations = HERE / "reference/observations.md"
    yield observations, _put(observations.read_text(encoding="utf-8"), every_column())
    difficulty = HERE / "how-to/choose-the-difficulty.md"
    yield difficulty, _put(difficulty.read_text(encoding="utf-8"), every_level())
    for name, lines in (("cli", _commands()), ("json", _json_tables())):
        listed = HERE / f"reference/{name}.md"
        declared = "\n".join([BEGIN, *lines, END])
        yield listed, _put(listed.read_text(encoding="utf-8"), declared)
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
