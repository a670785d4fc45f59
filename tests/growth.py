"""How work grows with its size, told by processor time and told again where the machine is busy."""

import time
from collections.abc import Callable

# Less than this is the clock's own noise.
_NOISE = 0.002
_ATTEMPTS = 4


def text_of(unit: str, size: int) -> str:
    """A text of about this many characters: one unit over and over, never cut in two."""
    return unit * (size // len(unit))


def assert_grows_linearly(
    work: Callable[[str], object], unit: str, small: int = 65_536, times: int = 4
) -> None:
    """Work on `times` as much text takes about `times` as long, not `times` squared.

    Noise makes either measure too long, seldom twice: what looks quadratic is measured again.
    """
    allowed = times**1.6
    ratios: list[float] = []
    for _ in range(_ATTEMPTS):
        once = _seconds(work, text_of(unit, small))
        more = _seconds(work, text_of(unit, small * times))
        ratios.append(more / max(once, _NOISE))
        if ratios[-1] < allowed:
            return
    raise AssertionError(
        f"{times} times {unit!r} took {', '.join(f'{r:.1f}' for r in ratios)} times as long; "
        f"at most {allowed:.1f} is near-linear"
    )


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """How many times as long as another one piece of work takes."""
    return _seconds(lambda _: one(), "") / max(_seconds(lambda _: other(), ""), _NOISE)


def _seconds(work: Callable[[str], object], text: str) -> float:
    """The least processor time of a few runs: noise only adds."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
    return best
