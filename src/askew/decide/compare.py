"""Is a model better than a baseline? Paired differences on the samples that both answered."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from askew.papers import get_paper, metric_of, papers
from askew.parameters import SelectionError, name_hint, reading_progress
from askew.report.accounting import config_diff, describe_config_diff, setting_name
from askew.report.blocks import Table
from askew.report.caveats import NO_CEILING, Ceilings
from askew.report.estimates import two_digits
from askew.report.study import Study, at_top, levels_of, names_faulty_logs
from askew.stats.p_values import ClusterDifference, clusters_needed, correct_p_values
from askew.stats.paired import SIDE_NULLS, Pairing
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line

COLUMNS = (
    "baseline_value", "model_value", "difference", "low", "high", "p_value", "p_corrected",
    "p_equal", "noise_off", "verdict", "better_is", "margin", "n_items", "n_clusters", "n_needed",
    "reason", "baseline_ceiling", "model_ceiling", *SIDE_NULLS,
)  # fmt: skip

BETTER, WORSE = "better", "worse"
HIGHER, LOWER = "higher", "lower"
EQUIVALENT = "equivalent"
INCONCLUSIVE = "inconclusive"
NOT_COMPARABLE = "not comparable"

EVERY_MODEL = ("*",)


@dataclass(frozen=True)
class Comparison:
    """Models against a baseline, by their labels; one row a task, metric, model and level."""

    baseline: str
    models: tuple[str, ...]
    simulated: frozenset[str]
    table: pd.DataFrame = field(repr=False)  # `COLUMNS` stand after what tells the rows apart
    mitigations: tuple[Table, ...]  # what papers say of treatments, where that was asked for
    notes: tuple[str, ...]
    level: float  # the confidence level; p-values count from one minus it
    ceilings: Ceilings = NO_CEILING

    @property
    def n_comparisons(self) -> int:
        """How many numbers are defined for both models of a pair, which were asked alike."""
        return int(self.table["p_value"].notna().sum()) if self.models else 0

    @property
    def levels(self) -> list[str]:
        """Level columns that hold something."""
        own = [c for c in levels_of(self.table) if c not in COLUMNS]
        return [c for c in own if self.table[c].notna().any()]


@names_faulty_logs
def compare(
    study: Study, baseline: str, *, models: Sequence[str] = EVERY_MODEL,
    metric: Sequence[str] = ("*",), by: Sequence[str] = (), descriptive: bool = False,
    mitigations: bool | None = False, allow_diff: Sequence[str] = (),
    interval: Interval = DEFAULT_INTERVAL,
    quiet: bool = True,
) -> Comparison:  # fmt: skip
    """Compare models with a baseline, task by task and metric by metric.

    Both models of a pair are reduced to the samples that both answered, and clusters are resampled
    for both together. P-values are corrected over all rows of the table. Runs with other questions,
    prompts or settings than the baseline's are not comparable. A single model is compared with
    itself, mitigation by mitigation, if its task has some.

    Args:
        study: The logs, as `Study.read` returns them.
        baseline: The baseline's label, or Inspect's name of it if that fits one model only.
        models: Labels to compare with it, or glob patterns.
        metric: Metrics to compare, or glob patterns: fewer comparisons are corrected less.
        by: Levels to show value by value ("subset", "format", ...); default only the overall rows.
        descriptive: Also metrics without a better direction.
        mitigations: Also the paper's verdicts on mitigations; naming a metric of theirs in `metric`
            includes them too, unless this is None.
        allow_diff: What may differ between a model's run and the baseline's: "data", "prompts",
            "version", settings such as "temperature", or patterns of these.
        interval: How to compute intervals, and the level of a decision.
        quiet: No progress on stderr.

    Returns:
        The table, its levels, and notes on what could not be compared.

    Raises:
        ValueError: No model, or several, fit `baseline`, or a name fits nothing.
    """
    label, known, parts = label_of(study.rows, baseline), labels(study.rows), study.by_task
    others = [m for m in known if m != label and fits(m, models)]
    both = {label, *others}
    judging = {p.task: p.part("treatments") for p in papers() if p.has("treatments")}
    judged = {task: of for task, of in judging.items() if task in parts}
    treated = [t for t, of in judged.items() if any(of.has_treatment(parts[t], m) for m in both)]
    if not others and not (treated and tuple(models) == EVERY_MODEL):
        there = ", ".join(repr(one_line(m)) for m in known) or "none"
        ways = "; ".join(f"{task}: {of.HOW_TO_ASK}" for task, of in judging.items())
        raise SelectionError(
            f"no model to compare with {one_line(label)!r}; in these logs: {there}. Add logs "
            f"of another model, or run one model with and without a mitigation ({ways})"
        )
    barred, unmatched = unmatched_settings(study, label, others, allow_diff)
    notes: list[str] = []
    tables: list[pd.DataFrame] = []
    with reading_progress(len(parts) * len(others), quiet, "comparing") as on_done:
        for task, model in product(parts, others):
            pair, own_notes = shared_samples(parts[task], label, model)
            notes.extend(f"{task}: {note}" for note in own_notes)
            if len(pair):
                # Groups in order of appearance: the baseline's rows come first.
                drawn = (interval.resamples, interval.level, interval.seed)
                paired = Pairing(*drawn, baseline=label, declared=partial(metric_of, task))
                table = get_paper(task).table(pair, interval=paired).assign(task=task)
                if why := barred.get((task, model)):
                    table = table.assign(**dict.fromkeys(_UNKNOWN, math.nan), reason=why)
                tables.append(table)
                on_done(f"{task}, {one_line(model)}")
    table = _with_verdicts(_chosen(tables, metric, by, descriptive), interval.level)
    compared = set(table["task"])
    high = study.ceilings(interval).only(lambda task, model: task in compared and model in both)
    notes += [*unmatched, *study.early_stops(both), *high.notes]
    table = high.told(high.told(table, label, "baseline_ceiling"), to="model_ceiling")
    # Who asks for all metrics names none.
    named = [p for p in metric if p != "*" and mitigations is not None]
    if not mitigations and others:
        judged = {t: of for t, of in judged.items() if any(fits(m, named) for m in of.METRICS)}
    verdicts = [
        of.compare_arms(parts[t], label, [m for m in others if (t, m) not in barred], interval)
        for t, of in judged.items()
    ]
    if "*" in metric or mitigations is None:
        notes += [
            f"{task}: asked with and without a treatment; --mitigations adds the paper's verdict"
            for task in treated if task not in judged
        ]  # fmt: skip
    simulated = frozenset(m.label for m in study.models if m.simulated)
    return Comparison(
        label, tuple(others), simulated & both, table,
        tuple(t for t in verdicts if t is not None), tuple(notes), interval.level, high,
    )  # fmt: skip


def _chosen(
    tables: Sequence[pd.DataFrame], metric: Sequence[str], by: Sequence[str], descriptive: bool
) -> list[pd.DataFrame]:
    """Of each task and pair of models the rows that were asked for, and those of their floors."""
    known = {level for table in tables for level in levels_of(table)}
    unknown = [level for level in by if level not in known]
    if unknown and tables:
        raise SelectionError(
            f"by={', '.join(by)}: no level {unknown[0]!r}; there are: {', '.join(sorted(known))}"
        )
    kept = []
    for table in tables:
        top = table[at_top(table, by)]
        of = {m: metric_of(str(t), str(m)) for t, m in zip(top["task"], top["metric"], strict=True)}
        floors = [m.floor for m in of.values() if m.floor and fits(m.name, metric)]
        wanted = [
            name for name, m in of.items()
            if fits(str(name), [*metric, *floors]) and (descriptive or m.better != "neither")
        ]  # fmt: skip
        kept.append(top[top["metric"].isin(wanted)])
    if tables and not any(map(len, kept)):
        there = dict.fromkeys(str(m) for t in tables for m in t["metric"])
        raise SelectionError(f"no metric matches {metric[0]!r}. {name_hint(metric[0], there)}")
    return kept


def _with_verdicts(tables: Sequence[pd.DataFrame], level: float) -> pd.DataFrame:
    """The rows with corrected p-values, a verdict each, and what a clear answer would need."""
    levels = dict.fromkeys(c for t in tables for c in levels_of(t)) if tables else ["subset"]
    # A level that other tasks lack stays what it is: 1, not 1.0.
    blank = dict.fromkeys(levels, math.nan)
    rows: list[dict[Any, Any]] = [
        {**blank, **row}
        for table in tables
        for row in table.rename(columns={"value": "difference"}).to_dict("records")
    ]
    # Rows of one task and pair of models were resampled together.
    found = correct_p_values(
        [float(row["p_value"]) for row in rows],
        [(row["task"], row["model"]) for row in rows],
        [row["replicates"] for row in rows],
        level,
    )
    verdicts: dict[Any, str] = {}
    places = [tuple(str(row[c]) for c in ("task", "model", *levels)) for row in rows]
    for row, place, p, p_shown in zip(rows, places, found.p_values, found.levels, strict=True):
        of = metric_of(row["task"], row["metric"])
        row |= {"p_corrected": p, "better_is": of.better, "margin": of.margin}
        row["verdict"] = verdicts[row["metric"], place] = verdict(row, 1 - level, of.better)
        row["n_needed"] = 0  # unknown
        if row["deviation"] > 0 and not math.isnan(p_shown):
            varies = ClusterDifference(row["deviation"], row["most"])
            needed = clusters_needed(of.margin, varies, p_shown)
            row["n_needed"] = two_digits(needed * row["n_items"] / row["n_clusters"])
    # A number differs only where its floor does, too.
    for row, place in zip(rows, places, strict=True):
        floor = metric_of(row["task"], row["metric"]).floor
        beside = verdicts.get((floor, place), row["verdict"])
        if row["verdict"] in (BETTER, WORSE) and beside != row["verdict"]:
            row |= {"verdict": INCONCLUSIVE, "reason": f"{floor}: {beside}"}
    made = pd.DataFrame(rows, columns=["task", "metric", "model", *levels, *COLUMNS])
    return made.assign(**{c: pd.Series([row[c] for row in rows], dtype=object) for c in levels})


# What is not known of models that can't be compared: their rows hold both values, and the reason.
_UNKNOWN = ("value", "low", "high", "p_value", "p_equal", "deviation")


# --- Two models side by side ----------------------------------------------------------------------


def labels(observations: pd.DataFrame) -> list[str]:
    """Labels of the models that have observations."""
    return list(dict.fromkeys(map(str, observations["model"]))) if len(observations) else []


def label_of(observations: pd.DataFrame, name: str) -> str:
    """The label of a model, named in full, as Inspect has it or by its last part, if one fits."""
    known = labels(observations)
    if name in known:
        return name
    named = observations.get("model_name", pd.Series("", observations.index))
    found = labels(observations[named == name]) or [m for m in known if m.endswith(f"/{name}")]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(repr(one_line(m)) for m in (found or known)) or "none"
    what = "is several models here: give the label of one" if found else "is not in these logs"
    more = "" if known else (
        " (of askew's tasks). Of other tasks, askew report without --baseline compares all models"
    )  # fmt: skip
    raise SelectionError(f"baseline {one_line(name)!r} {what}; there are: {shown}{more}")


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of these or fits one of them as a glob pattern."""
    # Labels hold brackets, which a pattern takes for a set of characters.
    return name in patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def shared_samples(part: pd.DataFrame, baseline: str, model: str) -> tuple[pd.DataFrame, list[str]]:
    """Rows of both models on the samples that both answered, and what had to be left out."""
    # Epochs count apart where both models were asked in the same ones.
    arms = [part[part["model"] == name] for name in (baseline, model)]
    for name, arm in zip((baseline, model), arms, strict=True):
        if not len(arm):
            return part[:0], [f"{one_line(name)} was not asked, or no sample of it was scored"]
    if "sample_id" not in part:
        raise SelectionError("observations without a column sample_id can't be paired")
    key = ["subset", "sample_id", "epoch"]
    if set(arms[0]["epoch"]) != set(arms[1]["epoch"]):
        key.remove("epoch")
    samples = [pd.MultiIndex.from_frame(arm[key]) for arm in arms]
    kept = [
        arm[own.isin(other)] for arm, own, other in zip(arms, samples, samples[::-1], strict=True)
    ]
    notes = [
        f"{len(arm) - len(left)} of {len(arm)} replies of {one_line(name)} are left out: the other "
        "model has no scored reply to the same sample"
        for name, arm, left in zip((baseline, model), arms, kept, strict=True)
        if len(left) < len(arm)
    ]
    return pd.concat(kept), notes


def unmatched_settings(
    study: Study, label: str, others: Sequence[str], allow_diff: Sequence[str]
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Where a model was not asked the same questions in the same words under the same settings."""
    # By task and model why these can't be compared, and what to know of all that differs.
    settings = {setting_name(name) for run in study.runs for name in run.settings}
    known = {"data", "prompts", "version"} | settings
    unknown = [what for what in allow_diff if not any(fits(name, [what]) for name in known)]
    if unknown and study.runs:
        there = ", ".join(sorted(known))
        raise SelectionError(
            f"allow_diff={unknown[0]!r}: no run has such a setting; there are: {there}"
        )
    base = {run.task: run for run in study.runs if run.model == label}
    barred, meant = {}, []
    for run in (run for run in study.runs if run.model in others and run.task in base):
        differing = config_diff(run, base[run.task])
        rest = {k: pair for k, pair in differing.items() if not fits(setting_name(k), allow_diff)}
        if rest:
            ways = " ".join(f"--allow-diff {setting_name(key)}" for key in rest)
            problem = f"asked with {describe_config_diff(rest)}; {ways} if that is meant"
            barred[run.task, run.model] = problem
        elif differing:
            what = describe_config_diff(differing)
            meant.append(f"{run.task}: {one_line(run.model)} is compared across {what}")
    notes = [f"{t}: {one_line(m)} {NOT_COMPARABLE}: {why}" for (t, m), why in barred.items()]
    return barred, notes + meant


def verdict(row: Mapping[str, Any], limit: float, better: str) -> str:
    """A word for a difference with `p_corrected`, and `p_equal` of one that matters."""
    if math.isnan(row["p_corrected"]):
        return NOT_COMPARABLE
    if row["p_corrected"] < limit and row["difference"]:
        rises = row["low"] + row["high"] > 0
        if better == "neither":
            return HIGHER if rises else LOWER
        return BETTER if rises == (better == "higher") else WORSE
    return EQUIVALENT if row["p_equal"] < limit else INCONCLUSIVE
