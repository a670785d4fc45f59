"""Inspect's own frames of askew's logs, as docs/how-to/notebooks.md tells them."""

import re
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval

from askew.logs.tables import observation_table
from askew.papers import get_paper, task_papers
from askew.report.study import Study

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to/notebooks.md").read_text(
    encoding="utf-8"
)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A small run of KnowNo and one of MathComp, in a folder `logs`."""
    folder = tmp_path_factory.mktemp("frames")
    for task in ("askew/knowno", "askew/mathcomp"):
        eval(
            task, model="respondent/typical", task_args={"items": 3}, display="none",
            log_dir=str(folder / "logs"), log_level="error",
        )  # fmt: skip
    return folder


def shown(block, folder, monkeypatch, **names):
    monkeypatch.chdir(folder)
    exec(block, names)
    return names


@pytest.mark.whole
def test_a_run_has_its_primary_metric_an_interval_and_few_other_scores(logs, monkeypatch):
    runs = shown(BLOCKS[0], logs, monkeypatch)["runs"].set_index("task_name")
    for task in ("knowno", "mathcomp"):
        (row,) = (runs.loc[name] for name in runs.index if name.endswith(task))
        (lead, *_) = get_paper(task).headlines
        own = f"score_{task}_scorer_"
        assert row["score_headline_metric"] == lead
        assert row["score_headline_value"] == row[own + lead]
        assert 0 < row["score_correct_stderr"] < row["score_correct_accuracy"]
        assert pd.isna(row["score_headline_stderr"])
        if task == "mathcomp":  # so few items have no interval
            continue
        assert {f"{own}{lead}_low", f"{own}{lead}_high"} <= set(runs.columns)
        assert sum(name.startswith(own) for name in runs.columns) <= 6
    assert len(runs.columns) < 100


@pytest.mark.whole
def test_samples_have_the_columns_that_the_page_names(logs, monkeypatch):
    # The page reads one task at a time.
    (knowno,) = (logs / "logs").glob("*knowno*")
    block = BLOCKS[1].replace('"logs"', repr(str(knowno)))
    samples = shown(block, logs, monkeypatch)["samples"]
    observations = Study.read(knowno)
    joined = samples.merge(
        observations.rows,
        left_on=["id", "epoch"],
        right_on=["sample_id", "epoch"],
        suffixes=("", "_o"),
    )
    assert len(joined) == len(samples) == len(observations.rows)
    for name in ("correct", "answer", "outcome"):
        assert [*joined[name]] == [*joined[f"{name}_o"]]
    assert [*joined["metadata_hint"]] == [*joined["hint"]]


def test_the_page_names_the_conditions_of_every_task():
    for task in task_papers():
        asked = [f for f in get_paper(task).factors if not f.free]
        named = [f for f in asked if f"metadata_{f.name}" in PAGE]
        assert named, task


def test_a_whole_number_beyond_64_bits_is_a_float():
    assert list(observation_table([{"n": 2**63}, {"n": 1}, {"n": None}])["n"])[:2] == [2.0**63, 1]
