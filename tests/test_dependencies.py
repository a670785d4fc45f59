"""Dependencies: listed with their licences, bounded from below, and silent about their users."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
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
# Packages name one licence in many ways; what is left after these words is told apart.
FAMILIES = ("MIT", "BSD", "Apache", "MPL", "ISC")
# Modules that open connections.
NETWORK = {"socket", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib"}
HARMLESS = {"urllib.parse", "urllib.error"}


def listed() -> dict[str, dict[str, str]]:
    """Every section of the page: the packages of its table with their licences."""
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    sections = {}
    for part in page.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        rows = [line.split("|") for line in body.splitlines() if line.startswith("| ")]
        sections[title] = {row[1].strip(): row[2].strip() for row in rows[1:]}
    return sections


LICENCES = [(name, licence) for rows in listed().values() for name, licence in rows.items()]


def name_of(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return found.group()


def others(section: str) -> list[str]:
    return [r for r in SECTIONS[section] if name_of(r) != "askew"]


def said_by(package: str) -> str:
    """All that an installed package says about its licence."""
    about = metadata(package)
    classifiers = [c for c in about.get_all("Classifier") or [] if c.startswith("License")]
    return " ".join([about.get("License-Expression") or about.get("License") or "", *classifiers])


@pytest.mark.parametrize("section", SECTIONS)
def test_the_page_of_licences_lists_what_the_project_depends_on(section):
    assert [*listed()[section]] == [name_of(r) for r in others(section)]


@pytest.mark.parametrize(("package", "licence"), LICENCES, ids=[name for name, _ in LICENCES])
def test_an_installed_package_has_the_licence_that_the_page_says(package, licence):
    try:
        said = said_by(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed here")
    families = {f for f in FAMILIES if f.lower() in said.lower()}
    # A text without a name is the licence itself.
    assert any(licence.startswith(f) for f in families) or "Redistribution" in said, said


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
    assert openers == {"sources/download.py"}
