"""askew in a notebook: narrow tables, figures, and the executed example of the docs."""

import json
import runpy
from pathlib import Path

import pytest

import askew
from askew import notebook
from askew.report.study import Study, at_top
from tests.report.simulated import observed

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def observations():
    """Of two models, one that says that nothing fits and one that always picks."""
    return observed("knowno", 8, one=("typical", 1), two=("agreeable", 1))


@pytest.mark.whole
def test_headlines_are_a_narrow_table_of_the_summary(observations):
    table = askew.headlines(Study(observations))
    assert tuple(table.columns) == notebook.HEADLINES
    assert [*table["model"]] == ["x/one"] * 3 + ["x/two"] * 3
    assert [*table["metric"]] == ["omni_accuracy", "gap", "discernment"] * 2
    whole = askew.summarize(observations)
    whole = whole[at_top(whole)].set_index(["model", "metric"])
    whole = whole.loc[[*zip(table["model"], table["metric"], strict=True)]]
    for name in ("value", "low", "high"):
        assert [*table[name]] == [*whole[name]]
    assert [*table["n"]] == [*whole["n_items"]]


def test_a_flip_was_correct_and_is_incorrect_and_names_its_sample(observations):
    table = askew.flips(Study(observations))
    assert tuple(table.columns) == notebook.FLIPS
    assert len(table)
    assert (table["answer"] == table["right"]).all()
    assert (table["answer_then"] != table["right"]).all()
    ids = set(observations["sample_id"])
    assert set(table["sample_id"]) <= ids


def test_every_public_name_is_there_and_none_else():
    assert set(dir(askew)) == set(askew.__all__)
    assert all(getattr(askew, name) is not None for name in askew.__all__)
    with pytest.raises(AttributeError):
        _ = askew.headline


@pytest.mark.whole
def test_the_notebook_shows_what_its_cells_print():
    pytest.importorskip("altair")
    kept = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    run = runpy.run_path(str(DOCS / "notebook.py"))["executed"]
    now = run(json.loads(json.dumps(kept)))
    assert [texts(cell) for cell in now] == [texts(cell) for cell in kept]
    assert sum(bool(texts(cell)) for cell in now) >= 6


def texts(cell):
    """What a cell prints and shows, as text."""
    shown = [o.get("text") or o["data"]["text/plain"] for o in cell.get("outputs", ())]
    return ["".join(lines) for lines in shown]
