"""Parameters of tasks and of the command line, what is said of wrong ones, and progress."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, Signature, signature
from typing import IO, Any, ParamSpec, TypeVar

import click

LARGEST = 10**15  # upper bound of integer parameters: a log can't store all larger integers exactly


class UsageError(click.ClickException):
    """A request that can't be fulfilled; the message states the fix.

    A command line, Inspect's or ours, shows only the message; the exit code is 2.
    """

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, to stderr unless `file` is given."""
        click.echo(f"askew: {self.message}", file=file, err=file is None)


EVERYTHING = "all"  # the value that selects all choices
DATA = "bundled,generated"  # the questions that tasks ask by default
# A parameter of several parts: text such as "a=1,b=2", what a command line makes of it, a mapping.
Parts = str | Sequence[str] | Mapping[str, Any] | None


class SelectionError(UsageError, ValueError):
    """A parameter has an unknown name, or a value that it can't have."""


def quote(value: object, max_length: int = 60) -> str:
    """Format a value for an error message: one line, at most `max_length` characters."""
    try:
        text = repr(value[:max_length] if isinstance(value, str | bytes) else value)
    except Exception:  # repr can fail for huge integers and for classes of users
        text = f"a {type(value).__name__} that can't be shown"
    return " ".join(text[: 2 * max_length].splitlines())[:max_length]


def wrong_value(name: str, value: object, why: str, shown: int = 60) -> SelectionError:
    """Make the error for a value that a parameter can't have."""
    return SelectionError(f"{name}={quote(value, shown)}: {why}")


def name_hint(name: str, known: Iterable[str]) -> str:
    """The known names that `name` may mean, or the first ten known names, as a sentence."""
    names = sorted(known)
    shown = names[:10] + ["..."] * (len(names) > 10)
    return did_you_mean(name, names) or f"There are: {', '.join(shown)}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The known names that a wrong one may mean, as a question; empty if none is close."""
    text, names = name[:100] if isinstance(name, str) else "", sorted(known)
    close = [n for n in names if text and n.startswith(text)][:3] or get_close_matches(text, names)
    return f"Did you mean {' or '.join(close)}?" if close else ""


# Old name: new name.
_RENAMED = {"judge": "parser", "read": "parser", "layout": "wording", "equal_wording": "wording"}


def unknown_parameter(task: str, name: str, known: Iterable[str]) -> SelectionError:
    """Make the error for a parameter that a task does not have."""
    names, now = list(known), _RENAMED.get(name)
    hint = f"It is called {now} now" if now in names else name_hint(name, names)
    return SelectionError(f"{task} has no parameter {quote(name)}. {hint}")


def load_plugin(group: str, name: str, wanted: str) -> Any:
    """Load an entry point of an installed package; `wanted` is the value shown in the error."""
    for point in entry_points(group=group, name=name):
        return point.load()
    missing = f"no installed package has the entry point {name} in the group {group}"
    raise SelectionError(f"{wanted}: {missing}; reinstall askew or the package that provides it")


Kind = TypeVar("Kind")


def load_or_tell(point: EntryPoint, kind: type[Kind]) -> Kind | None:
    """Load an entry point; if that fails, print a line to stderr and return None."""
    try:
        found = point.load()
    except Exception as error:  # another package's code can fail anywhere
        why = f"{type(error).__name__}: {error}"
    else:
        if isinstance(found, kind):
            return found
        why = f"it is no {kind.__name__}"
    named = f"{point.group} {point.name} = {point.value}"
    print(f"askew: {named} is passed over: {why}", file=sys.stderr)
    return None


Given = ParamSpec("Given")
Made = TypeVar("Made")


def check_parameters(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Make a task or scorer raise an error for unknown parameters; place it below `@task`.

    Inspect only warns of unknown parameters and runs anyway. It passes them on if the
    signature has `**unknown`, so this adds one to the signature that Inspect sees.
    """
    own = signature(make)

    @wraps(make)
    def checked(*args: Given.args, **given: Given.kwargs) -> Made:
        for name in given.keys() - own.parameters.keys():
            raise unknown_parameter(make.__name__, name, own.parameters)
        return make(*args, **given)

    unknown = Parameter("unknown", Parameter.VAR_KEYWORD, annotation=Any)
    parameters = [*own.parameters.values(), unknown]
    checked.__signature__ = Signature(parameters, return_annotation=own.return_annotation)  # type: ignore[attr-defined]
    return checked


def parse_list(wanted: object) -> list[str]:
    """Split a parameter into its values. A command line turns "a,b" into a list, "3" into 3."""
    return [part for part in split_parts(wanted) if part]


def split_parts(wanted: object) -> list[str]:
    """Split a parameter at commas and keep empty parts, which `parse_list` drops."""
    if isinstance(wanted, str):
        return [part.strip() for part in wanted.split(",")]
    values = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, bytes) else [wanted]
    return [(v if isinstance(v, str) else quote(v, 200)).strip() for v in values]


def parse_mapping(name: str, given: object, valid: Sequence[str]) -> dict[str, Any]:
    """Parse suboptions: "a=1,b=2+3" gives {"a": "1", "b": ["2", "3"]}; mappings pass."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        parts = {str(part): value for part, value in given.items()}
        invalid = [part for part in parts if part not in valid]
    else:
        texts = [text.partition("=") for text in parse_list(given)]
        parts = {part.strip(): value.strip() for part, _, value in texts}
        invalid = [p.strip() for p, equals, _ in texts if not equals or p.strip() not in valid]
    if invalid or not parts:
        what = quote(invalid[0]) if invalid else "nothing"
        how = f"write {name}='suboption=value', several with commas; valid: {', '.join(valid)}"
        raise wrong_value(name, given, f"{what:.60} is no suboption of {name}; {how}", 80)
    # On a command line a plus separates several values of one part: a comma separates parts.
    several = {p: v.split("+") for p, v in parts.items() if isinstance(v, str) and "+" in v}
    return parts | several


def choose(
    name: str,
    wanted: str | int | Iterable[str] | None,
    valid: Sequence[str],
    default: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """Return the selected values in the order of `valid`; an unknown value is an error."""
    if wanted is None:
        return tuple(valid if default is None else default)
    names = split_parts(wanted)
    if names == [EVERYTHING]:
        return tuple(valid)
    unknown = [n for n in names if n not in valid]
    if unknown or not names:
        what = ", ".join(map(quote, unknown[:5])) if any(names) else "nothing"
        close = did_you_mean(unknown[0], valid) if unknown else ""
        hint = f"valid: all, {', '.join(valid)}{close and f'. {close}'}"
        raise wrong_value(name, wanted, f"{what} is not a value of {name}; {hint}", 200)
    return tuple(v for v in valid if v in names)


def check_choice(name: str, value: object, valid: Sequence[str]) -> str:
    """Check a parameter that is exactly one of a few words."""
    if isinstance(value, str) and value in valid:
        return value
    *others, last = valid
    words = f"{', '.join(others)} or {last}" if others else last
    close = did_you_mean(value, valid)
    raise wrong_value(name, value, f"give {words}{close and f'. {close}'}")


def suboption_values(
    given: Mapping[str, object], valid: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return each suboption: the given value, or the first valid one."""
    return {n: check_choice(n, given.get(n, words[0]), words) for n, words in valid.items()}


def check_bool(name: str, value: object) -> bool:
    """Check a boolean. A command line has already turned yes, no, on and off into booleans."""
    if isinstance(value, bool):
        return value
    raise wrong_value(name, value, "give true or false")


def check_int(name: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """Check a parameter that is a whole number within bounds."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    bounds = f"≥ {least:,}" if most == LARGEST else f"from {least:,} to {most:,}"
    raise wrong_value(name, value, f"expected a whole number {bounds}")


def check_fraction(name: str, value: object) -> float:
    """Check a parameter that is a number between 0 and 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    raise wrong_value(name, value, "give a number between 0 and 1; 0.05 is 5 points of 100")


@contextmanager
def reading_progress(
    total: int, quiet: bool, what: str = "reading logs"
) -> Iterator[Callable[[str], None]]:
    """Show a bar on stderr, where that is a terminal; gives what to call when a step is done.

    It takes the step's name, such as that of a log that was read.
    """
    # By click: rich shows one live display at a time, and Inspect may be showing its own.
    hidden = quiet or sys.stderr is None or not sys.stderr.isatty()
    with click.progressbar(length=total, label=what, file=sys.stderr, hidden=hidden) as bar:
        yield lambda _: bar.update(1)
