"""What askew does, written down: prompts, logs read, numbers, decisions, public names.

    python tests/frozen/freeze.py OUT     (OUT is tests/frozen/data for the tests beside this file)

Every part is computed through doors that stay where they are when modules move: the command
line, the public names of `askew`, and Inspect's registry. Logs in OUT are made only where there
are none, so freezing again still reads the logs of old; everything else is written anew.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import html
import importlib
import inspect
import io
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.metadata import packages_distributions as _list_packages
from pathlib import Path
from typing import Any
from unittest import mock

import click
import pandas as pd
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai._util.registry import registry_find, registry_info
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessage, Model, get_model
from inspect_ai.util import registry_create

import askew
from askew import analysis, metrics
from tests.all_metrics import show_all

TASKS = ("knowno", "instruction_boundary", "mathcomp", "format_bias", "binary_qa")
DATA = Path(__file__).resolve().parent / "data"
TYPICAL = "respondent/typical"
DIGITS = 10

# --- Prompts: what is asked, what is sent, what is read ------------------------------------------

# By task and name: the task's parameters; "_model" are tendencies to set, "_roles" models of roles.
_JUDGE = {"grader": TYPICAL}
ASKED: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "knowno": {
        "every hint": {"hint": "all", "items": 3, "orders": 2},
        "defaults": {"items": 3},
        "ablation": {"ablation": True, "items": 3, "subset": "mctest,equinfer"},
        "generic": {"template": "generic", "ablation": True, "items": 3},
        "delimiter": {"subset": "bank77", "delimiter": "-", "items": 1},
        "clipped": {"subset": "equinfer", "context_words": 20, "items": 1},
        "judged": {
            "judge": True,
            "hint": "no_hint",
            "items": 6,
            "_roles": _JUDGE,
            "_model": {"knows": 1.0, "notices": {"no_hint": 1.0}, "volunteers": 1.0},
        },
        "paper's settings": {"settings": "paper", "items": 1, "seed": 5},
    },
    "instruction_boundary": {
        "defaults": {"items": 6},
        "conformity": {"setting": "conformity", "suggest": "all", "items": 4, "n_logic": 9},
        "wrong": {"setting": "conformity", "suggest": "true,wrong", "items": 2, "n_logic": 9},
        "missing choices": {
            "setting": "missing_choices",
            "missing": "all",
            "items": 4,
            "n_logic": 9,
        },
        "stated": {
            "setting": "vanilla,missing_choices,conformity",
            "none_style": "stated",
            "missing": "none,several",
            "subset": "choice",
            "items": 3,
        },
        "examples": {
            "setting": "few_shot",
            "items": 2,
            "n_logic": 9,
            "examples": "unknown,true,false,true,none,single,multiple",
        },
        "other examples": {
            "setting": "few_shot",
            "items": 2,
            "examples": "false,multiple",
            "n_logic": 9,
        },
        "polished": {
            "setting": "vanilla,prompt_polishing",
            "polish": "fixed,model",
            "items": 3,
            "n_logic": 9,
            "_roles": {"polisher": TYPICAL},
        },
        "miscellany": {"setting": "miscellany", "n_wrong": "all", "items": 3, "n_logic": 9},
        "two wrong": {"setting": "miscellany", "n_wrong": "2,5", "subset": "ten", "items": 1},
        "judged": {
            "setting": "vanilla,multi_turn",
            "judge": "required",
            "items": 4,
            "n_logic": 9,
            "_roles": _JUDGE,
            "_model": {"mumbles": 1.0},
        },
        "never judged": {
            "setting": "vanilla,vagueness",
            "judge": "never",
            "items": 2,
            "n_logic": 9,
            "_model": {"mumbles": 1.0},
        },
        "other theories": {
            "subset": "logic",
            "setting": "vanilla",
            "n_logic": 12,
            "depth": 2,
            "width": "1-3",
            "distractors": "1-2",
            "negation": 0.6,
            "seed": 4,
            "items": 3,
            "settings": "paper",
        },
        "unsound kept": {"strict_items": False, "setting": "vanilla", "items": 3, "n_logic": 9},
    },
    "mathcomp": {
        "defaults": {"items": 2},
        "outputs": {"output": "all", "framing": "style=neutral+direct,term=none+less", "items": 1},
        "identities": {"identity": "all", "framing": "style=indirect,term=equal", "items": 1},
        "indirect": {
            "framing": "style=indirect,position=end",
            "items": 3,
            "scenarios": "n=30",
            "seed": 3,
            "subset": "dining,health_fitness",
        },
        "cut": {"max_tokens": 7, "framing": "style=neutral", "items": 1, "settings": "paper"},
        "judged": {
            "read": "judge",
            "output": "cot",
            "framing": "term=none+more",
            "items": 1,
            "_roles": _JUDGE,
        },
        "judged where unread": {
            "read": "rules_then_judge",
            "output": "cot",
            "framing": "style=direct",
            "items": 1,
            "identity": "woman",
            "_roles": _JUDGE,
        },
    },
    "format_bias": {
        "defaults": {"items": 10},
        "demonstrations": {"demos": "1,5", "prompting": "zs", "items": 10, "format": "char,json"},
        "demonstrated reasoning": {
            "demos": 5,
            "prompting": "cot",
            "items": 10,
            "format": "text,quoting,bullet,yaml",
        },
        "repeated": {
            "repeat": "3,5",
            "subset": "mmlu,gsm8k,scidocsrr,scirex_easy",
            "items": 4,
            "prompting": "zs",
            "format": "char,bolding,python,yaml",
        },
        "repeated reasoning": {
            "repeat": 3,
            "subset": "mmlu,gsm8k,scidocsrr,scirex_easy",
            "items": 4,
            "prompting": "cot",
            "format": "text,brackets,newline,json",
        },
        "strict": {
            "reading": "extraction=strict,casefold=true,placeholder=table1",
            "items": 4,
            "format": "placeholder,separator",
            "settings": "paper",
            "seed": 2,
        },
        "one category": {"category": "mapping", "subset": "scirex_easy,scirex_hard", "items": 2},
    },
    "binary_qa": {
        "defaults": {"items": 5},
        "some forms": {"form": "hedged,contradictory", "items": 4, "seed": 3, "settings": "paper"},
        "one domain": {"subset": "numerical,translation", "form": "original", "items": 4},
    },
}
# Wider than what is run: only the questions themselves.
LISTED: Mapping[str, Mapping[str, Any]] = {
    "knowno": {"items": 30, "seed": 1},
    "instruction_boundary": {"items": 16, "seed": 1},
    "mathcomp": {"items": 12, "identity": "standard,black", "framing": "style=direct"},
    "format_bias": {"items": 20, "demos": "0,1", "repeat": "1,5", "prompting": "zs"},
    "binary_qa": {"items": 20},
}


def prompts(task: str) -> dict[str, Any]:
    """Every way of asking of a task: samples, what the model was sent, and what was read."""
    asked = ASKED[task]
    tasks = {name: made_task(task, _given(p)) for name, p in asked.items()}
    # Samples are described first: running adds ids to their messages.
    frozen: dict[str, Any] = {
        name: {
            "order": [str(s.id) for s in made.dataset],
            "samples": {str(s.id): _sample(s) for s in made.dataset},
        }
        for name, made in tasks.items()
    }
    for name, made in tasks.items():
        log = _run(made, _model(asked[name].get("_model")), roles=asked[name].get("_roles"))
        frozen[name]["task"] = _task(log)
        for sample in log.samples or []:
            frozen[name]["samples"][str(sample.id)]["run"] = _ran(sample)
    wide = made_task(task, LISTED[task])
    frozen["only listed"] = {
        "order": [str(s.id) for s in wide.dataset],
        "samples": {str(s.id): _sample(s) for s in wide.dataset},
    }
    return frozen


def made_task(name: str, parameters: Mapping[str, Any]) -> Task:
    """A task by its registered name."""
    made: Task = registry_create("task", f"askew/{name}", **parameters)
    return made


def judges() -> dict[str, Any]:
    """What judges are sent in every case of their trial, and what they may choose."""
    _invoke("judge-check", "--grader", TYPICAL, "--log-dir", "trial")
    (path,) = Path("trial").glob("*.eval")
    log = read_eval_log(str(path), resolve_attachments=True)
    return {str(s.id): {**_sample(s), "run": _ran(s)} for s in log.samples or []}


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in parameters.items() if not k.startswith("_")}


def _model(tendencies: Mapping[str, Any] | None, name: str = TYPICAL) -> Model:
    return get_model(name, memoize=False, **(tendencies or {}))


def _run(made: Task, model: Model | str, **options: Any) -> EvalLog:
    show_all(made)
    # Inspect lists all installed packages for each log: here once for all logs.
    with mock.patch("inspect_ai._util.package.packages_distributions", _packages):
        (log,) = eval(
            made, model=model, model_roles=options.pop("roles", None), log_dir="made",
            display="none", log_level="error", log_realtime=False, score_display=False, **options,
        )  # fmt: skip
    return log


@lru_cache(maxsize=1)
def _packages() -> Mapping[str, list[str]]:
    return _list_packages()


def _sample(sample: Any) -> dict[str, Any]:
    asked = sample.input
    return {
        "input": asked if isinstance(asked, str) else [_message(m) for m in asked],
        "choices": sample.choices,
        "target": sample.target,
        "metadata": sample.metadata,
    }


def _message(message: ChatMessage) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "text": message.text}
    return told | ({"metadata": message.metadata} if message.metadata else {})


def _ran(sample: EvalSample) -> dict[str, Any]:
    """What was sent and said, to roles too, and what was read in the reply."""
    roles = [
        {
            "role": e.role, "sent": [_message(m) for m in e.input], "said": e.output.completion,
            "tools": [t.model_dump(mode="json", exclude_none=True) for t in e.tools],
            "config": e.config.model_dump(exclude_none=True),
        }
        for e in sample.events
        if e.event == "model" and e.role
    ]  # fmt: skip
    scores = {
        name: {"value": s.value, "answer": s.answer, "why": s.explanation, "metadata": s.metadata}
        for name, s in (sample.scores or {}).items()
    }
    return {
        "messages": [_message(m) for m in sample.messages],
        "completion": sample.output.completion,
        "roles": roles,
        "scores": scores,
        "error": sample.error.message if sample.error else None,
    }


def _task(log: EvalLog) -> dict[str, Any]:
    """What a run says of its task: version, settings, steps, columns, live metrics."""
    results = log.results.scores if log.results else []
    viewer = log.eval.viewer
    headline = log.eval.headline_metric
    return {
        "status": log.status,
        "name": log.eval.task,
        "version": log.eval.task_version,
        "parameters": log.eval.task_args,
        "dataset": log.eval.dataset.name,
        "metadata": log.eval.metadata,
        "config": log.plan.config.model_dump(exclude_none=True),
        "steps": [[s.solver, s.params] for s in log.plan.steps],
        "scorers": [s.model_dump(mode="json") for s in log.eval.scorers or []],
        "viewer": viewer.model_dump(mode="json", exclude_none=True) if viewer else None,
        "headline": headline.model_dump(mode="json") if headline else None,
        "metrics": {r.name: {n: m.value for n, m in r.metrics.items()} for r in results},
    }


# --- Logs: made once, read ever after ------------------------------------------------------------

# Small logs as they were written: name -> task, model, tendencies, parameters, run options.
_Log = tuple[str, str, Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]
OLD_LOGS: Mapping[str, _Log] = {
    "knowno-epochs": ("knowno", TYPICAL, {}, {"items": 3}, {"epochs": 3}),
    "knowno-generic": (
        "knowno", "respondent/agreeable", {"seed": 2},
        {"template": "generic", "ablation": True, "items": 6, "settings": "paper"}, {},
    ),
    "boundary-settings": ("instruction_boundary", "respondent/conformist", {}, {"items": 3}, {}),
    "boundary-errors": (
        "instruction_boundary", "respondent/overcautious", {},
        {"setting": "vanilla,prompt_polishing", "polish": "model", "items": 4},
        {"roles": {"polisher": "respondent/mute"}},
    ),
    "mathcomp-outputs": (
        "mathcomp", "respondent/parrot", {},
        {"output": "all", "style": "neutral,direct", "position": "end", "items": 2}, {},
    ),
    "mathcomp-judged": (
        "mathcomp", "respondent/stereotyper", {"seed": 1},
        {
            "identity": "person,black", "output": "cot", "read": "judge", "style": "direct",
            "position": "begin", "items": 4,
        },
        {"roles": {"grader": TYPICAL}},
    ),
    "format-sloppy": (
        "format_bias", "respondent/sloppy", {}, {"items": 4, "prompting": "zs"}, {"token_limit": 90}
    ),
    "binary-nay": ("binary_qa", "respondent/nay", {}, {"items": 4}, {}),
    "binary-chatty": (
        "binary_qa", "respondent/chatty", {"seed": 7},
        {"form": "original,contradictory,swapped_options", "items": 10, "seed": 3}, {},
    ),
}  # fmt: skip
REPLAYED = "format-replayed"

# All five tasks on three models: typical, agreeable, and one that leans most in the task.
RUNS: Mapping[str, Mapping[str, Any]] = {
    "knowno": {"items": 8},
    "instruction_boundary": {"items": 8, "n_wrong": "1,3"},
    "mathcomp": {"items": 3, "identity": "person,woman"},
    "format_bias": {
        "items": 10,
        "demos": "0,5",
        "prompting": "zs",
        "format": "char,text,bolding,quoting,json,yaml",
    },
    "binary_qa": {"items": 6},
}
LEANING = {
    "knowno": "random",
    "instruction_boundary": "conformist",
    "mathcomp": "parrot",
    "format_bias": "sloppy",
    "binary_qa": "nay",
}


def make_logs(folder: Path) -> None:
    """Small logs of every kind, as they are written, without places on the disk."""
    folder.mkdir(parents=True)
    for name, (task, model, tendencies, parameters, options) in OLD_LOGS.items():
        log = _run(made_task(task, parameters), _model(tendencies, model), **options)
        target = folder / f"{name}.eval"
        shutil.copyfile(log.location, target)
        if any(s.error for s in log.samples or []):
            write_eval_log(_without_tracebacks(log), target)
    Path("replies.jsonl").write_text(_replies(), encoding="utf-8")
    _invoke("score-replies", "replies.jsonl", "--log-dir", "replayed")
    (written,) = Path("replayed").glob("*.eval")
    shutil.copyfile(written, folder / f"{REPLAYED}.eval")


def _without_tracebacks(log: EvalLog) -> EvalLog:
    for sample in log.samples or []:
        if sample.error:
            sample.error.traceback = sample.error.traceback_ansi = ""
        sample.events = [e for e in sample.events if e.event != "error"]
    return log


def make_runs(folder: Path) -> None:
    """The logs that numbers are computed from; without events, which no number needs."""
    folder.mkdir(parents=True)
    for task, parameters in RUNS.items():
        for name in ("typical", "agreeable", LEANING[task]):
            made = _run(made_task(task, parameters), f"respondent/{name}")
            log = read_eval_log(made.location, resolve_attachments=True)
            for sample in log.samples or []:
                sample.events, sample.attachments = [], {}
            write_eval_log(log, folder / f"{task}-{name}.eval")


def _replies() -> str:
    """Replies of an elsewhere: right, wrong, spoilt, repeated, and one that was cut."""
    said = {
        "bolding": ("**12**", "**13**", "12"),
        "quoting": ('"""12"""', "12", ""),
        "special_character": ("<ANSWER>12</ANSWER>", "<ANSWER>11</ANSWER>", "It is 12."),
    }
    lines = []
    for style, completions in said.items():
        for item, completion in enumerate([*completions, completions[0]]):
            reply = {
                "task": "gsm8k", "model": "elsewhere/model-x", "prompting": "zs", "item": item % 3,
                "format": style, "target": "12", "completion": completion,
            }  # fmt: skip
            lines.append(json.dumps(reply | ({"stop_reason": "max_tokens"} if item == 2 else {})))
    return "\n".join(lines) + "\n"


# --- Numbers: what logs are read as --------------------------------------------------------------


def observations(logs: str) -> dict[str, Any]:
    """What a folder of frozen logs is read as, and what of it has no row."""
    read = askew.read_observations(logs, quiet=True)
    types = {str(c): str(t) for c, t in read.dtypes.items()}
    return {"rows": table(read), "types": types, "left out": table(analysis.left_out(read))}


def columns() -> Any:
    """The columns of observations, described."""
    return plain(analysis.observation_columns())


def summary(logs: str) -> str:
    """The whole table of metrics with intervals, as CSV."""
    return table_text(askew.summarize(askew.read_observations(logs, quiet=True)))


def points(logs: str) -> str:
    """The same without intervals, as CSV."""
    return table_text(askew.summarize(askew.read_observations(logs, quiet=True), interval=None))


# Drawing charts takes long: the page is written for a few logs, the other reports for all.
_PAGE = ("logs/knowno-epochs.eval", "logs/boundary-errors.eval", f"logs/{REPLAYED}.eval")


def report(logs: str | Sequence[str], suffix: str) -> Any:
    """The report on frozen logs."""
    read = askew.read_observations(logs if isinstance(logs, str) else list(logs), quiet=True)
    askew.write_report(read, f"report{suffix}", extent="full")
    text = normal(Path(f"report{suffix}").read_text(encoding="utf-8"))
    if suffix == ".json":
        return json.loads(text) | {"written": "<time>", "askew_version": "<version>"}
    return _page_text(text) if suffix == ".html" else text


def _page_text(page: str) -> str:
    """What a reader sees of an HTML page, charts apart."""
    page = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", page)
    texts = (html.unescape(t).strip() for t in re.sub(r"<[^>]+>", "\n", page).splitlines())
    return "\n".join(t for t in texts if t) + "\n"


def formulas() -> dict[str, Any]:
    """Every public formula on numbers that are given here."""
    names = ("f1", "delta_recall", "delta_precision", "prc", "nrc", "arc", "sc")
    core = dict(zip(names, (0.8, 0.1, -0.2, 0.9, 0.7, 0.85, 0.6), strict=True))
    spread = dict(zip(names, (0.1, 0.05, 0.02, 0.1, 0.2, 0.05, 0.3), strict=True))
    gold = ["more", "less", "equal", "more", "less"]
    said = ["less", "less", "more", None, "more"]
    framed = {"more": 0.4, "less": 0.3, "equal": 0.1}
    read = askew.read_observations("runs", quiet=True)
    of = {t: rows.dropna(axis="columns", how="all") for t, rows in read.groupby("task")}
    bias = of["format_bias"][of["format_bias"]["model"] == TYPICAL]
    arms = [bias[bias["demos"].astype(int) == n] for n in (0, 5)]
    made: dict[str, Callable[[], Any]] = {
        "bias_f": lambda: [metrics.bias_f([0.2, 0.5, 0.9]), metrics.bias_f([])],
        "est_true": lambda: [
            metrics.est_true(40, 0.8), metrics.est_true(0.4, 0.8), metrics.est_true(0.0, 0.0),
            metrics.est_true(0.0, 0.0, zero_filled=True),
        ],
        "est_true_reliable": lambda: [
            metrics.est_true_reliable([1, 0, 1, 1], 5), metrics.est_true_reliable([1, 0] * 300, 610)
        ],
        "wilson": lambda: [metrics.wilson(0.8, 20), metrics.wilson(0.0, 7, 0.9)],
        "t_interval": lambda: [metrics.t_interval([1, 2, 4, 8]), metrics.t_interval([1])],
        "omni_accuracy": lambda: metrics.omni_accuracy(80, [60, 50, 45]),
        "robustness_score": lambda: [
            metrics.robustness_score(0.5, 0.8, 0.9), metrics.robustness_score(0.0, 1.0)
        ],
        "dir_err": lambda: [
            metrics.dir_err(gold, said, t, parsed_only=p) for t in framed for p in (False, True)
        ],
        "framing_pull": lambda: metrics.framing_pull(framed, dict.fromkeys(framed, 0.15)),
        "model_binary_score": lambda: metrics.model_binary_score(core, spread),
        "model_binary_parts": lambda: metrics.model_binary_parts(core, spread),
        "model_binary_core": lambda: metrics.model_binary_core(core),
        "mitigates": lambda: [
            metrics.mitigates(9.0, after, {"a": 0.5}, {"a": fi})
            for after in (8.0, 9.5) for fi in (0.4, 0.6)
        ],
        "random_guesser": lambda: table(metrics.random_guesser(of["binary_qa"], draws=50, seed=1)),
        "mitigation_verdict": lambda: list(
            map(str, metrics.mitigation_verdict(*arms, metrics.Interval(resamples=200)))
        ),
        "Interval": lambda: repr(metrics.Interval()),
    }  # fmt: skip
    return {name: plain(value()) for name, value in made.items()}


# --- Decisions: the command line -----------------------------------------------------------------

POLICY = """\
version: 1
models: [respondent/typical]
max_left_out: 0.2
rules:
- {name: notices, task: knowno, metric: omni_accuracy, min: 0.5}
- {task: knowno, metric: omni_accuracy, subset: "*", bound: low, min: 0.4, min_items: 3}
- {task: instruction_boundary, metric: rs_vanilla, min: 0.5}
- {task: instruction_boundary, metric: moved_rate, max: 0.5,
   levels: {family: judging, setting: conformity}}
- {task: mathcomp, metric: framing_pull, min: -0.15, max: 0.15}
- {task: format_bias, metric: fi, min: 0.8, model: "respondent/[st]*"}
- {task: format_bias, metric: bias_f, max: 150}
- {task: binary_qa, metric: "mbs*", min: 70}
- {task: binary_qa, metric: delta_recall, min: -0.2, max: 0.2, min_items: 30}
- {metric: no_such_metric, min: 0.1}
"""
LENIENT = "version: 1\nrules: [{task: knowno, metric: omni_accuracy, min: 0}]\n"
PRICES = "a/b: {input: 2, output: 8}\nopenai/gpt-5: {input: 1.25, output: 10}\n"
_PLAN = ("plan", "--models", "a/b, openai/gpt-5", "--prices", "prices.yaml", "--task")
_CALIBRATE = ("calibrate", "--items", "6", "--repetitions", "2", "-o", "out/c.json", "--task")
# By name: the arguments. What they write lands in `out`.
COMMANDS: Mapping[str, Sequence[str]] = {
    **{f"plan {t}": (*_PLAN, t, "-T", "items=6", "--width", "0.2") for t in TASKS},
    "plan several": (
        *_PLAN, "knowno", "--task", "binary_qa", "--epochs", "3", "-T", "items=8",
        "--rate", "10", "--hidden-reasoning", "50",
    ),
    "plan roles": (
        *_PLAN, "instruction_boundary", "-T", "items=4", "-T", "polish=model", "-T",
        "judge=required", "--grader", "a/b", "--polisher", "c/d",
    ),
    "plan wrong": (*_PLAN, "knowno", "-T", "colour=red"),
    "gate": ("gate", "runs", "--policy", "policy.yaml", "--junit", "out/gate.xml"),
    "gate quiet": ("gate", "logs/knowno-generic.eval", "--policy", "lenient.yaml", "--quiet"),
    "gate logs": ("gate", "logs", "--policy", "policy.yaml"),
    "gate init": ("gate", "--init"),
    "compare": ("compare", "runs", "--baseline", TYPICAL, "-o", "out/compare.json"),
    "compare some": (
        "compare", "runs/knowno-typical.eval", "runs/knowno-agreeable.eval",
        "runs/binary_qa-typical.eval", "runs/binary_qa-agreeable.eval",
        "--baseline", "respondent/agreeable", "--model", "respondent/t*",
        "--metric", "o*", "--metric", "mbs*", "--descriptive", "--by", "subset", "-o",
        "out/compare.md",
    ),
    "compare csv": (
        "compare", "runs/knowno-typical.eval", "runs/knowno-random.eval", "--baseline", TYPICAL,
        "--quiet", "-o", "out/compare.csv",
    ),
    "compare wrong": ("compare", "runs", "--baseline", "nobody"),
    "report": ("report", "logs/knowno-epochs.eval", "-o", "out/report.csv"),
    "report nothing": ("report", "empty", "-o", "out/report.md"),
    "export": ("export", "logs", "-o", "out/observations.csv"),
    "export charts": ("export", "runs/knowno-typical.eval", "--charts", "out"),
    **{f"calibrate {t}": (*_CALIBRATE, t, "--respondent", LEANING[t]) for t in TASKS},
    "calibrate files": (
        "calibrate", "--items", "6", "--repetitions", "2", "--task", "knowno", "--respondent",
        "oracle", "--respondent", "mute", "-o", "out/c.md", "--quiet",
    ),
    "data list": ("data", "list"),
    **{f"show {t}": ("data", "show", t, "-n", "1") for t in TASKS},
    "show parameters": (
        "data", "show", "format_bias", "--subset", "gsm8k", "-T", "demos=1", "-T", "repeat=3",
        "-T", "format=bolding", "-T", "prompting=zs",
    ),
    "show wrong": ("data", "show", "chess"),
    **{f"template {t}": ("data", "template", t) for t in TASKS},
    **{f"template csv {t}": ("data", "template", t, "--csv") for t in TASKS},
    **{f"verify {t}": ("data", "verify", t, "--data", "bundled") for t in TASKS},
    **{f"verify own {t}": ("data", "verify", t, "--data", f"own-{t}.jsonl", "--json")
       for t in TASKS},
    "finetune": (
        "data", "finetune", "--from", "runs", "--n", "12", "--model", "respondent/sloppy",
        "--category", "wrapping", "-o", "out/chats.jsonl",
    ),
    "judge-check": ("judge-check", "--grader", "respondent/typical", "--log-dir", "judged"),
    "help": ("--help",),
}  # fmt: skip


def decision(name: str) -> dict[str, Any]:
    """What a command prints, writes and ends with."""
    shutil.rmtree("out", ignore_errors=True)
    Path("out").mkdir()
    return _invoke(*COMMANDS[name]) | {
        "files": {p.name: _content(p) for p in sorted(Path("out").rglob("*")) if p.is_file()}
    }


def _invoke(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(command_line(), list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return {"exit": done.exit_code, "stdout": normal(done.stdout), "stderr": normal(done.stderr)}


def command_line() -> click.Group:
    """The command `askew`, from where the package says it is."""
    (entry,) = (e for e in entry_points(group="console_scripts") if e.name == "askew")
    group: click.Group = entry.load()
    return group


def _content(path: Path) -> Any:
    text = normal(path.read_text(encoding="utf-8"))
    if path.suffix == ".svg":
        # A drawing's geometry belongs to the drawing library; its words are ours.
        return sorted(html.unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", text))
    return json.loads(text) if path.suffix == ".json" else text


# --- Names ---------------------------------------------------------------------------------------


def public() -> dict[str, Any]:
    """What users can call, with parameters and defaults."""
    names = {
        m: {n: _signature(getattr(importlib.import_module(m), n)) for n in sorted(
            importlib.import_module(m).__all__)}
        for m in ("askew", "askew.metrics", "askew.analysis")
    }  # fmt: skip
    importlib.import_module("askew._registry")  # From here on Inspect knows what askew registers.
    found = registry_find(lambda i: i.name.startswith("askew/"))
    registered = {f"{registry_info(o).type} {registry_info(o).name}": o for o in found}
    return {
        "names": names,
        "registered": {name: _signature(o) for name, o in sorted(registered.items())},
        "commands": _command(command_line()),
    }


def _signature(value: Any) -> Any:
    if not callable(value):
        return type(value).__name__
    return [
        f"{p.kind.name.lower()} {p.name}"
        + ("" if p.default is p.empty else f" = {_default(p.default)}")
        for p in inspect.signature(value).parameters.values()
    ]


def _default(value: Any) -> str:
    return f"a {type(value).__name__}" if " at 0x" in repr(value) else repr(value)


# How click calls the option that it adds itself, in older and newer versions.
_HELP = ("help", "_click_default_help")


def _command(command: click.Command) -> dict[str, Any]:
    """A command as click knows it when it runs: what papers add is part of it."""
    context = click.Context(command)
    given = [p for p in command.get_params(context) if p.name not in _HELP]
    told: dict[str, Any] = {
        "help": command.help,
        "parameters": {str(p.name): _parameter(p) for p in given},
    }
    if isinstance(command, click.Group):
        there = {n: command.get_command(context, n) for n in command.list_commands(context)}
        told["commands"] = {n: _command(c) for n, c in sorted(there.items()) if c}
    return told


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    kept = ("opts", "secondary_opts", "required", "multiple", "nargs", "is_flag", "help", "default")
    told = {k: v for k, v in parameter.to_info_dict().items() if k in kept}
    kind = parameter.type
    told["type"] = list(kind.choices) if isinstance(kind, click.Choice) else kind.name
    return {k: v if isinstance(v, bool | int | float | list | None) else str(v)
            for k, v in told.items()}  # fmt: skip


# --- Normal forms --------------------------------------------------------------------------------

_MOMENT = re.compile(
    r"20\d\d-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d)?(?:\.\d+)?(?: ?UTC|[+-]\d\d:?\d\d|Z)?"
)


def normal(text: str) -> str:
    """Text without moments, places and versions."""
    return _MOMENT.sub("<time>", placeless(text)).replace(
        f"askew {askew.__version__}", "askew <version>"
    )


def placeless(text: str) -> str:
    """Text without the folder that is worked in."""
    place = os.getcwd()
    return text.replace(f"{place}/", "").replace(place, ".")


def plain(value: Any) -> Any:
    """A value as JSON holds it: numbers with as many digits as mean something."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, pd.DataFrame):
        return table(value)
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    return None if value is pd.NA else str(value)


def table(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """A table's rows; cells that hold nothing are left out."""
    return [
        {str(k): plain(v) for k, v in row.items() if not (pd.api.types.is_scalar(v) and pd.isna(v))}
        for row in rows.to_dict("records")
    ]


def table_text(rows: pd.DataFrame) -> str:
    """A table as CSV."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(rows.columns)
    for row in rows.itertuples(index=False, name=None):
        lines.writerow(["" if pd.isna(v) else plain(v) for v in row])
    return out.getvalue()


# --- Parts ---------------------------------------------------------------------------------------

PARTS: Mapping[str, Callable[[], Any]] = {
    "public.json": public,
    "formulas.json": formulas,
    "columns.json": columns,
    "prompts/judges.json": judges,
    **{f"prompts/{t}.json": lambda t=t: prompts(t) for t in TASKS},
    **{
        f"{logs}/{name}": made
        for logs in ("logs", "runs")
        for name, made in {
            "observations.json": lambda logs=logs: observations(logs),
            "summarize.csv": lambda logs=logs: summary(logs),
        }.items()
    },
    "logs/points.csv": lambda: points("logs"),
    "logs/report.html": lambda: report(_PAGE, ".html"),
    "runs/report.json": lambda: report("runs", ".json"),
    "runs/report.md": lambda: report("runs", ".md"),
    **{f"decisions/{n.replace(' ', '-')}.json": lambda n=n: decision(n) for n in COMMANDS},
}  # fmt: skip
"""By file name: what computes it, in a folder that `prepared` made."""


@contextlib.contextmanager
def prepared(data: Path = DATA) -> Iterator[Path]:
    """A folder of its own to work in, with the frozen logs and files that commands take."""
    settings = {
        "INSPECT_LOG_LEVEL": "error", "INSPECT_LOG_DIR": "unnamed", "ASKEW_CACHE": "no-cache",
        "COLUMNS": "100",
    }  # fmt: skip
    without = ("ASKEW_MIRROR", "INSPECT_EVAL_MODEL", "NO_COLOR", "FORCE_COLOR")
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        try:
            for name in without:
                os.environ.pop(name, None)
            os.environ.update(settings)
            for name in ("logs", "runs"):
                if (data / name).is_dir():
                    _copy_logs(data / name, Path(name))
            Path("empty").mkdir()
            for name, text in (("policy", POLICY), ("lenient", LENIENT), ("prices", PRICES)):
                Path(f"{name}.yaml").write_text(text, encoding="utf-8")
            for task in TASKS:
                Path(f"own-{task}.jsonl").write_text(_template(task), encoding="utf-8")
            yield Path(made)
        finally:
            os.environ.clear()
            os.environ.update(before)


@lru_cache
def _template(task: str) -> str:
    return str(_invoke("data", "template", task)["stdout"])


def _copy_logs(source: Path, target: Path) -> None:
    """Logs alone, in the order of their names also by time."""
    target.mkdir()
    for second, path in enumerate(sorted(source.glob("*.eval"))):
        copied = target / path.name
        shutil.copyfile(path, copied)
        os.utime(copied, (1_700_000_000 + second,) * 2)


def computed(part: str) -> Any:
    """A part as the code at hand gives it, in the form in which it is frozen."""
    value = PARTS[part]()
    return value if isinstance(value, str) else json.loads(placeless(json.dumps(plain(value))))


def frozen(part: str, data: Path = DATA) -> Any:
    """A part as it was frozen."""
    text = gzip.decompress((data / f"{part}.gz").read_bytes()).decode("utf-8")
    return json.loads(text) if part.endswith(".json") else text


def write(part: str, value: Any, data: Path) -> None:
    """Freeze a part; equal values give equal files."""
    text = value
    if not isinstance(value, str):
        text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    target = data / f"{part}.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def main(out: str, only: str = "") -> None:
    """Freeze all parts, or those whose names hold a text."""
    data = Path(out).resolve()
    with prepared(data):
        for name, make in (("logs", make_logs), ("runs", make_runs)):
            if not list((data / name).glob("*.eval")):
                shutil.rmtree(data / name, ignore_errors=True)
                make(data / name)
    with prepared(data):
        for part in PARTS:
            if only in part:
                began = time.monotonic()
                write(part, computed(part), data)
                size = (data / f"{part}.gz").stat().st_size
                print(f"{part}: {size:,} bytes, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
