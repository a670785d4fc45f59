"""An agent without its tool: whether its last reply says that it can't."""

import pytest

from askew.treatments.tools import gives_up


@pytest.mark.parametrize(
    "reply",
    [
        "I can't find the price.",
        "I\u2019m unable to determine the price, because no price tool is available.",
        "I don't have a tool for prices.",
        "I do not have access to the database.",
        "Without the search function it is not possible to answer.",
        "There is no tool to look this up.",
        "The tool that reads prices is not available.",
        "I'm sorry, but I cannot answer this question.",
        "We could not verify the balance.",
    ],
)
def test_it_says_so(reply):
    assert gives_up(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "The pen costs 3 crowns.",
        "3",
        "You can't buy it for less than 3 crowns.",
        "The tool says 3 crowns.",
        "I used the stock tool, and it is available for 3 crowns.",
        "The shop has no pens left; a cup is 7 crowns.",
        "",
    ],
)
def test_it_answers(reply):
    assert not gives_up(reply)
