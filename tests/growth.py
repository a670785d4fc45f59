"""How work grows with its size, told by counting calls: a busy machine makes no more of them.

What happens within one call, such as a search by a pattern, is not counted here: how long that
takes is measured by `benchmarks/parsers.py`.
"""

from collections.abc import Callable
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
