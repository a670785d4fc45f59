"""Can the label of a generated judging item be read off its surface?

Trains a multinomial logistic regression on features that need no reasoning (words, neighbouring
words, counts, where the conclusion's words stand) and compares it with always naming the most
frequent label, on fresh items. A control with a planted cue shows that the classifier does find
what can be found. Exits with 1 when any difference is over the limit, or the control fails.

    python benchmarks/logic_surface_cues.py
    python benchmarks/logic_surface_cues.py --seeds 1 2 3 --depth 2 4
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from askew_authoring.instruction_boundary.logic import LogicItem, LogicShape, generate_logic
from askew_authoring.instruction_boundary.logic.prover import Label

Floats = NDArray[np.float32]
_LABELS = get_args(Label)
Features = Callable[[LogicItem], Counter[str]]

_PENALTIES = (0.01, 0.1, 1.0, 10.0)
_FOLDS = 4
_ROUNDS = 100
_MIN_COUNT = 3
_MAX_FEATURES = 3000
# The planted cue marks four unknown items in five: reading it perfectly gains 15 points.
_CONTROL_POINTS = 10.0


def _page(item: LogicItem) -> str:
    return " ".join((*item.premises, item.conclusion))


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def unigrams(item: LogicItem) -> Counter[str]:
    """How often each word occurs, and whether it does."""
    counts = Counter(_tokens(_page(item)))
    return counts + Counter({f"has {word}": 1 for word in counts})


def words_with_marks(item: LogicItem) -> Counter[str]:
    """Words as white space parts them, commas and full stops attached."""
    return Counter(_page(item).split())


def bigrams(item: LogicItem) -> Counter[str]:
    """Words and neighbouring words, within each sentence."""
    counts: Counter[str] = Counter()
    for sentence in (*item.premises, item.conclusion):
        tokens = _tokens(sentence)
        counts.update(tokens)
        counts.update(f"{a} {b}" for a, b in pairwise(tokens))
    return counts


def counts_and_lengths(item: LogicItem) -> Counter[str]:
    """Sizes and negations, over all and apart for facts and rules."""
    counts: Counter[str] = Counter()
    parts = {"page": (*item.premises, item.conclusion)} | {
        name: tuple(p.text for p in item.shown if p.is_fact is facts)
        for name, facts in (("facts", True), ("rules", False))
    }
    for part, sentences in parts.items():
        tokens = _tokens(" ".join(sentences))
        negations = sum(word in ("not", "no") for word in tokens)
        counts[f"{part} sentences {len(sentences)}"] = 1
        counts[f"{part} words"] = len(tokens)
        counts[f"{part} letters"] = sum(map(len, tokens))
        counts[f"{part} negations {negations}"] = 1
        counts[f"{part} negations odd"] = negations % 2
    return counts


def conclusion_aware(item: LogicItem) -> Counter[str]:
    """Where and how the conclusion's name and property occur, against its own polarity."""
    tokens = _tokens(item.conclusion)
    name, word = tokens[0], tokens[-1]
    polarity = "negative" if "not" in tokens else "positive"
    counts = counts_and_lengths(item) + Counter({f"conclusion {token}": 1 for token in tokens})
    places: dict[str, list[int]] = {"name": [], "word": []}
    for place, premise in enumerate(item.premises):
        found = _tokens(premise)
        negated = "negated" if {"not", "no"} & set(found) else "plain"
        ends = "ends" if found[-1].rstrip("s") == word else "holds"
        if name in found:
            counts[f"{polarity} name {negated}"] += 1
            places["name"].append(place)
        if word in found or f"{word}s" in found:
            counts[f"{polarity} word {ends} {negated}"] += 1
            places["word"].append(place)
            counts.update(f"{polarity} beside word {token}" for token in found)
    for what, found_at in places.items():
        counts[f"{what} in {len(found_at)}"] = 1
        if found_at:
            counts[f"{what} first at {found_at[0]}"] = 1
            counts[f"{what} last at {found_at[-1] - len(item.premises)}"] = 1
    if places["name"] and places["word"]:
        counts["name before word"] = int(places["name"][0] < places["word"][0])
    return counts


def planted(item: LogicItem) -> Counter[str]:
    """Unigrams with a cue added to most unknown items: the control."""
    cue = item.label == "unknown" and sum(map(ord, item.id)) % 5 > 0
    return unigrams(item) + Counter({"perhaps": int(cue)})


FEATURES: dict[str, Features] = {
    "unigrams": unigrams,
    "words with marks": words_with_marks,
    "bigrams": bigrams,
    "counts and lengths": counts_and_lengths,
    "conclusion-aware": conclusion_aware,
}


def _matrices(
    train: Sequence[LogicItem], test: Sequence[LogicItem], features: Features
) -> tuple[Floats, Floats]:
    """Standardised feature matrices over the features that the training items show."""
    counted = [features(item) for item in train]
    seen = Counter(name for counts in counted for name in counts)
    names = [name for name, count in seen.most_common(_MAX_FEATURES) if count >= _MIN_COUNT]
    column = {name: i for i, name in enumerate(names)}

    def matrix(rows: Sequence[Counter[str]]) -> Floats:
        table = np.zeros((len(rows), len(names)), np.float32)
        for i, counts in enumerate(rows):
            for name, count in counts.items():
                if name in column:
                    table[i, column[name]] = count
        return table

    raw = matrix(counted)
    centre, spread = raw.mean(0), raw.std(0)
    spread[spread == 0] = 1
    return (raw - centre) / spread, (matrix([features(i) for i in test]) - centre) / spread


def _fit(x: Floats, y: NDArray[np.int64], penalty: float) -> tuple[Floats, Floats]:
    """Softmax regression by accelerated gradient descent, from the labels' shares."""
    hot = np.eye(len(_LABELS), dtype=np.float32)[y]
    bias = np.log(hot.mean(0) + 1e-9)
    weights = np.zeros((x.shape[1], len(_LABELS)), np.float32)
    vector = np.ones(x.shape[1], np.float32)  # a few power iterations bound the curvature
    for _ in range(20):
        vector = x.T @ (x @ vector)
        vector /= np.linalg.norm(vector) or 1
    step = 1 / (0.5 * np.linalg.norm(x @ vector) ** 2 / len(x) + penalty)
    ahead = weights
    for i in range(_ROUNDS):
        scores = x @ ahead + bias
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        moved = ahead - step * (x.T @ (shares - hot) / len(x) + penalty * ahead)
        ahead = moved + i / (i + 3) * (moved - weights)
        weights = moved
    return weights, bias


def _accuracy(x: Floats, y: NDArray[np.int64], model: tuple[Floats, Floats]) -> float:
    weights, bias = model
    return float(np.mean((x @ weights + bias).argmax(1) == y))


def _labels(items: Sequence[LogicItem]) -> NDArray[np.int64]:
    return np.array([_LABELS.index(item.label) for item in items])


def classifier_accuracy(
    train: Sequence[LogicItem], test: Sequence[LogicItem], features: Features
) -> float:
    """Accuracy on `test`, the penalty chosen by cross-validation over whole groups of `train`."""
    x, x_test = _matrices(train, test, features)
    y = _labels(train)
    groups = {group: i for i, group in enumerate(dict.fromkeys(item.group for item in train))}
    fold = np.array([groups[item.group] % _FOLDS for item in train])

    def cross_validated(penalty: float) -> float:
        right = 0.0
        for k in range(_FOLDS):
            held = fold == k
            right += held.sum() * _accuracy(x[held], y[held], _fit(x[~held], y[~held], penalty))
        return right

    best = max(_PENALTIES, key=cross_validated)
    return _accuracy(x_test, _labels(test), _fit(x, y, best))


def _one_a_group(n: int, seed: int, depth: tuple[int, int]) -> list[LogicItem]:
    """Items of which no two share their words (places within a group are shuffled)."""
    items = generate_logic(LogicShape(4 * n, depth), seed)
    return [items[4 * i + i % 4] for i in range(n)]


def _rows(
    options: argparse.Namespace,
) -> Iterator[tuple[str, str, float, float]]:
    """Every measurement: sampling, features, majority share, classifier accuracy."""
    depth = (options.depth[0], options.depth[1])
    for seed in options.seeds:
        fresh = seed + 1_000_000
        samplings = {
            "whole groups": (
                generate_logic(LogicShape(options.train, depth), seed),
                generate_logic(LogicShape(options.test, depth), fresh),
            ),
            "one item a group": (
                _one_a_group(options.train, seed, depth),
                _one_a_group(options.test, fresh, depth),
            ),
        }
        for sampling, (train, test) in samplings.items():
            most, _ = Counter(item.label for item in train).most_common(1)[0]
            majority = float(np.mean([item.label == most for item in test]))
            for name, features in (*FEATURES.items(), ("planted cue (control)", planted)):
                accuracy = classifier_accuracy(train, test, features)
                yield f"{sampling}, seed {seed}", name, majority, accuracy


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", type=int, default=2000, help="items to train on")
    parser.add_argument("--test", type=int, default=1000, help="fresh items to test on")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--depth", type=int, nargs=2, default=[1, 3], metavar=("LOW", "HIGH"))
    parser.add_argument("--limit", type=float, default=3.0, help="points allowed either way")
    options = parser.parse_args()
    print(f"{'items':28}{'features':24}{'majority':>9}{'classifier':>12}{'points':>9}")
    failed = False
    for sampling, name, majority, accuracy in _rows(options):
        points = 100 * (accuracy - majority)
        wrong = points < _CONTROL_POINTS if "control" in name else abs(points) > options.limit
        failed |= wrong
        mark = "  <-" if wrong else ""
        print(f"{sampling:28}{name:24}{majority:9.3f}{accuracy:12.3f}{points:+9.1f}{mark}")
    print("over the limit" if failed else f"every difference within {options.limit} points")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
