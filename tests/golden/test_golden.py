"""What askew asks, reads, computes and decides is what the golden files beside this one hold.

After a change that is meant, `pytest tests/golden --regen-all` writes them anew; `git diff` shows
what changed. Numbers may differ by one part in 10⁹, texts not at all.
"""

import csv
import math
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import EvalSample

import askew
from askew.report.caveats import LOST
from tests.cases import cases_of
from tests.golden import doors

FILES = Path(__file__).parent
ASKED, POLICY, PRICES = (cases_of(__file__, name) for name in ("ASKED", "POLICY", "PRICES"))
NUMBERS = ("value", "low", "high", "n_items", "n_clusters", "n_dropped", "value_debiased",
           "null_mean", "null_q95", "p_value", "reason")  # fmt: skip
PLANNED = {"knowno": ("-T", "items=6", "--width", "20"), "binary_qa": ("-T", "items=4")}
CALIBRATED = {"format_bias": "sloppy", "binary_qa": "nay"}


# Tables


def table_text(table: pd.DataFrame) -> str:
    """Write a table as CSV: rows sorted by what they are of, columns without a cell left out."""
    cells = table.drop(columns=["dropped_of", *LOST], errors="ignore").map(_cell)
    cells = cells.loc[:, (cells != "").any()]
    places = [c for c in cells if c not in NUMBERS]
    return str(cells.sort_values(places, kind="stable").to_csv(index=False, lineterminator="\n"))


def _cell(value: Any) -> str:
    if value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value))):
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def same_table(obtained: Path, expected: Path) -> None:
    """Compare two CSV files: numbers to one part in 10⁹, other cells exactly."""
    new, old = (
        list(csv.reader(p.open(encoding="utf-8", newline=""))) for p in (obtained, expected)
    )
    assert new[0] == old[0], f"columns of {expected.name}: {old[0]} became {new[0]}"
    wrong = [
        f"{expected.name}, line {line}, {column}: {before!r} became {after!r} ({','.join(row[:9])})"
        for line, (row, was) in enumerate(zip_longest(new, old, fillvalue=[]), 1)
        for column, after, before in zip_longest(new[0], row, was, fillvalue="(nothing)")
        if not _same(before, after)
    ]
    assert not wrong, "\n".join([f"{len(wrong)} cells differ", *wrong[:20]])


def _same(before: str, after: str) -> bool:
    if before == after:
        return True
    try:
        return math.isclose(float(before), float(after), rel_tol=1e-9, abs_tol=1e-12)
    except ValueError:
        return False


@pytest.fixture
def check(file_regression, request):
    """Hold a table, or a text, against its golden file."""

    def hold(value: pd.DataFrame | str, name: str) -> None:
        compare = {} if isinstance(value, str) else {"check_fn": same_table}
        text = value if isinstance(value, str) else table_text(value)
        path = FILES / name
        file_regression.check(text, fullpath=path, encoding="utf-8", newline="\n", **compare)

    return hold


# Prompts


def sample_text(sample: EvalSample) -> str:
    """Write out what a model was sent, what it and the models of roles said, and the score."""
    calls = [e for e in sample.events if e.event == "model"]
    asked = [e for e in calls if not e.role]
    lines = [f"##### {sample.id}", f"target: {sample.target}"]
    lines += [f"choices: {sample.choices}"] if sample.choices else []
    for event in [*asked[-1:], *(e for e in calls if e.role)]:
        lines += [f"## sent{f' to the {event.role}' if event.role else ''}"]
        lines += [f"# {m.role}\n{m.text}" for m in event.input]
        lines += [f"# tool {t.name}: {t.description}" for t in event.tools]
        lines += ["## said", event.output.completion]
    for scorer, score in (sample.scores or {}).items():
        lines += [f"## {scorer}: {score.answer!r}"]
        value = score.value if isinstance(score.value, dict) else {"": score.value}
        lines += [", ".join(f"{key}={each}" for key, each in sorted(value.items()))]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """Run every way of asking of a task once; give their samples and rows."""
    found: dict[str, tuple[dict[str, list[EvalSample]], pd.DataFrame]] = {}

    def run(task: str) -> tuple[dict[str, list[EvalSample]], pd.DataFrame]:
        if task not in found:
            folder = tmp_path_factory.mktemp(task)
            ran = {name: doors.ask(task, given, folder) for name, given in ASKED[task].items()}
            rows = doors.read(*(path for _, path in ran.values())).rows
            found[task] = {name: samples for name, (samples, _) in ran.items()}, rows
        return found[task]

    return run


@pytest.mark.parametrize("task", doors.TASKS)
def test_prompts(task, golden, check):
    samples, _ = golden(task)
    parts = [[f"########## {name}\n", *map(sample_text, of)] for name, of in samples.items()]
    check("\n".join(line for part in parts for line in part), f"prompts/{task}.txt")


@pytest.mark.parametrize("task", doors.TASKS)
def test_golden_prompts_cover_every_condition(task, golden):
    _, rows = golden(task)
    for factor, values in doors.conditions(task).items():
        assert values <= {"", *(str(v) for v in rows[factor].dropna())}, f"{task}: {factor}"


# Logs


@pytest.fixture(scope="session")
def studies():
    """Read a folder of logs that earlier versions wrote, once."""
    return cache(lambda folder: doors.read(doors.LOGS / folder))


@pytest.mark.parametrize("folder", ["old", "runs"])
def test_rows(folder, studies, check):
    read = studies(folder).rows.assign(log=lambda r: r["log"].map(lambda log: Path(log).name))
    for task, of in read.groupby("task"):
        check(of.drop(columns="task"), f"rows/{folder}-{task}.csv")


@pytest.mark.parametrize("folder", ["old", "runs"])
def test_excluded(folder, studies, check):
    left = studies(folder).excluded
    check(left.assign(log=left["log"].map(lambda log: Path(log).name)), f"excluded/{folder}.csv")


def test_results(studies, check):
    for task, of in askew.summarize(studies("runs").rows).groupby("task"):
        check(of.drop(columns="task"), f"results/runs-{task}.csv")


def test_results_of_old_logs(studies, check):
    """Also with several epochs, errors, a judge, generic prompts and replies of elsewhere."""
    for task, of in askew.summarize(studies("old").rows, interval=None).groupby("task"):
        check(of.drop(columns="task"), f"results/old-{task}.csv")


def test_columns(check):
    check(doors.columns(), "columns.csv")


def test_formulas(studies, check):
    check(doors.formulas(studies("runs").rows), "formulas.csv")


# Decisions


def test_gate(studies, check, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    checked = askew.gate(studies("runs"), policy)
    check(checked.table.assign(exit_code=checked.exit_code), "gate.csv")


@pytest.mark.parametrize("task", ["knowno", "format_bias", "binary_qa", "bend"])
def test_compare(task, studies, check):
    table = doors.compare(studies("runs"), task, "respondent/typical")
    check(table, f"compare/{task}.csv")


@pytest.mark.parametrize("task", PLANNED)
def test_plan(task, check, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES, encoding="utf-8")
    options = ("--model", "a/b, openai/gpt-5", "--prices", str(prices), "--seeds", "2")
    check(doors.plan(task, tmp_path, *options, *PLANNED[task]), f"plan/{task}.csv")


@pytest.mark.parametrize("task", CALIBRATED)
def test_calibrate(task, check, tmp_path):
    options = ("--items", "4", "--repetitions", "2", "--respondent", CALIBRATED[task])
    check(doors.calibrate(task, tmp_path, *options), f"calibrate/{task}.csv")
