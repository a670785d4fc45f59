"""Observations as files that other tools can take over."""

import csv

import pandas as pd
import pytest

from askew import metrics
from askew.analysis import write_observations
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


@pytest.fixture
def observations():
    samples = [
        a_sample(item, hint, score=a_score(float(hint != "no_hint"), 'a "b", c;\n=1+1'))
        for item in ("i1", "i2")
        for hint in HINTS
    ]
    return Study.read(a_log(samples), quiet=True)


@pytest.mark.parametrize("name", ["o.csv", "o.parquet", "O.CSV"])
def test_an_export_gives_the_same_numbers_as_the_table(tmp_path, observations, name):
    path = write_observations(observations, tmp_path / name)
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    again = read(path)
    assert list(again) == list(observations.rows)
    assert list(again["answer"]) == list(observations.rows["answer"])
    pd.testing.assert_frame_equal(metrics.knowno(again), metrics.knowno(observations.rows))


def test_parquet_keeps_types(tmp_path, observations):
    again = pd.read_parquet(write_observations(observations, tmp_path / "o.parquet"))
    pd.testing.assert_frame_equal(again, observations.rows)


def test_csv_is_read_by_other_readers(tmp_path, observations):
    path = write_observations(observations, tmp_path / "o.csv")
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [r["item"] for r in rows] == list(observations.rows["item"])
    assert b"\r\n" not in path.read_bytes()


@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path, observations, monkeypatch, name
):
    path = tmp_path / name
    path.write_text("old")

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(OSError, match="No space left"):
        write_observations(observations, path)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert path.read_text() == "old"
