"""The table's columns: typed, documented, and the same whatever else was read."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.analysis import observation_columns
from askew.logs.observations import observation_table
from askew.papers.knowno.paper import PAPER
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score


def test_every_column_of_a_papers_declaration_is_explained():
    meanings = observation_columns("knowno")
    assert set(PAPER.measures) | {f.name for f in PAPER.factors} <= set(meanings)
    assert all(meanings.values())


def test_the_columns_of_a_table_come_in_a_fixed_order():
    first = Study.read(a_log([a_sample()]), quiet=True)
    common = ["model", "model_name", "task", "subset", "tier", "item", "unit", "epoch"]
    assert list(first.rows)[:8] == common
    assert list(first.rows)[-6:] == ["answer", "outcome", "status", "run", "sample_id", "log"]
    # Lengths of context are a column where several were asked.
    assert set(observation_columns("knowno")) - {"context_length"} <= set(first.rows)


def test_columns_have_the_kinds_that_metrics_expect():
    samples = [a_sample("i1"), a_sample("i2", score=a_score(answer=None))]
    observations = Study.read(a_log(samples), quiet=True)
    kinds = observations.rows.dtypes
    assert kinds["correct"] == "float64"
    assert kinds["epoch"] == kinds["order"] == "int64"
    assert pd.api.types.is_string_dtype(kinds["answer"])
    assert observations.rows["answer"].isna().tolist() == [False, True]


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers()),
    st.dictionaries(st.text(), st.integers()), st.characters(categories=["Cs"]),
)  # fmt: skip


@pytest.mark.whole
@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "item"]), anything), max_size=6))
def test_whatever_a_log_holds_becomes_a_table_that_a_file_can_hold(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("t") / "t.parquet"
    table = observation_table(rows)
    assert len(table) == len(rows)
    table.to_parquet(path)
    assert len(pd.read_parquet(path)) == len(rows)
