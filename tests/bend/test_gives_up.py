"""An agent without its tool: whether its last reply says that it can't."""

from askew.treatments.tools import gives_up
from tests.cases import cases


@cases("reply")
def test_it_says_so(reply):
    assert gives_up(reply)


@cases("reply")
def test_it_answers(reply):
    assert not gives_up(reply)
