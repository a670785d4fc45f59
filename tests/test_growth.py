"""The count that tests of growth rest on: it tells linear work from quadratic, every time."""

import re
from pathlib import Path

import pytest

from tests.growth import assert_grows_linearly, calls, ratio


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


def test_no_test_asserts_seconds():
    """A busy machine takes longer: how long things may take is measured by benchmarks."""
    here = Path(__file__).parent
    texts = {p.name: p.read_text(encoding="utf-8") for p in here.rglob("test_*.py")}
    told = re.compile(r"assert\b.*\b(process_time|perf_counter)(_ns)?\(\)")
    assert not [name for name, text in texts.items() if told.search(text)]
