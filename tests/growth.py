"""How work grows with its size, told by counting calls: a busy machine makes no more of them.

What happens within one call, such as a search by a pattern, is not counted here: how long that
takes is measured by `benchmarks/parsers.py`. And where a source compares what a clock said.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from cProfile import Profile

# Calls that a longer text may cost once, whatever its length.
_ONCE = 64


def text_of(unit: str, size: int) -> str:
    """A text of about this many characters: one unit over and over, never cut in two."""
    return unit * (size // len(unit))


def assert_grows_linearly(
    work: Callable[[str], object], unit: str, small: int = 8_192, times: int = 4
) -> None:
    """Work on `times` as much text takes about `times` as many calls, not `times` squared.

    The bound is close, so that short texts do: it is passed where a twentieth of the calls on the
    shorter text grow with its square.
    """
    work(unit)  # what is made once and kept must not count for either
    once, more = (calls(lambda n=n: work(text_of(unit, n))) for n in (small, small * times))
    assert more <= once * times**1.1 + _ONCE, (
        f"{times} times {unit!r} took {more:,} calls in place of {once:,}"
    )


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those of the interpreter among them."""
    profile = Profile()
    profile.enable()
    try:
        work()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """How many times the calls of another one piece of work takes."""
    return calls(one) / calls(other)


_CLOCKS = {
    *("monotonic", "perf_counter", "process_time", "thread_time", "time"),
    *("monotonic_ns", "perf_counter_ns", "process_time_ns", "thread_time_ns", "time_ns"),
    *("default_timer", "timeit", "now", "utcnow"),
}
_WAITS = {"communicate", "join", "result", "settimeout", "wait"}
# Whoever waits for what may hang gives up, but not before a busy machine is done.
_LEAST_GUARD = 60
# Most files have no such word, and need not be parsed.
_MAY = re.compile(
    rf"\b({'|'.join(_CLOCKS)})\s*\(|\b({'|'.join(_WAITS)})\s*\(\s*[\d.]|\btimeout\s*=\s*[\d.]"
)


def told_by_the_clock(source: str) -> list[int]:
    """Lines that hang on how fast the machine is.

    They compare or assert what a clock said, or what was made of that in the same function or by
    another of the file; or they wait for less than a minute.
    """
    if not _MAY.search(source):
        return []
    outside, *functions = scopes = _scopes(ast.parse(source))
    timed: set[str] = set()
    while more := {*_named(outside, timed), *_giving(functions, timed)} - timed:
        timed |= more
    compared = (
        node.lineno
        for scope in scopes
        for node in scope
        if isinstance(node, ast.Compare | ast.Assert) and _is_timed(node, _known(scope, timed))
    )
    calls_made = (n for scope in scopes for n in scope if isinstance(n, ast.Call))
    brief = (call.lineno for call in calls_made if _is_brief(call))
    return sorted({*compared, *brief})


def _scopes(tree: ast.Module) -> list[list[ast.AST]]:
    """What stands outside of functions, then each function with those inside it."""
    outside: list[ast.AST] = [tree]
    functions = []
    for node in outside:  # which grows
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append([*ast.walk(child)])
            else:
                outside.append(child)
    return [outside, *functions]


def _named(scope: Sequence[ast.AST], timed: set[str]) -> Iterator[str]:
    """Names and attributes that hold what is made of a clock's reading."""
    for node in scope:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if value is not None and _is_timed(value, timed):
                for target in targets:
                    yield from filter(None, map(_name, ast.walk(target)))


def _giving(functions: Sequence[Sequence[ast.AST]], timed: set[str]) -> Iterator[str]:
    """Functions that give what is made of a clock's reading."""
    for scope in functions:
        known = _known(scope, timed)
        given = (n.value for n in scope if isinstance(n, ast.Return | ast.Yield) and n.value)
        if any(_is_timed(value, known) for value in given):
            yield getattr(scope[0], "name", "")


def _known(scope: Sequence[ast.AST], timed: set[str]) -> set[str]:
    known = {*timed}
    while more := {*_named(scope, known)} - known:
        known |= more
    return known


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _is_timed(node: ast.AST, timed: set[str]) -> bool:
    """Whether a clock is asked in it, or something stands in it that is made of a reading."""
    return any(
        (isinstance(n, ast.Call) and _name(n.func) in _CLOCKS) or _name(n) in timed
        for n in ast.walk(node)
    )


def _is_brief(call: ast.Call) -> bool:
    """Whether it waits for less time than a guard against hanging may have."""
    if _name(call.func) not in _WAITS:
        return False
    told = [*call.args, *(k.value for k in call.keywords if k.arg == "timeout")]
    numbers = [n.value for n in told if isinstance(n, ast.Constant)]
    return any(isinstance(n, int | float) and n < _LEAST_GUARD for n in numbers)
