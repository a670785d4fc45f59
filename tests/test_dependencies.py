"""Dependencies: listed with their licences, bounded from below, and silent about their users."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SECTIONS = {
    "Always installed": PROJECT["project"]["dependencies"],
    "`askew[providers]`": PROJECT["project"]["optional-dependencies"]["providers"],
    "`askew[cluster]`": PROJECT["project"]["optional-dependencies"]["cluster"],
    "`askew[test]`": PROJECT["project"]["optional-dependencies"]["test"],
    "`askew[docs]`": PROJECT["project"]["optional-dependencies"]["docs"],
    "`askew[dev]`": PROJECT["project"]["optional-dependencies"]["dev"],
    "To build": PROJECT["build-system"]["requires"],
}
# Modules that open connections.
NETWORK = {"socket", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib"}
HARMLESS = {"urllib.parse", "urllib.error"}


def name_of(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return found.group()


def others(section: str) -> list[str]:
    return [r for r in SECTIONS[section] if name_of(r) != "askew"]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_dependency_has_a_lower_bound_that_can_be_tested(section):
    assert [r for r in others(section) if ">=" not in r] == []


@pytest.mark.whole
def test_only_the_downloader_of_pinned_files_opens_connections():
    openers = set()
    for path in (ROOT / "src" / "askew").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {node.module or ""}
            else:
                continue
            if any(n.partition(".")[0] in NETWORK for n in names - HARMLESS):
                openers.add(path.relative_to(ROOT / "src" / "askew").as_posix())
    assert openers == {"sources/pinned.py"}
