"""What a reply says for itself, beside what it says of others, supposes, or calls wrong."""

from askew.reading.reply import own
from tests.cases import cases


@cases("reply", "said")
def test_what_is_not_its_own_is_blank(reply, said):
    assert own(reply).strip() == said
    assert len(own(reply)) == len(reply)
