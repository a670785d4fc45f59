"""What a user asks for: chosen values and whole numbers, and one message where it can't be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from importlib.metadata import entry_points
from inspect import Parameter, Signature, signature
from typing import IO, Any, ParamSpec, TypeVar

import click

# Beyond this no number of a parameter counts anything, and a log can't hold every one of them.
LARGEST = 10**15


class UsageError(click.ClickException):
    """What was asked for can't be done as asked: one message, which says what to do.

    On a command line, Inspect's or ours, that message is all that is shown, and the exit code is 2.
    """

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message; to stderr if not said otherwise."""
        click.echo(f"askew: {self.message}", file=file, err=file is None)


# What chooses everything there is.
EVERYTHING = "all"


class SelectionError(UsageError, ValueError):
    """A parameter asks for something the paper does not have."""


def quote(value: object, most: int = 60) -> str:
    """What was given, as an error shows it: one line, cut, whatever it is."""
    try:
        text = repr(value[:most] if isinstance(value, str | bytes) else value)
    except Exception:  # endless numbers have no text, and a class of a user's may do anything
        text = f"a {type(value).__name__} that can't be shown"
    return " ".join(text[: 2 * most].splitlines())[:most]


def near(name: str, known: Iterable[str]) -> str:
    """Which known names a wrong one may mean, or the first ten of them."""
    names = sorted(known)
    close = [n for n in names if n.startswith(name)][:3] or get_close_matches(name, names)
    shown = ", ".join([*names[:10], "..."][: len(names)])
    return f"Did you mean {' or '.join(close)}?" if close else f"There are: {shown}"


_RENAMED = {"judge": "parser", "read": "parser"}  # old name: new name


def unknown_parameter(task: str, name: str, known: Iterable[str]) -> SelectionError:
    """That a task has no such parameter."""
    names, now = list(known), _RENAMED.get(name)
    told = f"It is called {now} now" if now in names else near(name, names)
    return SelectionError(f"{task} has no parameter {quote(name)}. {told}")


def plugin(group: str, name: str, wanted: str) -> Any:
    """Load what an installed package names under an entry point group, for a value `wanted`."""
    for point in entry_points(group=group, name=name):
        return point.load()
    told = f"no installed package names {name} under the entry point group {group}"
    raise SelectionError(f"{wanted}: {told}; install askew again")


Given = ParamSpec("Given")
Made = TypeVar("Made")


def check_parameters(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """A task's function that refuses parameters it does not have; goes below `@task`.

    Inspect only warns of them and runs everything. It passes on whatever it was given to a function
    that takes any name, which is what the signature of the checked one says.
    """
    own = signature(make)

    @wraps(make)
    def made(*args: Given.args, **given: Given.kwargs) -> Made:
        for name in given.keys() - own.parameters.keys():
            raise unknown_parameter(make.__name__, name, own.parameters)
        return make(*args, **given)

    anything = Parameter("unknown", Parameter.VAR_KEYWORD, annotation=Any)
    parameters = [*own.parameters.values(), anything]
    made.__signature__ = Signature(parameters, return_annotation=own.return_annotation)  # type: ignore[attr-defined]
    return made


# Unknown values that an error names.
_NAMED = 5


def parse_list(wanted: object) -> list[str]:
    """What a parameter names: a command line makes a list of "a,b" and a number of "3"."""
    return [part for part in parts_in(wanted) if part]


def parts_in(wanted: object) -> list[str]:
    """What a parameter names, with parts that are empty: one that two commas leave between them."""
    if isinstance(wanted, str):
        return [part.strip() for part in wanted.split(",")]
    several = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, bytes) else [wanted]
    return [(n if isinstance(n, str) else quote(n, 200)).strip() for n in several]


def parse_mapping(name: str, given: object, valid: Sequence[str]) -> dict[str, Any]:
    """What a parameter of several parts says of each: "a=1,b=2-3", or a mapping."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        parts = {str(part): value for part, value in given.items()}
        odd = [part for part in parts if part not in valid]
    else:
        texts = [text.partition("=") for text in parse_list(given)]
        parts = {part.strip(): value.strip() for part, _, value in texts}
        odd = [part.strip() for part, equals, _ in texts if not equals or part.strip() not in valid]
    if odd or not parts:
        what = quote(odd[0]) if odd else "nothing"
        raise SelectionError(
            f"{name}={quote(given, 80)}: {what:.60} sets no part of {name}; write "
            f"{name}='part=value', several with commas; parts: {', '.join(valid)}"
        )
    # A command line joins several values of a part with a plus, as commas part the parts.
    several = {p: v.split("+") for p, v in parts.items() if isinstance(v, str) and "+" in v}
    return parts | several


def choose(
    name: str,
    wanted: str | int | Iterable[str] | None,
    valid: Sequence[str],
    default: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """The chosen subset of `valid`, in its order; an unknown value is refused with the list."""
    if wanted is None:
        return tuple(valid if default is None else default)
    names = parts_in(wanted)
    if names == [EVERYTHING]:
        return tuple(valid)
    unknown = [n for n in names if n not in valid]
    if unknown or not names:
        what = ", ".join(quote(n) for n in unknown[:_NAMED] if any(names)) or "nothing"
        raise SelectionError(
            f"{name}={quote(wanted, 200)}: {what} is not a value of {name}; "
            f"valid: all, {', '.join(valid)}"
        )
    return tuple(v for v in valid if v in names)


def one_of(name: str, value: object, valid: Sequence[str]) -> str:
    """A parameter that is one of a few words, exactly."""
    if isinstance(value, str) and value in valid:
        return value
    *others, last = valid
    words = f"{', '.join(others)} or {last}" if others else last
    raise SelectionError(f"{name}={quote(value)}: give {words}")


def suboption_values(
    given: Mapping[str, object], valid: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Every part as it was given, or else the first of its words."""
    return {name: one_of(name, given.get(name, words[0]), words) for name, words in valid.items()}


def parse_bool(name: str, value: object) -> bool:
    """A parameter that is true or false, as a command line makes them of yes, no, on and off."""
    if isinstance(value, bool):
        return value
    raise SelectionError(f"{name}={quote(value)}: give true or false")


def seed_number(value: object) -> int:
    """The seed of a task's draws: another writing of a number would be another seed."""
    return whole_number("seed", value, least=0)


def whole_number(name: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """A parameter that is a whole number within bounds, whatever a command line made of it."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    bounds = f"of at least {least:,}" if most == LARGEST else f"from {least:,} to {most:,}"
    raise SelectionError(f"{name}={quote(value)}: give a whole number {bounds}")


def part_of_one(name: str, value: object) -> float:
    """A parameter that is a number between 0 and 1; a command line may have made it anything."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    raise SelectionError(
        f"{name}={quote(value)}: give a number between 0 and 1; 0.05 is 5 points of 100"
    )
