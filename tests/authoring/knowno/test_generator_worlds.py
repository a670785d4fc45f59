"""What the generator's passages tell, acted out: it comes to what the equation says.

Each world follows the sentences as a story, event by event, without a formula of the whole. Its
arguments are the quantities and, of each step, which of its tellings holds.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from askew_authoring.knowno.generator.derivations import Derivation, derivations
from askew_authoring.knowno.generator.formulas import value

World = Callable[[dict[str, Any], dict[str, int]], float]
CORES = {of.name: of for of in derivations() if not of.last}


def agency(v: dict[str, Any], way: dict[str, int]) -> float:
    free_in_order, page_charges = v["k"], 0.0
    for document in range(1, v["N"] + 1):
        pages = v["a"](document)
        free = v["k"] if way["P"] == 0 else min(pages, free_in_order)
        free_in_order -= min(pages, free_in_order)
        page_charges += v["w"] * max(0.0, pages - free)
    fees = v["f"] * {0: v["N"], 1: v["N"] - 1, 2: 1}[way["G"]]
    rebate = {0: page_charges, 1: page_charges + fees, 2: fees}[way["C"]] * v["r"]
    return page_charges + fees - rebate


def queue(v: dict[str, Any], way: dict[str, int]) -> float:
    in_queue, coming = v["h"] + (-v["g"] if way["V"] == 0 else v["g"]), 0.0
    for step in range(1, v["T"] + 1):
        in_queue, coming = in_queue + coming, v["a"](step)
        if way["A"] == 0:
            in_queue, coming = in_queue + coming, 0.0
        if step == v["T"] and way["U"] == 1:
            return in_queue
        worked_on = v["c"](step)
        in_queue -= worked_on
        if way["F"] == 0:
            in_queue += v["r"] * worked_on
    return in_queue


def dialogue(v: dict[str, Any], way: dict[str, int]) -> float:
    factor = v["ga"] if way["E"] == 0 else 1.0
    total = 0.0
    for turn in range(v["t"] + 1, v["T"] + 1):
        total += factor * v["r"](turn) - v["c"] * (factor if way["S"] == 0 else 1.0)
        last, factor = factor, factor * v["ga"]
    return total + v["g"] * {0: last, 1: factor, 2: 1.0}[way["Q"]]


def pipeline(v: dict[str, Any], way: dict[str, int]) -> float:
    clock = v["c"] * (v["K"] if way["D"] == 0 else 1)
    for stage in range(1, v["K"] + 1):
        clock += v["x"](stage)
        if stage < v["K"] or way["T"] == 1:
            clock += v["u"]
    followers = v["m"] if way["J"] == 0 else v["m"] - 1
    each = v["b"] + (v["u"] if way["W"] == 1 else 0.0)
    return clock + followers * each


def drafts(v: dict[str, Any], way: dict[str, int]) -> float:
    in_reach = v["U"] + (v["v"] if way["X"] == 0 else 0.0)
    new = v["be"] * in_reach
    accepted = v["de"] * v["D"]
    sent_back = v["rh"] * (v["D"] - accepted if way["Y"] == 0 else v["D"])
    old = v["D"] - accepted - sent_back
    lost = v["ls"] * {0: new, 1: new + old, 2: old}[way["E"]]
    return old + new - lost


def conversation(v: dict[str, Any], way: dict[str, int]) -> float:
    bill, questions, answers = 0.0, [], []
    for turn in range(1, v["T"] + 1):
        questions.append(v["u"](turn))
        sent = {
            0: sum(questions) + sum(answers),
            1: sum(questions),
            2: questions[-1] + sum(answers[-1:]),
        }[way["H"]]
        instructed = {0: True, 1: turn > 1, 2: turn == 1}[way["P"]]
        bill += v["ci"] * (sent + (v["s"] if instructed else 0.0))
        answers.append(v["a"](turn))
        if turn > 1 or way["O"] == 1:
            bill += v["co"] * answers[-1]
    return bill


def averaging(v: dict[str, Any], way: dict[str, int]) -> float:
    average, share_of_weights = (v["x"](0) if way["A"] == 0 else 0.0), 0.0
    for step in range(1, v["T"] + 1):
        if way["O"] == 1 and step <= v["B"]:
            continue
        new = v["be"] if way["R"] == 0 else 1 - v["be"]
        average = (1 - new) * average + new * v["x"](step if way["V"] == 0 else step - 1)
        share_of_weights = (1 - new) * share_of_weights + new
    return average / share_of_weights if way["A"] == 1 else average


def filters(v: dict[str, Any], way: dict[str, int]) -> float:
    alive, cost, before_last = 1.0, 0.0, 1.0
    for number in range(1, v["K"] + 1):
        before_last, alive = alive, alive * (1 - v["f"](number))
        cost += v["c"](number) * (before_last if way["P"] == 0 else alive)
    cost += v["h"] * (alive if way["S"] == 0 else before_last)
    return cost / (alive if way["Z"] == 0 else before_last)


def hypothesis(v: dict[str, Any], way: dict[str, int]) -> float:
    logs = [math.log(v["p"](t)) for t in range(1, v["T"] + 1)]
    summed = math.fsum(logs if way["L"] == 0 else logs[:-1])
    length = len(logs) if way["Z"] == 0 else len(logs) - 1
    bonus = sum([v["b"]] * {0: len(logs), 1: len(logs) - 1, 2: 1}[way["B"]])
    return summed / length + bonus if way["s"] == 0 else (summed + bonus) / length


def citations(v: dict[str, Any], way: dict[str, int]) -> float:
    papers, me = range(1, v["n"] + 1), v["i"]
    places = {(a, b): v["W"](a, b) for a in papers for b in papers}
    taken = 0.0
    for (citing, cited), times in places.items():
        mine, giver = (citing, cited) if way["A"] == 0 else (cited, citing)
        if mine != me or (giver == me and way["S"] == 0):
            continue
        ends = 1 if way["D"] == 0 else 0
        taken += times * v["x"](giver) / sum(t for p, t in places.items() if p[ends] == giver)
    if way["y"] == 0:
        return v["al"] * taken + (1 - v["al"]) * v["x"](me)
    return taken + v["al"] * v["x"](me)


def teachers(v: dict[str, Any], way: dict[str, int]) -> float:
    asked = range(1 if way["O"] == 0 else 2, v["M"] + 1)
    weights = {
        m: {0: v["a"](m), 1: v["a"](m) - 1 / v["K"], 2: v["a"](m) ** 2}[way["V"]] for m in asked
    }
    said = sum(w * v["p"](m, v["k"]) for m, w in weights.items()) / sum(weights.values())
    given_up = v["ep"] if way["q"] == 0 else 1 - v["ep"]
    return said - given_up * said + given_up / v["K"]


def strata(v: dict[str, Any], way: dict[str, int]) -> float:
    wrong, labels = v["z"], 0.0
    for h in range(1, v["H"] + 1):
        labels += v["N"](h)
        if h == 1 and way["S"] == 0:
            continue
        found = v["e"](h) + (v["u"](h) if way["A"] == 2 else 0.0)
        wrong += v["N"](h) * found / (v["n"](h) - (v["u"](h) if way["A"] == 0 else 0.0))
    return wrong / (labels - v["x"] if way["D"] == 0 else labels + v["x"])


def corpora(v: dict[str, Any], way: dict[str, int]) -> float:
    weights = {}
    for corpus in range(1, v["K"] + 1):
        copies = v["d"](corpus) * v["n"](corpus)
        size = v["n"](corpus) - (copies if way["X"] == 0 else 0.0)
        weights[corpus] = size ** v["al"] if way["Y"] == 0 else size / size ** v["al"]
    if way["D"] == 0:
        del weights[1]
    drawn = v["B"] + {0: -v["h"], 1: 0, 2: v["h"]}[way["R"]]
    return drawn * weights[v["k"]] / sum(weights.values())


def tuning(v: dict[str, Any], way: dict[str, int]) -> float:
    losses = weights = 0.0
    for sentence in range(1, v["N"] + 1):
        losses += v["w"](sentence) * v["l"](sentence)
        weights += v["w"](sentence)
    penalty = 0.0
    for parameter in range(1, v["M"] + 1):
        if parameter > 1 or way["U"] == 1:
            before = v["z"](parameter) if way["P"] == 0 else 0.0
            penalty += abs(v["x"](parameter) - before) ** 2
    data = losses / (weights if way["D"] == 0 else v["N"])
    return (data if way["J"] == 0 else v["la"] * data) + penalty * (
        v["la"] if way["J"] == 0 else 1 - v["la"]
    )


def attention(v: dict[str, Any], way: dict[str, int]) -> float:
    logits = {}
    for k in range(1, v["i"] + 1 if way["U"] == 0 else v["i"]):
        steps = v["i"] - k
        off = v["ga"] * (steps if way["E"] == 0 else math.log(steps + 1))
        raw = v["s"](v["i"], k)
        logits[k] = (raw - off) / v["tau"] if way["X"] == 0 else raw / v["tau"] - off
    extra = v["b"] if way["a"] == 0 else 0.0
    raised = {k: x + (0.0 if way["a"] == 0 else v["b"]) for k, x in logits.items()}
    top = max(*raised.values(), extra)
    total = math.exp(extra - top) + sum(math.exp(x - top) for x in raised.values())
    return math.exp(raised[v["j"]] - top) / total


def agreement(v: dict[str, Any], way: dict[str, int]) -> float:
    items = v["n"] - v["x"] if way["O"] == 0 else v["n"] + v["x"]
    observed, chance = v["a"] / items, 0.0
    for label in range(1, v["K"] + 1):
        one = v["p"](label) if way["E"] in (0, 1) else v["q"](label)
        other = v["q"](label) if way["E"] in (0, 2) else v["p"](label)
        chance += one * other
    return (observed - chance) / (1 - chance if way["A"] == 0 else observed + chance)


def retrieval(v: dict[str, Any], way: dict[str, int]) -> float:
    total = 0.0
    for word in range(1, v["n"] + 1):
        having, shown, in_title = v["d"](word), v["x"](word), v["y"](word)
        others = v["N"] if way["W"] == 0 else v["N"] - having
        elsewhere = shown - in_title if way["X"] == 0 else shown
        count = elsewhere + v["be"] * in_title
        times_mean = v["la"] / v["av"]
        constant = v["ka"] * {0: times_mean, 1: 0.5 + times_mean / 2, 2: 1 / times_mean}[way["J"]]
        total += (math.log(others) - math.log(having)) * count / (count + constant)
    return total


def sessions(v: dict[str, Any], way: dict[str, int]) -> float:
    squares = 0.0
    for session in range(1, v["C"] + 1):
        expected = v["n"](session) * v["m"] if way["R"] == 0 else v["N"] * v["m"] / v["C"]
        squares += (v["y"](session) - expected) ** 2
    ratio = v["C"] / (v["C"] - 1)
    return squares * {0: ratio, 1: 1 / ratio, 2: 1}[way["F"]] / (v["N"], v["C"])[way["D"]] ** 2


WORLDS: dict[str, World] = {
    world.__name__: world
    for world in (
        agency, queue, dialogue, pipeline, drafts, conversation, averaging, filters, hypothesis,
        citations, teachers, strata, corpora, tuning, attention, agreement, retrieval, sessions,
    )
}  # fmt: skip


def _function(names: Sequence[str], formula: Any, known: Mapping[str, Any]) -> Any:
    seen = dict(known)
    return lambda *at: value(formula, {**seen, **dict(zip(names, at, strict=True))})


def stepwise(of: Derivation, cell: Sequence[int], given: Mapping[str, Any]) -> Any:
    """What is asked for, computed step by step as told, without one formula of it all."""
    known = dict(given)
    for step, way in zip(of.steps, cell, strict=True):
        formula = step.ways[way][1]
        if not step.indexes:
            known[step.quantity.name] = value(formula, known)
            continue
        # Indexes that are quantities themselves, such as a place, have their values here.
        known[step.quantity.name] = _function(step.indexes, formula, known)
    found = known[of.asked.name]
    at = [value(i, known) for i in of.asked.indexes]
    return found(*at) if callable(found) else found


def test_every_derivation_is_acted_out() -> None:
    assert set(WORLDS) == set(CORES)


@pytest.mark.parametrize("name", WORLDS)
def test_every_telling_comes_to_what_is_acted_out(name: str) -> None:
    of: Derivation = CORES[name]
    for cell in itertools.product(*map(range, of.sizes)):
        way = {step.quantity.name: w for step, w in zip(of.steps, cell, strict=True)}
        for draw in range(50, 54):
            values: dict[str, Any] = dict(of.values(draw))
            acted_out = WORLDS[name](values, way)
            assert stepwise(of, cell, values) == pytest.approx(acted_out, rel=1e-9), (cell, draw)
