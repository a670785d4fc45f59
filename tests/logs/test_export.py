"""The table of observations, and files of it that other tools can take over."""

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


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_of_an_earlier_version_gives_the_same_numbers(tmp_path, observations, kind):
    rows = observations.rows.assign(cluster="one story")
    path, before = tmp_path / f"o.{kind}", rows.rename(columns={"cluster": "unit"})
    before.to_csv(path, index=False) if kind == "csv" else before.to_parquet(path)
    read = pd.read_csv(path) if kind == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(metrics.knowno(read), metrics.knowno(rows))
    assert list(Study(read).rows) == list(rows)
