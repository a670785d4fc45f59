"""What passages of the generator tell, acted out: in every telling it comes to what the equation says.

Each world follows the sentences as a story, event by event, without a formula of the whole. Its
arguments are the quantities and, of each step, which of its tellings holds.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from askew.papers.knowno.generator.derivations import Derivation, derivations

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


WORLDS: dict[str, World] = {
    world.__name__: world
    for world in (
        agency, queue, dialogue, pipeline, drafts, conversation, averaging, filters, hypothesis,
        citations, teachers, strata,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_every_telling_comes_to_what_is_acted_out(name: str) -> None:
    of: Derivation = CORES[name]
    for cell in itertools.product(*map(range, of.sizes)):
        way = {step.quantity.name: w for step, w in zip(of.steps, cell, strict=True)}
        for draw in range(50, 54):
            values: dict[str, Any] = dict(of.values(draw))
            acted_out = WORLDS[name](values, way)
            assert of.stepwise(cell, values) == pytest.approx(acted_out, rel=1e-9), (cell, draw)
