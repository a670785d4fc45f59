"""The five tasks by name: where each keeps its parts. Modules are imported when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from inspect_ai import Task

from askew.schema import Finding, Paper, choose

TASKS = ("knowno", "instruction_boundary", "mathcomp", "format_bias", "binary_qa")


def known(name: str) -> str:
    """The task's plain name; `askew/knowno` and `knowno` are one task."""
    return choose("task", name.removeprefix("askew/"), TASKS)[0]


def paper_of(name: str) -> Paper:
    paper: Paper = import_module(f"askew.data.{known(name)}").PAPER
    return paper


def task_function(name: str) -> Callable[..., Task]:
    function: Callable[..., Task] = getattr(
        import_module(f"askew.tasks.{known(name)}"), known(name)
    )
    return function


def template_of(name: str, csv: bool) -> Sequence[str]:
    """Lines of a file that shows every record a user may write."""
    module = import_module(f"askew.data.{known(name)}")
    lines: Sequence[str] = module.TEMPLATE_CSV if csv else module.TEMPLATE
    return lines


def findings(name: str, data: str, subset: str | None) -> list[Finding]:
    """What a machine finds in a task's data."""
    verifier: Callable[[str, str | None], list[Finding]] = _VERIFIERS[known(name)]
    return verifier(data, subset)


def _verify_knowno(data: str, subset: str | None) -> list[Finding]:
    from askew.data.knowno import load, verify
    from askew.parsing.none import denies

    return verify(load(data, subset).items, denies)


def _verify_format_bias(data: str, subset: str | None) -> list[Finding]:
    from askew.data.format_bias import load
    from askew.data.format_bias_findings import verify

    return verify(load(data, subset).items)


def _verify_instruction_boundary(data: str, subset: str | None) -> list[Finding]:
    from askew.data.instruction_boundary import verify

    return verify(data, subset)


def _verify_mathcomp(data: str, subset: str | None) -> list[Finding]:
    from askew.data.mathcomp import verify

    return verify(data, subset)


def _verify_binary_qa(data: str, subset: str | None) -> list[Finding]:
    from askew.data.binary_qa import load, verify

    return verify(load(data, subset).items)


_VERIFIERS: dict[str, Any] = {
    "knowno": _verify_knowno,
    "instruction_boundary": _verify_instruction_boundary,
    "mathcomp": _verify_mathcomp,
    "format_bias": _verify_format_bias,
    "binary_qa": _verify_binary_qa,
}
