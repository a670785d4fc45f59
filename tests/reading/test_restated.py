"""What a reply says for itself, beside what it says of others, supposes, or calls wrong."""

import pytest

from askew.reading.reply import agrees, own
from tests.cases import cases


@cases("reply", "said")
def test_what_is_not_its_own_is_blank(reply, said):
    assert own(reply).strip() == said
    assert len(own(reply)) == len(reply)


@pytest.mark.parametrize(
    ("rest", "is_so"),
    [("and this is correct", True), ("I agree.", True), ("I agree, but no", False), ("so", False)],
)
def test_a_reply_agrees_where_nothing_in_it_objects(rest, is_so):
    assert agrees(rest) is is_so
