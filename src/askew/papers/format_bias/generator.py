"""Questions from a seed at ten levels of difficulty: the items of `data=generated`.

Lookups: runs of an experiment take over what other runs used, each thing from another; asked is
what one run used. A layer of runs takes each thing from every run before once, so that every name
is as likely, whatever the text looks like. Sums: amounts that are told by other amounts; options
are what four tellings of the same steps come to, and which of them is told is drawn by lot.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from random import Random
from typing import Any

from askew.files import toml_of
from askew.papers.format_bias.items import FormatItem
from askew.papers.format_bias.paper import PAPER
from askew.reading.names import LETTERS
from askew.sources.levels import Generator, levels_of

REVISION = "2"
_WORDS: Mapping[str, Any] = toml_of(__package__, "words.toml")
_LOOKUP, _SUM = _WORDS["lookup"], _WORDS["sum"]
_KINDS: Mapping[str, Sequence[str]] = _LOOKUP["kinds"]
_OPTIONS, _LISTED, _ATTEMPTS, _TRIES, _MOST = 4, 8, 60, 20, 5_000
_FIRST, _STEP = (12, 60), (2, 9)


@dataclass(frozen=True, slots=True)
class Level:
    """What questions of a level are made of, as difficulty.toml has it."""

    adds: str
    lookup: Mapping[str, Any]
    sum: Mapping[str, int]
    mixed: bool = False


LEVELS = levels_of(__package__, Level)


def _questions(level: int, seed: int, subsets: Sequence[str]) -> Iterator[FormatItem]:
    """A level's questions without an end; neighbouring levels begin with different subsets."""
    first = level % len(subsets)
    turns = [_stream(level, seed, subset) for subset in (*subsets[first:], *subsets[:first])]
    return chain.from_iterable(zip(*turns, strict=True))


def _stream(level: int, seed: int, subset: str) -> Iterator[FormatItem]:
    rng, known = Random(f"format_bias/{subset}/{REVISION}/{seed}/{level}"), set[str]()
    for number in count(1):
        name = f"g{seed}-{level:02}-{subset}{number:04}"
        made = None
        while made is None or str(made) in known:
            made = _MAKES[subset](LEVELS[level], rng, number)
        known.add(str(made))
        yield FormatItem(name, subset, name, difficulty=level, accepted=(), **made)


generate = Generator(_questions, REVISION, 100, PAPER.selection("generated"))


# --- Lookups -------------------------------------------------------------------------------------


# What each run used, the sentences about runs of before, and those about the last layer's.
Runs = tuple[Mapping[str, Mapping[str, str]], Sequence[str], Mapping[str, str]]


def _runs(of: Level, layers: int, kinds: Sequence[str], width: int, rng: Random) -> Runs:
    """Layers of runs; the second half of `kinds` is told plainly, and runs are named by these."""
    names = iter(rng.sample(_LOOKUP["runs"], width * (layers + 1)))
    values = {kind: rng.sample(_KINDS[kind], _OPTIONS) * (width // _OPTIONS) for kind in kinds}
    layer = [next(names) for _ in range(width)]
    used = {run: {kind: values[kind][i] for kind in kinds} for i, run in enumerate(layer)}
    last = {
        run: [_LOOKUP["had"].format(kind=kind, value=value) for kind, value in used[run].items()]
        for run in layer
    }
    verb = "began with"
    plain, took, told = kinds[len(kinds) // 2 :], dict[str, dict[str, str]](), list[str]()
    for _ in range(layers):
        told += _sentences(last, verb)
        before, layer = layer, [next(names) for _ in range(width)]
        sources = {kind: rng.sample(before, width) for kind in kinds}
        last = {run: [] for run in layer}
        for i, run in enumerate(layer):
            took[run] = {kind: sources[kind][i] for kind in kinds}
            used[run] = {kind: used[source][kind] for kind, source in took[run].items()}
            # Who is named by what it took comes last: its own things can't be taken for another's.
            for kind in reversed(kinds):
                source = took[run][kind]
                named, by = _LOOKUP["named"].format(run=source), rng.choice(plain)
                if kind not in plain and rng.random() < of.lookup.get("via", 0):
                    if source in took:
                        named = _LOOKUP["via"].format(kind=by, run=took[source][by])
                    elif width == _OPTIONS:
                        named = _LOOKUP["whose"].format(kind=by, value=used[source][by])
                last[run].append(_LOOKUP["took"].format(kind=kind, run=named))
        verb = "took"
    if of.mixed:
        rng.shuffle(told)
    return used, told, dict(zip(layer, _sentences(last, verb), strict=True))


def _sentences(runs: Mapping[str, Sequence[str]], verb: str) -> list[str]:
    told = []
    for run, parts in runs.items():
        long = len(parts) > 2 and verb == "took"
        text = "; ".join(parts) if long else f"{', '.join(parts[:-1])} and {parts[-1]}"
        told.append(f"Run {run} {verb} {text}.")
    return told


def _whole(of: Level, told: Sequence[str], last: Mapping[str, str], rng: Random) -> str:
    texts = [*told, *last.values()]
    return " ".join(rng.sample(texts, len(texts)) if of.mixed else texts)


def _hop(of: Level, rng: Random, number: int) -> dict[str, Any]:
    kind, *others = rng.sample(list(_KINDS), 2)
    used, told, last = _runs(of, of.lookup["layers"], (kind, *others), _OPTIONS, rng)
    run = rng.choice(list(last))
    asks = _LOOKUP["which"].format(kind=kind, run=run)
    context = {"context": _whole(of, told, last, rng), "question": asks}
    return {"kind": "multihop", "context": context, "answer": used[run][kind]}


def _ranking(of: Level, rng: Random, number: int) -> dict[str, Any]:
    kind, *others = rng.sample(list(_KINDS), 2)
    used, told, last = _runs(of, of.lookup["several"], (kind, *others), _LISTED, rng)
    value = used[rng.choice(list(last))][kind]
    query = _LOOKUP["topic"].format(value=value, kind=kind, text=" ".join(told)).strip()
    return {
        "kind": "ranking", "context": {"query": query}, "documents": tuple(last.values()),
        "relevant": tuple(int(used[run][kind] == value) for run in last),
    }  # fmt: skip


def _extraction(of: Level, rng: Random, number: int) -> dict[str, Any]:
    kinds = rng.sample(list(_KINDS), len(_KINDS))
    used, told, last = _runs(of, of.lookup["several"], kinds, _OPTIONS, rng)
    run = rng.choice(list(last))
    text = _LOOKUP["entities"].format(text=_whole(of, told, last, rng), run=run)
    entities = {kind.capitalize(): (used[run][kind],) for kind in _KINDS}
    return {"kind": "extraction", "context": {"text": text}, "entities": entities}


# --- Sums ----------------------------------------------------------------------------------------

# What each way to tell a step comes to, of earlier amounts x and z and a number n.
_COMES_TO: Mapping[str, Callable[[int, int, int], int]] = {
    "x + n": lambda x, z, n: x + n, "x - n": lambda x, z, n: x - n, "x * n": lambda x, z, n: x * n,
    "x / n": lambda x, z, n: 0 if x % n else x // n, "x + z": lambda x, z, n: x + z,
    "x + z + n": lambda x, z, n: x + z + n, "x + z - n": lambda x, z, n: x + z - n,
    "z + n - x": lambda x, z, n: z + n - x,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Step:
    """An amount `y` that is told by one or two earlier ones and a number, in one of the `ways`."""

    y: str
    x: str
    z: str
    n: int
    ways: Sequence[Sequence[str]]

    def comes_to(self, way: int, known: Mapping[str, int]) -> int:
        """Its amount; 0 where that is no whole number of a fitting size."""
        found = _COMES_TO[self.ways[way][1]](known[self.x], known.get(self.z, 0), self.n)
        return found if 0 < found <= _MOST else 0


def _sum(of: Level, options: int, rng: Random) -> tuple[str, list[int], int]:
    """A question, what so many tellings of its steps come to, and which of them it has."""
    bases, n_steps, asides = of.sum["bases"], of.sum["steps"], of.sum.get("asides", 0)
    while True:
        names = iter(rng.sample(_SUM["names"], bases + n_steps + asides))
        given = {next(names): rng.randint(*_FIRST) for _ in range(bases)}
        free, known, steps, first = list(given), dict(given), list[_Step](), list[int]()
        joins = rng.sample(range(n_steps), bases - 1)
        for i, y in enumerate(names):
            x, z = (free[-1] if i < n_steps and rng.random() < 0.6 else rng.choice(list(known))), ""
            if i < n_steps:
                x = x if x in free else rng.choice(free)
            if i in joins:
                z = rng.choice([name for name in free if name != x])
            ways = _SUM["steps"]["two" if z else "one"]
            even = [n for n in range(_STEP[0], _STEP[1] + 1) if known[x] % n == 0]
            numbers = [
                rng.choice(even) if even and rng.random() < 0.5 else rng.randint(*_STEP)
                for _ in range(_TRIES)
            ]
            tried = ((_Step(y, x, z, n, ways), rng.randrange(len(ways))) for n in numbers)
            fitting = ((step, way) for step, way in tried if step.comes_to(way, known))
            step, way = next(fitting, (None, 0))
            if step is None:
                break
            known[y] = step.comes_to(way, known)
            steps.append(step)
            first.append(way)
            if i < n_steps:
                free = [name for name in free if name not in (x, z)] + [y]
        if len(steps) < n_steps + asides:
            continue  # nothing fits these amounts
        asked = steps[n_steps - 1].y
        cells = {known[asked]: tuple(first)}
        for _ in range(_ATTEMPTS):
            if len(cells) == options:
                break
            cell, made = list(first), dict(given)
            for i in rng.sample(range(n_steps), min(n_steps, rng.randint(1, 2))):
                cell[i] = rng.randrange(len(steps[i].ways))
            for step, way in zip(steps, cell, strict=True):
                made[step.y] = step.comes_to(way, made)
            if all(made.values()):
                cells.setdefault(made[asked], tuple(cell))
        if len(cells) < options:
            continue
        amounts, right = rng.sample(sorted(cells), options), rng.randrange(options)
        did, do, things = rng.choice(_SUM["does"])
        words = {"did": did, "do": do, "things": things}
        told = [_SUM["first"].format(y=y, n=n, **words) for y, n in given.items()]
        told += [
            step.ways[way][0]
            .format(y=step.y, x=step.x, z=step.z, n=step.n, **words)
            .replace(" 2 times ", " twice ")
            for step, way in zip(steps, cells[amounts[right]], strict=True)
        ]
        if of.mixed:
            rng.shuffle(told)
        return f"{' '.join(told)} {_SUM['asks'].format(y=asked, **words)}", amounts, right


def _arithmetic(of: Level, rng: Random, number: int) -> dict[str, Any]:
    question, amounts, right = _sum(of, 1, rng)
    return {"kind": "arithmetic", "context": {"question": question}, "answer": str(amounts[right])}


def _choice(of: Level, rng: Random, number: int) -> dict[str, Any]:
    """A sum or a lookup in turns, with four options."""
    if number % 2:
        question, amounts, right = _sum(of, _OPTIONS, rng)
        choices = tuple(map(str, amounts))
    else:
        made = _hop(of, rng, number)
        (kind,) = (k for k, names in _KINDS.items() if made["answer"] in names)
        text, asks = made["context"].values()
        choices = tuple(rng.sample([n for n in _KINDS[kind] if n in text], _OPTIONS))
        question, right = f"{text} {asks}", choices.index(made["answer"])
    return {"kind": "mcq", "context": {"question": question}, "choices": choices,
            "answer": LETTERS[right]}  # fmt: skip


_MAKES: Mapping[str, Callable[[Level, Random, int], dict[str, Any]]] = {
    "mmlu": _choice, "gsm8k": _arithmetic, "hotpotqa": _hop, "scidocsrr": _ranking,
    "scirex_hard": _extraction,
}  # fmt: skip
