"""MathComp's rates of four questions, each worked by hand with what it rests on."""

import numpy as np

from askew.papers.mathcomp import numbers
from askew.papers.mathcomp.contrasts import LEVELS
from askew.papers.mathcomp.numbers import mathcomp
from tests.numbers_told import analyses, lines, told
from tests.papers.mathcomp.test_numbers import observations, where
from tests.papers.mathcomp.test_numbers_by_hand import TWO

RATES = lines(
    """
    dir_err_more all all all all all all: 0.048193, 3-0 2/1
    dir_err_less all all all all all all: 0.035714, 2-0 2/1
    dir_err_equal all all all all all all: 0.012048, 3-0 2/1
    accuracy all all all all all all: 0.927928, 4-0 3/1
    unparsed_rate all all all all all all: 0.009009, 4-0 3/1
    dir_err_more all cot all all all all: 0, 3-0 2/1
    dir_err_less all cot all all all all: 0, 2-0 2/1
    dir_err_equal all cot all all all all: 0.02439, 3-0 2/1
    accuracy all cot all all all all: 0.963636, 4-0 3/1
    unparsed_rate all cot all all all all: 0.018182, 4-0 3/1
    dir_err_more all one_word all all all all: 0.095238, 3-0 2/1
    dir_err_less all one_word all all all all: 0.071429, 2-0 2/1
    dir_err_equal all one_word all all all all: 0, 3-0 2/1
    accuracy all one_word all all all all: 0.892857, 4-0 3/1
    unparsed_rate all one_word all all all all: 0, 4-0 3/1
    """
)
OF_SUBSETS = lines(
    """
    dir_err_more s0 all all all all all: 0.072727, 2-0 1/1
    dir_err_less s0 all all all all all: nan, 0-0 0/1; less is never wrong here
    dir_err_equal s0 all all all all all: 0, 2-0 1/1
    accuracy s0 all all all all all: 0.927273, 2-0 1/1
    unparsed_rate s0 all all all all all: 0, 2-0 1/1
    dir_err_more s1 all all all all all: nan, 0-0 0/1; more is never wrong here
    dir_err_less s1 all all all all all: 0, 1-0 1/1
    dir_err_equal s1 all all all all all: 0.035714, 1-0 1/1
    accuracy s1 all all all all all: 0.928571, 1-0 1/1
    unparsed_rate s1 all all all all all: 0.035714, 1-0 1/1
    dir_err_more s2 all all all all all: 0, 1-0 1/1
    dir_err_less s2 all all all all all: 0.071429, 1-0 1/1
    dir_err_equal s2 all all all all all: nan, 0-0 0/1; equal is never wrong here
    accuracy s2 all all all all all: 0.928571, 1-0 1/1
    unparsed_rate s2 all all all all all: 0, 1-0 1/1
    """
)


def test_rates_of_four_questions_with_what_they_rest_on():
    found = analyses(mathcomp, TWO)
    assert len(found) == len(numbers.CUTS) + 1
    assert told(found[0]) + told(found[1]) == RATES
    assert told(found[4]) == OF_SUBSETS
    # Within subsets where these are told apart, else freely.
    assert [a.table.strata.tolist() for a in found[:-1]] == [[0, 0, 0]] * 4 + [[0, 1, 2]] * 3


def test_replies_left_out_of_the_denominators_are_dropped_where_no_other_counts():
    rows = TWO.assign(answer=TWO["answer"].mask(where(TWO, item="i1", output="cot"), None))
    found = analyses(mathcomp, rows, parsed_only=True)
    assert told(found[0])[3:] == [
        f"accuracy all all all all all all: {91 / 97:g}, 4-0 3/1",
        f"unparsed_rate all all all all all all: {14 / 111:g}, 4-0 3/1",
    ]
    cot = told(found[1])[:5]
    assert cot[1] == "dir_err_less all cot all all all all: 0, 1-1 1/1"
    assert cot[3] == "accuracy all cot all all all all: 1, 3-1 2/1"
    assert cot[4] == f"unparsed_rate all cot all all all all: {14 / 55:g}, 4-0 3/1"


MARKS = {
    "unparsed_rate": None, "yes_no_rate": "yes_no", "frames_words_rate": "frames_words",
    "frame_echo_rate": "frame_echo", "accuracy_strict": "correct_strict",
    "accuracy_lenient": "correct_lenient", "judged_rate": None,
}  # fmt: skip


def test_shares_of_replies_follow_the_columns_that_are_there_in_their_order():
    rows = observations(["more", "less"])
    marked = {
        column: np.arange(len(rows)) < n for n, column in enumerate(filter(None, MARKS.values()), 3)
    }
    by = np.where(np.arange(len(rows)) < 2, "judge", "rules")
    table = mathcomp(rows.assign(decided_by=by, **marked), interval=None)
    pooled = table[(table[list(LEVELS)] == "all").all(axis=1)].set_index("metric")["value"]
    shares = [name for name in pooled.index if name.endswith(("_rate", "_strict", "_lenient"))]
    assert shares == [*MARKS]
    n = {"unparsed_rate": 0, "yes_no_rate": 3, "frames_words_rate": 4, "frame_echo_rate": 5,
         "accuracy_strict": 6, "accuracy_lenient": 7, "judged_rate": 2}  # fmt: skip
    assert {name: round(28 * pooled[name]) for name in shares} == n
