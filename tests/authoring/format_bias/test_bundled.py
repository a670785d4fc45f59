"""Our own questions keep their promises, so that nothing but format moves their scores.

Lines are read as they are written, because a reader of records mends what a check should see.
"""

import csv
import json
import re
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path

import pytest

from askew.papers.format_bias.items import DEMOS_FILE
from askew.papers.format_bias.paper import ENTITY_KEYS
from askew.papers.mathcomp.arithmetic import read_equation
from tests.cases import cases_of

FIELDS = {
    **cases_of(__file__, "FIELDS_TOLD"),
    "extraction": f"id text {' '.join(ENTITY_KEYS)}",
}
# By tier, how large is what a line holds.
SIZES = cases_of(__file__, "SIZES")
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


def sized(line, what, number):
    least, most = SIZES[line.get("tier", "core")][what]
    return least <= number <= most


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
    choices = [choice.casefold() for choice in line["choices"]]
    assert len(choices) == 4
    assert line["answer"] in tuple("ABCD")
    assert no_overlap(choices)
    of_others = r"\b(all|none|both) of\b|\b(the above|other answers?)\b|^[a-z]$"
    assert not any(re.search(of_others, choice) for choice in choices)


def bbh(line):
    assert sorted(line["choices"]) == ["no", "yes"]
    assert line["answer"] in ("A", "B")
    assert re.fullmatch(r'Is the following sentence plausible\? "[A-Z][^"]+\."', line["question"])


def arithmetic(line):
    made = read_equation(line["work"])
    assert re.fullmatch(r"0|[1-9]\d*|\d+\.\d*[1-9]", line["answer"])
    assert made.value == Fraction(line["answer"])
    assert sized(line, "steps", len(made.operands) - 1)
    if line.get("tier") != "hard":
        assert not has(line["answer"], line["question"].replace(",", ""))


def reading(line):
    assert sized(line, "passage", len(line["passage"].split()))
    assert 1 <= len(line["answer"].split()) <= 6
    assert has(line["answer"], line["passage"])
    assert not has(line["answer"].casefold(), line["question"].casefold())
    assert line["question"].endswith("?")


def multihop(line):
    paragraphs, question, answer = line["paragraphs"], line["question"], line["answer"]
    titles = {p["title"] for p in paragraphs}
    holders = {p["title"] for p in paragraphs if has(answer, p["text"])}
    named = {title for title in titles if title in question}
    assert sized(line, "context", len(paragraphs))
    assert len(titles) == len(paragraphs)
    assert all(20 <= len(p["text"].split()) <= 70 for p in paragraphs)
    assert holders
    assert 1 <= len(answer.split()) <= 6
    assert question.endswith("?")
    # The paragraph with the answer is not the one that the question points at.
    if has(answer, question):  # which of two things ...?
        assert len(named) >= 2
        assert answer in named
        assert " or " in question
    elif answer in titles:  # who of those behind two things ...?
        assert answer not in named
    else:  # what do two things have in common? or what is behind one?
        assert holders == named if len(holders) == 2 else len(holders) == 1 and not holders & named


def ranking(line):
    marks = [document["relevant"] for document in line["documents"]]
    assert 8 <= len(marks) <= 10
    assert set(marks) == {0, 1}
    assert 3 <= sum(marks) <= 5
    assert sorted(marks) not in (marks, marks[::-1])


def keyphrases(line):
    text, phrases, free = line["text"], line["keyphrases"], line["optional"]
    assert sized(line, "abstract", len(text.split()))
    assert sized(line, "truth", len(phrases))
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
    assert sized(line, "paper", len(text.split()))
    assert all(len(line[key]) <= 3 for key in ENTITY_KEYS)
    assert line["Task"]
    assert line["Method"] or line.get("tier") == "hard"
    assert all(has(name, text) for name in names)
    assert no_overlap(names)
    # Names in CamelCase are a method's or a material's, so none may be left out.
    assert set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w*(?:-\d+)?", text)) <= set(names)


CHECKS = {f.__name__: f for f in (mcq, bbh, arithmetic, reading, multihop, ranking, keyphrases)}
CHECKS["extraction"] = extraction


# ---- all lines together


def test_ids_number_the_lines_and_no_question_repeats():
    for of, pattern in (
        (CORE, "{kind}-{n:02d}"),
        (HARD, "{kind}-hard-{n:02d}"),
        (DEMOS, "demo-{kind}-{n}-[a-z0-9-]+"),
    ):
        for kind, lines in of.items():
            for n, line in enumerate(lines, start=1):
                assert re.fullmatch(pattern.format(kind=kind, n=n), line["id"])
    assert sum(map(len, DEMOS.values())) == len(read("demos"))
    asked = [
        plain(next(line[name] for name in ("passage", "text", "query", "question") if name in line))
        for _, line in EVERY
    ]
    titles = [plain(d["title"]) for _, line in EVERY for d in line.get("documents", ())]
    assert len({*asked, *titles}) == len(asked) + len(titles)


def test_no_demonstration_gives_a_passage_of_a_question_away():
    def runs(by_kind):
        for text in chain(*(texts(list(line.values())) for line in chain(*by_kind.values()))):
            words = plain(text).removeprefix(STEM).split()
            yield from (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))

    assert {*runs(DEMOS)}.isdisjoint({*runs(CORE), *runs(HARD)})


@pytest.mark.parametrize("tier", BY_TIER)
def test_letters_are_balanced_and_in_no_visible_order(tier):
    lines = BY_TIER[tier]["mcq"]
    subjects, letters = Counter(line["subject"] for line in lines), [x["answer"] for x in lines]
    assert len(subjects) >= 11
    assert max(subjects.values()) <= 4
    assert len({letters.count(letter) for letter in "ABCD"}) == 1
    assert all(len(set(letters[i : i + 3])) > 1 for i in range(len(letters) - 2))
    for lag in range(1, 12):
        pairs = [a == b for a, b in zip(letters, letters[lag:], strict=False)]
        assert sum(pairs) < 0.45 * len(pairs)
    plausible = BY_TIER[tier]["bbh"]
    order = "".join(line["answer"] for line in plausible)
    yes = sum(line["choices"]["AB".index(line["answer"])] == "yes" for line in plausible)
    assert 2 * yes == 2 * order.count("A") == len(plausible)
    assert 2 * sum(line["choices"][0] == "yes" for line in plausible) == len(plausible)
    assert not re.search(r"A{4}|B{4}|(AB){4}|(BA){4}", order)


@pytest.mark.parametrize("tier", BY_TIER)
def test_some_papers_lack_a_name_and_some_have_several(tier):
    lines = BY_TIER[tier]["extraction"]
    assert all(any(not line[key] for line in lines) for key in ("Material", "Metric"))
    assert sum(not (x["Material"] and x["Metric"]) for x in lines) >= len(lines) // 10
    assert all(sum(len(line[key]) >= 2 for line in lines) >= 2 for key in ENTITY_KEYS)


def test_every_hard_question_has_a_reason_for_its_answer():
    review = Path(__file__).parents[3] / "docs" / "format_bias_hard_review.csv"
    rows = [*csv.DictReader(review.read_text(encoding="utf-8").splitlines())]
    ids = [line["id"] for lines in HARD.values() for line in lines]
    assert sorted(row["id"] for row in rows) == sorted(ids)
    assert {kind: len(lines) for kind, lines in HARD.items()} == dict.fromkeys(FIELDS, 20)
    assert all(row["reason"] for row in rows)
