"""The page on robustness says what its trials give."""

import pytest

from tests import trials


@pytest.mark.whole
def test_the_page_on_robustness_lists_the_outcomes_of_its_trials():
    assert trials.PAGE.read_text("utf-8") == trials.page(trials.outcomes())
