"""Models by family and size: the user's table, and what the report makes of it."""

import pandas as pd
import pytest

from askew.papers.binary_qa.printed import FAMILIES
from askew.report.document import Chart, Table
from askew.report.evidence import models_of
from askew.report.families import EXAMPLE, placed, read_families
from askew.report.report import build_report
from askew.sources.records import RecordsError
from askew.statistics.tables import Interval
from tests.report.observed import observed

QUICK = Interval(resamples=20)


def table_of(folder, *rows):
    path = folder / "models.csv"
    path.write_text("\n".join(["model,family,size", *rows]) + "\n")
    return read_families(path)


def blocks_of(observations, families):
    report = build_report(observations, interval=QUICK, transcripts=False, families=families)
    (chapter,) = report.chapters
    sections = {s.id: s for s in chapter.sections}
    return sections.get("knowno-by-family"), report


def test_every_problem_of_the_table_is_named_with_its_line(tmp_path):
    with pytest.raises(RecordsError) as refused:
        table_of(tmp_path, "a,A,huge", "b,B,8B", "b,B,70B", "c,B,small", ",B,9B")
    assert {(p.line, p.field) for p in refused.value.problems} == {
        (2, "size"), (4, "model"), (5, "size"), (6, "model"),
    }  # fmt: skip
    assert "line 3 is a number of parameters" in str(refused.value)


def test_the_example_is_a_table_that_is_taken(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text(EXAMPLE)
    assert len(read_families(path)) == 4


def test_models_stand_by_family_and_size_whichever_way_they_are_named(tmp_path):
    names = ("acme/big", "acme/unknown", "acme/tiny", "lab/mid", "acme/half")
    rows = pd.concat([observed(name) for name in names], ignore_index=True)
    families = table_of(tmp_path, "lab/mid,Z,medium", "big,A,1T", "acme/tiny,A,900M", "half,A,0.5B")
    found = placed(models_of(rows), families)
    assert [m.label for m in found] == [
        "lab/mid", "acme/half", "acme/tiny", "acme/big", "acme/unknown",
    ]  # fmt: skip
    assert [m.family for m in found] == ["Z", "A", "A", "A", ""]


def test_a_model_under_two_settings_is_of_one_family(tmp_path):
    rows = observed("acme/a (reasoning_effort=high)", model_name="acme/a")
    (model,) = placed(models_of(rows), table_of(tmp_path, "acme/a,A,large"))
    assert (model.family, model.size) == ("A", "large")


def test_without_a_table_nothing_is_grouped_and_nothing_is_reordered():
    rows = pd.concat([observed("acme/b"), observed("acme/a")], ignore_index=True)
    found, report = blocks_of(rows, None)
    assert found is None
    assert [m.label for m in report.models] == ["acme/b", "acme/a"]


def test_a_chapter_shows_its_headline_a_family_a_panel(tmp_path):
    rows = pd.concat([observed("acme/b"), observed("acme/a"), observed("x")], ignore_index=True)
    found, _ = blocks_of(rows, table_of(tmp_path, "acme/a,A,8B", "acme/b,A,70B"))
    # KnowNo's headlines are two: a figure and a table each.
    assert [type(b) for b in found.blocks] == [Chart, Table] * 2
    for figure, table in zip(found.blocks[::2], found.blocks[1::2], strict=True):
        held_by_family(figure, table)


def held_by_family(figure, table):
    assert [p.title for p in figure.panels] == [g.title for g in table.groups]
    assert [g.title for g in table.groups] == ["A", "Of no family that was given"]
    assert [(r.head, r.cells[0].text) for r in table.groups[0].rows] == [("a", "8B"), ("b", "70B")]
    shown = [row["value"] for row in figure.panels[0].spec["data"]["values"]]
    held = [r.cells[1].estimate.value * 100 for r in table.groups[0].rows]
    assert shown == pytest.approx(held)


def test_all_of_the_papers_models_have_a_family():
    from askew.papers.binary_qa.printed import BASELINE, rows

    assert set(FAMILIES) == set(rows()["model"]) - {BASELINE}
    assert {p.family for p in FAMILIES.values()} == {
        "OpenAI", "Google", "Anthropic", "Mistral AI", "Meta AI",
    }  # fmt: skip


@pytest.mark.whole
def test_figure_1_stands_beside_the_users_models(tmp_path):
    from askew.decide.simulation import simulation

    rows = simulation("binary_qa", items=40).observations("typical")
    families = table_of(tmp_path, "respondent/typical,OpenAI,small")
    (chapter,) = build_report(rows, interval=QUICK, transcripts=False, families=families).chapters
    (section,) = (s for s in chapter.sections if s.id == "binary_qa-by-family")
    groups = {g.title: [r.head for r in g.rows] for g in section.blocks[1].groups}
    assert groups["OpenAI"] == ["typical", "GPT-4o mini", "GPT-4o", "o3"]
    assert len(groups) == 5
    assert "Khrapunova" in section.blocks[1].source
