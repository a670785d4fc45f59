"""What must be there before any rule means anything: models, readable logs, whole runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from askew.decide.pairing import fits
from askew.decide.policy import Check, Policy, unmet
from askew.logs.left_out import ATTRIBUTE, left_out
from askew.papers import asked_for
from askew.report.accounting import runs
from askew.statistics.tables import OVERALL
from askew.untrusted import one_line, whole_characters


def missing_evidence(
    observations: pd.DataFrame, policy: Policy, models: Mapping[str, bool], names: Mapping[str, str]
) -> Iterator[Check]:
    """A check for each thing that keeps the policy from being told, whatever its rules say.

    Args:
        observations: the table that `read_observations` returns.
        policy: what is asked.
        models: every model's label, and whether it is simulated.
        names: Inspect's name of every label.
    """
    for wanted in policy.models:
        if not any(is_model(m, wanted, names) for m in models):
            known = ", ".join(map(one_line, models)) or "none"
            yield unmet("models", f"no such model in the logs; there are: {known}", model=wanted)
    yield from _unread(observations)
    for run in runs(observations):
        share = (run.planned - run.scored) / run.planned if run.planned else 0.0
        if share > policy.max_left_out:
            yield Check(
                unmet("complete runs", "").rule.model_copy(update={"max": policy.max_left_out}),
                "can't tell", f"{run.scored:,} of {run.planned:,} planned samples are scored",
                run.task, run.model, models.get(run.model, False), "left out",
                shown=f"{100 * share:.1f} %", value=share,
            )  # fmt: skip
    for model, simulated in models.items():
        if simulated and not policy.allow_simulated:
            why = "a simulated model; allow_simulated: true takes it"
            yield unmet("real models", why, model=model, simulated=True)


def is_model(label: str, wanted: str, names: Mapping[str, str]) -> bool:
    return fits(label, [wanted]) or fits(names.get(label, label), [wanted])


def _unread(observations: pd.DataFrame) -> Iterator[Check]:
    """Logs that say nothing: what they would have said may be what fails."""
    out = left_out(observations)
    for log in out[out["what"] == "unreadable log"].to_dict("records"):
        yield unmet("readable logs", f"{one_line(log['log'])}: {one_line(log['why'])}")
    for empty in _logs(observations):
        if not empty.get("samples", 1) and not empty["planned"]:
            about = {"task": str(empty["task"]), "model": str(empty["model"])}
            yield unmet("readable logs", f"{one_line(empty['log'])}: it holds no samples", **about)


def _logs(observations: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """What is known of the logs that were read."""
    told = observations.attrs.get(ATTRIBUTE) or {}
    return (log for log in told.get("logs", []) if "run" in log)


class Asked:
    """Which subsets each task and model was asked, beside those that the task asks by itself."""

    def __init__(self, observations: pd.DataFrame) -> None:
        rows = observations.copy(deep=False)
        rows.attrs = {}  # every slice would copy what was left out
        seen = rows[["task", "model", "subset"]].drop_duplicates()
        self._seen = set(seen.itertuples(index=False, name=None))
        self._logs: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for log in _logs(observations):
            self._logs[log["task"], whole_characters(str(log["model"]))].append(log)

    def lacks(self, task: str, model: str, subset: str) -> str:
        """Why numbers over subsets are not over all that a rule names; empty where they are.

        Args:
            task: the task.
            model: the model's label.
            subset: "all", a subset or a pattern.
        """
        logs = self._logs[task, model]
        if not logs:
            return ""
        data = str(logs[0]["settings"].get("data"))
        expected = asked_for(task).selection(data)
        named = [s for s in expected if subset == OVERALL or fits(s, [subset])]
        if missing := [s for s in named if (task, model, s) not in self._seen]:
            return f"not asked, or nothing of it is scored: {', '.join(missing)}"
        chosen = dict.fromkeys(str(log.get("subset") or "") for log in logs)
        if data == "file" and subset == OVERALL and "" not in chosen:
            return f"only asked of its file: {one_line(', '.join(chosen))}"
        return ""
