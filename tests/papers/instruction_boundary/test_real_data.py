"""Instruction Boundary on the paper's real files: how many runs they make, and what a run says."""

import re
from collections import Counter

import pytest

from askew.papers.instruction_boundary.items import SOURCES
from askew.papers.instruction_boundary.paper import SETTINGS
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.report.study import Study
from askew.solvers.chain import planned_dialogue
from askew_authoring.instruction_boundary.lint import verify

pytestmark = pytest.mark.real_data


@pytest.fixture
def published(shared_data, monkeypatch):
    """The published files in place of the network."""
    if not (shared_data / "instruction_boundary").is_dir():
        pytest.skip("the paper's real files are not beside the project")
    monkeypatch.setenv("ASKEW_MIRROR", str(shared_data))


def runs(dataset, *by):
    return Counter(tuple(s.metadata[name] for name in by) for s in dataset)


def test_folio_and_the_450_make_9947_runs_under_the_eight_settings(published):
    dataset = instruction_boundary(data="paper").dataset
    found = runs(dataset, "subset", "setting")
    folio = {("folio", setting): 798 for setting in SETTINGS}
    # Three of the 450 speak of other options; the single ones have three wrong options each.
    choice = {("mcq_450", s): 447 for s in SETTINGS if s != "miscellany"}
    # Seven passages use the word none, which nothing could keep from their prompts.
    choice |= {("mcq_450", "missing_choices"): 440, ("mcq_450", "miscellany"): 147 * 3}
    assert found == {**folio, **choice}
    assert len({s.id for s in dataset}) == len(dataset) == 9_947


def test_all_450_and_all_2700_are_asked_where_unsound_items_are_wanted(published):
    dataset = instruction_boundary(
        data="paper", subset="mcq_450,mcq_2700", strict_items=False, setting="vanilla"
    ).dataset
    forms = ("single", "none", "multiple")
    assert runs(dataset, "subset", "form") == {
        **{("mcq_450", form): 150 for form in forms},
        **{("mcq_2700", form): 900 for form in forms},
    }
    assert {len(s.choices) for s in dataset} == {4}


def test_every_form_of_the_paper_is_laid_out_the_same(published):
    dataset = instruction_boundary(data="paper", subset="mcq_450", setting="vanilla").dataset
    headings = {
        form: {
            tuple(line for line in s.input.split("\n") if line in ("Question:", "Options:"))
            for s in dataset
            if s.metadata["form"] == form
        }
        for form in ("single", "none", "multiple")
    }
    assert set(map(frozenset, headings.values())) == {frozenset({("Question:", "Options:")})}
    for s in dataset:
        numbered = re.findall(r"^(\d)\. ", s.input.partition("Options:")[2], re.MULTILINE)
        assert numbered[:4] == ["1", "2", "3", "4"], s.id


@pytest.mark.parametrize(
    ("missing", "subset", "n"),
    [("unknown", "folio", 798), ("true", "folio", 793), ("false", "folio", 792),
     ("none", "mcq_450", 440), ("several", "mcq_450", 424)],
)  # fmt: skip
def test_no_prompt_on_the_papers_questions_names_the_label_that_goes_missing(
    published, missing, subset, n
):
    dataset = instruction_boundary(
        data="paper", subset=subset, setting="missing_choices", missing=missing
    ).dataset
    assert len(dataset) == n
    for sample in dataset:
        told = "\n".join(text for _, text in planned_dialogue(sample))
        assert not re.search(rf"\b{missing}\b", told, re.IGNORECASE), sample.id


def test_a_run_on_the_papers_questions_is_scored_whole_and_named_so(published, run):
    log = run(instruction_boundary(data="paper", items=12, n_wrong="3"), "respondent/oracle")
    assert log.status == "success"
    table = Study.read([log], quiet=True)
    items = table.rows.groupby("subset")["item"].nunique().to_dict()
    assert items == {"folio": 6, "mcq_450": 6}
    # Eight settings; of choice, miscellany asks the single ones only.
    assert len(table.rows) == 6 * 8 + 6 * 7 + 2
    assert table.rows["correct"].eq(1).all()
    assert log.eval.metadata["data"] == "paper"


def test_the_judging_file_is_known_by_its_blob_id_alone():
    source = SOURCES["Judging Questions.json"]
    assert source.revision == (
        "ZpLing/Instruction-Boundary@720bdfb7700d0728f4133a0eda29c37fa51c902e"
    )
    assert re.fullmatch(r"[0-9a-f]{40}", source.blob_id)


def test_verify_lists_the_label_that_one_file_writes_otherwise_and_no_item_twice(published):
    found = verify("paper", "folio")
    (written,) = (f for f in found if f.kind == "label written otherwise")
    assert (written.item, "69 records say 'Uncertain'" in written.message) == (
        "folio-validation", True,
    )  # fmt: skip
    out = {f.item for f in found if f.excluded}
    assert out == {"folio-train-873"}
    assert not [f for f in found if f.item in out and not f.excluded]
