"""The public doors that golden files are computed through: adapt this file when a door moves."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.util import registry_create

import askew
from askew import analysis, metrics
from askew.bend import stand_in
from askew.cli import main
from askew.decide.compare import compare as compare_models
from askew.papers import get_paper

LOGS = Path(__file__).parent / "logs"
TASKS = ("knowno", "instruction_boundary", "mathcomp", "format_bias", "binary_qa", "bend")


# Prompts


def make_task(name: str, parameters: Mapping[str, Any]) -> Task:
    """Make a task by its registered name; `bend` of a small task of its own kind."""
    if name == "bend":
        parameters = {**parameters, "task": getattr(stand_in, parameters["task"])()}
    else:
        parameters = {"data": "bundled", **parameters}
    return registry_create("task", f"askew/{name}", **parameters)


def ask(name: str, asked: Mapping[str, Any], log_dir: Path) -> tuple[list[EvalSample], str]:
    """Run a task: its samples and its log; "_model" has tendencies, "_roles" models of roles."""
    parameters = {k: v for k, v in asked.items() if not k.startswith("_")}
    model = get_model("respondent/typical", memoize=False, **asked.get("_model", {}))
    (log,) = eval(
        make_task(name, parameters), model=model, model_roles=asked.get("_roles"),
        log_dir=str(log_dir), display="none", log_level="error",
    )  # fmt: skip
    assert log.status == "success", log.error
    return read_eval_log(log.location, resolve_attachments=True).samples or [], log.location


def conditions(name: str) -> dict[str, set[str]]:
    """Map each factor that a task declares to the values that it can take."""
    return {f.name: {*map(str, f.conditions)} for f in get_paper(name).factors if not f.free}


# Logs to rows and results


def read(*logs: str | Path) -> askew.Study:
    """Read logs to a study."""
    return askew.Study.read([str(p) for p in logs], quiet=True)


def columns() -> pd.DataFrame:
    """Describe the columns of rows."""
    return pd.DataFrame(analysis.observation_columns().items(), columns=["column", "meaning"])


# Decisions


def compare(study: askew.Study, task: str, baseline: str) -> pd.DataFrame:
    """Compare models of a task with a baseline on the samples that both answered."""
    rows = study.rows[study.rows["task"] == task]
    return compare_models(askew.Study(rows, study.excluded, study.runs), baseline).table


def plan(name: str, folder: Path, *options: str) -> pd.DataFrame:
    """Plan a task; return loads, costs, widths and the numbers of items that are needed."""
    asked = ("plan", "--task", name, "--data", "bundled", *options)
    tables = _command(*asked, folder=folder)["tables"]
    return pd.DataFrame(_cells(tables), columns=["number", "value"])


def calibrate(name: str, folder: Path, *options: str) -> pd.DataFrame:
    """Measure simulated models with planted tendencies; return a row for each metric."""
    found = _command("calibrate", "--task", name, *options, folder=folder)
    return pd.DataFrame(found["tables"]["numbers"])


def _command(*arguments: str, folder: Path) -> dict[str, Any]:
    out = folder / "out.json"
    done = CliRunner().invoke(main, [*arguments, "-o", str(out)])
    assert done.exit_code in (0, 1), done.output
    return json.loads(out.read_text(encoding="utf-8"))


def _cells(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Flatten nested values to pairs of a path and a value."""
    if isinstance(value, Mapping | list | tuple):
        inner = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, each in inner:
            yield from _cells(each, f"{at}/{key}" if at else str(key))
    else:
        yield at, value


# Formulas


def formulas(rows: pd.DataFrame) -> pd.DataFrame:
    """Compute every public formula on fixed inputs, or on the rows of old logs."""
    names = ("f1", "delta_recall", "delta_precision", "prc", "nrc", "arc", "sc")
    core = dict(zip(names, (0.8, 0.1, -0.2, 0.9, 0.7, 0.85, 0.6), strict=True))
    spread = dict(zip(names, (0.1, 0.05, 0.02, 0.1, 0.2, 0.05, 0.3), strict=True))
    gold = ["more", "less", "equal", "more", "less"]
    said = ["less", "less", "more", None, "more"]
    framed = {"more": 0.4, "less": 0.3, "equal": 0.1}
    tables = {t: of.dropna(axis="columns", how="all") for t, of in rows.groupby("task")}
    typical = tables["format_bias"][tables["format_bias"]["model"] == "respondent/typical"]
    arms = [typical[typical["demos"].astype(int) == n] for n in (0, 5)]
    verdict = metrics.mitigation_verdict(*arms, metrics.Interval(resamples=200))
    guesser = metrics.random_guesser(tables["binary_qa"], draws=50, seed=1)
    found: dict[str, Any] = {
        "bias_f": [metrics.bias_f([0.2, 0.5, 0.9]), metrics.bias_f([])],
        "est_true": [
            metrics.est_true(40, 0.8), metrics.est_true(0.4, 0.8), metrics.est_true(0.0, 0.0),
            metrics.est_true(0.0, 0.0, zero_filled=True),
        ],
        "est_true_reliable": [
            metrics.est_true_reliable([1, 0, 1, 1], 5), metrics.est_true_reliable([1, 0] * 300, 610)
        ],
        "wilson": [metrics.wilson(0.8, 20), metrics.wilson(0.0, 7, 0.9)],
        "t_interval": [metrics.t_interval([1, 2, 4, 8]), metrics.t_interval([1])],
        "omni_accuracy": metrics.omni_accuracy(80, [60, 50, 45]),
        "robustness_score": [
            metrics.robustness_score(0.5, 0.8, 0.9), metrics.robustness_score(0.0, 1.0)
        ],
        "dir_err": [
            metrics.dir_err(gold, said, t, parsed_only=p) for t in framed for p in (False, True)
        ],
        "framing_pull": metrics.framing_pull(framed, dict.fromkeys(framed, 0.15)),
        "model_binary_score": metrics.model_binary_score(core, spread),
        "model_binary_parts": metrics.model_binary_parts(core, spread),
        "model_binary_core": metrics.model_binary_core(core),
        "mitigates": [
            metrics.mitigates(9.0, after, {"a": 0.5}, {"a": fi})
            for after in (8.0, 9.5) for fi in (0.4, 0.6)
        ],
        "random_guesser": guesser.query("subset == 'all'").to_dict("records"),
        "mitigation_verdict": [str(part) for part in verdict],
    }  # fmt: skip
    return pd.DataFrame(_cells(found), columns=["formula", "value"])
