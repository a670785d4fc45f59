"""`make mutants` plants what it says, where it says, and asks the tests that are near."""

import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MUTANTS = runpy.run_path(str(ROOT / "benchmarks" / "mutants.py"))
INTERVALS = "statistics/intervals.py"


# Forked from a process without pytest's own captured streams.
TRY = """
import os, sys
sys.path[:0] = ["benchmarks", "."]
import mutants
for old, new in (("LEVEL = 0.95", "LEVEL = 0.9"), ("DEGREES = 1_000", "DEGREES = 1_001")):
    text = (mutants.SOURCE / sys.argv[1]).read_text(encoding="utf-8")
    fault = mutants.Fault("", sys.argv[1], 1, old, new, text.replace(old, new))
    met = lambda: mutants.planted(fault, ["tests/statistics/test_exact_bounds.py"])
    print(text.count(old), os.waitstatus_to_exitcode(os.waitpid(mutants.forked(met), 0)[1]))
"""


@pytest.mark.whole
def test_a_fault_is_noticed_and_what_changes_nothing_is_not():
    told = [sys.executable, "-c", TRY, INTERVALS]
    done = subprocess.run(told, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["1 1", "1 0"], done.stderr


@pytest.mark.whole
def test_the_nearest_tests_of_a_module_are_those_named_like_it_then_by_imports(tmp_path):
    ranked = MUTANTS["Nearest"](tmp_path)._ranked(MUTANTS["SOURCE"] / INTERVALS)
    assert ranked[0] == "tests/statistics/test_intervals.py"
    assert ranked.index("tests/statistics/test_exact_bounds.py") < ranked.index(
        "tests/papers/knowno/test_numbers.py"
    )
    assert "tests/test_askings.py" in ranked


@pytest.mark.whole
def test_a_fault_meets_the_tests_that_run_its_function_those_of_its_line_first(tmp_path):
    text = (MUTANTS["SOURCE"] / INTERVALS).read_text(encoding="utf-8").splitlines()
    first, last = (
        next(i for i, line in enumerate(text, 1) if line.startswith(start))
        for start in ("    return max(-1.0", "LEVEL = ")
    )
    ran = {"named": [first - 1], "slow": [first], "quick": [first], "other": [1], "long": [first]}
    seconds = {"named": 2.0, "slow": 5.0, "quick": 1.0, "other": 1.0, "long": 1e6}
    nearest = MUTANTS["Nearest"](tmp_path)
    nearest._ranks = {INTERVALS: [*ran]}
    runs = {p: MUTANTS["Run"]("", seconds[p], True, {INTERVALS: ran[p]}) for p in ran}
    nearest._runs = runs
    nearest._run = runs.__getitem__
    fault = MUTANTS["Fault"]("", INTERVALS, first, "", "", "")
    assert nearest.tests(fault) == (["named", "quick", "slow"], 8.0)
    constant = MUTANTS["Fault"]("", INTERVALS, last, "", "", "")
    assert nearest.tests(constant) == (["named", "slow", "quick", "other"], 9.0)


def test_a_fault_that_changes_nothing_has_its_reason():
    told = tomllib.loads((ROOT / "benchmarks" / "mutants.toml").read_text(encoding="utf-8"))
    for same in told["same"]:
        assert set(same) == {"file", "was", "now", "why"}
        assert (MUTANTS["SOURCE"] / same["file"]).exists()


@pytest.mark.whole
def test_what_is_drawn_hangs_on_the_seed_alone():
    pytest.importorskip("mutmut")
    first, again, other = (
        [f.key for f in MUTANTS["drawn"](12, seed, "statistics/nulls")] for seed in (0, 0, 1)
    )
    assert first == again
    assert set(first) != set(other)
