"""`askew data`: what the questions are, and where they come from."""

from __future__ import annotations

from typing import Any

import click

from askew.cli.common import (
    ExtensibleGroup,
    TaskName,
    option,
    print_results,
    task_parameters,
    with_json,
)
from askew.parameters import load_plugin


@click.group(cls=ExtensibleGroup, place="data")
def data() -> None:
    """List, fetch, verify and show the questions; print templates for your own."""


@with_json
@data.command("list")
def list_data() -> None:
    """List the tasks, their subsets, the paper files they use, and what only you can fetch."""
    from askew.papers import papers
    from askew.sources.pinned import is_cached, sources_of

    publishers_of = load_plugin("askew.publishers", "publishers_of", "data list")
    tables: dict[str, list[dict[str, Any]]] = {"tasks": [], "paper_files": [], "imports": []}
    for paper in papers():
        task, about = {"task": paper.task}, ("title", "home", "licence", "paper")
        factors = {factor.name: [*factor.values] for factor in paper.factors}
        asked = {"title": paper.title, "subsets": [*paper.subsets], "factors": factors}
        tables["tasks"].append(task | asked)
        for source in sources_of(paper):
            row = {k: getattr(source, k) for k in ("key", "revision", "licence")}
            tables["paper_files"].append(task | row | {"is_cached": is_cached(source)})
        for of in publishers_of(paper).values():
            tables["imports"].append(task | {k: getattr(of, k) for k in about})
    print_results(None, tables)


@with_json
@data.command()
@click.argument("task", type=TaskName())
def fetch(task: str) -> None:
    """Fetch and verify the paper's files of TASK, once."""
    from askew.papers import get_paper
    from askew.sources.pinned import SourceError, sources_of
    from askew.sources.pinned import fetch as fetch_source

    failed, files, paper = [], [], get_paper(task)
    for source in sources_of(paper):
        try:
            files.append({"key": source.key, "path": str(fetch_source(source))})
        except SourceError as error:
            failed.append(str(error))
    text = "" if sources_of(paper) else f"{paper.task} has no files of its own to fetch."
    print_results("\n".join(map("{key}: {path}".format_map, files)) or text, {"files": files})
    if failed:
        raise SourceError("\n".join(failed))


@with_json
@data.command()
@click.argument("task", type=TaskName())
@option("-n", "number", type=click.IntRange(1), default=1, help="Items of each subset.")
@option("--subset", help="Subsets to show; default all.")
@option("--data", "origin", help="As the task takes it.")
@option("-T", "args", multiple=True, help="A parameter of the task, as name=value.")
def show(
    task: str, number: int, subset: str | None, origin: str | None, args: tuple[str, ...]
) -> None:  # fmt: skip
    """Print the prompts of TASK as a model will get them, in every condition."""
    from askew.papers import get_paper
    from askew.solvers.chain import planned_dialogue
    from askew.untrusted import escape_control

    paper = get_paper(task)
    _ = paper.items  # of a paper without questions, an error
    given = {"subset": subset, **task_parameters(args)} | ({"data": origin} if origin else {})
    items: dict[str, dict[str, bool]] = {}  # those of a subset, and which of them are shown
    rows, lines = [], []
    for sample in paper.make(**given).dataset:
        metadata = sample.metadata or {}
        own = items.setdefault(metadata["subset"], {})
        if not own.setdefault(metadata["item"], len(own) < number):
            continue
        messages = [{"role": role, "text": text} for role, text in planned_dialogue(sample)]
        target = sample.target if isinstance(sample.target, str) else "; ".join(sample.target)
        rows.append({"id": sample.id, "target": target, "messages": messages})
        lines.append(click.style(f"=== {sample.id}", bold=True))
        for each in messages:
            lines.append(click.style(f"[{each['role']}]", dim=True))
            lines.append(escape_control(each["text"], len(each["text"])))
        answer = f"[right answer] {escape_control(target, len(target))}\n"
        lines.append(click.style(answer, dim=True))
    print_results("\n".join(lines), {"samples": rows})


@data.command()
@click.argument("task", type=TaskName())
@option("--csv", "as_csv", is_flag=True, help="A CSV table instead of JSONL.")
@option("--replies", is_flag=True, help="Replies, as `askew score-replies` takes them.")
def template(task: str, as_csv: bool, replies: bool) -> None:
    """Print a file with every record that TASK accepts as data=FILE, or as replies to score."""
    from askew.logs.replies import template as template_of
    from askew.papers import get_paper
    from askew.sources.loading import templates

    if replies:
        click.echo(template_of(get_paper(task), as_csv), nl=False)
    else:
        click.echo("\n".join(templates(get_paper(task).items.__package__)[as_csv]))
