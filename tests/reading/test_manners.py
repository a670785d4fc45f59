"""Replies in the manners of strong models: each is read as two careful people read it, or not."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from askew.papers.instruction_boundary.reading import read_option_set, read_truth
from askew.papers.mathcomp.reading import read_comparison
from askew.reading.choices import read_choice, read_label
from askew.reading.names import LETTERS
from askew.reading.yesno import read_yes_no

UNREAD, LINE_END = "unread: ", "\u23ce"
GROUPS = yaml.safe_load((Path(__file__).parent / "manners.yaml").read_text("utf-8"))
CASES = [
    (group["class"], group["reader"], group.get("shown", ""), group.get("asked", ""), reply, right)
    for group in GROUPS
    for right, replies in group["replies"].items()
    for reply in replies
]


def read(reader, shown, asked, reply):
    shown = tuple(shown.split(" | "))
    if reader == "yesno":
        return read_yes_no(reply, asked.replace(LINE_END, "\n")).answer
    if reader == "truth":
        return read_truth(reply).answer
    if reader == "options":
        return read_option_set(reply, shown).answer
    if reader == "comparison":
        return read_comparison(reply, "Alex", "Sam").answer
    said = (read_label if reader == "labels" else read_choice)(reply, shown)
    if said.chosen is not None:
        return shown[said.chosen] if reader == "labels" else LETTERS[said.chosen]
    return "none" if said.said_none else said.text or None


@pytest.mark.parametrize(
    ("kind", "reader", "shown", "asked", "reply", "right"),
    CASES,
    ids=[f"{kind}, {reader}: {reply[:40]!r}" for kind, reader, _, _, reply, _ in CASES],
)
def test_a_reply_is_read_as_careful_people_read_it(kind, reader, shown, asked, reply, right):
    said = read(reader, shown, asked, reply.removeprefix(UNREAD).replace(LINE_END, "\n"))
    assert said == (None if reply.startswith(UNREAD) or right == "no answer" else right)


def test_few_are_left_unread_and_no_class_is_small():
    assert len(CASES) >= 150
    assert sum(reply.startswith(UNREAD) for *_, reply, _ in CASES) <= 0.02 * len(CASES)
    assert min(Counter(kind for kind, *_ in CASES).values()) >= 15
