"""What numbers can't show: sets that are too easy, and replies that are lost unevenly.

A set is too easy where nearly all answers are right under the paper's plain condition. From 97% it
is said; "at the ceiling" if the interval leaves fewer than five points to show, less than most
metrics call a difference that matters. docs/explanation/ceiling.md has the error rates.

Lost are replies without an answer (refused, empty, not parsed, truncated), which count as
incorrect, and samples without a score (errors, limits, no grader), which count nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import pandas as pd
from scipy import special

from askew.files import yaml_of
from askew.papers import get_paper
from askew.report.estimates import Estimate
from askew.schema import ENOUGH_ITEMS, HARDEST, NOT_READ, PERCENT, Metric, Paper
from askew.sources.loading import HARD
from askew.stats.engine import Items, Number, Sums, analysis, share
from askew.stats.tables import DEFAULT_INTERVAL, OVERALL, Analysis, Counts, Interval, metric_table
from askew.untrusted import one_line

CEILING, SURE = 0.97, 0.95
_WORDS = yaml_of("askew.report", "report.yaml")["ceilings"]
# What is said of a number's questions, by its word.
CEILING_WORDS: Mapping[str, str] = _WORDS["words"]
CeilingWord = Literal["", "at", "perhaps at", "in part"]
COLUMN = "ceiling"
_LEVELS = ("subset", "tier")
_RIGHT = Metric("right")


class AtCeiling(NamedTuple):
    """Questions of which a model answers nearly all: a set of them, of one tier where it has some.

    The value is the rate under the plain condition, `instead` what to ask instead.
    """

    task: str
    model: str
    subset: str
    tier: str
    ceiling: CeilingWord  # "at" where the whole interval rules out that more is left to show
    value: float
    low: float
    high: float
    n_items: int
    n_clusters: int
    instead: str

    @property
    def rate(self) -> str:
        """The set with its rate, in a few words."""
        names = {**get_paper(self.task).subset_names, OVERALL: "all sets"}
        interval = Estimate(self.value, self.low, self.high).interval
        return (
            f"{names.get(self.subset, self.subset)}{f' ({self.tier})' if self.tier else ''} "
            f"{PERCENT.write(self.value)}% ({interval}, n = {self.n_items:,})"
        )


@dataclass(frozen=True)
class Ceilings:
    """The sets and tiers at their ceiling, of all `asked` under the plain condition.

    `asked` has sets with their tiers by task and model.
    """

    found: tuple[AtCeiling, ...] = ()
    asked: Mapping[tuple[str, str], frozenset[tuple[str, str]]] = field(default_factory=dict)

    def _about(self, task: str, model: str, subset: str) -> list[AtCeiling]:
        own = (f for f in self.found if (f.task, f.model) == (task, model))
        return [f for f in own if subset == OVERALL or f.subset in (OVERALL, subset)]

    def of(self, task: str, model: str, subset: str = OVERALL) -> CeilingWord:
        """What is said of a number's questions: of all of them, of a part, or nothing."""
        found = self._about(task, model, subset)
        parts = [part for part in self.asked.get((task, model), ()) if subset in (OVERALL, part[0])]
        if not found or not parts:
            return ""
        there = {(one.subset, one.tier) for one in found}
        if not all(part in there or (OVERALL, part[1]) in there for part in parts):
            return "in part"
        return "at" if all(one.ceiling == "at" for one in found) else "perhaps at"

    def only(self, kept: Callable[[str, str], bool]) -> Self:
        found = tuple(one for one in self.found if kept(one.task, one.model))
        asked = {pair: of for pair, of in self.asked.items() if kept(*pair)}
        return replace(self, found=found, asked=asked)

    def said(self, task: str, model: str, subset: str = OVERALL) -> str:
        """The same in a sentence, with what to ask instead; empty where there is nothing to say."""
        if not (word := self.of(task, model, subset)):
            return ""
        ways = "; ".join(dict.fromkeys(f.instead for f in self._about(task, model, subset)))
        return str(_WORDS["said"].format(word=CEILING_WORDS[word], ways=ways))

    def told(self, table: pd.DataFrame, model: str = "model", to: str = COLUMN) -> pd.DataFrame:
        """Metric rows with a column `to`: what is at its ceiling among what each rests on.

        `model` is the column of models, or the one model of all rows.
        """
        who = table[model].astype(str) if model in table else [model] * len(table)
        subset = table["subset"] if "subset" in table else pd.Series(OVERALL, table.index)
        subset = subset.where(subset.notna(), OVERALL).astype(str)
        places = [*zip(table["task"].astype(str), who, subset, strict=True)]
        words = {place: self.of(*place) for place in dict.fromkeys(places)}
        return table.assign(**{to: [words[place] for place in places]})

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences, one a task, model and what to ask instead."""
        rates = defaultdict[tuple[str, str, CeilingWord, str], list[str]](list)
        for one in self.found:
            rates[one.task, one_line(one.model), one.ceiling, one.instead].append(one.rate)
        return tuple(
            _WORDS["note"][word].format(
                task=task, model=model, left=f"{(1 - SURE) * 100:g}", instead=instead,
                rates="; ".join(own),
            )
            for (task, model, word, instead), own in rates.items()
        )  # fmt: skip

    @property
    def records(self) -> list[dict[str, Any]]:
        return [one._asdict() for one in self.found]


NO_CEILING = Ceilings()


def ceilings(
    by_task: Mapping[str, pd.DataFrame], interval: Interval = DEFAULT_INTERVAL
) -> Ceilings:
    """Every set and tier at its ceiling for a model, and all that were asked.

    Where all sets of a tier together lie there, they stand for each. The interval's level is how
    sure "at the ceiling" is.
    """
    found: list[AtCeiling] = []
    conditions: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    for task, rows in by_task.items():
        paper = get_paper(task)
        plain = plain_rows(paper, rows)
        for model, own in plain.groupby("model", sort=False):
            parts = own[[*_LEVELS]].drop_duplicates().astype(str)
            conditions[task, str(model)] = frozenset(parts.itertuples(index=False, name=None))
        table = rates(plain, interval)
        high = table[(table["value"] >= CEILING) & (table["n_clusters"] >= ENOUGH_ITEMS)]
        whole = {(r["model"], r["tier"]) for r in high.to_dict("records") if r["subset"] == OVERALL}
        for row in high.to_dict("records"):
            if row["subset"] == OVERALL or (row["model"], row["tier"]) not in whole:
                model, subset, tier = (str(row[n]) for n in ("model", *_LEVELS))
                word: CeilingWord = "at" if row["low"] >= SURE else "perhaps at"
                rate: Any = (row[n] for n in ("value", "low", "high", "n_items", "n_clusters"))
                asked = plain[(plain["tier"] == tier) & (plain["model"] == model)]
                asked = asked[(asked["subset"] == subset) | (subset == OVERALL)]
                # Of questions without levels: 0.
                hardest = asked.get("difficulty", pd.Series([0])).fillna(0).max()
                instead = instead_of(paper, subset, tier, int(hardest))
                found.append(AtCeiling(*(task, model, subset, tier, word, *rate, instead)))
    return Ceilings(tuple(found), conditions)


def plain_rows(paper: Paper, rows: pd.DataFrame) -> pd.DataFrame:
    """Answers under the paper's plain condition, with whether they are right.

    Of several plain conditions, a subset has the first that it was asked under.
    """
    if paper.split_of not in rows:
        return rows[:0]
    kept = pd.Series(False, rows.index)
    for condition in paper.plain:
        fits = ~rows["subset"].isin(rows.loc[kept, "subset"].unique())
        for name, value in condition.items():
            if name in rows:  # a factor that a table lacks was not varied
                fits &= rows[name].astype(str) == str(value)
        kept |= fits
    plain = rows[kept]
    right = plain[paper.split_of].astype(float)
    tier = plain["tier"].fillna("") if "tier" in plain else ""
    return plain.assign(**{_RIGHT.name: right, "tier": tier})[right.notna()]


def rates(plain: pd.DataFrame, interval: Interval = DEFAULT_INTERVAL) -> pd.DataFrame:
    """How many plain answers are right, a row a model, set and tier."""
    return metric_table(plain, ("model",), _LEVELS, _analyse, interval)


def _analyse(rows: pd.DataFrame) -> Analysis:
    several = rows.groupby("tier")["subset"].transform("nunique") > 1
    rows = rows.assign(stratum=rows["subset"])
    both = pd.concat([rows, rows[several].assign(subset=OVERALL)])
    items = Items(both, _LEVELS, ("right",), strata=("stratum",))

    def counts(at: Sums, n_clusters: int) -> Counts:
        return replace(at.counts(), n_strata=1, n_clusters=n_clusters)

    # A cluster of several sets is one, whatever its strata.
    clusters = both.groupby([*_LEVELS], sort=False)["cluster"].nunique()
    right = share(_RIGHT, "right")
    numbers: dict[Any, list[Number]] = {
        at: [replace(right, counts=partial(counts, n_clusters=n))] for at, n in clusters.items()
    }
    return analysis(items, _LEVELS, numbers)


def instead_of(paper: Paper, subset: str, tier: str, level: int = 0) -> str:
    """What to ask where a set is at its ceiling: higher levels, or harder questions."""
    if paper.has_levels and level < HARDEST:
        harder = _WORDS["higher"].format(first=level + 1, last=HARDEST)
        return str(harder if level else _WORDS["generated"])
    own, bundled = paper.has("items"), subset in (OVERALL, *paper.selection("bundled"))
    if own and bundled and not level and tier != HARD:
        return str(_WORDS["hard" if tier else "bundled"])
    public = own and tier and hasattr(paper.items, "SOURCES")
    return str(_WORDS["paper" if public else "own"])


# --- Lost replies: their share by condition, and metrics that count them -------------------------

LOST = ("lost_by_condition", "value_lost_wrong", "value_lost_right")
# Shares are uneven if they differ by so much, and equal ones would in so few of 100 cases.
UNEVEN, ALARM = 0.03, 0.05
_ANSWERED = ("ok", "frames_words")
_TARGETS = ("gold", "truth")


def lost_shares(paper: Paper, rows: pd.DataFrame, unscored: pd.DataFrame) -> pd.DataFrame:
    """The share of lost replies by model and condition, of models where it is uneven.

    Columns: model, condition, replies, lost. `unscored` is metadata of samples without a score.
    """
    every = _with_unscored(paper, rows, unscored)
    varied = [f for f in paper.factors if f.name in every and every[f.name].nunique() > 1]
    if not varied:
        return pd.DataFrame(columns=["model", "condition", "replies", "lost"])
    names = (every[f.name].astype(str).fillna("").map(f.label) for f in varied)
    every["condition"] = [", ".join(filter(None, one)) for one in zip(*names, strict=True)]
    found = every.groupby(["model", "condition"], sort=False)["lost"].agg(["size", "mean"])
    found = found.set_axis(["replies", "lost"], axis="columns").reset_index()
    known = found[found["replies"] >= ENOUGH_ITEMS].groupby("model")
    uneven = [model for model, own in known if _is_uneven(own["replies"], own["lost"])]
    return found[found["model"].isin(uneven)]


def _is_uneven(replies: pd.Series[int], lost: pd.Series[float]) -> bool:
    """By the size of the difference, and by Pearson's chi-square test."""
    mean = float((replies * lost).sum() / replies.sum())
    if lost.max() - lost.min() < UNEVEN or mean == 1:
        return False
    square = (replies * (lost - mean) ** 2).sum() / (mean * (1 - mean))
    return bool(special.chdtrc(len(lost) - 1, square) <= ALARM)


def add_bounds(
    paper: Paper, table: pd.DataFrame, rows: pd.DataFrame, unscored: pd.DataFrame
) -> pd.DataFrame:
    """The metrics of a task; its primary metric and its effect metric also count lost replies."""
    shares = lost_shares(paper, rows, unscored)
    if shares.empty:
        return table
    every = _with_unscored(paper, rows, unscored)
    every = every[every["model"].isin(shares["model"])]
    at = [*table.columns[: [*table.columns].index("value")]]
    for name, right in ((LOST[1], False), (LOST[2], True)):
        found = paper.table(_counted(paper, every, right), interval=None, **paper.pooled)
        bounded = {paper.headline_declaration(paper.headlines[0]).name}
        bounded |= {paper.bend.metric, paper.bend.shown} if paper.bend else set()
        found = found[found["metric"].isin(bounded)]
        table = table.merge(found[[*at, "value"]].rename(columns={"value": name}), "left", at)
    said = {}
    for model, own in shares.sort_values("lost", kind="stable").groupby("model"):
        ends = own.iloc[[0, -1]][["lost", "condition"]].itertuples(index=False)
        said[model] = " to ".join(f"{lost:.1%} ({condition})" for lost, condition in ends)
    has_bounds = table[[*LOST[1:]]].notna().any(axis=1)
    return table.assign(**{LOST[0]: table["model"].map(said).where(has_bounds)})


def _with_unscored(paper: Paper, rows: pd.DataFrame, unscored: pd.DataFrame) -> pd.DataFrame:
    lost = ~rows["outcome"].isin(_ANSWERED) if "outcome" in rows else pd.Series(False, rows.index)
    if "format_ok" in paper.measures:  # there, its own metrics count what is not in the format
        lost &= ~rows["outcome"].isin(NOT_READ)
    parts = [rows.assign(lost=lost), *([unscored.assign(lost=True)] if len(unscored) else [])]
    return pd.concat(parts, ignore_index=True)


def _counted(paper: Paper, every: pd.DataFrame, right: bool) -> pd.DataFrame:
    """All replies as if those that are lost were correct, or incorrect, and in their format."""
    made, lost = every.copy(), every["lost"]
    counted = {paper.split_of: float(right), "format_ok": 1.0}
    for name in (m for m in paper.measures if m in made):
        filled = lost if name in counted else lost & made[name].isna()
        made.loc[filled, name] = counted.get(name, 0.0)
    target = next((name for name in _TARGETS if name in made), "")
    # The word of a question is the answer that errs in its direction.
    target = target if right else "term" if "term" in made else ""
    made["answer"] = made["answer"].astype(object)
    made.loc[lost, "answer"] = made.loc[lost, target] if target else None
    return made
