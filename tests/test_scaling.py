"""A recipe of docs/scaling.md, run on few items: parts in a bucket are one run."""

import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval

from askew.analysis import read_observations, summarize
from askew.papers.knowno.tasks import knowno
from askew.report.study import Study
from tests.object_store import served_bucket

pytestmark = pytest.mark.whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
# Of each of the three subsets; a part that asks two of them asks twice as many.
ITEMS = 4


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


FOLDER, EVAL_SET, BUCKET = blocks("console")


def words_of(line):
    """A recipe's line as a command, small and quiet; whether it is started in the background."""
    words = shlex.split(line.removeprefix("$ "))
    background = words[-1] == "&"
    if background:
        (subset,) = [w for w in words if w.startswith("subset=")]
        many = ITEMS * len(subset.split(","))
        words[-1:] = ["-T", f"items={many}", "--display", "none", "--log-level", "error"]
    return words, background


@pytest.fixture(scope="module")
def follow(forks):
    """Does a recipe in a folder and says what each of its commands ended with."""

    def _follow(recipe, folder, **settings):
        running, codes = [], []
        for line in recipe.splitlines():
            words, background = words_of(line)
            if words == ["wait"]:
                codes += [forks.ended(process) for process in running]
                continue
            started = forks.start(words, folder, **settings)
            if background:
                running.append(started)
            else:
                codes.append(forks.ended(started))
        return codes

    return _follow


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The observations of one run of everything."""
    (log,) = eval(
        knowno(items=3 * ITEMS), model="respondent/typical", display="none", log_level="error",
        log_dir=str(tmp_path_factory.mktemp("alone")),
    )  # fmt: skip
    return Study.read(log.location, quiet=True)


def assert_same_numbers(parts, whole):
    assert sorted(parts["sample_id"]) == sorted(whole["sample_id"])
    assert parts["run"].nunique() == 1
    ours, theirs = (
        summarize(rows).sort_values(["metric", "subset"], ignore_index=True)
        for rows in (whole, parts)
    )
    exact = ["metric", "subset", "value", "low", "high", "n_items"]
    pd.testing.assert_frame_equal(ours[exact], theirs[exact])


@pytest.fixture
def bucket(monkeypatch):
    """An object store on loopback with an empty bucket, and the settings that lead there."""
    with served_bucket(monkeypatch) as settings:
        yield settings


def test_parts_in_a_bucket_are_reported_as_one_run(follow, bucket, alone, tmp_path):
    recipe = BUCKET.replace("report.html", "report.json")
    assert follow(recipe, tmp_path, **bucket) == [0, 0, 0]
    told = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "omni_accuracy" in json.dumps(told)
    assert_same_numbers(read_observations("s3://bucket/audit", quiet=True), alone.rows)
