"""Our own questions keep their promises, so that nothing but format moves their scores.

Lines are read as they are written, because a reader of records mends what a check should see.
"""

import csv
import json
import re
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path

import pytest

from askew.papers.format_bias.items import DEMOS_FILE
from askew.papers.format_bias.paper import ENTITY_KEYS
from askew.papers.mathcomp.items import read_equation
from tests.cases import cases_of

FIELDS = {**cases_of(__file__, "FIELDS_TOLD"), "extraction": f"id text {' '.join(ENTITY_KEYS)}"}
# Any of these in a question would let an extractor find the question's own text.
MARKS = ("*", "[", "]", "((", "))", '"""', "'''", "```", "<", ">", "{", "}", "\n", "\t")
STEM, RUN = "is the following sentence plausible", 8


def read(name):
    text = (DEMOS_FILE.parent / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


CORE = {kind: read(kind) for kind in FIELDS}
HARD = {kind: read(f"{kind}_hard") for kind in FIELDS}
DEMOS = {kind: [d for d in read("demos") if d["kind"] == kind] for kind in FIELDS}
BY_TIER = {"core": CORE, "hard": HARD}
EVERY = [(kind, x) for of in (CORE, HARD, DEMOS) for kind, lines in of.items() for x in lines]


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        yield from chain(*map(texts, value.values() if isinstance(value, dict) else value))


def plain(text):
    return " ".join(re.sub(r"\W", " ", text.casefold()).split())


def has(phrase, text):
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None


def no_overlap(names):
    folded = [name.casefold() for name in names]
    return not any(a in b or b in a for a, b in combinations(folded, 2))


# ---- every line


@pytest.mark.parametrize("kind", FIELDS)
def test_a_line_has_its_fields_and_keeps_its_promises(kind):
    for line in (line for of, line in EVERY if of == kind):
        assert set(line) - {"tier", "kind", "cluster"} == set(FIELDS[kind].split()), line
        for text in texts([value for name, value in line.items() if name != "work"]):
            assert text, line
            assert text == text.strip()
            assert not any(mark in text for mark in MARKS), text
        CHECKS[kind](line)


def mcq(line):
    assert line["answer"] in "ABCD"[: len(line["choices"])]
    assert no_overlap(line["choices"])


bbh = mcq


def arithmetic(line):
    made = read_equation(line["work"])
    assert made.value == Fraction(line["answer"])
    if line.get("tier") != "hard":
        assert not has(line["answer"], line["question"].replace(",", ""))


def reading(line):
    assert has(line["answer"], line["passage"])
    assert not has(line["answer"].casefold(), line["question"].casefold())


def multihop(line):
    paragraphs, question, answer = line["paragraphs"], line["question"], line["answer"]
    titles = {p["title"] for p in paragraphs}
    holders = {p["title"] for p in paragraphs if has(answer, p["text"])}
    named = {title for title in titles if title in question}
    assert len(titles) == len(paragraphs)
    # The paragraph with the answer is not the one that the question points at.
    if has(answer, question):  # which of two things ...?
        assert len(named) >= 2
        assert answer in named
    elif answer in titles:  # who of those behind two things ...?
        assert answer not in named
    else:  # what do two things have in common? or what is behind one?
        assert holders == named if len(holders) == 2 else len(holders) == 1 and not holders & named


def ranking(line):
    marks = [document["relevant"] for document in line["documents"]]
    assert set(marks) == {0, 1}
    assert sorted(marks) not in (marks, marks[::-1])


def keyphrases(line):
    text, phrases, free = line["text"], line["keyphrases"], line["optional"]
    assert no_overlap(phrases)
    assert all(has(phrase, text) for phrase in [*phrases, *free])
    assert not set(phrases) & set(free)
    for phrase in phrases if line.get("tier") != "hard" else ():
        # A second case, a plural or a singular would be a second right answer.
        assert text.casefold().count(phrase.casefold()) == text.count(phrase), phrase
        assert not has(f"{phrase}s", text)
        assert not (phrase.endswith("s") and has(phrase[:-1], text))


def extraction(line):
    text, names = line["text"], [name for key in ENTITY_KEYS for name in line[key]]
    assert all(has(name, text) for name in names)
    assert no_overlap(names)
    # Names in CamelCase are a method's or a material's, so none may be left out.
    assert set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w*(?:-\d+)?", text)) <= set(names)


OF_KINDS = (mcq, bbh, arithmetic, reading, multihop, ranking, keyphrases, extraction)
CHECKS = dict(zip(FIELDS, OF_KINDS, strict=True))


# ---- all lines together


def test_no_id_and_no_question_repeats():
    ids = [line["id"] for _, line in EVERY]
    asked = [
        plain(next(line[name] for name in ("passage", "text", "query", "question") if name in line))
        for _, line in EVERY
    ]
    titles = [plain(d["title"]) for _, line in EVERY for d in line.get("documents", ())]
    for texts_of in (ids, [*asked, *titles]):
        assert len(set(texts_of)) == len(texts_of)


def test_no_demonstration_gives_a_passage_of_a_question_away():
    def runs(by_kind):
        for text in chain(*(texts(list(line.values())) for line in chain(*by_kind.values()))):
            words = plain(text).removeprefix(STEM).split()
            yield from (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))

    assert {*runs(DEMOS)}.isdisjoint({*runs(CORE), *runs(HARD)})


@pytest.mark.parametrize("tier", BY_TIER)
def test_letters_are_balanced_and_in_no_visible_order(tier):
    letters = [line["answer"] for line in BY_TIER[tier]["mcq"]]
    assert len({letters.count(letter) for letter in "ABCD"}) == 1
    for lag in range(1, 12):
        pairs = [a == b for a, b in zip(letters, letters[lag:], strict=False)]
        assert sum(pairs) < 0.45 * len(pairs)
    plausible = BY_TIER[tier]["bbh"]
    order = "".join(line["answer"] for line in plausible)
    yes = sum(line["choices"]["AB".index(line["answer"])] == "yes" for line in plausible)
    assert 2 * yes == 2 * order.count("A") == len(plausible)
    assert not re.search(r"A{4}|B{4}|(AB){4}|(BA){4}", order)


def test_every_hard_question_has_a_reason_for_its_answer():
    review = Path(__file__).parents[3] / "docs" / "format_bias_hard_review.csv"
    rows = [*csv.DictReader(review.read_text(encoding="utf-8").splitlines())]
    ids = [line["id"] for lines in HARD.values() for line in lines]
    assert sorted(row["id"] for row in rows) == sorted(ids)
    assert {kind: len(lines) for kind, lines in HARD.items()} == dict.fromkeys(FIELDS, 20)
    assert all(row["reason"] for row in rows)
