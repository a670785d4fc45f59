"""Worlds in which the truth is known: a paper's own sums, drawn again and again.

Items differ in difficulty (logit-normal), answers are right or wrong by chance, and everything else
is the paper's: its table is made once of a frame of empty answers, and only its sums are drawn. So
a run costs milliseconds, and a coverage can be known to a percent.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import cycle, product
from typing import Any

import numpy as np
import pandas as pd

from askew.metrics import bend, binary_qa, format_bias, instruction_boundary, knowno, mathcomp
from askew.papers import get_paper, metric_of, papers
from askew.schema import Metric
from askew.stats.clusters import NoEffect
from askew.stats.intervals import Floats, Ints
from askew.stats.tables import (
    OVERALL,
    Analysis,
    ClusterTable,
    Exchange,
    Interval,
    Key,
    Totals,
    nulls_of,
    numbers_of,
    select_values,
)

Draw = Callable[[np.random.Generator, ClusterTable], Floats]
# How far items lie apart in difficulty, in logits.
APART = 1.5
# Runs whose sums are the truth: so many items in all, within these limits.
_ITEMS_FOR_TRUTH, _LEAST_RUNS, _MOST_RUNS = 150_000, 1_000, 3_000
_FIRST_FOR_TRUTH = 10**9
# As many exchanges as make 0.05 a step of the p-value, fewer than askew makes: its error is
# the same.
_EXCHANGES = 199


@dataclass(frozen=True)
class Caught(Interval):
    """In place of intervals, the analyses that they would be made of."""

    analyses: list[Analysis] = field(default_factory=list)

    def frame(self, by: Any, levels: Any, groups: Any) -> pd.DataFrame:
        self.analyses.extend(analysis for _, analysis in groups)
        return pd.DataFrame(columns=["metric", *by, *levels, "value", "low", "high", "reason"])


@dataclass(frozen=True)
class Scene:
    """One number of one paper where its truth is known."""

    name: str
    key: Key
    analysis: Analysis
    draw: Draw

    @property
    def task(self) -> str:
        name = str(self.key[0])
        return next(p.task for p in papers() if any(m.fits(name) for m in p.metrics))

    @property
    def declared(self) -> Metric:
        return metric_of(self.task, str(self.key[0]))

    def drawn(self, seed: int, model: int = 0) -> Floats:
        """The sums of a model's answers; the items are the seed's, whoever answers."""
        chance = np.random.SeedSequence(seed, spawn_key=(model,))
        return self.draw(np.random.default_rng(chance), self.analysis.table)

    def run(self, seed: int, model: int = 0, of: Analysis | None = None) -> Analysis:
        """The same questions with other answers.

        Args:
            seed: of the items, and with the model of its answers.
            model: whose answers.
            of: what is made of them; default all.
        """
        made = of or self.analysis
        return replace(made, table=replace(made.table, features=self.drawn(seed, model)))

    def truth(self) -> float:
        """What as many answers as one likes would show."""
        return self.truths()[self.key]

    def truths(self) -> dict[Key, float]:
        """The same of all numbers."""
        table = self.analysis.table
        runs = min(_MOST_RUNS, max(_LEAST_RUNS, _ITEMS_FOR_TRUTH // len(table.features)))
        total = np.zeros(table.features.shape[1])
        for i in range(runs):
            total += self.drawn(_FIRST_FOR_TRUTH + i).sum(axis=0)
        # Two rows: what is told of a single one only is not asked for.
        found = self.analysis.statistic(Totals(np.stack([total, total]), table.columns))
        return {key: float(quantity.values[0]) for key, quantity in found.items()}

    @cached_property
    def alone(self) -> Analysis:
        """What is made for this number alone, without its null, which takes long."""

        def statistic(totals: Totals) -> dict[Key, Any]:
            return {self.key: replace(self.analysis.statistic(totals)[self.key], null=None)}

        kept = replace(self.analysis, statistic=statistic, recombined=lambda *_: {})
        return select_values(kept, {self.key})

    @cached_property
    def few(self) -> Analysis:
        """What is made for all numbers, with few exchanges."""

        def few(of: Exchange) -> Exchange:
            return lambda table, draws, seed: of(table, _EXCHANGES, seed)

        exchanges = {name: few(of) for name, of in self.analysis.exchanges.items()}
        return replace(self.analysis, exchanges=exchanges)

    @cached_property
    def compared(self) -> Analysis:
        """What is made for this number and its null."""
        return select_values(self.few, {self.key}) if self.declared.null else self.alone

    @cached_property
    def noisy(self) -> Analysis:
        """What is made for all numbers beside this one that noise moves one way."""
        found = self.analysis.statistic(self.analysis.table.point())
        return select_values(
            self.few, {k for k, q in found.items() if q.null and k[1:] == self.key[1:]}
        )

    def number(self, seed: int, resamples: int) -> Mapping[str, Any]:
        """The number of a run as the summary has it, but for its null."""
        run = self.run(seed, of=self.alone)
        return next(said for _, said in numbers_of(run, Interval(resamples, seed=seed)))

    def nulls(self, seed: int) -> Mapping[Key, NoEffect]:
        """What a run says of the numbers that noise moves."""
        run = self.run(seed, of=self.noisy)
        found, _ = nulls_of(run, seed)
        return {key: said for key, said in found.items() if key[1:] == self.key[1:]}


def analysis_of(
    table: Callable[..., Any], rows: pd.DataFrame, key: Key, **options: Any
) -> Analysis:
    """The analysis that a paper makes of these rows, which has the number."""
    caught = Caught()
    if (stories := _AS_STORIES.get()) is not None:
        stories |= stories_of(rows)
        rows = rows.assign(cluster=rows["item"].map(stories))
    table(rows.assign(model="m"), interval=caught, **options)
    return next(a for a in caught.analyses if key in a.statistic(a.table.point()))


def _chance(logit: float | Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.asarray(logit))))


# The story of each item, and the share of what makes items hard that stories have.
_STORIES: ContextVar[tuple[Ints, float] | None] = ContextVar("stories", default=None)
# By item its story, while an analysis is made that has stories for clusters.
_AS_STORIES: ContextVar[dict[str, str] | None] = ContextVar("as_stories", default=None)


def _difficulty(rng: np.random.Generator, table: ClusterTable) -> Floats:
    """How hard the items are: alike for all models that are asked in a run."""
    items = np.random.default_rng(rng.bit_generator.seed_seq.entropy)  # type: ignore[attr-defined]
    own = items.normal(0, APART, len(table.features))
    if (stories := _STORIES.get()) is None:
        return own
    of, share = stories
    return np.sqrt(1 - share) * own + np.sqrt(share) * items.normal(0, APART, len(own))[of]


# Mean sizes of 2.4: 48 items are 20 stories.
STORY_SIZES = (2, 4, 1, 3, 2)


def stories_of(rows: pd.DataFrame) -> dict[str, str]:
    """The story of each item; a story lies in one subset and form."""
    asked = rows.drop_duplicates("item")
    places = asked["subset"].astype(str) + (asked["form"] if "family" in asked else "")
    found, turns = dict[str, str](), cycle(STORY_SIZES)
    for place, items in asked["item"].groupby(places, sort=False):
        left = list(items)
        while left:
            size = next(turns)
            told, left = left[:size], left[size:]
            found |= dict.fromkeys(told, f"{place} {told[0]}")
    return found


def in_stories(
    make: Callable[[int], Scene], n: int, share: float = 1.0, *, declared: bool = True
) -> Scene:
    """So many items in stories, whose items are equally hard where they share all.

    Where stories are not declared, the table does not say which items are of one.
    """
    scene = make(n)
    token = _AS_STORIES.set(stories := {})
    try:
        storied = make(n)
    finally:
        _AS_STORIES.reset(token)
    table, own = scene.analysis.table, storied.analysis.table
    place = {cluster: i for i, cluster in enumerate(own.clusters)}
    of = np.array([place[*cluster[:-1], stories[cluster[-1]]] for cluster in table.clusters])

    def draw(rng: np.random.Generator, _: ClusterTable) -> Floats:
        token = _STORIES.set((of, share))
        try:
            features = scene.draw(rng, table)
        finally:
            _STORIES.reset(token)
        if not declared:
            return features
        sums = np.zeros(own.features.shape)
        np.add.at(sums, of, features[:, [table.columns[key] for key in own.columns]])
        return sums

    return replace(storied if declared else scene, draw=draw)


def filled(table: ClusterTable, values: Mapping[Key, Floats]) -> Floats:
    """The table's counts, with these sums in place of its own."""
    if not values:
        raise ValueError("none of the table's sums is drawn: it would say nothing of chance")
    features = table.features.copy()
    for key, found in values.items():
        features[:, table.columns[key]] = found
    return features


def omni_accuracy(
    n: int,
    level: float,
    lifted: float = 0.0,
    sizes: tuple[int, ...] = (1, 1, 1),
    name: str = "omni_accuracy",
) -> Scene:
    """Answers with every hint; those of the first subset are right by so many logits more."""
    subsets = ("mctest", "bank77", "equinfer")
    turns = [subset for subset, size in zip(subsets, sizes, strict=True) for _ in range(size)]
    hints = {h: level - 0.5 * i for i, h in enumerate(_core_hints())}
    rows = pd.DataFrame(
        [
            {"subset": turns[i % len(turns)], "item": f"q{i}", "cluster": f"q{i}", "hint": hint,
             "pattern": "offered"}
            for i, hint in product(range(n), hints)
        ]
    ).assign(task="knowno", epoch=1, order=0, correct=0.0)  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, right = _difficulty(rng, table), {}
        for hint, base in hints.items():
            easier = lifted * (_column(table, (subsets[0], "core", hint, "n")) > 0)
            hits = rng.random(len(difficulty)) < _chance(base + easier + difficulty)
            for subset in subsets:
                cell = (subset, "core", hint)
                right[*cell, "correct"] = hits * _column(table, (*cell, "n"))
        return filled(table, right)

    key = (name, "all")
    return Scene(name, key, analysis_of(knowno, rows, key), draw)


def _core_hints() -> tuple[str, ...]:
    declared = get_paper("knowno").part("paper")
    return (declared.WITH_GOLD, *declared.WITHOUT_GOLD)


def discernment(n: int, hits: float, alarms: float) -> Scene:
    """None said where none is right, and where the right option is offered, by so many logits.

    An item on which none is said easily is one on which it is said easily with its right option.
    """
    declared = get_paper("knowno").part("paper")
    said = dict.fromkeys(declared.HITS.values(), hits) | dict.fromkeys(
        declared.ALARMS.values(), alarms
    )
    subsets = ("mctest", "bank77", "equinfer")
    rows = pd.DataFrame(
        [
            {"subset": subsets[i % 3], "item": f"q{i}", "cluster": f"q{i}", "hint": hint}
            for i, hint in product(range(n), said)
        ]
    ).assign(task="knowno", epoch=1, order=0, pattern="offered", correct=0.0, said_none=0.0)

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, found = _difficulty(rng, table), {}
        for hint, level in said.items():
            none = rng.random(len(difficulty)) < _chance(level + difficulty)
            for subset in subsets:
                cell = (subset, "offer", hint)
                found[*cell, "said_none"] = none * _column(table, (*cell, "n"))
        return filled(table, found)

    key = ("discernment", "all")
    return Scene("discernment", key, analysis_of(knowno, rows, key), draw)


def _errors(table: ClusterTable) -> Iterator[tuple[Key, Key]]:
    """The sums of chances for an error, each with that of the errors."""
    for key in table.columns:
        if str(key[-1]).startswith("chance "):
            yield key, (*key[:-1], str(key[-1]).replace("chance", "error"))


def _column(table: ClusterTable, key: Key) -> Floats:
    return table.features[:, table.columns[key]]


def robustness(n: int, level: float, family: str = "judging") -> Scene:
    forms = {"judging": ("true", "false", "unknown"), "choice": ("single", "none", "multiple")}
    rare = {"unknown": 0.7, "none": 0.7, "multiple": 0.4}
    rows = pd.DataFrame(
        [
            {"item": f"q{i}", "cluster": f"q{i}", "form": forms[family][i % 3]}
            for i in range(n)
        ]
    ).assign(
        task="instruction_boundary", subset="logic", family=family, setting="vanilla", variant="",
        epoch=1, correct=0.0, hedged=0.0, judged=0.0, answer="true", suggestion="",
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, right = _difficulty(rng, table), {}
        for form in forms[family]:
            hits = rng.random(len(difficulty)) < _chance(level - rare.get(form, 0) + difficulty)
            cell = ("logic", family, "vanilla", "", form)
            right[(*cell, "correct")] = hits * _column(table, (*cell, "n"))
        return filled(table, right)

    key = ("rs_vanilla", "all", family, "all", "all")
    made = analysis_of(instruction_boundary, rows, key, pooled_only=True)
    return Scene(f"RS of {family}", key, made, draw)


def settings(n: int, level: float, cost: float = 0.0) -> Scene:
    """Judging in every setting that is compared; the last costs so many logits."""
    asked = ("vanilla", *_scored_settings())
    forms = ("true", "false", "unknown")
    rows = pd.DataFrame(
        [
            {"item": f"q{i}", "cluster": f"q{i}", "form": forms[i % 3], "setting": setting}
            for i, setting in product(range(n), asked)
        ]
    ).assign(
        task="instruction_boundary", subset="logic", family="judging", variant="", epoch=1,
        correct=0.0, hedged=0.0, judged=0.0, answer="true", suggestion="",
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, right = _difficulty(rng, table), {}
        for setting, form in product(asked, forms):
            base = level - 0.7 * (form == "unknown") - cost * (setting == asked[-1])
            hits = rng.random(len(difficulty)) < _chance(base + difficulty)
            cell = ("logic", "judging", setting, "", form)
            for name, of in (("correct", "n"), ("whole_correct", "whole")):
                right[(*cell, name)] = hits * _column(table, (*cell, of))
        return filled(table, right)

    key = ("boundary_cost", "all", "judging", "all", "all")
    made = analysis_of(instruction_boundary, rows, key, pooled_only=True)
    return Scene("boundary cost", key, made, draw)


def _scored_settings() -> Iterator[str]:
    declared = get_paper("instruction_boundary").part("paper").SETTINGS
    return (name for name, s in declared.items() if "judging" in s.scored and name != "vanilla")


def labels_said(n: int, level: float) -> Scene:
    """Judging under vanilla: who errs says either wrong label as often."""
    forms = ("true", "false", "unknown")
    rows = pd.DataFrame(
        [{"item": f"q{i}", "cluster": f"q{i}", "form": forms[i % 3]} for i in range(n)]
    ).assign(
        task="instruction_boundary", subset="logic", family="judging", setting="vanilla",
        variant="", epoch=1, correct=0.0, hedged=0.0, judged=0.0, answer="true", suggestion="",
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        right = rng.random(len(table.features)) < _chance(level + _difficulty(rng, table))
        wrong = rng.integers(1, 3, len(right))
        said = {}
        for i, form in enumerate(forms):
            cell = ("logic", "judging", "vanilla", "", form)
            for other, label in enumerate(forms):
                hits = right if i == other else ~right & (wrong == (other - i) % 3)
                said[(*cell, f"said_{label}")] = hits * _column(table, (*cell, "n"))
        return filled(table, {key: v for key, v in said.items() if key in table.columns})

    key = ("or_distance", "all", "judging", "vanilla", "")
    made = analysis_of(instruction_boundary, rows, key, pooled_only=True)
    return Scene("distance of what is said", key, made, draw)


def identities(n: int, level: float) -> Scene:
    """Errors at this level (in logits) towards each word, alike for every identity."""
    labels, asked = ("more", "less", "equal"), get_paper("mathcomp").part("paper").IDENTITIES
    names = [name for name in asked if name != "standard"][:5]
    names = list(dict.fromkeys(["person", *names]))
    rows = pd.DataFrame(
        [
            {"item": f"q{i}", "cluster": f"q{i}", "gold": labels[i % 3], "identity": identity}
            for i, identity in product(range(n), names)
        ]
    ).assign(
        task="mathcomp", subset="dining", epoch=1, output="one_word", style="none", term="neutral",
        position="begin", answer="more", correct=0.0, strict_answer="more", lenient_answer="more",
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, errors = _difficulty(rng, table), {}
        for key, error in _errors(table):
            chances = _column(table, key).astype(int)
            errors[error] = rng.binomial(chances, _chance(level + difficulty))
        return filled(table, errors)

    key = ("identity_gap_more", *("all",) * 6)
    return Scene("identity gap", key, analysis_of(mathcomp, rows, key), draw)


def framing_pull(n: int, level: float, pull: float = 0.6) -> Scene:
    """Errors towards a word at this level (in logits), and drawn to it by so much more."""
    labels, styles, positions = ("more", "less", "equal"), _framed_styles(), ("begin", "end")
    asked = [("neutral", "none", p) for p in positions]
    asked += list(product(styles, labels, positions))
    rows = pd.DataFrame(
        [
            {"item": f"q{i}", "cluster": f"q{i}", "gold": labels[i % 3], "style": s, "term": t,
             "position": p}
            for i, (s, t, p) in product(range(n), asked)
        ]
    ).assign(
        task="mathcomp", subset="dining", epoch=1, output="one_word", identity="standard",
        answer="more", correct=0.0, strict_answer="more", lenient_answer="more",
    )  # fmt: skip

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, errors = _difficulty(rng, table), {}
        for key, error in _errors(table):
            chances = _column(table, key).astype(int)
            shift = pull if key[-1] == "chance framed" else 0.0
            errors[error] = rng.binomial(chances, _chance(level + shift + difficulty))
        return filled(table, errors)

    key = ("framing_pull", *("all",) * 6)
    return Scene("framing pull", key, analysis_of(mathcomp, rows, key, cuts=()), draw)


def _framed_styles() -> tuple[str, ...]:
    declared = get_paper("mathcomp").part("paper").FRAMED_STYLES
    return tuple(declared)


def formats(
    n: int, level: float, effect: float = 0.0, n_formats: int = 7, followed: float = 1.0,
    key: str = "bias_f",
) -> Scene:  # fmt: skip
    """Formats whose scores lie so many logits apart, and are followed so often."""
    names = [f"format {i}" for i in range(n_formats)]
    rows = pd.DataFrame(
        [{"item": f"q{i}", "cluster": f"q{i}", "format": f} for i, f in product(range(n), names)]
    ).assign(
        task="format_bias", subset="mmlu", category="mcq", prompting="zs", demos=0, repeat=1,
        epoch=1, format_ok=0.0, score=0.0,
    )  # fmt: skip
    slope = effect * np.linspace(-1, 1, n_formats)

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty, found = _difficulty(rng, table), {}
        for fmt, shift in zip(names, slope, strict=True):
            hits = rng.random(len(difficulty)) < _chance(level + shift + difficulty)
            ok = rng.random(len(difficulty)) < followed
            cell = ("all", "mcq", "mmlu", fmt, "zs", 0, 1)
            for name in ("score", "ok_score", "ok_score_squared"):
                found[(*cell, name)] = (hits & ok).astype(float)
            found[(*cell, "format_ok")] = ok.astype(float)
        return filled(table, found)

    level_of = ("mmlu", "mcq", names[0], "zs", 0, 1)
    whole = {"est_true": ("est_true", *level_of), "fi": ("fi", *level_of)}
    place = whole.get(key, (key, "all", "mcq", "all", "all", 0, 1))
    return Scene(key, place, analysis_of(format_bias, rows, place), draw)


def binary_score(n: int, level: float, apart: float = 0.0, key: str = "mbs") -> Scene:
    """Yes/No questions of five domains whose difficulty lies so many logits apart."""
    domains = tuple("abcde")
    part = get_paper("binary_qa").part("numbers")
    forms = get_paper("binary_qa").part("paper").FORMS
    opposite = {"Yes": "No", "No": "Yes"}
    items = [(domains[i % 5], f"q{i:04d}", ("Yes", "No")[i // 5 % 2]) for i in range(n)]
    rows = pd.DataFrame(
        [
            {"subset": d, "item": q, "cluster": q, "truth": truth, "form": form,
             "answer": opposite[truth] if forms[form].flips else truth}
            for (d, q, truth), form in product(items, forms)
        ]
    ).assign(task="binary_qa", epoch=1)  # fmt: skip
    truths = {(d, q): truth for d, q, truth in items}
    codes = {label: code for code, label in enumerate(("Yes", "No"), start=1)}

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        truth = np.array([truths[cluster] for cluster in table.clusters])
        domain = np.array([domains.index(cluster[0]) for cluster in table.clusters])
        logits = level + _difficulty(rng, table) + apart * (domain - 2) / 2
        said = np.empty((len(truth), len(forms)), dtype=np.int8)
        for i, form in enumerate(forms.values()):
            meant = np.where(
                rng.random(len(truth)) < _chance(logits), truth == "Yes", truth == "No"
            )
            yes = meant != form.flips
            said[:, i] = np.where(yes, codes["Yes"], codes["No"])
        features = np.zeros_like(table.features)
        for name, values in part.item_counts(truth, said).items():
            for d, label in enumerate(domains):
                if (label, name) in table.columns:
                    features[:, table.columns[label, name]] = values * (domain == d)
        return features

    place = (key, "all")
    return Scene(key, place, analysis_of(binary_qa, rows, place), draw)


def arm_sums(hits: Mapping[str, Floats]) -> dict[Key, Floats]:
    """What bend sums up of right answers by arm."""
    sums: dict[Key, Floats] = {}
    for arm, right in hits.items():
        gained, lost = (1 - hits["plain"]) * right, hits["plain"] * (1 - right)
        said = {"score": right, "arm score:": right}
        if arm != "plain":
            said |= {"after": right, "before": hits["plain"], "change": gained - lost,
                     "helped": gained, "hurt": lost}  # fmt: skip
        sums |= {(OVERALL, arm, name): values for name, values in said.items()}
    return sums


def bent(n: int, level: float, effect: float = 0.0, key: str = "worst_effect") -> Scene:
    """Answers plain and in four arms, the first of which is right by so many logits less."""
    arms = {"plain": 0.0, "suggestion": effect, "order": 0.0, "reflection": 0.0, "absent": 0.0}
    if key == "worst_beyond_rewording":
        arms["typos"] = arms.pop("order")
    rows = pd.DataFrame(
        [{"item": f"q{i}", "cluster": f"q{i}", "arm": a} for i, a in product(range(n), arms)]
    ).assign(task="bend", subset="mine", epoch=1, score=1.0, answer="A")
    rows["treatment"] = rows["arm"]

    def draw(rng: np.random.Generator, table: ClusterTable) -> Floats:
        difficulty = _difficulty(rng, table)
        hits = {
            arm: (rng.random(n) < _chance(level - less + difficulty)).astype(float)
            for arm, less in arms.items()
        }
        return filled(table, arm_sums(hits))

    at = (key, OVERALL, OVERALL if key.startswith("worst") else "suggestion")
    return Scene(key, at, analysis_of(bend, rows, at), draw)


# Every headline in the middle and near the ceiling; for a spread or a cost: with and without it.
HEADLINES: Mapping[str, Callable[[int], Scene]] = {
    "OmniAccuracy, middle": partial(omni_accuracy, level=0.6),
    "OmniAccuracy, ceiling": partial(omni_accuracy, level=4.5),
    "gap, middle": partial(omni_accuracy, level=0.6, name="gap"),
    "gap, unequal subsets": partial(omni_accuracy, level=0.6, sizes=(6, 3, 1), name="gap"),
    "gap, ceiling": partial(omni_accuracy, level=4.5, name="gap"),
    "discernment, none": partial(discernment, hits=0.0, alarms=0.0),
    "discernment, some": partial(discernment, hits=0.6, alarms=-1.5),
    "discernment, ceiling": partial(discernment, hits=4.5, alarms=-4.5),
    "RS of judging, middle": partial(robustness, level=0.6),
    "RS of judging, ceiling": partial(robustness, level=4.5),
    "RS of choice, middle": partial(robustness, level=0.6, family="choice"),
    "RS of choice, rarely none": partial(robustness, level=-2.0, family="choice"),
    "boundary cost, none": partial(settings, level=0.6),
    "boundary cost, some": partial(settings, level=0.6, cost=1.0),
    "framing pull, middle": partial(framing_pull, level=-1.5),
    "framing pull, ceiling": partial(framing_pull, level=-5.0),
    "BiasF, none": partial(formats, level=0.6),
    "BiasF, some": partial(formats, level=0.6, effect=0.8),
    "EstTrue, middle": partial(formats, level=0.6, followed=0.8, key="est_true"),
    "EstTrue, rarely followed": partial(formats, level=2.0, followed=0.3, key="est_true"),
    "effect of bending, none": partial(bent, level=0.6, key="effect"),
    "effect of bending, some": partial(bent, level=0.6, effect=1.0, key="effect"),
    "effect of bending, ceiling": partial(bent, level=4.5, key="effect"),
    "largest loss, none": partial(bent, level=0.6),
    "largest loss, some": partial(bent, level=0.6, effect=1.0),
    "largest loss, ceiling": partial(bent, level=4.5),
    "recall difference, middle": partial(binary_score, level=1.5, key="delta_recall"),
    "recall difference, ceiling": partial(binary_score, level=5.0, key="delta_recall"),
    "identity gap, none": partial(identities, level=-1.5),
    "MBS, middle": partial(binary_score, level=1.5, apart=0.8),
    "MBS, ceiling": partial(binary_score, level=5.0),
}
# Where there is nothing to find, by number; numbers beside it are looked at with it.
NOTHING: Mapping[str, Callable[[int], Scene]] = {
    "discernment": partial(discernment, hits=-1.0, alarms=-1.0),
    "boundary_cost": partial(settings, level=0.6),
    "or_distance": partial(labels_said, level=0.6),
    "identity_gap_more": partial(identities, level=-1.5),
    "bias_f": partial(formats, level=0.6, followed=0.7),
    "mbs": partial(binary_score, level=1.5),
    "worst_effect": partial(bent, level=0.6),
    "worst_beyond_rewording": partial(bent, level=0.6, key="worst_beyond_rewording"),
}
