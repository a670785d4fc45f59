"""The template's examples are those of the first papers that declare what they show."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from askew.decide import policy as policy_module
from askew.decide.policy import policy_template
from askew.schema import NUMBER, POINTS, Condition, Factor, Metric


def factor(name, *values, left_out=()):
    conditions = {v: Condition(v, "", v not in left_out) for v in values}
    return Factor(name, conditions)


def paper(task, *metrics, headlines=(), factors=()):
    return SimpleNamespace(
        task=task, name=f"The {task}", question=f"What of {task}?",
        metrics=metrics, headlines=headlines, factors=factors,
    )  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """What the template's examples name, by the papers that there are."""

    def _asked(*papers):
        monkeypatch.setattr(policy_module, "papers", lambda: papers)
        text = policy_template()
        assert "$" not in text
        return (
            re.findall(r"(?:task|metric): ([\w*]+)", text),
            re.search(r"levels: ({.*})", text).group(1),
            re.search(r"- name: (.*) holds", text).group(1),
            re.search(r"# (What of \w+\?) With", text).group(1),
        )

    return _asked


LEVELLED = paper("levelled", Metric("acc"), factors=(factor("setting", "plain", "hard"),))
LEANING = paper("leaning", Metric("gap", better="nearer zero", unit=POINTS))
RATED = paper("rated", Metric("right"), headlines=("right",))


def test_each_example_is_the_first_that_shows_it(asked):
    one = ["rated", "right", "rated", "right", "levelled", "acc", "leaning", "gap"]
    told = (one, "{setting: plain}", "The rated", "What of rated?")
    assert asked(RATED, LEVELLED, LEANING) == told
    assert asked(LEANING, LEVELLED, RATED) == told
    twice = [paper(p.task + "_too", *p.metrics, headlines=p.headlines, factors=p.factors)
             for p in (RATED, LEVELLED, LEANING)]  # fmt: skip
    assert asked(RATED, LEVELLED, LEANING, *twice) == told


def test_the_template_is_read_as_utf_8_wherever_it_is_read(monkeypatch):
    seen, whole = [], Path.read_text

    def text(path, encoding=None, errors=None):
        seen.append((path.name, encoding))
        return whole(path, encoding="utf-8")

    monkeypatch.setattr(Path, "read_text", text)
    policy_template()
    assert ("policy_template.yaml", "utf-8") in seen
    assert {encoding for _, encoding in seen} == {"utf-8"}


def test_what_is_no_rate_or_stands_for_several_is_no_example(asked):
    no_example = paper(
        "score", Metric("score", unit=NUMBER), Metric("err", better="lower"), Metric("of_*"),
        Metric("shift", better="nearer zero", unit=NUMBER), Metric("lean_*", better="nearer zero"),
        headlines=("score", "err", "of_*"),
    )  # fmt: skip
    told = asked(no_example, RATED, LEVELLED, LEANING)
    assert told == asked(RATED, LEVELLED, LEANING)
    # A headline is no example of a level, nor is what falls, is no rate, or stands for several.
    open_ = (factor("way", "x", "y"),)
    other = paper(
        "other", Metric("score", unit=NUMBER), Metric("err", better="lower"), Metric("of_*"),
        Metric("top"), headlines=("top",), factors=open_,
    )  # fmt: skip
    assert asked(RATED, other, LEVELLED, LEANING) == told


def test_a_level_is_of_several_values_that_are_asked_and_are_no_metrics(asked):
    told = asked(RATED, LEVELLED, LEANING)
    for wrong in (
        factor("way", "only"),
        factor("way", "one", "two", left_out=("two",)),
        factor("way", "one", "rate"),
    ):
        closed = paper("closed", Metric("rate"), factors=(wrong,))
        assert asked(RATED, closed, LEVELLED, LEANING) == told
    several = paper(
        "several", Metric("rate"),
        factors=(factor("way", "only"), factor("form", "none", "b", "c", left_out=("none",))),
    )  # fmt: skip
    names, levels, *_ = asked(RATED, several, LEVELLED, LEANING)
    assert names[4:6] == ["several", "rate"]
    assert levels == "{form: b}"
