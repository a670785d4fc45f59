"""Two sides of Inspect logs, whoever wrote the tasks: which scores differ, and on which samples."""

import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from askew.decide.compare import BETTER, EQUIVALENT, INCONCLUSIVE, NOT_COMPARABLE, WORSE, fits
from askew.decide.policy import MAX_LEFT_OUT
from askew.logs.locations import Logs
from askew.logs.scores import Run, Scores, describe_lost, describe_replaced, read_scores
from askew.parameters import SelectionError, check_fraction, name_hint
from askew.schema import NUMBER, PERCENT, POINTS, Scalar, Unit
from askew.stats.intervals import LEVEL, wilson
from askew.stats.p_values import holm_adjusted
from askew.stats.paired_tests import PairedTest, paired_test
from askew.untrusted import one_line

MARGIN = 0.05
PASS, FAIL = "pass", "fail"
EXIT_CODES = {PASS: 0, FAIL: 1, INCONCLUSIVE: 3, "": 0}
SIDES = ("a", "b")
# The same question has the same text and the same target.
_QUESTION = ("input", "target")
_FLIP = ["sample_id", "epoch", "measure", *(
    f"{name}_{side}" for name in ("value", "answer", "log", "target") for side in SIDES
)]  # fmt: skip
_OF_PAIR = ["task", "model", "first", "second"]


@dataclass(frozen=True)
class LogComparison:
    """Two sides of logs, compared: a row a task, pair of models and measure."""

    labels: tuple[str, str]
    table: pd.DataFrame = field(repr=False)
    flips: pd.DataFrame = field(repr=False)
    """Samples whose scores differ, with both scores, answers and logs."""
    differs: pd.DataFrame = field(repr=False)
    """Settings in which compared runs differ."""
    notes: tuple[str, ...] = ()
    level: float = LEVEL
    max_loss: float | None = None

    @property
    def n_compared(self) -> int:
        return int((self.table["verdict"] != NOT_COMPARABLE).sum())

    @property
    def outcome(self) -> str:
        """Pass, fail or inconclusive by `max_loss`; empty without one."""
        if self.max_loss is None:
            return ""
        outcomes = set(self.table["outcome"])
        if FAIL in outcomes:
            return FAIL
        return PASS if outcomes == {PASS} else INCONCLUSIVE

    @property
    def exit_code(self) -> int:
        """0: pass, or compared; 1: fail; 3: inconclusive, or nothing could be compared."""
        return EXIT_CODES[self.outcome] if self.n_compared else EXIT_CODES[INCONCLUSIVE]


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
    if named[0] == named[1]:
        named = ("A", "B")
    return compare_scores(
        sides, named, score=score, margin=margin, max_loss=max_loss, allow_diff=allow_diff,
        lower_is_better=lower_is_better, level=level,
    )  # fmt: skip


def compare_scores(
    sides: Sequence[Scores], named: tuple[str, str], *, score: Sequence[str] = ("*",),
    margin: float | None = None, max_loss: float | None = None,
    lower_is_better: Sequence[str] = (), allow_diff: Sequence[str] = (), level: float = LEVEL,
    max_left_out: float = MAX_LEFT_OUT,
) -> LogComparison:  # fmt: skip
    """Compare the scores of two sides, as `compare_logs` does those of their logs."""
    pairs, notes = _pairs(sides, named)
    _check_measures(sides, named, score)
    unread = [f"not read: {one_line(why)}" for side in sides for why in side.unread]
    notes += [*unread, *(note for side in sides for note in describe_replaced(side))]
    rows, flips, differs, told = _compare_pairs(
        [(runs, named) for runs in pairs], sides, score, allow_diff, margin, level,
        max_left_out, max_loss is not None, bool(unread),
    )  # fmt: skip
    notes += told
    if max_loss is not None:  # what one side lacks may have been lost, or be worse
        rows += [
            {"task": t, "model": one_line(m)} | _no_numbers("", only_in(label))
            for side, label, runs in zip(sides, named, zip(*pairs, strict=True), strict=True)
            for t, m in side.settings if (t, m) not in runs
        ]  # fmt: skip
    table = _add_verdicts(pd.DataFrame(rows), level, max_loss, lower_is_better)
    other = pd.DataFrame(differs, columns=["task", "model", "setting", *SIDES])
    return LogComparison(named, table, flips, other, tuple(notes), level, max_loss)


def compare_models(scores: Scores, level: float = LEVEL) -> LogComparison | None:
    """Compare every two models of a task, p-values corrected over all; None without two.

    Nobody said which way is better: of scores beyond 0 to 1 the verdict is "higher" or "lower".
    """
    scored = {*scores.rows[["task", "model"]].itertuples(index=False, name=None)}
    pairs = [
        ((one, other), (one[1], other[1]))
        for one, other in combinations(sorted(scored), 2)
        if one[0] == other[0]
    ]
    if not pairs:
        return None
    rows, flips, _, notes = _compare_pairs(
        pairs, (scores, scores), ("*",), (), None, level, MAX_LEFT_OUT, False, False
    )
    table = _add_verdicts(pd.DataFrame(rows), level, None, None)
    nothing = pd.DataFrame(columns=["task", "model", "setting", *SIDES])
    return LogComparison(("first", "second"), table, flips, nothing, tuple(notes), level)


def mean_scores(scores: Scores, level: float = LEVEL) -> pd.DataFrame:
    """Each score's mean by task and model, with its interval: a sample counts once over epochs.

    Of right or wrong answers the interval is Wilson's, of others and of clusters Student's.
    """
    rows, beyond = [], _beyond(scores)
    by = ["task", "model", "measure"]
    for key, own in scores.rows.groupby(by, sort=True):
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
    columns = [*by, "value", "low", "high", "n", "n_clusters", "epochs", "fraction"]
    return pd.DataFrame(rows, columns=columns)


def _compare_pairs(
    pairs: Sequence[tuple[tuple[Run, Run], tuple[str, str]]], sides: Sequence[Scores],
    score: Sequence[str], allow_diff: Sequence[str], margin: float | None, level: float,
    max_left_out: float, limited: bool, unread: bool,
) -> tuple[list[dict[str, Any]], pd.DataFrame, list[Any], list[str]]:  # fmt: skip
    """The rows, flips, differing settings and notes of pairs of runs with their labels."""
    rows: list[dict[str, Any]] = []
    flips, differs, notes, beyond = [], [], [], _beyond(*sides)
    for runs, named in pairs:
        task = runs[0][0]
        model = " → ".join(dict.fromkeys(one_line(run[1]) for run in runs))
        settings = [side.settings[run] for side, run in zip(sides, runs, strict=True)]
        differs += _setting_differences(task, model, settings)
        parts = [
            side.rows[(side.rows["task"] == run[0]) & (side.rows["model"] == run[1])]
            for side, run in zip(sides, runs, strict=True)
        ]
        at = {"task": task, "model": model}
        refused = [side.refused[run] for run, side in zip(runs, sides, strict=True)
                   if run in side.refused]  # fmt: skip
        if refused:
            rows.append(at | _no_numbers("", refused[0]))
            continue
        incomplete = unread
        for run, side, part, name in zip(runs, sides, parts, named, strict=True):
            if lost := +side.lost.get(run, Counter()):
                notes.append(f"{task}: samples of {name} without a score: {describe_lost(lost)}")
                n = lost.total() + len(part.drop_duplicates(["sample_id", "epoch"]))
                incomplete |= lost.total() > max_left_out * n
        found, changed, told = _compare_runs(
            parts, named, settings, score, allow_diff, margin, level,
            {measure for of, measure in beyond if of == _plain(task)},
        )  # fmt: skip
        # Of the first side's samples, those without a score and those without a pair.
        lost_first = sides[0].lost.get(runs[0], Counter()).total()
        for row in found:
            left_out = lost_first + row["n_first"] - row["n_paired"]
            over = left_out > max_left_out * (lost_first + row["n_first"])
            rows.append(at | row | {"incomplete": incomplete or over})
        if limited and any(row["incomplete"] for row in rows[len(rows) - len(found) :]):
            more = f"more than {max_left_out:.0%} without a score or not compared"
            notes.append(f"{task}: nothing passes with {more}, or with an unread log")
        flips.append(changed.assign(**at, first=named[0], second=named[1]))
        notes += [f"{task}: {note}" for note in told]
    none = pd.DataFrame(columns=[*_FLIP, *_OF_PAIR])
    return rows, pd.concat(flips, ignore_index=True) if flips else none, differs, notes


def _plain(task: str) -> str:
    """A task's name without its package."""
    return task.rpartition("/")[2]


def _beyond(*sides: Scores) -> set[tuple[str, str]]:
    """Tasks and measures that have a value below 0 or above 1, of whatever model and side."""
    rows = pd.concat([side.rows for side in sides])
    rows = rows[~rows["value"].between(0, 1)]
    return {*zip(rows["task"].map(_plain), rows["measure"], strict=True)}


def only_in(label: str) -> str:
    """The reason of a run or measure that one side lacks."""
    return f"only in {label}"


def _no_numbers(measure: str, why: str) -> dict[str, Any]:
    """The row of what can't be compared."""
    counts = dict.fromkeys(("n", "n_first", "n_paired"), 0)
    return {"measure": measure, "reason": why, "incomplete": True, "fraction": True, **counts,
            "test": "", "p_value": math.nan, "p_equal": math.nan}  # fmt: skip


def _check_measures(sides: Sequence[Scores], labels: Sequence[str], score: Sequence[str]) -> None:
    """Raise where nothing can be compared: no scored sample, or no measure of both sides."""
    for side, label in zip(sides, labels, strict=True):
        if side.rows.empty:
            lost = describe_lost(sum(side.lost.values(), Counter()))
            why = "; ".join([*filter(None, [lost]), *side.refused.values()])
            raise SelectionError(
                f"no sample of {label} has a score ({why or 'the logs have no samples'})"
            )
    shared = set(sides[0].rows["measure"]) & set(sides[1].rows["measure"])
    if not any(fits(measure, score) for measure in shared):
        there = dict.fromkeys(m for side in sides for m in side.rows["measure"])
        raise SelectionError(f"no measure in both sides is {score[0]!r}. {name_hint('', there)}")


def _label(logs: Logs) -> str:
    """A file's name without its ending, a folder's name; else nothing."""
    path = os.path.normpath(os.fspath(logs)) if isinstance(logs, str | os.PathLike) else ""
    return one_line(os.path.splitext(os.path.basename(path))[0]) if path else ""


def _pairs(
    sides: Sequence[Scores], labels: Sequence[str]
) -> tuple[list[tuple[Run, Run]], list[str]]:
    """Which run of one side is held against which of the other, and which is against none.

    Tasks fit with or without their package; models by name, or as the only ones of a task.
    """
    own = [_by_task(side.settings, sides) for side in sides]
    pairs, notes = [], []
    for task in own[0].keys() & own[1].keys():
        first, second = (of[task] for of in own)
        if len(first) == len(second) == 1:
            pairs.append((first[0], second[0]))
            continue
        models = {run[1]: run for run in second}
        pairs += [(run, models[run[1]]) for run in first if run[1] in models]
    taken = {run for pair in pairs for run in pair}
    for side, label in zip(sides, labels, strict=True):
        notes += [
            f"{one_line(task)}, {one_line(model)}: {only_in(label)}"
            for task, model in side.settings if (task, model) not in taken
        ]  # fmt: skip
    if not pairs:
        there = "; ".join(
            f"{label}: {', '.join(f'{t} ({m})' for t, m in side.settings) or 'nothing'}"
            for side, label in zip(sides, labels, strict=True)
        )
        unread = "; ".join(why for side in sides for why in side.unread)
        raise SelectionError(one_line(
            f"no task of one side is a task of the other. {there}"
            f"{f'. Not read: {unread}' if unread else ''}", 2_000,
        ))  # fmt: skip
    return sorted(pairs), notes


def _by_task(runs: Iterable[Run], sides: Sequence[Scores]) -> dict[str, list[Run]]:
    """The runs by task, which is named without its package where this is unique in each side."""
    short = [Counter({t.rpartition("/")[2]: 0 for t, _ in side.settings}) for side in sides]
    for count, side in zip(short, sides, strict=True):
        count.update(t.rpartition("/")[2] for t in {t for t, _ in side.settings})
    found: dict[str, list[Run]] = {}
    for run in runs:
        name = run[0].rpartition("/")[2]
        found.setdefault(name if all(of[name] <= 1 for of in short) else run[0], []).append(run)
    return found


def units_of(row: Mapping[Any, Any]) -> tuple[Unit, Unit]:
    """What scores and their differences are written in: percent and points from 0 to 1."""
    within = row["fraction"]
    return PERCENT if within else NUMBER, replace(POINTS if within else NUMBER, signed=True)


def _setting_differences(
    task: str, model: str, settings: Sequence[Mapping[str, Scalar]]
) -> list[tuple[str, str, str, object, object]]:
    a, b = settings
    names = [name for name in dict.fromkeys((*a, *b)) if repr(a.get(name)) != repr(b.get(name))]
    return [(task, model, name, a.get(name, ""), b.get(name, "")) for name in names]


def _compare_runs(
    parts: Sequence[pd.DataFrame], labels: Sequence[str], settings: Sequence[Mapping[str, Scalar]],
    score: Sequence[str], allow_diff: Sequence[str], margin: float | None, level: float,
    beyond: Collection[str],
) -> tuple[list[dict[str, Any]], pd.DataFrame, list[str]]:  # fmt: skip
    """The rows of one pair of runs, the samples that changed, and notes."""
    measures = [set(part["measure"]) for part in parts]
    notes = [
        f"{measure} is {only_in(label)}"
        for label, own, other in zip(labels, measures, measures[::-1], strict=True)
        for measure in sorted(own - other) if fits(measure, score)
    ]  # fmt: skip
    epochs = [set(part["epoch"]) for part in parts]
    key = ["measure", "sample_id", *(["epoch"] if epochs[0] == epochs[1] else [])]
    if len(key) == 2:
        counts = " and ".join(str(len(of)) for of in epochs)
        notes.append(f"{counts} epochs: the mean over a sample's epochs counts")
    both = _shared_samples(parts, key)
    other = {
        name for name in _QUESTION
        if name not in allow_diff and (both[f"{name}_a"] != both[f"{name}_b"]).any()
    }  # fmt: skip
    for name in sorted(other):
        differ = both[f"{name}_a"] != both[f"{name}_b"]
        n, of = (both.loc[at, "sample_id"].nunique() for at in (differ, slice(None)))
        notes.append(
            f"{n} of {of} samples have another {name} under the same id and are not compared "
            f"(to pair them: askew compare A B --allow-diff {name})"
        )
        both = both[~differ]
    own_ids = [set(part["sample_id"]) for part in parts]
    for label, here, there in zip(labels, own_ids, own_ids[::-1], strict=True):
        if alone := len(here - there):
            notes.append(f"{alone} of {len(here)} samples {only_in(label)}")
    rows, changed = [], []
    for measure in sorted(measures[0] | measures[1]):
        if not fits(measure, score):
            continue
        own = both[both["measure"] == measure]
        first = parts[0][parts[0]["measure"] == measure]
        paired = len(own) if len(key) == 3 else int(first["sample_id"].isin(own["sample_id"]).sum())
        options = [of.get(f"scorer.{measure.partition('/')[0]}") for of in settings]
        why = ""
        if not len(own):
            why = "no sample was scored in both"
        elif options[0] != options[1] and "scorer" not in allow_diff:
            why = "scored with other options (askew compare A B --allow-diff scorer)"
        elif own["cluster_a"].nunique() < 2:
            why = "a single sample, or cluster, has no interval"
        fraction = measure not in beyond
        numbers = {"n_first": len(first), "n_paired": paired, "fraction": fraction}
        numbers |= {} if why else _row(own, margin, level, fraction)
        rows.append(_no_numbers(measure, why) | numbers)
        changed.append(own[own["value_a"] != own["value_b"]] if not why else own[:0])
    if not rows and any(part.empty for part in parts):
        rows.append(_no_numbers("", "no sample was scored in both"))
    flips = pd.concat(changed, ignore_index=True) if changed else both[:0]
    return rows, flips.reindex(columns=_FLIP), notes


def _shared_samples(parts: Sequence[pd.DataFrame], key: list[str]) -> pd.DataFrame:
    """The samples of both sides beside each other; epochs that are not shared are averaged."""
    if "epoch" not in key:
        told = {name: "first" for name in parts[0].columns if name not in (*key, "value")}
        parts = [
            part.groupby(key, sort=False, as_index=False).agg({"value": "mean", **told})
            for part in parts
        ]
    both = parts[0].merge(parts[1], on=key, suffixes=("_a", "_b"))
    return both if "epoch" in key else both.assign(epoch=both["epoch_a"])


def _row(
    own: pd.DataFrame, margin: float | None, level: float, fraction: bool
) -> dict[str, Any]:  # fmt: skip
    """The numbers of one measure."""
    # A sample counts once, whatever its epochs.
    of = own.groupby("sample_id", sort=False)
    first, second = (of[f"value_{side}"].mean().to_numpy(float) for side in SIDES)
    clusters = pd.factorize(of["cluster_a"].first())[0]
    found = paired_test(first, second, clusters, level)
    low, high = found.interval(level)
    if fraction:
        margin = MARGIN if margin is None else margin
        low, high = max(-1.0, low), min(1.0, high)
    values = {k: v for k, v in asdict(found).items() if k not in ("error", "degrees")}
    return values | {
        "low": low, "high": high, "mde": found.detectable(level), "of": found,
        "margin": math.nan if margin is None else margin,
        "p_equal": math.nan if margin is None else found.p_equal(margin),
    }  # fmt: skip


def _add_verdicts(
    table: pd.DataFrame, level: float, max_loss: float | None,
    lower_is_better: Sequence[str] | None,
) -> pd.DataFrame:  # fmt: skip
    """The rows with corrected p-values, a verdict each, and an outcome where a loss is limited."""
    known = table["p_value"].notna().to_numpy(bool)
    corrected = np.full(len(table), math.nan)
    corrected[known] = holm_adjusted(table["p_value"].to_numpy(float)[known])[0]
    falls = table["measure"].map(lambda m: fits(m, lower_is_better or ())).to_numpy(bool)
    known_way = table["fraction"].to_numpy(bool) | (lower_is_better is not None)
    better = np.where(falls, "lower", np.where(known_way, "higher", "neither"))
    table = table.assign(p_corrected=corrected, better=better)
    table["verdict"] = [_verdict(row, level) for row in table.to_dict("records")]
    if max_loss is not None:
        signs, beyond = np.where(falls, -1, 1), np.full(len(table), math.nan)
        tests = [*zip(table.get("of", [None] * len(table)), signs, strict=True)]
        kept, lost = (
            np.array([_p_of_loss(of, int(sign), max_loss, way) for of, sign in tests], float)
            for way in (1, -1)
        )
        # All rows must pass, which needs no correction; one that fails must be sure among all.
        beyond[known] = holm_adjusted(lost[known])[0]
        table["outcome"] = [
            _outcome(row, p_kept, p_lost, level)
            for row, p_kept, p_lost in zip(table.to_dict("records"), kept, beyond, strict=True)
        ]
    limited = ("outcome", "incomplete")
    order = ["task", "model", "measure", "first", "second", "difference", "low", "high", "p_value",
             "p_corrected", "p_equal", "test", "verdict", "better", "fraction", "margin", "mde",
             "n", "n_clusters", "risen", "fallen", *limited, "reason"]  # fmt: skip
    return table.reindex(columns=[c for c in order if c not in limited or max_loss is not None])


def _p_of_loss(of: object, sign: int, max_loss: float, way: int) -> float:
    """One-sided p-value that less than the limit was lost (way 1), or more (-1)."""
    return of.p_beyond(-max_loss * sign, way * sign) if isinstance(of, PairedTest) else math.nan


def _verdict(row: Mapping[Any, Any], level: float) -> str:
    if math.isnan(row["p_corrected"]):
        return NOT_COMPARABLE
    if row["p_corrected"] < 1 - level and row["difference"]:
        if row["better"] == "neither":
            return "higher" if row["difference"] > 0 else "lower"
        return BETTER if (row["difference"] > 0) == (row["better"] == "higher") else WORSE
    return EQUIVALENT if row["p_equal"] < 1 - level else INCONCLUSIVE


def _outcome(row: Mapping[Any, Any], p_kept: float, p_lost: float, level: float) -> str:
    if row["verdict"] == NOT_COMPARABLE or math.isnan(p_lost):
        return INCONCLUSIVE
    if p_kept < (1 - level) / 2:
        return INCONCLUSIVE if row["incomplete"] else PASS
    return FAIL if p_lost < (1 - level) / 2 else INCONCLUSIVE
