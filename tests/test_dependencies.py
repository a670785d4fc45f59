"""Dependencies are bounded from below; what opens connections is one module."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SECTIONS = {
    "always": PROJECT["project"]["dependencies"],
    "to build": PROJECT["build-system"]["requires"],
    **PROJECT["project"]["optional-dependencies"],
}
# Modules that open connections.
NETWORK = {"socket", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "ftplib", "smtplib"}
HARMLESS = {"urllib.parse", "urllib.error"}


# Which versions of providers' packages fit is for Inspect to say.
OURS = [section for section in SECTIONS if section != "providers"]


@pytest.mark.parametrize("section", OURS)
def test_every_dependency_has_a_lower_bound_that_can_be_tested(section):
    assert [r for r in SECTIONS[section] if ">=" not in r and not r.startswith("askew[")] == []


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
