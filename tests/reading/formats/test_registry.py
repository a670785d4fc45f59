"""A sixteenth format is one new object and nothing else: it is asked, read, scored, simulated."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from askew import metrics
from askew.reading.formats import FORMATS, Pair, register_format
from askew.report.study import Study
from tests.conftest import metric_values

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(autouse=True)
def _only_for_this_test(monkeypatch):
    """What a test registers is gone after it."""
    before = dict(FORMATS)
    yield
    FORMATS.clear()
    FORMATS.update(before)


def loaded_example():
    path = DOCS / "examples" / "format_bias_xml.py"
    spec = importlib.util.spec_from_file_location("format_bias_xml", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_format_runs_next_to_the_papers_formats(run):
    example = loaded_example()
    log = run(example.format_bias_with_xml(items=5), model="respondent/sloppy")
    assert log.status == "success"
    observations = Study.read(log.location, quiet=True)
    assert set(observations.rows["format"]) == {*FORMATS} & {
        n for n, f in FORMATS.items() if f.category == "wrapping"
    }
    mine = observations.rows[observations.rows["format"] == "xml"]
    assert len(mine) == 10
    assert 0 < mine["format_ok"].mean() < 1
    table = metrics.format_bias(observations.rows, interval=None)
    assert (table["format"] == "xml").any()
    sample = next(s for s in log.samples if s.metadata["format"] == "xml")
    assert sample.messages[1].text.endswith("Wrap your final answer in the XML element <final>.")
    assert "fi_xml" in metric_values(log)


def test_the_example_format_runs_only_on_request(run):
    loaded_example()
    from askew.papers.format_bias.tasks import format_bias

    formats = {s.metadata["format"] for s in format_bias(items=2).dataset}
    assert "xml" not in formats
    chosen = {s.metadata["format"] for s in format_bias(items=2, format="xml,bolding").dataset}
    assert chosen == {"xml", "bolding"}


GOOD = Pair("curly", "between double braces", "Wrap it in double braces.", "{{", "}}")


@pytest.mark.parametrize(
    ("fmt", "problem"),
    [
        (replace(GOOD, name="Curly braces"), "lower-case letters"),
        (replace(GOOD, name="bolding"), "another format has this name"),
        (replace(GOOD, opening="", closing=""), "can't read its own example"),
    ],
)
def test_what_can_not_work_is_refused_with_the_reason(fmt, problem):
    with pytest.raises(ValueError, match=f"can't be registered.*{problem}"):
        register_format(fmt)
