"""Worlds that are harder than `bench.scenes`: stories, noisy conditions, few that vary, ceilings.

Every answer has a latent value, of a story, an item and its own, normal with variance one in all;
it is right where that lies below the condition's rate. The truth of every rate is thus known
exactly, whatever hangs together with what.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from scipy import special

from askew.metrics import bend, format_bias, knowno
from askew.report.estimates import Estimate, Verdict, on_page, verdict_for
from askew.stats.clusters import NoEffect
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, ClusterTable, Interval, numbers_of
from bench.scenes import (
    Scene,
    analysis_of,
    arm_sums,
    binary_score,
    filled,
    framing_pull,
    settings,
)
from bench.studies import PAIRS, RESAMPLES, Counted, tendency_of

_FINDING = 0.05


@dataclass(frozen=True)
class World:
    """How answers hang together.

    Attributes:
        rate: of right answers.
        item: share of the latent that an item has in all conditions.
        story: share that the items of a story have.
        sizes: of stories, in turn.
        first: what the first condition shares with the others: 1, 0 (nothing) or -1 (the opposite).
        coins: share of items that vary at all; the others are always right.
        subsets: sizes of the subsets.
    """

    rate: float = 0.7
    item: float = 0.5
    story: float = 0.0
    sizes: tuple[int, ...] = (1,)
    first: float = 1.0
    coins: float = 1.0
    subsets: tuple[int, ...] = (1, 1, 1)

    def clusters(self, n: int) -> list[int]:
        """The story of every item."""
        found: list[int] = []
        while len(found) < n:
            found += [len(set(found))] * self.sizes[len(set(found)) % len(self.sizes)]
        return found[:n]

    def right(self, rng: np.random.Generator, n: int, rates: Floats) -> Floats:
        """Right answers: items by conditions."""
        clusters, k = np.array(self.clusters(n)), len(rates)
        shared = np.sqrt(self.story) * rng.normal(size=n)[clusters]
        shared = shared + np.sqrt(self.item) * rng.normal(size=n)
        ways = np.array([self.first, *[1.0] * (k - 1)])
        own = 1 - (self.story + self.item) * ways**2
        latent = shared[:, None] * ways + np.sqrt(own) * rng.normal(size=(n, k))
        found = latent < special.ndtri(rates)
        if self.coins < 1:
            varies = rng.random(n) < self.coins
            found = np.where(varies[:, None], rng.random((n, k)) < 0.5, True)
        return np.asarray(found, dtype=float)


WORLDS: Mapping[str, World] = {
    "reference": World(),
    "bimodal": World(coins=0.2),
    "stories": World(story=0.5, item=0.2, sizes=(2, 12, 4, 3, 6)),
    "an outlier": World(story=0.3, item=0.2, sizes=(12, *[1] * 48)),
    "one noisy way": World(item=0.98, first=0.0),
    "negative": World(item=0.5, first=-1.0),
    "unequal subsets": World(subsets=(17, 2, 1)),
    "ceiling": World(rate=0.98),
}
_HINTS = ("with_gold", "no_hint", "hint_in_instruction", "hint_as_option")


def gap(n: int, world: World, less: float = 0.0) -> Scene:
    """KnowNo's gap; without the right option so much less is right."""
    names = ("mctest", "bank77", "equinfer")
    turns = [name for name, size in zip(names, world.subsets, strict=True) for _ in range(size)]
    clusters = world.clusters(n)
    # A story lies in one subset.
    of = [
        turns[(cluster if len(world.sizes) > 1 else i) % len(turns)]
        for i, cluster in enumerate(clusters)
    ]
    rows = pd.DataFrame(
        [
            {"subset": of[i], "item": f"q{i}", "cluster": f"u{clusters[i]}", "hint": hint}
            for i, hint in product(range(n), _HINTS)
        ]
    ).assign(task="knowno", pattern="offered", epoch=1, order=0, correct=0.0)

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        rates = np.array([world.rate, *[world.rate - less] * 3])
        right, features = world.right(rng, n, rates), table.features.copy()
        # Between both may stand what else items are drawn by.
        place = {(str(key[0]), str(key[-1])): j for j, key in enumerate(table.clusters)}
        at = np.array([place[of[i], f"u{clusters[i]}"] for i in range(n)])
        for (j, hint), subset in product(enumerate(_HINTS), dict.fromkeys(of)):
            column = features[:, table.columns[subset, "core", hint, "correct"]]
            column[:] = 0
            inside = np.array([name == subset for name in of])
            np.add.at(column, at[inside], right[inside, j])
        return features

    key = ("gap", OVERALL)
    return Scene("gap", key, analysis_of(knowno, rows, key), draw)


def bent(n: int, world: World, less: float = 0.0, key: str = "worst_effect") -> Scene:
    """A task plain and in four arms, the first of which is right so much less."""
    arms, clusters = ("plain", "suggestion", "order", "reflection", "absent"), world.clusters(n)
    rows = pd.DataFrame(
        [
            {"item": f"q{i}", "cluster": f"u{clusters[i]}", "arm": a}
            for i, a in product(range(n), arms)
        ]
    ).assign(task="bend", subset="mine", epoch=1, score=1.0, answer="A")
    rows["treatment"] = rows["arm"]

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        rates = np.array([world.rate, world.rate - less, *[world.rate] * 3])
        # The first condition is the one that is bent.
        right = world.right(rng, n, rates[[1, 0, 2, 3, 4]])[:, [1, 0, 2, 3, 4]]
        place = {str(cluster[-1]): j for j, cluster in enumerate(table.clusters)}
        at = np.array([place[f"u{cluster}"] for cluster in clusters])
        sums = {}
        for key, values in arm_sums(dict(zip(arms, right.T, strict=True))).items():
            sums[key] = np.bincount(at, values, len(table.features))
        return filled(table, sums)

    where = (key, OVERALL, OVERALL if key == "worst_effect" else "suggestion")
    return Scene(key, where, analysis_of(bend, rows, where), draw)


def formats(n: int, world: World, apart: float = 0.0) -> Scene:
    """Seven formats whose rates lie evenly, so far apart in all."""
    names, clusters = [f"format {i}" for i in range(7)], world.clusters(n)
    asked = product(range(n), names)
    rows = pd.DataFrame(
        [{"item": f"q{i}", "cluster": f"u{clusters[i]}", "format": name} for i, name in asked]
    ).assign(
        task="format_bias", subset="mmlu", category="mcq", prompting="zs", demos=0, repeat=1,
        epoch=1, format_ok=1.0, score=0.0,
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        right = world.right(rng, n, world.rate + apart * np.linspace(-0.5, 0.5, 7))
        place = {str(cluster[-1]): j for j, cluster in enumerate(table.clusters)}
        at, features = (
            np.array([place[f"u{cluster}"] for cluster in clusters]),
            table.features.copy(),
        )
        for key, column_at in table.columns.items():
            if "score" in str(key[-1]):
                (j,) = (j for j, name in enumerate(names) if name in key)
                column = features[:, column_at]
                column[:] = 0
                np.add.at(column, at, right[:, j])
        return features

    place = ("bias_f", OVERALL, "mcq", OVERALL, OVERALL, 0, 1)
    return Scene("bias_f", place, analysis_of(format_bias, rows, place), draw)


NUMBERS: Mapping[str, Callable[..., Scene]] = {
    "gap": gap,
    "effect": partial(bent, key="effect"),
    "largest loss": bent,
    "BiasF": formats,
}


def verdict_of(scene: Scene, seed: int, model: int = 0) -> Verdict:
    """What the first screen says of a number by itself."""
    run = scene.run(seed, model, scene.compared)
    rows = numbers_of(run, Interval(RESAMPLES, seed=seed))
    said = next(said for key, said in rows if key == scene.key)
    null = NoEffect(
        *(said[name] for name in ("value_debiased", "null_mean", "null_q95", "p_value"))
    )
    found = Estimate(said["value"], said["low"], said["high"], said["n_items"], null=null)
    return verdict_for(found, scene.declared)


def falsely_shown(world: str, name: str, n: int, runs: int) -> Counted:
    """How often a number is shown by itself where there is nothing."""
    scene = NUMBERS[name](n, WORLDS[world])
    found = [verdict_of(scene, seed) for seed in range(runs)]
    return sum(v.p_value <= _FINDING for v in found), runs


def held(world: str, name: str, n: int, runs: int) -> Counted:
    """How many intervals hold the truth, of those that were given."""
    scene, truth = NUMBERS[name](n, WORLDS[world]), 0.0
    found = [scene.number(seed, RESAMPLES) for seed in range(runs)]
    given = [(f["low"], f["high"]) for f in found if not np.isnan(f["low"])]
    return sum(low - 1e-9 <= truth <= high + 1e-9 for low, high in given), len(given)


# Cells of a page beside the one that is looked at.
_BESIDE = [Verdict("inconclusive", p_value=1.0)] * 4


def on_a_page(scene: Scene, seed: int) -> Verdict:
    """What a page of five cells says of a number, if nothing else shows."""
    return on_page([verdict_of(scene, seed), *_BESIDE])[0]


def needed_shows(name: str, n: int, effect: float, runs: int) -> Counted:
    """How often as many items as a page says would show an effect that matters do show it."""

    def scene(n: int, effect: float) -> Scene:
        if name in NUMBERS:
            return NUMBERS[name](n, WORLDS["reference"], effect)
        pair = PAIRS[name]
        return pair.scene(n, tendency_of(pair, n, effect) if effect else 0.0)

    nothing = scene(n, 0.0)
    needs = [on_a_page(nothing, seed).needed for seed in range(40)]
    there = scene(round(float(np.mean([x for x in needs if x]))), effect)
    return sum(on_a_page(there, seed).detected for seed in range(runs)), runs


def page_with_false_cells(world: str, models: int, n: int, runs: int) -> Counted:
    """How many pages of models without any effect, asked five tasks, show something."""
    of = WORLDS[world]
    scenes = [
        gap(n, of), bent(n, of), formats(n, of), framing_pull(n, -1.5, pull=0.0),
        settings(n, 0.6), binary_score(n, 1.5, key="delta_recall"),
    ][: 4 if world != "reference" else 6]  # fmt: skip
    false = 0
    for seed in range(runs):
        # Models are asked the same questions and answer them by themselves.
        cells = [verdict_of(s, seed, model) for s in scenes for model in range(models)]
        false += any(cell.detected for cell in on_page(cells))
    return false, runs
