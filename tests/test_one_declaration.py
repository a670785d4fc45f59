"""What CONTRIBUTING promises: a condition is one row, a metric one declaration with its function.

Both are tried on a copy of the package: one insertion each, and nothing else is touched.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import cases_of

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.whole

# Runs in a process of its own, on the copy: what everything says of each task.
TRY, HINT, METRIC = (cases_of(__file__, name) for name in ("TRY", "HINT", "METRIC"))
INSERTED = [
    ("knowno/hints.toml", "[hints.with_gold_plus_none]\n", HINT),
    ("binary_qa/paper.py", "# The seven metrics of MBS", METRIC),
]
ASKED = {"knowno": {"hint": "all"}, "binary_qa": {}}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Insert both texts into a copy of the package, and try the tasks there."""
    folder = tmp_path_factory.mktemp("copy")
    copy = folder / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file, before, insertion in INSERTED:
        target = copy / "askew" / "papers" / file
        text = target.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{file} has {text.count(before)} times {before!r}"
        target.write_text(text.replace(before, insertion + before), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TRY, str(folder), json.dumps(ASKED)],
        env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_new_hint_is_one_row(seen):
    seen = seen["knowno"]
    assert "warned" not in seen["default"]
    assert seen["samples"] == 9 * 7
    assert set(seen["answered"].values()) == {seen["samples"]}
    rows = {name: (value, n) for name, value, _, n in seen["metrics"]}
    assert rows["warned"][1] == 9
    assert 0 <= rows["warned"][0] <= 1
    assert "Warned that none may be right" in seen["page"]
    assert {"warned"} <= set(seen["compared"]) & set(seen["planted"])


def test_a_new_metric_is_one_declaration(seen):
    seen = seen["binary_qa"]
    rows = {name: (value, low, n) for name, value, low, n in reversed(seen["metrics"])}
    value, low, n_items = rows["said_yes"]
    assert 0 <= low <= value <= 1
    assert n_items > 0
    assert "Answered Yes" in seen["page"]
    assert "said_yes" in seen["compared"]
    assert "said_yes" not in seen["planted"]
