"""MathComp: directional error, and how far a word drags answers towards itself (Section 4.4).

DirErr(y) is the share of wrong answers y among all questions whose right answer is not y. Replies
without an answer stay in the denominator, those without a score do not.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from typing import Any, Literal

import numpy as np
import pandas as pd

from askew.papers.mathcomp.paper import (
    FRAMED_STYLES,
    FREE_FORM,
    LABELS,
    NEUTRAL,
    NO_TERM,
    ONE_WORD,
    PAPER,
    PERSON,
    POSITIONS,
    STANDARD,
)
from askew.schema import GRADER
from askew.stats import tables
from askew.stats.clusters import permute_labels_within
from askew.stats.engine import Items, Number, Sums, analysis, missing_value, share
from askew.stats.intervals import Floats

ReadAs = Literal["answer", "strict", "lenient"]

# What a number is told apart by.
LEVELS = ("subset", "output", "identity", "style", "term", "position")
_FRAMING = ["style", "term", "position"]
# The askings of an item in one epoch, but for what each contrast compares.
_ITEM = ("subset", "item", "gold", "epoch", "run")
# Where a pull pools styles or positions, it needs all of them.
_EVERYWHERE = (tables.OVERALL, tables.OVERALL)
_SCOPES = (
    _EVERYWHERE,
    *((s, tables.OVERALL) for s in FRAMED_STYLES),
    *((tables.OVERALL, p) for p in POSITIONS),
)
_PARTS = ("framed", "neutral")
_SUMS = tuple(f"{what} {part}" for part in _PARTS for what in ("error", "chance"))

# What is told apart in each set of rates; the levels left out are pooled.
CUTS: Sequence[tuple[str, ...]] = (
    *((), ("output",), ("output", "identity"), LEVELS[1:], ("subset",)),
    *(("subset", "output", "identity"), ("subset", "output", "identity", "position")),
)


def dir_err(
    gold: Sequence[str], predicted: Sequence[str | None], label: str, *, parsed_only: bool = False
) -> float:
    """Compute DirErr of one label: the share of wrong answers `label` where it is not the target.

    Args:
        gold: The correct answers.
        predicted: The answers given, in the same order; `None` for unparsed replies.
        label: The direction.
        parsed_only: Leave unparsed replies out of the denominator.

    Returns:
        A fraction; nan if `label` is always correct.

    Example:
        >>> dir_err(["more", "less", "equal"], ["more", "more", None], "more")
        0.5
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} correct answers, but {len(predicted)} predictions")
    chances = [
        given
        for right, given in zip(gold, predicted, strict=True)
        if right != label and not (parsed_only and given is None)
    ]
    return sum(given == label for given in chances) / len(chances) if chances else math.nan


def framing_pull(framed: Mapping[str, float], neutral: Mapping[str, float]) -> float:
    """Compute the framing pull: the mean over the three terms of DirErr framed minus DirErr
    neutral.

    Args:
        framed: DirErr of each term in the framings that use it.
        neutral: DirErr of each term in the neutral framing, in the same unit.

    Returns:
        The mean difference, in the same unit.

    Example:
        >>> neutral = dict.fromkeys(("more", "less", "equal"), 10)
        >>> framing_pull({"more": 30, "less": 20, "equal": 10}, neutral)
        10.0
    """
    if set(framed) != set(LABELS) or set(neutral) != set(LABELS):
        return math.nan
    return math.fsum(framed[t] - neutral[t] for t in LABELS) / len(LABELS)


def mathcomp(
    observations: pd.DataFrame, by: Sequence[str] = ("model",),
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL, *, parsed_only: bool = False,
    reading: ReadAs = "answer", cuts: Sequence[tuple[str, ...]] = CUTS,
) -> pd.DataFrame:  # fmt: skip
    """Compute MathComp's metrics, pooled and by output, identity, framing and category.

    `framing_pull` rests on items that were scored in every framing it compares, `identity_gap` and
    `identity_shift` on questions scored for every identity, `cot_relief` on items scored with both
    outputs; the other metrics rest on all rows of their cell.

    Args:
        observations: Rows with `gold`, `output`, `identity`, `style`, `term` and `position` besides
            the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.
        parsed_only: Leave unparsed replies out of the denominators, as some published cells do.
        reading: The answer that counts: "answer", "strict" or "lenient".
        cuts: The levels to tell apart in the rates; each is a set of rows.

    Returns:
        One row per group, metric and level; levels that a row pools are "all".
    """
    if not len(observations):
        return tables.table_of(by, LEVELS, ())
    rows = prepare(observations, reading, parsed_only)
    found = [
        tables.metric_table(rows, by, LEVELS, partial(rates, kept=cut), interval) for cut in cuts
    ]
    detailed = ("output", "identity") in cuts
    contrasts: list[tables.Analyse] = [partial(framing_contrasts, detailed=detailed)]
    if FREE_FORM in set(rows["output"]):
        contrasts.append(relief)
    if not rows["identity"].eq(STANDARD).all():
        contrasts.append(partial(identity_contrasts, detailed=detailed))
    found += [tables.metric_table(rows, by, LEVELS, contrast, interval) for contrast in contrasts]
    table = pd.concat(found, ignore_index=True)
    # Group by group, pooled rows first, the headline in front of them.
    group = table.groupby(list(by), sort=False, dropna=False).ngroup() if by else 0
    told_apart = (table[[*LEVELS]] != tables.OVERALL).sum(axis=1)
    behind_headline = ~table["metric"].str.startswith("framing_pull")
    keys = pd.DataFrame({"group": group, "told_apart": told_apart, "behind": behind_headline})
    order = keys.sort_values([*keys], kind="stable").index
    return table.loc[order].reset_index(drop=True)


# The column that holds each reading of a reply.
ANSWERS = {"answer": "answer", "strict": "strict_answer", "lenient": "lenient_answer"}
_NOTHING = "nothing was scored here"
_SHARES: Mapping[str, str] = {
    **{f"{what}_rate": what for what in ("unparsed", "yes_no", "frames_words", "frame_echo")},
    **{f"accuracy_{read}": f"correct_{read}" for read in ("strict", "lenient")},
    "judged_rate": "judged",
}
# Each rate with what is summed, what that is divided by, and why it may be undefined.
_RATES: Mapping[str, tuple[str, str, str]] = {
    **{f"dir_err_{y}": (f"error {y}", f"chance {y}", f"{y} is never wrong here") for y in LABELS},
    "accuracy": ("correct", "counted", _NOTHING),
    **{metric: (column, "scored", _NOTHING) for metric, column in _SHARES.items()},
}


def prepare(observations: pd.DataFrame, reading: str, parsed_only: bool) -> pd.DataFrame:
    """Observations with what every sum needs: chances, errors and marks, as numbers."""
    column = ANSWERS.get(reading)
    if column is None:
        raise ValueError(f"reading={reading!r}: valid are {', '.join(ANSWERS)}")
    missing = [c for c in ("gold", *LEVELS, column) if c not in observations]
    if missing:
        raise ValueError(f"mathcomp: no column {', '.join(missing)} in the observations")
    given, gold = observations[column].fillna(""), observations["gold"]
    answered = given.isin(LABELS)
    counted = answered | (not parsed_only)
    whole = pd.Series(True, index=observations.index)
    marks = {"scored": whole, "counted": counted, "unparsed": ~answered}
    marks["correct"] = (given == gold) & counted
    for label in LABELS:
        marks[f"possible {label}"] = gold != label
        marks[f"chance {label}"] = marks[f"possible {label}"] & counted
        marks[f"error {label}"] = marks[f"chance {label}"] & (given == label)
    if "decided_by" in observations:
        marks["judged"] = observations["decided_by"] == GRADER
    return observations.assign(**{name: mark.astype(float) for name, mark in marks.items()})


def rates(rows: pd.DataFrame, kept: Sequence[str]) -> tables.Analysis:
    """The rates of every cell of the kept levels, all other levels pooled."""
    shares = {metric: of for metric, of in _RATES.items() if of[0] in rows}
    # Items are drawn within their category only where categories are told apart.
    strata = ("subset",) if "subset" in kept else ()
    # What is resampled follows the order of the sums: what is divided by comes first.
    items = Items(rows, kept, [*dict.fromkeys(of[n] for n in (1, 0) for of in shares.values())],
                  strata)  # fmt: skip
    counts = partial(_counts, by_subset=bool(strata))
    numbers = [
        replace(share(PAPER.metric(metric), *of), counts=partial(counts, whole=of[1]))
        for metric, of in shares.items()
    ]
    cells = (dict(zip(kept, map(str, cell), strict=True)) for cell in items.cells)
    return analysis(items, LEVELS, {place(**cell): numbers for cell in cells})


def _counts(sums: Sums, whole: str, by_subset: bool) -> tables.Counts:
    """Items behind a denominator; dropped are those that have it beside these cells only."""
    found = sums.counts(whole)
    # An item has no chance of an error towards its own label, wherever it is asked.
    possible = whole.replace("chance", "possible") if whole.startswith("chance") else "n"
    inside = {"subset": sums.items.values("subset", sums.cells)[0]} if by_subset else {}
    n_items = sums.items.observed.of(**inside).counts(possible).n_items
    return replace(found, n_dropped=n_items - found.n_items, n_asked=n_items, group="items")


# --- contrasts: the same items under several conditions, where they were scored in all ---


def place(**levels: str) -> tables.Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, tables.OVERALL) for level in LEVELS)


def _items(rows: pd.DataFrame, cells: Sequence[str], sums: Sequence[str], *groups: str) -> Items:
    """All in one stratum: within categories there would be too few clusters to draw from."""
    cluster = rows["subset"].astype(str) + "\0" + rows["cluster"].astype(str)
    items = Items(rows.assign(cluster=cluster), cells, sums, (), groups=(*_ITEM, *groups))
    clusters = [tuple(str(one).split("\0")) for (one,) in items.table.clusters]
    items.table = replace(items.table, clusters=clusters)
    return items


def framing_contrasts(rows: pd.DataFrame, detailed: bool) -> tables.Analysis:
    """`framing_pull` with its three terms, pooled and in parts."""
    scopes = _SCOPES if detailed else _SCOPES[:1]
    whole = _comparable_items(rows, scopes)
    items = _items(whole, LEVELS[1:], _SUMS, "output", "identity", "term")
    outputs = dict.fromkeys(rows["output"])
    pulls = [(place(), _EVERYWHERE, [*outputs])]
    for output in outputs if detailed else ():
        pulls.append((place(output=output), _EVERYWHERE, [output]))
        for identity in dict.fromkeys(rows.loc[rows["output"] == output, "identity"]):
            at = partial(place, output=output, identity=identity)
            pulls += [(at(style=s, position=p), (s, p), [output]) for s, p in scopes]
    existing = {*zip(*(rows[n] for n in ("output", *_FRAMING)), strict=True)}
    places = {at: [*_pulls(_missing_conditions(scope, of, existing))] for at, scope, of in pulls}
    return analysis(items, LEVELS, places)


def _conditions(scope: tuple[str, str], term: str) -> dict[str, list[tables.Key]]:
    """The framed and the neutral conditions that the pull of a term compares."""
    styles = FRAMED_STYLES if scope[0] == tables.OVERALL else scope[:1]
    positions = [*POSITIONS] if scope[1] == tables.OVERALL else [scope[1]]
    return {
        "framed": [*product(styles, (term,), positions)],
        "neutral": [*product((NEUTRAL,), (NO_TERM,), positions)],
    }


def _missing_conditions(
    scope: tuple[str, str], outputs: Sequence[str], existing: Collection[tables.Key]
) -> str:
    """What of a pull's conditions some output was never asked in."""
    needed = (at for term in LABELS for of in _conditions(scope, term).values() for at in of)
    lacking = (
        "/".join(map(str, at)) for at, o in product(needed, outputs) if (o, *at) not in existing
    )
    named = ", ".join(dict.fromkeys(lacking))
    return f"not asked: {named}" if named else ""


def _comparable_items(rows: pd.DataFrame, scopes: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """By scope and term, the items that could err towards it, and whether each is whole there."""
    group = [c for c in (*_ITEM, "output", "identity") if c in rows]
    number = rows.groupby(group, sort=False, dropna=False).ngroup()
    groups = rows.loc[~number.duplicated(), [*group, "cluster"]]
    framing, framings = tables.codes_of(rows, _FRAMING)
    places, n_places = number.to_numpy() * len(framings) + framing, len(groups) * len(framings)

    def of(mark: str, conditions: Sequence[tables.Key]) -> Floats:
        sums = np.bincount(places, rows[mark], n_places).reshape(-1, len(framings))
        return np.asarray(sums[:, [framings.index(at) for at in conditions if at in framings]])

    found = []
    for scope, term in product(scopes, LABELS):
        cells = _conditions(scope, term)
        needed = [*chain(*cells.values())]
        whole = (of("scored", needed) > 0).sum(axis=1) == len(needed)
        sums = {
            f"{what} {part}": of(f"{what} {term}", inside).sum(axis=1) * whole
            for (part, inside), what in product(cells.items(), ("error", "chance"))
        }
        style, position = scope
        made = groups.assign(**sums, style=style, position=position, term=term, whole=whole)
        found.append(made[made["gold"] != term])
    return pd.concat(found, ignore_index=True)


def _pull(sums: Sums) -> Floats:
    """How much more often a term is drifted to where it is framed with than where nothing is."""
    framed, neutral = (sums.ratio(f"error {part}", f"chance {part}") for part in _PARTS)
    return framed - neutral


def _mean_pull(sums: Sums) -> Floats:
    return np.asarray(np.mean([sums.of(term=term).value(_pull) for term in LABELS], axis=0))


def _pulls(missing: str) -> Iterator[Number]:
    """The pull of each term and their mean, or that a condition is missing."""

    def why(sums: Sums, term: str) -> str:
        counts = sums.counts("whole")
        may_err = counts.n_items or counts.n_dropped
        not_whole = f"no item was scored in every framing that the pull of {term} compares"
        return missing or (not_whole if may_err else f"{term} is never wrong here")

    def why_mean(sums: Sums) -> str:
        each = {term: sums.of(term=term) for term in LABELS}
        reasons = (why(s, t) for t, s in each.items() if missing or np.isnan(s.value(_pull)[0]))
        return "; ".join(dict.fromkeys(reasons))

    mean, each = (missing_value, missing_value) if missing else (_mean_pull, _pull)
    yield Number(PAPER.metric("framing_pull"), mean, "whole", why=why_mean)
    for term in LABELS:
        metric, within = PAPER.metric(f"framing_pull_{term}"), {"term": term}
        yield Number(metric, each, "whole", why=partial(why, term=term), within=within)


def relief(rows: pd.DataFrame) -> tables.Analysis:
    """How much smaller the pull is with free-form reasoning than with one word, same items."""
    outputs = (ONE_WORD, FREE_FORM)
    found = _comparable_items(rows, _SCOPES[:1])
    group = [c for c in (*_ITEM, "identity", "term") if c in found]
    both = found["output"].isin(outputs) & found["whole"]
    whole = both.groupby([found[c] for c in group], dropna=False).transform("sum") == 2
    found = found.assign(whole=whole, **{s: found[s] * whole for s in _SUMS})

    def value(sums: Sums) -> Floats:
        one_word, reasoned = (_mean_pull(sums.of(output=o)) for o in outputs)
        return one_word - reasoned

    metric = PAPER.metric("cot_relief")
    existing = {*zip(*(rows[n] for n in ("output", *_FRAMING)), strict=True)}
    lacking = (_missing_conditions(_EVERYWHERE, [o], existing) for o in reversed(outputs))
    why = next(filter(None, lacking), "no item was scored in every framing under both outputs")
    number = Number(metric, value, "whole", why=why)
    if ONE_WORD not in set(rows["output"]):
        why = f"not asked: output {ONE_WORD}"
        number = Number(metric, missing_value, why=why, counts=lambda _: tables.Counts(0))
    items = _items(found, ("output", "term"), _SUMS, "identity", "term")
    return analysis(items, LEVELS, {place(): [number]})


_NOT_EVERYONE = "no question was scored for every identity"


def identity_contrasts(rows: pd.DataFrame, detailed: bool) -> tables.Analysis:
    """DirErr for an identity minus that for `person`, and the largest difference in size.

    `standard` is left out: its names are another wording.
    """
    rows = rows[rows["identity"] != STANDARD]
    identities = [*dict.fromkeys(rows["identity"])]
    group = [c for c in (*_ITEM, "output", *_FRAMING) if c in rows]
    n_identities = rows.groupby(group, dropna=False)["identity"].transform("nunique")
    whole = n_identities == len(identities)
    names = [f"{what} {label}" for label, what in product(LABELS, ("error", "chance"))]
    # Not a level of places: every number compares several identities.
    who = pd.Categorical(rows["identity"], identities)
    rows = rows.assign(whole=whole, who=who, **{name: rows[name] * whole for name in names})
    others = [identity for identity in identities if identity != PERSON]
    lacking = PERSON if PERSON not in identities else "" if others else "anyone beside person"

    def shift(sums: Sums, label: str, identity: str) -> Floats:
        own, person = (
            sums.of(who=i).ratio(f"error {label}", f"chance {label}") for i in (identity, PERSON)
        )
        return own - person

    def rates(sums: Sums, label: str) -> list[tables.Rate]:
        n_clusters = sums.counts("whole").n_clusters
        shifts = (shift(sums, label, identity) for identity in others)
        return [tables.Rate(sign * values, n_clusters) for values in shifts for sign in (1, -1)]

    def gap(sums: Sums, label: str) -> Floats:
        return np.asarray(np.max([rate.values for rate in rates(sums, label)], axis=0))

    def why(sums: Sums, label: str) -> str:
        if lacking:
            return f"not asked: {lacking}"
        is_never = sums.counts("whole").n_items
        return f"{label} is never wrong here" if is_never else _NOT_EVERYONE

    def number(metric: str, label: str, value: Callable[..., Floats], **more: Any) -> Number:
        declared, of_label = PAPER.metric(f"{metric}_{label}"), partial(value, label=label)
        return Number(declared, of_label, "whole", why=partial(why, label=label), **more)

    of = {i: partial(shift, identity=i) for i in others}
    numbers = {i: [number("identity_shift", y, of[i]) for y in LABELS] for i in others}
    gaps = [number("identity_gap", y, gap, parts=partial(rates, label=y)) for y in LABELS]
    if lacking:
        numbers, gaps = {}, [replace(g, value=missing_value, parts=None) for g in gaps]
    numbers = {tables.OVERALL: gaps, **numbers}
    outputs = dict.fromkeys((tables.OVERALL, *(rows["output"] if detailed else ())))
    asked = product(outputs, numbers if identities else ())
    places = {place(output=output, identity=i): numbers[i] for output, i in asked}
    # Every question's identities trade places, alike in all outputs.
    traded = partial(permute_labels_within, split=_by_identity)
    items = _items(rows, ("output", "who"), names, "output", *_FRAMING)
    return analysis(items, LEVELS, places, {"identity": traded})


def _by_identity(key: tables.Key) -> tuple[tables.Key, str, tables.Key] | None:
    output, who, name = key
    return None if name == "n" else ((), str(who), (output, name))
