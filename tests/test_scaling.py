"""The recipes of docs/scaling.md, run as they stand: shards pool, other engines agree."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from askew.analysis import read_observations, summarize, write_observations
from askew.tasks.knowno import knowno

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
duckdb = pytest.importorskip("duckdb")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def whole_run(run):
    return run(knowno(), model="respondent/typical")


def shards(recipe, folder):
    """Start a recipe's background commands, as its shell would, and wait for them."""
    started = []
    for line in recipe.splitlines():
        words = shlex.split(line.removeprefix("$ "))
        if words[-1:] != ["&"]:
            continue
        program = Path(sys.executable).with_name(words[0])
        quiet = ["--display", "none", "--log-level", "error"]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("INSPECT_")}
        started.append(
            subprocess.Popen([program, *words[1:-1], *quiet], cwd=folder, env=environment)
        )
    return [process.wait() for process in started]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """The observations of each recipe's shards."""
    read = []
    for recipe in blocks("console"):
        folder = tmp_path_factory.mktemp("shared")
        assert shards(recipe, folder) == [0, 0]
        read.append(read_observations(folder / "audit", quiet=True))
    return read


def numbers(observations):
    table = summarize(observations)
    keys = ["metric", "subset"]
    return table.sort_values(keys).reset_index(drop=True)[
        [*keys, "value", "low", "high", "n_items"]
    ]


def test_processes_that_share_a_log_folder_give_the_numbers_of_one_run(run, pieces):
    alone = read_observations(whole_run(run).location, quiet=True)
    for shared in pieces:
        assert sorted(shared["sample_id"]) == sorted(alone["sample_id"])
        assert shared["run"].nunique() == 1
        ours, theirs = numbers(alone), numbers(shared)
        exact = ["metric", "subset", "value", "n_items"]
        pd.testing.assert_frame_equal(ours[exact], theirs[exact])
        # Units are drawn in the order in which they were read, which differs between logs.
        for bound in ("low", "high"):
            assert (ours[bound] - theirs[bound]).abs().max() < 0.02


def test_duckdb_gives_the_reports_numbers_from_the_parquet_export(pieces, tmp_path, monkeypatch):
    observations = pieces[0]
    monkeypatch.chdir(tmp_path)
    write_observations(observations, "observations.parquet")
    query, _ = blocks("sql")
    theirs = duckdb.sql(query).df().set_index(["subset", "hint"])
    table = summarize(observations).set_index(["subset", "metric"])
    assert len(theirs) == 12
    for key, row in theirs.iterrows():
        assert row["value"] == pytest.approx(table.loc[key, "value"])
        assert row["n_items"] == table.loc[key, "n_items"]


def test_the_further_clause_counts_whole_items_only(pieces, tmp_path, monkeypatch):
    observations = pieces[0]
    lost = observations[observations["hint"] == "no_hint"].index[:7]
    part = observations.drop(index=lost)
    monkeypatch.chdir(tmp_path)
    write_observations(part, "observations.parquet")
    _, clause = blocks("sql")
    whole = (
        "SELECT * FROM 'observations.parquet' WHERE (model, item, epoch, \"order\") IN "
        "(SELECT (model, item, epoch, \"order\") FROM 'observations.parquet' "
        'GROUP BY model, item, epoch, "order" HAVING count(DISTINCT hint) = 4)'
    )
    theirs = duckdb.sql(f"SELECT subset, hint, correct FROM 'observations.parquet' {clause}").df()
    assert len(theirs) == len(duckdb.sql(whole).df()) == len(part) - 3 * len(lost)
    table = summarize(part).set_index(["subset", "metric"])
    for (subset, hint), rows in theirs.groupby(["subset", "hint"]):
        assert rows["correct"].mean() == pytest.approx(table.loc[(subset, hint), "value"])
