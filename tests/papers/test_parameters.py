"""Whatever a command line makes of a parameter is taken or refused in one message."""

from datetime import date

import pytest
from inspect_ai.util import registry_create

from askew import parameters
from askew.papers import OWN, get_paper
from askew.parameters import SelectionError, UsageError, check_int
from askew.treatments import treatments
from tests.cases import cases, cases_of


def refusal_of(task: str, /, **given: object) -> str:
    """Why a task is not made of these parameters; empty where it is, with something to ask."""
    try:
        made = get_paper(task).make(**given)
    except UsageError as refusal:
        return refusal.message
    return "" if len(made.dataset) else "asks nothing"


# What no parameter takes but those that TAKEN names, with what it means there.
HOSTILE = {
    **cases_of(__file__, "HOSTILE_TOLD"),
    "not a number": float("nan"),
    "endless": float("inf"),
    "half a character": "\ud800",
    "a quarter of a megabyte": "x" * 250_000,
    "many parts": "a," * 125_000,
    "a number of 400 digits": 10**400,
    "a number without a text": 10**5000,
    "5,000 digits": "9" * 5000,
    "bytes": b"x",
    "a date": date(2020, 1, 1),
}
TAKEN = cases_of(__file__, "TAKEN")


def made_with(task, name, value):
    """The refusal of one parameter's value, if any; `bend` is asked for the treatment it is of."""
    paper = get_paper(task)
    data = {"data": "bundled"} if paper.has_levels else {}
    given = {"items": 2, **data, **paper.stand_in, name: value}
    if task == "bend" and name not in paper.parameters:
        given["treatments"] = next(t.name for t in treatments().values() if name in t.parameters)
        texts = {"framing": "R.", "system": "R."}
        given |= {k: v for k, v in texts.items() if k == given["treatments"] != name}
    make = getattr(paper.part("tasks"), task)
    try:
        make(**given)
    except UsageError as refusal:
        return refusal.message
    return ""


def walked():
    of_treatments = {name for t in treatments().values() for name in t.parameters}
    for task in OWN:
        names = get_paper(task).parameters
        for name in [*names, *(sorted(of_treatments - {*names}) if task == "bend" else ())]:
            yield task, name


@pytest.mark.whole
@pytest.mark.parametrize(("task", "name"), [*walked()])
def test_every_parameter_of_every_task_refuses_by_name_what_it_does_not_take(task, name):
    """From the declarations: a new parameter is walked over without a word here."""
    taken = TAKEN.get(f"{task} {name}", ())
    for what, value in HOSTILE.items():
        # Questions of some tasks take seconds to make: there only refusals are looked at.
        if what in taken and task in ("instruction_boundary", "mathcomp"):
            continue
        said = made_with(task, name, value)
        if what in taken:
            assert not said, (what, said)
            continue
        assert name in said, f"{what} is taken, or refused without the name: {said!r}"
        assert len(said) < 900, what
        assert said.isprintable(), what


@pytest.mark.parametrize("value", ["3", 2.0, True, None, 0, 11])
def test_a_whole_number_within_bounds_is_nothing_else(value):
    with pytest.raises(SelectionError, match=r"n=.*: expected a whole number from 1 to 10"):
        check_int("n", value, most=10)


@pytest.mark.whole
@pytest.mark.parametrize("task", OWN)
def test_a_misspelt_parameter_stops_the_run_with_the_nearest_name(task):
    """As Inspect makes it: what a task does not take is dropped with a warning, if it is let."""
    given = {} if task != "bend" else get_paper(task).stand_in
    with pytest.raises(UsageError, match=f"{task} has no parameter 'itmes'. Did you mean items"):
        registry_create("task", f"askew/{task}", itmes=4, **given)


@cases("task", "name", "asked", "given")
def test_what_no_installed_package_brings_is_refused(monkeypatch, task, name, asked, given):
    monkeypatch.setattr(parameters, "entry_points", lambda group, name: ())
    message = refusal_of(task, **given)
    assert message.startswith(asked)
    assert f"has the entry point {name} in the group askew." in message
