"""Do numbers and decisions err as rarely as they say? Simulated where the truth is known.

    python benchmarks/claims.py
    python benchmarks/claims.py --part compare --part gate --runs 200

Each part counts how often askew's own rule says something of models whose truth is known, in
studies made of the papers' sums. A claim is off where chance would explain the miss in one of a
hundred such counts. docs/explanation/validation.md has the results.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from bench.examples import examples
from bench.looks import LOOKED_AT, held, held_of_yes_and_no, held_where_stopped, saved
from bench.planted import held as held_of_answers
from bench.planted import planned as planned_in_full
from bench.results import Result, show
from bench.scenes import HEADLINES, NOTHING
from bench.studies import (
    FAMILIES,
    Counted,
    alarms,
    called_different,
    called_equal,
    covered,
    decided_at_bound,
    failed_checks,
    found_as_planned,
)
from bench.worlds import (
    NUMBERS,
    WORLDS,
    falsely_shown,
    needed_shows,
    page_with_false_cells,
)
from bench.worlds import held as held_in

from askew.decide.calibrate import COVERAGE, POWER, flag_rate, repetitions_for

SIZES = (12, 24, 48, 120, 400)
NULL_SIZES = (24, 60)
# Of rates near 6 in 100, chance excuses 1.5 points in so many runs; 2.1, 2.8 and 3.2 in fewer, of
# what takes longer.
RUNS, LONGER, LONG, FEW = 1_400, 700, 400, 300
_SLOW = ("boundary", "BiasF", "EstTrue", "MBS")
MOST_WRONG = (0.0, 0.06)
_AT_AN_EDGE = ("none", "ceiling", "rarely", "cost", "loss")
# Beyond this, in standard errors, chance is no excuse.
_EXCUSE = 2.33


@dataclass(frozen=True)
class Claim:
    """A share that is to lie within these limits, and how to count it."""

    what: str
    count: Callable[..., Counted | Mapping[str, Counted]]
    limits: tuple[float, float] = MOST_WRONG
    runs: int = RUNS
    given: bool = True
    """Whether there is to be a number at all; where there can't be, none may be made up."""
    excused: bool = True
    """Whether chance excuses a small miss."""


def is_met(hits: int, of: int, limits: tuple[float, float], excused: bool = True) -> bool:
    """Whether a share lies within limits, or outside by no more than chance excuses."""
    least, most = limits
    if not excused:
        return least <= hits / of <= most
    return least - _excuse(least, of) <= hits / of <= most + _excuse(most, of)


def _excuse(rate: float, of: int) -> float:
    return _EXCUSE * math.sqrt(rate * (1 - rate) / of)


def _runs(name: str) -> int:
    return LONG if name.startswith(_SLOW) else RUNS


def coverage() -> Iterator[Claim]:
    for name in HEADLINES:
        for n in SIZES:
            # Few items, and numbers near an edge or the largest of several, may be held more often.
            more = n < 48 or any(edge in name for edge in _AT_AN_EDGE)
            limits = (0.92 if n < 48 else 0.94, 1.0 if more else 0.97)
            yield Claim(
                f"coverage: {name}, {n} items",
                partial(covered, name, n),
                limits,
                _runs(name),
                # Two items a domain: resamples lack a label in most domains; a subset of one item.
                given=not (n == 12 and name.startswith(("MBS", "gap, unequal"))),
            )


def nulls() -> Iterator[Claim]:
    for name in NOTHING:
        for n in NULL_SIZES:
            runs = LONG if name == "boundary_cost" else RUNS
            yield Claim(f"false alarms, {n} items", partial(alarms, name, n), runs=runs)


# Few items can show large differences only to be none.
EQUAL = (("OmniAccuracy", 120, 2.0), ("OmniAccuracy", 480, 1.0), ("RS of judging", 480, 2.0),
         ("framing pull", 120, 1.5), ("framing pull", 480, 1.0), ("MBS", 480, 2.0),
         ("BiasF", 480, 8.0), ("boundary cost", 120, 8.0))  # fmt: skip


def compare() -> Iterator[Claim]:
    for name, n, times in EQUAL:
        told = f'"no difference" at {times:g} x the margin: {name}, {n} items'
        runs = LONG // 2 if name.startswith(_SLOW) else LONGER
        yield Claim(told, partial(called_equal, name, n, times), runs=runs)
    for name in FAMILIES:
        few = name.startswith("spreads")
        for n in (24,) if few else (24, 120):
            runs = LONG // 3 if few else FEW
            told = f"some row wrongly different: {name}, {n} items"
            yield Claim(told, partial(called_different, name, n), runs=runs)
    told = "some row wrongly different: by Holm"
    yield Claim(told, partial(called_different, "models alike", 24, holm=True), runs=FEW)


# Spreads and costs are planned where they are more than twice what is to be shown.
PLANNED = (("OmniAccuracy", 120), ("OmniAccuracy", 480), ("RS of judging", 120),
           ("RS of judging", 480), ("framing pull", 120), ("framing pull", 480), ("MBS", 120),
           ("BiasF", 480), ("boundary cost", 60))  # fmt: skip


def plan() -> Iterator[Claim]:
    within = (0.75, 0.85)
    for name, n in PLANNED:
        found = partial(found_as_planned, name, n)
        told = f"power of 80 %: {name}, {n} items"
        yield Claim(told, found, within, LONG // 2 if name in ("boundary cost", "BiasF") else LONG)
    for name, n in (("OmniAccuracy", 120), ("RS of judging", 240)):
        found = partial(found_as_planned, name, n, grown=4.0)
        yield Claim(f"power of 80 %: {name}, items for half of what {n} show", found, within, LONG)


def calibrate() -> Iterator[Claim]:
    for rows in (40, 300):
        told = f"called off: one of {rows} rows, true coverage {COVERAGE:g}"
        yield Claim(told, partial(failed_checks, rows, COVERAGE), (POWER, 1.0), 40_000 // rows)
        told = f"called off: any of {rows} rows, true coverage 0.95"
        yield Claim(told, partial(failed_checks, rows, 0.95), (0.0, 0.01), 40_000 // rows)


def gate() -> Iterator[Claim]:
    for name in HEADLINES:
        told = f"passed or failed at the bound: {name}, 24 items"
        yield Claim(told, partial(decided_at_bound, name, 24), runs=_runs(name))
    for n in (24, 120):
        counted = partial(decided_at_bound, "OmniAccuracy, middle", n, every=True)
        yield Claim(f'passed or failed at the bound: "*" over four subsets, {n} items', counted)


def worlds() -> Iterator[Claim]:
    """Stories, noisy conditions, unequal subsets and ceilings: intervals, tests and whole pages."""
    for world in WORLDS:
        for name in ("gap", "effect"):
            for n in (24, 60):
                told = f"coverage: {name}, {world}, {n} items"
                # With a single item or story in a subset there is no interval.
                given = (name, n) != ("gap", 24) or world not in ("unequal subsets", "stories")
                count = partial(held_in, world, name, n)
                yield Claim(told, count, (0.92, 1.0), LONG, given)
        for name in NUMBERS:
            told = f"shown though there is nothing: {name}, {world}, 60 items"
            yield Claim(told, partial(falsely_shown, world, name, 60), runs=LONG)
    for name in HEADLINES:
        for stories, n, limits in (("declared", 48, (0.92, 1.0)), ("hidden", 120, (0.0, 1.0))):
            told = f"coverage: {name}, {stories} stories of 2.4, {n} items"
            runs = LONG // 2 if name.startswith(_SLOW) else LONG
            yield Claim(told, partial(covered, name, n, stories=stories), limits, runs)
    for name, n in (("OmniAccuracy", 120), ("RS of judging", 120), ("framing pull", 120),
                    ("MBS", 120)):  # fmt: skip
        told = f"power of 80 %, stories of 2.4: {name}, {n} items"
        yield Claim(told, partial(found_as_planned, name, n, stories=True), (0.7, 0.9), LONG // 2)
    for world in ("reference", "stories", "one noisy way"):
        told = f"pages of five models without an effect that show some: {world}, 100 items"
        yield Claim(told, partial(page_with_false_cells, world, 5, 100), runs=LONG // 4)
    for name, effect in (("gap", 0.05), ("largest loss", 0.05), ("BiasF", 0.075),
                         ("framing pull", 0.05), ("boundary cost", 0.05)):  # fmt: skip
        told = f"power on a page of what is said to show an effect that matters: {name}"
        yield Claim(told, partial(needed_shows, name, 60, effect), (0.7, 0.9), 100)


def missing() -> Iterator[Claim]:
    """Bundled questions in their clusters, of whose answers some are lost."""
    for task in ("knowno", "binary_qa", "instruction_boundary", "mathcomp", "bend"):
        for how, limits in (("missing cells", (0.92, 1.0)), ("lost where wrong", (0.0, 1.0))):
            told = f"coverage: {task}, {how}, 60 items"
            yield Claim(told, partial(held_of_answers, task, how, 60), limits, 80)


# At how narrow an interval a run of so many items is to have saved a third of them.
SAVING = (("OmniAccuracy, middle", 240, 0.2), ("framing pull, middle", 240, 0.2),
          ("largest loss, ceiling", 240, 0.2))  # fmt: skip


def stop() -> Iterator[Claim]:
    for name in LOOKED_AT:
        runs = LONG // 4 if name.startswith(_SLOW) else FEW
        told = f"held at every look: {name}, 120 items"
        yield Claim(told, partial(held, name, 120), (0.95, 1.0), runs, excused=False)
    for share in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99):
        told = f"held at every look: {share:g} right, 2,000 items"
        counts = partial(held_of_yes_and_no, share, 2_000)
        yield Claim(told, counts, (0.95, 1.0), RUNS, excused=False)
    for name, n, width in SAVING:
        told = f"items not asked at a width of {width:g}: {name}, {n} items"
        yield Claim(told, partial(saved, name, n, width), (1 / 3, 1.0), FEW // 10)
    for name, n, width in SAVING:
        told = f"ordinary interval where it stopped at {width:g}: {name}, {n} items"
        yield Claim(told, partial(held_where_stopped, name, n, width), (0.92, 1.0), FEW)


PARTS = {
    "coverage": coverage, "nulls": nulls, "compare": compare, "plan": plan,
    "calibrate": calibrate, "gate": gate, "stop": stop,
    "worlds": worlds, "missing": missing,
}  # fmt: skip


def exactly() -> Iterator[Result]:
    """What needs no simulation: the chance that calibrate's repetitions see bad intervals."""
    for rows in (1, 40, 300, 1_000):
        n = repetitions_for(0.95, COVERAGE, POWER, rows)
        seen = flag_rate(n, 0.95, COVERAGE, rows)
        what = f"seen, exactly: {COVERAGE:g} in one of {rows} rows, {n} repetitions"
        yield Result(what, f"{seen:.3f}", f">= {POWER:g}", seen >= POWER)


def counted(claim: Claim, most: int) -> list[Result]:
    """A claim's rows: one, or one a number."""
    began = time.process_time()
    found = claim.count(runs=min(claim.runs, most))
    named = found if isinstance(found, Mapping) else {"": found}
    seconds = time.process_time() - began
    print(f"{claim.what}: {dict(named)}, {seconds:.0f} s", file=sys.stderr, flush=True)
    results = []
    for name, (hits, of) in named.items():
        what = f"{claim.what}: {name}" if name else claim.what
        if not (of and claim.given):
            told = f"given {of:,} times" if of else "no interval"
            wanted = "" if claim.given else "none"
            results.append(Result(what, told, wanted, not of and not claim.given))
            continue
        limits = f"{claim.limits[0]:g} to {claim.limits[1]:g}"
        told = f"{hits / of:.3f} of {of:,}"
        results.append(Result(what, told, limits, is_met(hits, of, claim.limits, claim.excused)))
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10**6, help="at most so many a claim")
    parser.add_argument("--part", action="append", choices=[*PARTS, "examples", "planted"])
    parser.add_argument("--only", default="", help="claims that hold this text")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    parts = options.part or [*PARTS, "examples", "planted"]
    claims = [c for part in parts if part in PARTS for c in PARTS[part]() if options.only in c.what]
    results = [*exactly()] if "calibrate" in parts else []
    with ProcessPoolExecutor(options.workers) as pool:
        for found in pool.map(partial(counted, most=options.runs), claims):
            results += found
    if "examples" in parts:
        results += [r for r in examples(min(options.runs, LONG)) if options.only in r.what]
    if "planted" in parts:
        results += planned_in_full(min(options.runs, 40))
    return show(results)


if __name__ == "__main__":
    sys.exit(main())
