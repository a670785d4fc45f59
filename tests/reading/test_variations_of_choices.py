"""What large models write where options are asked: each reply as two careful people read it.

Every class of replies that was once misread has variations in many voices: terse, wordy, step by
step, apologetic, in LaTeX, in other languages. Most were written before the rules that read them;
the fresh ones afterwards, without looking at the rules. Where two people could differ, the right
reading is that there is no answer. `read` says "unread" where the rules know no better yet: then
there is no answer either, never a wrong one.
"""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from askew.papers.knowno.paper import KnowNoMeta
from askew.papers.knowno.scorer import parse_reply as read_knowno
from askew.papers.mathcomp.framings import Framing, Words, phrase_for
from askew.papers.mathcomp.paper import NO_TERM, OUTPUTS, POSITIONS
from askew.papers.mathcomp.reading import read_comparison
from askew.reading.formats import ExpectedAnswer, get_format
from askew.reading.formats import read as read_format
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM
from askew.reading.reply import after_reasoning
from tests.cases import cases_of

TABLES = sorted((Path(__file__).parent / "variations" / "choices").glob("*.csv"))
NEW_LINE = "\u23ce"
NO_ANSWER = {"ambiguous", "unparsed", "refused", "empty", "missed"}

# The right option, and the others in their order; it stands behind the second of them.
QUESTIONS = cases_of(__file__, "QUESTIONS")
COLOURS = ("red", "green", "blue", "white")
# What is compared, in which words, and by whom.
SPENT = ("{A} spends $20 on bread and $10 on milk.", "{B} spends $15 on bread and $12 on milk.")
DRIVEN = ("{A} drives 12 miles out and 8 miles home.", "{B} drives 9 miles out and 15 miles home.")
COMPARED = {
    "money": (SPENT, phrase_for("groceries", "money"), "standard"),
    "woman": (SPENT, phrase_for("groceries", "money"), "woman"),
    "distance": (DRIVEN, phrase_for("commuting", "distance"), "standard"),
}


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CASES = [(table.stem, row) for table in TABLES for row in rows(table)]


def reading(asked: str, reply: str) -> str:
    """How a reply to a question is read: an option's letter, a pattern, or why there is none."""
    about, how = asked.split(" ", 1)
    if about in QUESTIONS:
        return chosen(about, how, reply)
    if about in COMPARED:
        return compared(about, how, reply)
    kind = "letter" if about == "char" else "option"
    expected = ExpectedAnswer(kind, choices=COLOURS, prompting=how)
    said = read_format(after_reasoning(reply), get_format(about), expected)
    return said.value if said.format_ok else "missed"


def chosen(about: str, hint: str, reply: str) -> str:
    gold, others = QUESTIONS[about]
    shown = [*others[:2], gold, *others[2:]] if hint == "with_gold" else list(others)
    shown += [NONE_OF_THEM] if hint == "hint_as_option" else []
    meta = KnowNoMeta(
        task="knowno", item="q", cluster="u", subset="mctest", kind="story", hint=hint, order=0,
        gold=gold,
    )  # fmt: skip
    said = read_knowno(reply, shown, meta)
    if said.outcome != "ok":
        return said.outcome
    return LETTERS[shown.index(said.answer)] if said.pattern == "offered" else said.pattern


@cache
def prompt(about: str, framing: str) -> tuple[str, str, str]:
    sentences, phrase, identity = COMPARED[about]
    style, _, term = framing.partition(" ")
    asked = Framing(style, term or NO_TERM, next(iter(POSITIONS)))
    words = Words().told(sentences, asked, phrase, identity)
    text = f"{words.question}\n{words.context}\n{OUTPUTS['one_word'].instruction}"
    return text, words.first, words.second


def compared(about: str, framing: str, reply: str) -> str:
    text, first, second = prompt(about, framing)
    said = read_comparison(reply, first, second, text)
    if said.echo:
        return f"echo {said.strict}"
    if said.outcome == "frames_words":
        return f"{said.answer} in frame's words"
    return said.answer if said.outcome == "ok" else said.outcome


def test_there_are_enough_variations_of_every_class():
    classes = Counter(name for name, _ in CASES)
    assert sum(classes.values()) == 846
    assert all(n >= 20 for n in classes.values()), classes
    assert sum(row["written"] != "written before the rules" for _, row in CASES) == 561
    assert sum(row["read"] == "unread" for _, row in CASES) == 11


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_variation_is_read_as_careful_people_read_it(table):
    seen = {
        (row["asked"], row["reply"]): reading(row["asked"], row["reply"].replace(NEW_LINE, "\n"))
        for row in rows(table)
    }
    right = {(row["asked"], row["reply"]): row["right"] for row in rows(table) if not row["read"]}
    assert {case: said for case, said in seen.items() if case in right} == right
    assert {seen[case] for case in seen if case not in right} <= NO_ANSWER
