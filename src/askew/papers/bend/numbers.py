"""What bending does: every arm against the plain question, on the same items and epochs.

A pair is an item of one epoch, plain and in an arm. Epochs of one question, and `repeat`, say how
often a score differs where nothing was changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from askew.papers.bend.paper import PAPER, PLAIN, REPEAT
from askew.statistics.exchanges import exchanged_within
from askew.statistics.intervals import ROUNDING, Floats
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Rate,
    Totals,
    metric_table,
    unit_table,
)

LEVELS = ("subset", "arm")
_PAIR = ["subset", "item", "epoch", "run"]
# What is summed over an arm's pairs; beside them, what holds of all its replies.
_OF_PAIRS = (
    "pairs", "before", "after", "hurt", "helped", "both", "kept", "could_move", "moved",
)  # fmt: skip
_OF_REPLIES = (
    "replies",
    "score",
    "asked_format",
    "format_ok",
    "ok_score",
    "asked_tools",
    "gave_up",
)
_OF_WHOLE = ("whole", "whole_score", "formats", "formats_ok", "formats_ok_score")
_SUMS = (*_OF_PAIRS, *_OF_REPLIES, *_OF_WHOLE, "again", "differs")
_NO_PAIR = "no item was scored plain and in this arm"
POINTS = 100.0**2


def bend(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
) -> pd.DataFrame:
    """What each arm does to the author's score, against the plain question.

    Rows of one arm stand at its name, those over arms at "all". Numbers of an arm rest on the
    items that were scored plain and in the arm, in the same epoch; the largest loss and BiasF on
    those that were scored in every arm, or every format.

    Args:
        observations: rows with `arm`, `treatment` and `score` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
    """
    return metric_table(observations, by, LEVELS, _analyse, interval)


def _analyse(observations: pd.DataFrame) -> Analysis:
    rows = _prepared(observations)
    table = unit_table(rows, ("arm",), _SUMS, strata=())
    counted = _Counted(rows)
    of_treatment = rows.drop_duplicates("arm").set_index("arm")["treatment"].to_dict()

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        found: dict[Key, Quantity] = {}
        for arm, treatment in of_treatment.items():
            if totals.wants(OVERALL, arm):
                view = _View(totals, str(arm), counted)
                found |= {(m, OVERALL, arm): q for m, q in _of_arm(view, str(treatment))}
        if totals.wants(OVERALL, OVERALL):
            found |= {(m, OVERALL, OVERALL): q for m, q in _over(totals, of_treatment, counted)}
        return found

    formats = {arm for arm, treatment in of_treatment.items() if treatment == "format"}
    exchanges = {
        "arm": partial(exchanged_within, split=_by_arm),
        "format": partial(exchanged_within, split=partial(_by_format, formats=formats)),
    }
    return Analysis(table, statistic, {}, exchanges)


def _by_arm(key: Key) -> tuple[Hashable, Hashable, Hashable] | None:
    """Arms trade places, the plain one among them, where all of them were scored."""
    arm, name = key
    return ("arms", arm, name) if name in ("whole", "whole_score") and arm != REPEAT else None


def _by_format(key: Key, formats: set[Hashable]) -> tuple[Hashable, Hashable, Hashable] | None:
    """Formats trade places where all of them were scored."""
    arm, name = key
    traded = arm in formats and name in ("formats", "formats_ok", "formats_ok_score")
    return ("formats", arm, name) if traded else None


def _prepared(observations: pd.DataFrame) -> pd.DataFrame:
    """Observations with what every sum needs, beside the plain observation of each."""
    rows = observations.copy()
    for name in ("run", "treatment"):
        if name not in rows:
            rows[name] = "" if name == "run" else rows["arm"]
    rows["epoch"] = rows.get("epoch", 1)
    answers = rows["answer"].astype("object") if "answer" in rows else pd.Series(None, rows.index)
    rows["answer"] = answers.where(answers.notna(), None)
    rows = rows.drop_duplicates([*_PAIR, "arm"])
    plain = rows[rows["arm"] == PLAIN].set_index(_PAIR)[["score", "answer"]]
    rows = rows.join(plain.add_prefix("plain_"), on=_PAIR)
    is_plain = rows["arm"] == PLAIN
    pairs = rows["plain_score"].notna() & ~is_plain
    change = (rows["score"] - rows["plain_score"]).where(pairs, 0.0)
    both = pairs & rows["answer"].notna() & rows["plain_answer"].notna()
    sums: dict[str, pd.Series[bool] | pd.Series[float]] = {
        "pairs": pairs,
        "before": rows["plain_score"].where(pairs, 0.0),
        "after": rows["score"].where(pairs, 0.0),
        "hurt": change < -ROUNDING,
        "helped": change > ROUNDING,
        "both": both,
        "kept": both & (rows["answer"] == rows["plain_answer"]),
        "replies": pd.Series(True, rows.index),
    }
    own = {name: _number(rows, name) for name in ("format_ok", "moved", "gave_up")}
    suggested = rows["suggested"] if "suggested" in rows else pd.Series(None, rows.index)
    could = own["moved"].notna() & pairs & (rows["plain_answer"] != suggested)
    ok = own["format_ok"]
    sums |= {
        "could_move": could,
        "moved": own["moved"].where(could, 0.0),
        "asked_format": ok.notna(),
        "format_ok": ok.fillna(0.0),
        "ok_score": (ok * rows["score"]).fillna(0.0),
        "asked_tools": own["gave_up"].notna(),
        "gave_up": own["gave_up"].fillna(0.0),
    }
    for name, within in (("whole", rows["treatment"] != REPEAT), ("formats", ok.notna())):
        inside = within & _in_every_arm(rows, within)
        sums[name] = inside
        if name == "whole":
            sums["whole_score"] = rows["score"].where(inside, 0.0)
        else:
            sums["formats_ok"] = ok.where(inside, 0.0)
            sums["formats_ok_score"] = (ok * rows["score"]).where(inside, 0.0)
    again, differs = _again(rows)
    sums |= {"again": again, "differs": differs}
    return rows.assign(**{name: values.astype(float) for name, values in sums.items()})


def _number(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    if name not in rows:
        return pd.Series(np.nan, rows.index)
    return pd.to_numeric(rows[name], errors="coerce").astype(float)


def _in_every_arm(rows: pd.DataFrame, within: pd.Series[bool]) -> pd.Series[bool]:
    """Whether a row's item and epoch was scored in every arm that some row within has."""
    n_arms = rows.loc[within, "arm"].nunique()
    seen = rows["arm"].where(within).groupby([rows[c] for c in _PAIR], dropna=False)
    return seen.transform("nunique") == max(1, n_arms)


def _again(rows: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    """Pairs of the plain question with itself, and how many of them differ in their score.

    Its repetition in the same epoch is such a pair, and so is each epoch with the one before.
    """
    repeat, plain = rows["arm"] == REPEAT, rows["arm"] == PLAIN
    items = [rows[c] for c in _PAIR if c != "epoch"]
    before = rows["score"].where(plain).groupby(items, dropna=False).shift()
    other = before.where(plain, rows["plain_score"].where(repeat))
    pairs = other.notna() & (plain | repeat)
    return pairs.astype(float), (pairs & ((rows["score"] - other).abs() > ROUNDING)).astype(float)


class _Counted:
    """Items and units behind each sum of an arm."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self._rows = rows
        self._known: dict[tuple[str, str], Counts] = {}

    def of(self, arm: str, name: str) -> Counts:
        if (arm, name) not in self._known:
            inside = self._rows[name] > 0
            of_arm = self._rows["arm"] == arm if arm != OVERALL else self._rows["arm"].notna()
            asked, used = self._rows[of_arm], self._rows[of_arm & inside]
            n_items = used["item"].nunique()
            self._known[arm, name] = Counts(
                n_items, asked["item"].nunique() - n_items, used["unit"].nunique()
            )
        return self._known[arm, name]


class _View:
    """The sums of one arm."""

    def __init__(self, totals: Totals, arm: str, counted: _Counted) -> None:
        self.totals, self.arm, self.counted = totals, arm, counted

    def sum(self, name: str) -> Floats:
        return self.totals[self.arm, name]

    def rate(self, metric: str, name: str, over: str, reason: str) -> tuple[str, Quantity]:
        values = self.totals.ratio((self.arm, name), (self.arm, over))
        counts = self.counted.of(self.arm, over)
        return _quantity(metric, values, reason, counts)


def _quantity(metric: str, values: Floats, reason: str, counts: Counts) -> tuple[str, Quantity]:
    return metric, Quantity.of(PAPER.metric(metric), values, reason=reason, counts=counts)


def _of_arm(view: _View, treatment: str) -> Iterator[tuple[str, Quantity]]:
    yield view.rate("score", "score", "replies", "nothing was scored here")
    if view.arm == PLAIN:
        return
    pairs = view.counted.of(view.arm, "pairs")
    n = view.sum("pairs")
    effect = _ratio(view.sum("after") - view.sum("before"), n)
    yield _quantity("effect", effect, _NO_PAIR, pairs)
    yield view.rate("hurt", "hurt", "pairs", _NO_PAIR)
    yield view.rate("helped", "helped", "pairs", _NO_PAIR)
    flips = _ratio(view.sum("hurt") + view.sum("helped"), n)
    yield _quantity("flips", flips, _NO_PAIR, pairs)
    if view.arm != REPEAT:
        noise = _noise(view.totals, view.counted)[0]
        reason = "the same question was asked once: add the treatment repeat, or epochs"
        yield _quantity("beyond_noise", flips - noise, reason, pairs)
    yield view.rate("kept", "kept", "both", "no answer could be read plain and in this arm")
    if treatment == "suggestion":
        reason = "every plain answer was the suggestion already"
        yield view.rate("moved_rate", "moved", "could_move", reason)
    if treatment == "tool_absent":
        yield view.rate("gave_up", "gave_up", "asked_tools", "nothing was scored here")
    if treatment == "format":
        yield view.rate("fi", "format_ok", "asked_format", "nothing was scored here")
        followed = view.counted.of(view.arm, "format_ok")
        est = _ratio(view.sum("ok_score"), view.sum("format_ok"))
        yield _quantity("est_true", est, "no reply followed the format", followed)


def _over(
    totals: Totals, of_treatment: Mapping[Hashable, Hashable], counted: _Counted
) -> Iterator[tuple[str, Quantity]]:
    """What is said over arms: noise, the largest loss, OmniAccuracy, BiasF."""
    noise, counts = _noise(totals, counted)
    reason = "the same question was asked once: add the treatment repeat, or epochs"
    yield _quantity("noise", noise, reason, counts)
    others = [str(a) for a, t in of_treatment.items() if a != PLAIN and t != REPEAT]
    if others and PLAIN in of_treatment:
        whole = counted.of(PLAIN, "whole")
        plain = totals.ratio((PLAIN, "whole_score"), (PLAIN, "whole"))
        losses = [plain - totals.ratio((a, "whole_score"), (a, "whole")) for a in others]
        reason = "no item was scored plain and in every arm"
        name, worst = _quantity("worst_effect", np.max(losses, axis=0), reason, whole)
        parts = tuple(Rate(values, whole.n_units) for values in losses)
        yield name, Quantity(**{**vars(worst), "parts": parts})
    for arm in others:
        if of_treatment[arm] == "absent":
            pairs = counted.of(arm, "pairs")
            both = (totals[arm, "before"] + totals[arm, "after"]) / 2
            yield _quantity("omni_accuracy", _ratio(both, totals[arm, "pairs"]), _NO_PAIR, pairs)
    formats = [arm for arm in others if of_treatment[arm] == "format"]
    if len(formats) > 1:
        est = [totals.ratio((f, "formats_ok_score"), (f, "formats_ok")) for f in formats]
        reason = "a format was followed by no reply, or no item was scored in every format"
        spread = POINTS * np.var(est, axis=0)
        yield _quantity("bias_f", spread, reason, counted.of(formats[0], "formats"))


def _noise(totals: Totals, counted: _Counted) -> tuple[Floats, Counts]:
    """How often a score differs where the same was asked again."""
    differs, again = (totals[PLAIN, n] + totals[REPEAT, n] for n in ("differs", "again"))
    of_plain, of_repeat = counted.of(PLAIN, "again"), counted.of(REPEAT, "again")
    counts = max(of_plain, of_repeat, key=lambda c: c.n_items)
    return _ratio(differs, again), counts


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    out = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
