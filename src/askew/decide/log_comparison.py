"""Two sides of Inspect logs, whoever wrote the tasks: which scores differ, and on which samples."""

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from askew.decide.compare import INCONCLUSIVE, NOT_COMPARABLE, fits, verdict
from askew.decide.policy import EXIT_CODES, MAX_LEFT_OUT, overall
from askew.logs.locations import Logs
from askew.logs.runs import differing
from askew.logs.scores import NO_NUMBER, Run, Scores, describe_lost, describe_replaced, read_scores
from askew.parameters import SelectionError, check_fraction, name_hint
from askew.schema import NUMBER, PERCENT, POINTS, Unit
from askew.stats.intervals import LEVEL, wilson
from askew.stats.p_values import holm_adjusted
from askew.stats.paired import paired_test
from askew.untrusted import one_line

MARGIN = 0.05
# The reason of a run or measure that one side lacks.
only_in = "only in {}".format
SIDES = ("a", "b")
# The same question has the same text and the same target.
_QUESTION = ("input", "target")
_FLIP = ["sample_id", "epoch", "measure", *(
    f"{name}_{side}" for name in ("value", "answer", "log", "target") for side in SIDES
), "task", "model", "first", "second"]  # fmt: skip
_KEY = ("measure", "epoch", "sample_id")
_SETTING = ["task", "model", "setting", *SIDES]
# What the row of what can't be compared says.
_NO_NUMBERS = {"incomplete": True, "fraction": True, "n": 0, "test": "", "p_value": math.nan,
               "p_corrected": math.nan, "p_equal": math.nan}  # fmt: skip
_COLUMNS = [
    "task", "model", "measure", "first", "second", "difference", "low", "high", "p_value",
    "p_corrected", "p_equal", "test", "verdict", "better", "fraction", "margin", "mde", "n",
    "n_clusters", "risen", "fallen", "outcome", "incomplete", "reason",
]  # fmt: skip


@dataclass(frozen=True)
class Terms:
    """What of two sides is compared and what decides it, as `compare_logs` takes it."""

    # Without any `lower_is_better`, not even of none, scores beyond 0 to 1 are higher or lower.
    score: Sequence[str] = ("*",)
    margin: float | None = None
    max_loss: float | None = None
    lower_is_better: Sequence[str] | None = ()
    allow_diff: Sequence[str] = ()
    level: float = LEVEL
    max_left_out: float = MAX_LEFT_OUT


@dataclass(frozen=True)
class LogComparison:
    """Two sides of logs, compared: a row a task, pair of models and measure."""

    labels: tuple[str, str]
    table: pd.DataFrame = field(repr=False)
    flips: pd.DataFrame = field(repr=False)  # samples whose scores differ, with both answers, logs
    differs: pd.DataFrame = field(repr=False)  # settings in which compared runs differ
    notes: tuple[str, ...] = ()
    level: float = LEVEL
    max_loss: float | None = None

    @property
    def n_compared(self) -> int:
        return int((self.table["verdict"] != NOT_COMPARABLE).sum())

    @property
    def outcome(self) -> str:
        """Pass, fail or inconclusive by `max_loss`; empty without one."""
        return "" if self.max_loss is None else overall(self.table["outcome"])

    @property
    def exit_code(self) -> int:
        """0: pass, or compared; 1: fail; 3: inconclusive, or nothing could be compared."""
        return EXIT_CODES[(self.outcome or "pass") if self.n_compared else INCONCLUSIVE]


def compare_logs(
    a: Logs, b: Logs, *, labels: tuple[str, str] | None = None, score: Sequence[str] = ("*",),
    cluster_by: str = "", margin: float | None = None, max_loss: float | None = None,
    lower_is_better: Sequence[str] = (), allow_diff: Sequence[str] = (), level: float = LEVEL,
    quiet: bool = True,
) -> LogComparison:  # fmt: skip
    """Compare two logs, or two folders of logs, of the same Inspect tasks, sample by sample.

    Samples are paired by id, and by epoch where both sides have the same epochs; else the mean
    over a sample's epochs counts. Right or wrong answers are tested by McNemar's exact test, other
    scores by a paired t, clustered samples by a cluster-robust t; p-values are corrected over all
    rows (Holm).

    Args:
        a: The first side: a file, a folder, an `EvalLog`, or a list of these.
        b: The second side. Differences are its scores minus the first's.
        labels: What to call the sides; default their folders or files.
        score: Measures to compare (globs): scorers, or `scorer/key`.
        cluster_by: A key of the samples' metadata that names each sample's cluster; default for
            askew's tasks the clusters of their items, else each sample.
        margin: Differences within it are equivalent; default 0.05 for scores from 0 to 1.
        max_loss: The largest loss that passes: adds an outcome to each row, as for a gate. Nothing
            passes where more than 5% of a side's samples have no score, or of the first's no pair,
            where a log can't be read, or one side lacks a task, model or measure.
        lower_is_better: Measures (globs) of which less is better.
        allow_diff: "input", "target" or "scorer": what may differ between the sides.
        level: The confidence level.
        quiet: No progress on stderr.

    Returns:
        The comparison: `table`, `flips`, `differs`, `notes`, and `exit_code`.

    Raises:
        ValueError: The sides have no task or measure in common.
    """
    if (margin is not None and not margin > 0) or (max_loss is not None and not max_loss >= 0):
        raise SelectionError(f"margin={margin}, max_loss={max_loss}: give positive numbers")
    check_fraction("level", level)
    known = ("input", "target", "scorer")
    if unknown := [name for name in allow_diff if name not in known]:
        raise SelectionError(f"allow_diff: no {unknown[0]!r}; there are: {', '.join(known)}")
    sides = [read_scores(of, cluster_by=cluster_by, quiet=quiet) for of in (a, b)]
    named = labels or (_label(a), _label(b))
    terms = Terms(score, margin, max_loss, lower_is_better, allow_diff, level)
    return compare_scores(sides, named if named[0] != named[1] else ("A", "B"), terms)


def _label(logs: Logs) -> str:
    """A file's name without its ending, a folder's name; else nothing."""
    path = os.path.normpath(os.fspath(logs)) if isinstance(logs, str | os.PathLike) else ""
    return one_line(os.path.splitext(os.path.basename(path))[0]) if path else ""


def compare_scores(sides: Sequence[Scores], named: tuple[str, str], terms: Terms) -> LogComparison:
    """Compare the scores of two sides, as `compare_logs` does those of their logs."""
    pairs, notes = _pairs(sides, named)
    for side, label in zip(sides, named, strict=True):
        if side.rows.empty:
            lost = describe_lost(sum(side.lost.values(), Counter()))
            why = "; ".join([*filter(None, [lost]), *side.refused.values()])
            raise SelectionError(
                f"no sample of {label} has a score ({why or 'the logs have no samples'})"
            )
    own, others = (set(side.rows["measure"]) for side in sides)
    if not any(fits(measure, terms.score) for measure in own & others):
        hint = name_hint(terms.score[0], own | others)
        raise SelectionError(f"score={terms.score[0]!r}: no measure in both sides. {hint}")
    notes += [f"not read: {one_line(why)}" for side in sides for why in side.unread]
    notes += [note for side in sides for note in describe_replaced(side)]
    return _compare_pairs([(runs, named) for runs in pairs], sides, named, terms, notes)


def compare_models(scores: Scores, level: float = LEVEL) -> LogComparison | None:
    """Compare every two models of a task, p-values corrected over all; None without two."""
    # Nobody said which way is better: of scores beyond 0 to 1 the verdict is "higher" or "lower".
    scored = sorted({*scores.rows[["task", "model"]].itertuples(index=False, name=None)})
    pairs = [((a, b), (a[1], b[1])) for a, b in combinations(scored, 2) if a[0] == b[0]]
    terms = Terms(level=level, lower_is_better=None)
    both = (scores, scores)
    return _compare_pairs(pairs, both, ("first", "second"), terms) if pairs else None


def mean_scores(scores: Scores, level: float = LEVEL) -> pd.DataFrame:
    """Each score's mean by task and model, with its interval: a sample counts once over epochs."""
    # Of right or wrong answers the interval is Wilson's, of others and of clusters Student's.
    rows, beyond = [], _beyond(scores)
    for key, own in scores.rows.groupby(["task", "model", "measure"], sort=True):
        of = own.groupby("sample_id", sort=False)
        values = of["value"].mean().to_numpy(float)
        clusters = pd.factorize(of["cluster"].first())[0]
        found = paired_test(np.zeros(len(values)), values, clusters, level)
        low, high = found.interval(level)
        task, model, measure = map(str, key)
        fraction = (_plain(task), measure) not in beyond
        if fraction and found.n_clusters == found.n and np.isin(values, (0.0, 1.0)).all():
            low, high = wilson(found.second, found.n, level)
        elif fraction:
            low, high = max(0.0, low), min(1.0, high)
        rows.append({
            "task": task, "model": model, "measure": measure, "value": found.second, "low": low,
            "high": high, "n": found.n, "n_clusters": found.n_clusters,
            "epochs": int(own["epoch"].nunique()), "fraction": fraction,
        })  # fmt: skip
    return pd.DataFrame(rows)


def _compare_pairs(
    pairs: Sequence[tuple[tuple[Run, Run], tuple[str, str]]], sides: Sequence[Scores],
    named: tuple[str, str], terms: Terms, notes: Sequence[str] = (),
) -> LogComparison:  # fmt: skip
    """Compare pairs of runs, each with its labels, by each of their measures."""
    rows, flips, differs, notes = list[dict[str, Any]](), [], list[tuple[Any, ...]](), [*notes]
    beyond, is_strict = _beyond(*sides), "scorer" not in terms.allow_diff
    unread, is_limited = any(side.unread for side in sides), terms.max_loss is not None
    for runs, labels in pairs:
        task, model = runs[0][0], " → ".join(dict.fromkeys(one_line(run[1]) for run in runs))
        at, of_runs = {"task": task, "model": model}, [*zip(sides, runs, strict=True)]
        own, other = (side.settings[run] for side, run in of_runs)
        changed = differing([own, other])
        differs += [(task, model, k, own.get(k, ""), other.get(k, "")) for k in changed]
        if refused := [side.refused[run] for side, run in of_runs if run in side.refused]:
            rows.append({**at, "measure": "", "reason": refused[0]})
            continue
        parts = [s.rows[(s.rows[["task", "model"]] == [*run]).all(axis=1)] for s, run in of_runs]
        lost = [_lost(+side.lost.get(run, Counter()), terms.score) for side, run in of_runs]
        for count, label in zip(lost, labels, strict=True):
            if count:
                notes.append(f"{task}: samples of {label} without a score: {describe_lost(count)}")
        both, told = _shared_samples(parts, labels, terms)
        there = {*parts[0]["measure"], *parts[1]["measure"]}
        measures, is_over = sorted(m for m in there if fits(m, terms.score)), False
        for measure in measures or [""] * any(part.empty for part in parts):
            found, why = both[both["measure"] == measure], ""
            if found.empty:
                why = "no sample was scored in both"
            elif is_strict and f"scorer.{measure.partition('/')[0]}" in changed:
                why = "scored with other options (askew compare A B --allow-diff scorer)"
            elif found["cluster_a"].nunique() < 2:
                why = "a single sample, or cluster, has no interval"
            fraction = (_plain(task), measure) not in beyond
            # Samples without this score; of the first side's also those without a pair.
            gone = [_lost(count, (measure,)).total() for count in lost]
            n_a, n_b = (
                n + int((part["measure"] == measure).sum())
                for n, part in zip(gone, parts, strict=True)
            )
            over = unread or n_a - int(found["n_a"].sum()) > terms.max_left_out * n_a
            over |= gone[1] > terms.max_left_out * n_b
            is_over |= over
            row: dict[str, Any] = {**at, "measure": measure, "reason": why}
            row |= {"fraction": fraction, "incomplete": over}
            if not why:
                row |= _numbers(found, terms, fraction)
                moved = found[found["value_a"] != found["value_b"]]
                flips.append(moved.assign(**at, first=labels[0], second=labels[1]))
            rows.append(row)
        if is_limited and is_over:
            more = f"more than {terms.max_left_out:.0%} without a score or not compared"
            notes.append(f"{task}: nothing passes with {more}, or with an unread log")
        notes += [f"{task}: {note}" for note in told]
    # What one side lacks may have been lost, or be worse.
    taken = {run for runs, _ in pairs for run in runs}
    rows += [
        {"task": t, "model": one_line(m), "measure": "", "reason": only_in(label)}
        for side, label in zip(sides, named, strict=True) for t, m in side.settings
        if is_limited and (t, m) not in taken
    ]  # fmt: skip
    table = _with_verdicts(rows, terms)
    changes = pd.concat(flips, ignore_index=True) if flips else pd.DataFrame(columns=_FLIP)
    return LogComparison(
        named, table, changes.reindex(columns=_FLIP), pd.DataFrame(differs, columns=_SETTING),
        tuple(notes), terms.level, terms.max_loss,
    )  # fmt: skip


def _lost(count: Counter[str], measures: Sequence[str]) -> Counter[str]:
    """The samples without any score, and those without a number as one of these measures."""
    own = {w for w in count if fits(w.removeprefix(NO_NUMBER), measures)}
    return Counter({w: n for w, n in count.items() if w in own or not w.startswith(NO_NUMBER)})


def _shared_samples(
    parts: Sequence[pd.DataFrame], labels: Sequence[str], terms: Terms
) -> tuple[pd.DataFrame, list[str]]:
    """The samples of both sides beside each other, and notes on what is not held together."""
    measures, epochs, ids = ([set(part[c]) for part in parts] for c in _KEY)
    notes = [
        f"{measure} is {only_in(label)}"
        for label, own, other in zip(labels, measures, measures[::-1], strict=True)
        for measure in sorted(own - other) if fits(measure, terms.score)
    ]  # fmt: skip
    key, parts = [*_KEY], [part.assign(n=1) for part in parts]
    if epochs[0] != epochs[1]:
        counts = " and ".join(str(len(of)) for of in epochs)
        notes.append(f"{counts} epochs: the mean over a sample's epochs counts")
        key.remove("epoch")
        how = dict.fromkeys(parts[0].columns.difference(key), "first")
        how |= {"value": "mean", "n": "sum"}
        parts = [part.groupby(key, sort=False, as_index=False).agg(how) for part in parts]
    both = parts[0].merge(parts[1], on=key, suffixes=("_a", "_b"))
    both = both.rename(columns={"epoch_a": "epoch"})
    for name in _QUESTION:
        differ = both[f"{name}_a"] != both[f"{name}_b"]
        if name not in terms.allow_diff and differ.any():
            n, of = (both.loc[at, "sample_id"].nunique() for at in (differ, slice(None)))
            notes.append(
                f"{n} of {of} samples have another {name} under the same id and are not compared "
                f"(to pair them: askew compare A B --allow-diff {name})"
            )
            both = both[~differ]
    for label, here, there in zip(labels, ids, ids[::-1], strict=True):
        if alone := len(here - there):
            notes.append(f"{alone} of {len(here)} samples {only_in(label)}")
    return both, notes


def _numbers(found: pd.DataFrame, terms: Terms, fraction: bool) -> dict[str, Any]:
    """The numbers of one measure; a sample counts once, whatever its epochs."""
    of = found.groupby("sample_id", sort=False)
    first, second = (of[f"value_{side}"].mean().to_numpy(float) for side in SIDES)
    test = paired_test(first, second, pd.factorize(of["cluster_a"].first())[0], terms.level)
    low, high = test.interval(terms.level)
    margin = math.nan if terms.margin is None else terms.margin
    if fraction:
        margin = MARGIN if terms.margin is None else margin
        low, high = max(-1.0, low), min(1.0, high)
    return vars(test) | {
        "low": low, "high": high, "mde": test.detectable(terms.level), "margin": margin,
        "p_equal": test.p_equal(margin), "paired": test,
    }  # fmt: skip


def _with_verdicts(rows: Sequence[dict[str, Any]], terms: Terms) -> pd.DataFrame:
    """The rows with corrected p-values, a verdict each, and an outcome where a loss is limited."""
    rows, limit, max_loss = [_NO_NUMBERS | r for r in rows], 1 - terms.level, terms.max_loss
    known = [r for r in rows if "paired" in r]
    within = [r["measure"] for r in known if r["fraction"]]
    if max_loss is not None and max_loss >= 1 and within:
        raise SelectionError(
            f"max_loss={max_loss:g}: {one_line(within[0])} is from 0 to 1 and can't lose more, so "
            "nothing could fail: 0.03 is 3 points; or choose other scores"
        )
    p_values = holm_adjusted(np.array([row["p_value"] for row in known]))[0]
    for row, p_value in zip(known, p_values, strict=True):
        row["p_corrected"] = p_value
    for row in rows:
        is_known = row["fraction"] or terms.lower_is_better is not None
        falls = fits(row["measure"], terms.lower_is_better or ())
        row["better"] = "lower" if falls else "higher" if is_known else "neither"
        row |= {"verdict": verdict(row, limit, row["better"]), "outcome": INCONCLUSIVE}
    if max_loss is not None:
        # One-sided p-values that more than the limit was lost, or less. All rows must pass, which
        # needs no correction; one that fails must be sure among all.
        signs = [-1 if row["better"] == "lower" else 1 for row in known]
        lost, kept = (
            np.array([row["paired"].p_beyond(-max_loss * sign, way * sign)
                      for row, sign in zip(known, signs, strict=True)])
            for way in (-1, 1)
        )  # fmt: skip
        for row, p_lost, p_kept in zip(known, holm_adjusted(lost)[0], kept, strict=True):
            if p_kept < limit / 2:
                row["outcome"] = INCONCLUSIVE if row["incomplete"] else "pass"
            elif p_lost < limit / 2:
                row["outcome"] = "fail"
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return table.drop(columns=[] if max_loss is not None else ["outcome", "incomplete"])


def units_of(row: Mapping[Any, Any]) -> tuple[Unit, Unit]:
    """What scores and their differences are written in: percent and points from 0 to 1."""
    within = row["fraction"]
    return PERCENT if within else NUMBER, replace(POINTS if within else NUMBER, signed=True)


def _plain(task: str) -> str:
    """A task's name without its package."""
    return task.rpartition("/")[2]


def _beyond(*sides: Scores) -> set[tuple[str, str]]:
    """Tasks and measures that have a value below 0 or above 1, of whatever model and side."""
    rows = pd.concat([side.rows for side in sides])
    rows = rows[~rows["value"].between(0, 1)]
    return {*zip(rows["task"].map(_plain), rows["measure"], strict=True)}


def _pairs(
    sides: Sequence[Scores], labels: Sequence[str]
) -> tuple[list[tuple[Run, Run]], list[str]]:
    """Which run of one side is held against which of the other, and which is against none."""
    # Tasks fit by name, without their package where that is unique in each side; models by name, or
    # as the only ones of a task.
    n_tasks = [Counter(_plain(t) for t in {t for t, _ in side.settings}) for side in sides]

    def name(run: Run) -> str:
        return _plain(run[0]) if all(n[_plain(run[0])] <= 1 for n in n_tasks) else run[0]

    n_models = [Counter(map(name, side.settings)) for side in sides]
    others: dict[str, list[Run]] = {}
    for run in sides[1].settings:
        others.setdefault(name(run), []).append(run)
    pairs = sorted(
        (one, other) for one in sides[0].settings for other in others.get(name(one), ())
        if one[1] == other[1] or all(n[name(one)] == 1 for n in n_models)
    )  # fmt: skip
    taken = {run for pair in pairs for run in pair}
    notes = [
        f"{one_line(task)}, {one_line(model)}: {only_in(label)}"
        for side, label in zip(sides, labels, strict=True)
        for task, model in side.settings if (task, model) not in taken
    ]  # fmt: skip
    if not pairs:
        there = "; ".join(
            f"{label}: {', '.join(f'{t} ({m})' for t, m in side.settings) or 'nothing'}"
            for side, label in zip(sides, labels, strict=True)
        )
        unread = "; ".join(why for side in sides for why in side.unread)
        what = "model" if {*others} & {name(run) for run in sides[0].settings} else "task"
        raise SelectionError(one_line(
            f"no {what} of one side is a {what} of the other. {there}"
            f"{f'. Not read: {unread}' if unread else ''}", 2_000,
        ))  # fmt: skip
    return pairs, notes
