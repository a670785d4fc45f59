"""What must be there before any rule means anything: models, readable logs, whole runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from askew.decide.pairing import fits
from askew.decide.policy import Check, Policy, unmet
from askew.logs.excluded import Run
from askew.papers import asked_for
from askew.report.study import Study
from askew.stats.tables import OVERALL
from askew.untrusted import one_line


def missing_evidence(
    study: Study, policy: Policy, models: Mapping[str, bool], names: Mapping[str, str]
) -> Iterator[Check]:
    """A check for each thing that keeps the policy from being told, whatever its rules say.

    Args:
        study: what was read.
        policy: what is asked.
        models: every model's label, and whether it is simulated.
        names: Inspect's name of every label.
    """
    for wanted in policy.models:
        if not any(is_model(m, wanted, names) for m in models):
            known = ", ".join(map(one_line, models)) or "none"
            yield unmet("models", f"no such model in the logs; there are: {known}", model=wanted)
    # What a log that says nothing would have said may be what fails.
    unreadable = study.excluded[study.excluded["what"] == "unreadable log"]
    for log in unreadable.to_dict("records"):
        yield unmet("readable logs", f"{one_line(log['log'])}: {one_line(log['why'])}")
    for run in study.runs:
        for empty in run.empty:
            about = {"task": run.task, "model": run.model}
            yield unmet("readable logs", f"{empty}: it holds no samples", **about)
    for run in study.runs:
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


class Coverage:
    """Which subsets each task and model was asked, beside those that the task asks by itself."""

    def __init__(self, study: Study) -> None:
        seen = study.rows[["task", "model", "subset"]].drop_duplicates()
        self._seen = set(seen.itertuples(index=False, name=None))
        self._runs: dict[tuple[str, str], list[Run]] = defaultdict(list)
        for run in study.runs:
            self._runs[run.task, run.model].append(run)

    def gap(self, task: str, model: str, subset: str) -> str:
        """Why numbers over subsets are not over all that a rule names; empty where they are.

        Args:
            task: the task.
            model: the model's label.
            subset: "all", a subset or a pattern.
        """
        runs = self._runs[task, model]
        if not runs:
            return ""
        data = runs[0].data
        expected = asked_for(task).selection(data)
        named = [s for s in expected if subset == OVERALL or fits(s, [subset])]
        if missing := [s for s in named if (task, model, s) not in self._seen]:
            return f"not asked, or nothing of it is scored: {', '.join(missing)}"
        chosen = dict.fromkeys(name for run in runs for name in run.subsets)
        if data == "file" and subset == OVERALL and "" not in chosen:
            return f"only asked of its file: {one_line(', '.join(chosen))}"
        return ""
