"""What checks of question sets share: questions by set, repeats and near duplicates."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import pandas as pd
from scipy.special import fdtrc

from askew.schema import LintIssue
from askew.sources.loading import Item, tier_of
from askew_authoring.baselines import words

# Items of which this share of word pairs is the same, and no fewer pairs than this, come from one
# template or text.
_ALIKE, _FEWEST = 0.4, 30
# Pairs of words in more items than this are the set's own wording.
_FREQUENT = 50
# Questions of Yes and No that share this share of so many rare words are opposite pairs.
_OPPOSITE, _RARE = 0.4, 6
# A field of no more values than this is a kind of question, no text or template.
_KINDS = 8
# A correlation that chance explains so rarely is one.
_CHANCE = 0.001


def by_set(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Questions by subset and tier, which are looked at apart."""
    sets: dict[str, list[Item]] = {}
    for item in items:
        sets.setdefault(f"{item.subset} {tier_of(item)}".strip(), []).append(item)
    return sets


def fold(text: str) -> str:
    """A text for comparison: neither case nor spacing counts."""
    return " ".join(text.casefold().split())


def repeats(items: Iterable[Any]) -> Iterator[LintIssue]:
    """Questions that ask what one of the same subset asks."""
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        first = seen.setdefault((item.subset, *map(fold, item.context.values())), item.id)
        if first != item.id:
            message = f"asks the same as {first}: kept, in one bootstrap cluster"
            yield LintIssue(item.id, "repeat", message)


def near_duplicates(items: Iterable[Any]) -> Iterator[LintIssue]:
    """Items alike in their words that no cluster joins: intervals take them for independent."""
    for group in by_set(items).values():
        pairs = {item.id: set(_word_pairs(item)) for item in group}
        where: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name, own in pairs.items():
            for pair in own:
                where[pair].append(name)
        most = min(max(20, len(group) // 10), _FREQUENT)
        cluster = {item.id: item.cluster for item in group}
        for name, own in pairs.items():
            rare = (where[pair] for pair in own if len(where[pair]) <= most)
            shared = Counter(other for names in rare for other in names if other < name)
            for other, n in shared.most_common():
                share = n / len(own | pairs[other])
                if n >= _FEWEST and share >= _ALIKE and cluster[other] != cluster[name]:
                    message = f"{share:.0%} of its word pairs are {other}'s: give both one cluster"
                    yield LintIssue(name, "near duplicate", message)
                    break


def opposite_pairs(items: Iterable[Any]) -> Iterator[LintIssue]:
    """Questions of Yes and No that share their rare words: one is made of the other."""
    for group in by_set(items).values():
        yes_no = [item for item in group if getattr(item, "answer", "") in ("Yes", "No")]
        own = {
            item.id: words(" ".join(_texts(_told(item, "subset", "tier", "kind"))))
            for item in yes_no
        }
        often = Counter(word for has in own.values() for word in has)
        most = max(4, len(yes_no) // 20)
        rare = {name: {w for w in has if often[w] <= most} for name, has in own.items()}
        for one, other in combinations(yes_no, 2):
            least = min(len(rare[one.id]), len(rare[other.id]))
            shared = len(rare[one.id] & rare[other.id])
            is_apart = one.answer != other.answer and one.cluster != other.cluster
            if is_apart and least >= _RARE and shared >= _OPPOSITE * least:
                message = f"{shared} of {least} rare words are {other.id}'s: give one cluster"
                yield LintIssue(one.id, "opposite pair", message)


def undeclared_in_logs(items: Sequence[Any], rows: pd.DataFrame, measure: str) -> list[LintIssue]:
    """Texts and fields of the questions that tell which ones models got right together."""
    right = rows.groupby("item")[measure].mean()
    table = pd.DataFrame([_fields(i) | _texts_of(i) | {"cluster": i.cluster} for i in items])
    table = table.assign(tier=[tier_of(item) for item in items]).set_index("id")
    table = table[table.index.isin(right.index)]
    columns = [
        str(name) for name, of in table.drop(columns=["subset", "tier", "cluster"]).items()
        if all(isinstance(v, str) for v in of) and _KINDS < of.nunique() < len(of)
    ]  # fmt: skip
    return [
        LintIssue(column, "undeclared cluster", f"items with the same {column} are answered alike "
                  f"(intraclass correlation {correlation:.2f}): give them one cluster")
        for column, correlation in undeclared_clusters(right.reindex(table.index), table, columns)
    ]  # fmt: skip


def undeclared_clusters(
    right: pd.Series, items: pd.DataFrame, columns: Sequence[str]
) -> Iterator[tuple[str, float]]:
    """Columns whose values tell which clusters models get right together, and how much.

    `right` is a share of right answers an item, of simulated models or of real ones. The
    intraclass correlation is that of one-way analysis of variance, within subsets and tiers.
    """
    table = items.assign(right=right)
    for column in columns:
        clusters = table.groupby(["subset", "tier", column, "cluster"])["right"].mean()
        away = clusters - clusters.groupby(level=["subset", "tier"]).transform("mean")
        groups = away.groupby(level=["subset", "tier", column])
        sizes, sets = groups.size(), away.groupby(level=["subset", "tier"]).ngroups
        between, within = len(sizes) - sets, len(away) - len(sizes)
        if between < 1 or within < 1:
            continue
        squares = float((sizes * groups.mean() ** 2).sum())
        one, other = squares / between, (float((away**2).sum()) - squares) / within
        size = (len(away) - float((sizes**2).sum()) / len(away)) / between
        if other > 0 and fdtrc(between, within, one / other) < _CHANCE:
            yield column, (one - other) / (one + (size - 1) * other)


def _fields(item: Any) -> dict[str, Any]:
    return (
        vars(item) if hasattr(item, "__dict__") else {n: getattr(item, n) for n in item.__slots__}
    )


def _texts_of(item: Any) -> dict[str, str]:
    return {n: text for n, text in getattr(item, "context", {}).items() if isinstance(text, str)}


def _told(item: Any, *without: str) -> list[Any]:
    return [v for n, v in _fields(item).items() if n not in ("id", "cluster", *without)]


def _word_pairs(item: Any) -> Iterator[tuple[str, str]]:
    for text in _texts(_told(item)):
        yield from pairwise(re.findall(r"[^\W\d_]+", text.casefold()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
