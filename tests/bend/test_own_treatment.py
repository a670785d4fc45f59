"""The docs' example: a user's own treatment, in a package of its own, found by its name."""

import re
import sys
from pathlib import Path

import pytest

from askew.bend import bend
from askew.treatments import get_treatment, treatments
from tests.bend.recorded import asked, of_words, why_not

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference/bend.md"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The package as the docs write it, installed where Python looks."""
    said = DOCS.read_text("utf-8").partition("## Your own treatment")[2]
    code = re.search(r"```python\n(.*?)```", said, re.DOTALL).group(1)
    point = re.search(r'"askew.treatments"\]\n(\w+) = "([\w.:]+)"', said)
    name, target = point.groups()
    (tmp_path / f"{target.partition(':')[0]}.py").write_text(code, "utf-8")
    info = tmp_path / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[askew.treatments]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    treatments.cache_clear()
    yield name, code
    treatments.cache_clear()
    sys.modules.pop(target.partition(":")[0], None)


def test_the_docs_example_is_short_and_found_by_name(package):
    name, code = package
    assert len(code.splitlines()) <= 40
    assert get_treatment(name).name == name
    assert name in treatments()


@pytest.mark.whole
def test_the_docs_example_reaches_the_model(package):
    name, _ = package
    log, sent = asked(bend(of_words(), name), lambda said, messages: "0")
    assert log.status == "success"
    assert not why_not(log)
    assert sorted(s["messages"][0]["content"] for s in sent) == [
        "SAY 0.", "SAY 1.", "Say 0.", "Say 1.",
    ]  # fmt: skip
