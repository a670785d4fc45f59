"""The count that tests of growth rest on: it tells linear work from quadratic, every time."""

import re
from pathlib import Path

import pytest

from tests.growth import assert_grows_linearly, calls, ratio, told_by_the_clock


def linear(text):
    for line in text.splitlines():
        line.strip()


def quadratic(text):
    words = text.split()
    for word in words[::50]:
        for other in words[::50]:
            word.startswith(other)


def test_linear_work_passes_and_quadratic_work_does_not():
    assert_grows_linearly(linear, "a line\n")
    with pytest.raises(AssertionError, match=r"4 times 'a b ' took .* calls in place of"):
        assert_grows_linearly(quadratic, "a b ")


def test_a_tenth_of_the_calls_that_grows_with_the_square_is_seen():
    def mostly_linear(text):
        words = text.split()
        for _ in range(len(words) ** 2 // 40_000):  # 419 calls beside 4,096, then 6,710
            text.strip()
        for word in words:
            word.strip()

    with pytest.raises(AssertionError, match=r"4 times 'a b ' took"):
        assert_grows_linearly(mostly_linear, "a b ")


def test_what_the_interpreter_does_itself_is_counted_too_and_the_same_each_time():
    text = "a b " * 1_000
    pattern = re.compile("b")
    counts = {calls(lambda: pattern.sub(lambda found: found[0].upper(), text)) for _ in range(3)}
    assert len(counts) == 1
    assert counts.pop() > 1_000


def test_a_ratio_compares_calls():
    assert ratio(lambda: linear("x\n" * 1_000), lambda: linear("x\n" * 100)) == pytest.approx(
        10, rel=0.1
    )


BY_THE_CLOCK = {
    "at once": "assert time.perf_counter() - began < 2",
    "a deadline": "ends = time.monotonic() + 60\nwhile busy():\n    assert time.monotonic() < ends",
    "a loop": "ends = monotonic() + 60\nwhile busy() and monotonic() < ends: pass",
    "over lines": "took = (\n    process_time_ns()\n    - began\n)\nassert (\n    took\n    < 9\n)",
    "by way of others": "a = time.time()\nb = [a]\nc = max(b)\nassert c < 3",
    "of a mapping": "took['a'] = monotonic() - began\nassert took['a'] < 3",
    "of an object": "self.began = monotonic()\nassert f(self.began)",
    "by a function": "def took(): return monotonic() - began\ndef test(): assert took() < 3",
    "by a name": "took = lambda: monotonic() - began\ndef test(): assert took() < 3",
    "without an assert": "if perf_counter() - began > 3: pytest.fail()",
    "a day": "assert datetime.now() - began < day",
    "a short guard": "assert reached.wait(10)",
    "a shorter one": "done.communicate(timeout=0.5)",
}
NOT_BY_THE_CLOCK = {
    "a guard": "assert reached.wait(120)",
    "no end": "thread.join()",
    "what is printed": "took = monotonic() - began\nprint(took)",
    "of another function": "def a(): took = monotonic()\ndef b(): assert took == 3",
    "words": "assert ', '.join(names) == 'time'",
    "a clock that a test sets": "clock = SimpleNamespace(monotonic=lambda: 3)\nassert clock",
}


@pytest.mark.parametrize("what", BY_THE_CLOCK)
def test_what_hangs_on_the_clock_is_seen(what):
    assert told_by_the_clock(BY_THE_CLOCK[what])


@pytest.mark.parametrize("what", NOT_BY_THE_CLOCK)
def test_what_does_not_is_not(what):
    assert not told_by_the_clock(NOT_BY_THE_CLOCK[what])


def test_no_test_asserts_seconds():
    """A busy machine takes longer: how long things may take is measured by benchmarks.

    What guards against hanging counts its rounds, or gives a wait of a minute at least.
    """
    here = Path(__file__).parent
    found = {
        str(path.relative_to(here)): told_by_the_clock(path.read_text(encoding="utf-8"))
        for path in here.rglob("*.py")
    }
    assert len(found) > 200
    assert {name: lines for name, lines in found.items() if lines} == {}
