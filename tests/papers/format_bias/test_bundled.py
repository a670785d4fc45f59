"""The bundled format-bias questions are complete, well-formed, balanced and answerable as given."""

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest

Record = dict[str, Any]

COUNTS = {
    "mcq": 44,
    "bbh": 24,
    "arithmetic": 24,
    "reading": 24,
    "multihop": 22,
    "ranking": 22,
    "keyphrases": 22,
    "extraction": 22,
}
KINDS = tuple(COUNTS)
ENTITY_KEYS = ("Task", "Method", "Material", "Metric")
FIELDS = {
    "mcq": {"id", "subject", "question", "choices", "answer"},
    "bbh": {"id", "question", "choices", "answer"},
    "arithmetic": {"id", "question", "answer", "work"},
    "reading": {"id", "passage", "question", "answer"},
    "multihop": {"id", "paragraphs", "question", "answer"},
    "ranking": {"id", "query", "documents"},
    "keyphrases": {"id", "text", "keyphrases"},
    "extraction": {"id", "text", *ENTITY_KEYS},
}
# Any of these in a question would let an extractor find the question's own text.
FORMAT_MARKS = ("*", "[", "]", "((", "))", '"""', "'''", "```", "<", ">", "{", "}", "\n", "\t")


@cache
def read_lines(name: str) -> tuple[Record, ...]:
    path = files("askew.papers.format_bias") / "bundled" / f"{name}.jsonl"
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def demos_of(kind: str) -> list[Record]:
    return [record for record in read_lines("demos") if record["kind"] == kind]


def items_and_demos(kind: str) -> list[Record]:
    """Every record of a kind: a demonstration has to be as sound as an item."""
    return [*read_lines(kind), *demos_of(kind)]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from strings_in(element)
    elif isinstance(value, dict):
        for element in value.values():
            yield from strings_in(element)


def main_text(record: Record) -> str:
    """The text that tells one record from another."""
    return str(record.get("passage") or record.get("text") or record.get("query") or "") or str(
        record["question"]
    )


def normalized(text: str) -> str:
    return " ".join(re.sub(r"\W", " ", text.casefold()).split())


def word_count(text: str) -> int:
    return len(text.split())


def occurs_as_words(phrase: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None


OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def value_of(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    assert isinstance(node, ast.BinOp), ast.dump(node)
    return OPERATIONS[type(node.op)](value_of(node.left), value_of(node.right))


def by_id(records: list[Record]) -> list[Any]:
    return [pytest.param(record, id=record["id"]) for record in records]


# ---- every file ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_file_holds_the_stated_number_of_items(kind: str) -> None:
    assert len(read_lines(kind)) == COUNTS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_five_demonstrations_of_each_kind(kind: str) -> None:
    assert len(demos_of(kind)) == 5
    assert {record["kind"] for record in read_lines("demos")} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_records_have_exactly_the_fields_of_their_kind(kind: str) -> None:
    assert all(set(record) == FIELDS[kind] for record in read_lines(kind))
    assert all(set(record) == FIELDS[kind] | {"kind"} for record in demos_of(kind))


def test_ids_are_unique_across_all_files_and_name_their_kind() -> None:
    ids = [record["id"] for kind in KINDS for record in items_and_demos(kind)]
    assert len(set(ids)) == len(ids)
    for kind in KINDS:
        for number, record in enumerate(read_lines(kind), start=1):
            assert record["id"] == f"{kind}-{number:02d}"
        for number, record in enumerate(demos_of(kind), start=1):
            assert re.fullmatch(rf"demo-{kind}-{number}-[a-z0-9-]+", record["id"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_question_is_asked_twice_and_no_demonstration_is_tested(kind: str) -> None:
    texts = [normalized(main_text(record)) for record in items_and_demos(kind)]
    assert len(set(texts)) == len(texts)


def test_demonstrations_share_no_passage_of_eight_words_with_an_item() -> None:
    def runs(records: list[Record]) -> set[tuple[str, ...]]:
        stem = "is the following sentence plausible"
        word_lists = [
            normalized(text).removeprefix(stem).split() for r in records for text in strings_in(r)
        ]
        return {tuple(ws[i : i + 8]) for ws in word_lists for i in range(len(ws) - 7)}

    items = [record for kind in KINDS for record in read_lines(kind)]
    assert runs(list(read_lines("demos"))) & runs(items) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_trimmed_not_empty_and_free_of_format_marks(kind: str) -> None:
    for record in items_and_demos(kind):
        for text in strings_in({k: v for k, v in record.items() if k != "work"}):
            assert text
            assert text == text.strip()
            # Asterisks and brackets have no place outside `work`.
            assert not [mark for mark in FORMAT_MARKS if mark in text], (record["id"], text)


# ---- multiple choice -----------------------------------------------------------------------


def answers(kind: str) -> list[str]:
    return [record["answer"] for record in read_lines(kind)]


@pytest.mark.parametrize("record", by_id(items_and_demos("mcq")))
def test_four_choices_differ_and_none_hides_in_another(record: Record) -> None:
    choices = [choice.casefold() for choice in record["choices"]]
    assert len(choices) == 4
    assert record["answer"] in tuple("ABCD")
    for one, other in combinations(choices, 2):
        assert one not in other
        assert other not in one
    for choice in choices:
        assert not re.fullmatch(r"[a-z]", choice)
        assert not re.search(r"\b(all|none|both) of\b|\b(the above|other answers)\b", choice)


def test_multiple_choice_covers_at_least_eleven_subjects_evenly() -> None:
    subjects = Counter(record["subject"] for record in read_lines("mcq"))
    assert len(subjects) >= 11
    assert max(subjects.values()) <= 4


def test_multiple_choice_answers_are_balanced() -> None:
    assert Counter(answers("mcq")) == dict.fromkeys("ABCD", 11)


def test_multiple_choice_answers_follow_no_pattern() -> None:
    letters = answers("mcq")
    assert all(len(set(letters[i : i + 3])) > 1 for i in range(len(letters) - 2))
    for lag in range(1, 12):
        same = sum(one == later for one, later in zip(letters, letters[lag:], strict=False))
        assert same < 0.45 * (len(letters) - lag)


def test_length_does_not_give_the_right_choice_away() -> None:
    longest = shortest = 0
    for record in read_lines("mcq"):
        lengths = [len(choice) for choice in record["choices"]]
        right = lengths.pop("ABCD".index(record["answer"]))
        longest += right > max(lengths)
        shortest += right < min(lengths)
    assert longest <= 15
    assert shortest <= 15


def test_plausibility_items_ask_about_one_sentence_with_yes_or_no() -> None:
    for record in items_and_demos("bbh"):
        assert record["choices"] == ["yes", "no"]
        assert record["answer"] in ("A", "B")
        assert re.fullmatch(
            r'Is the following sentence plausible\? "[A-Z][^"]+\."', record["question"]
        )


def test_half_of_the_sentences_are_plausible_in_no_visible_order() -> None:
    letters = "".join(answers("bbh"))
    assert Counter(letters) == {"A": 12, "B": 12}
    assert not re.search(r"A{4}|B{4}|(AB){4}|(BA){4}", letters)


# ---- short answers -------------------------------------------------------------------------


@pytest.mark.parametrize("record", by_id(items_and_demos("arithmetic")))
def test_the_working_equals_the_answer(record: Record) -> None:
    assert re.fullmatch(r"[0-9+\-*/(). ]+", record["work"])
    tree = ast.parse(record["work"], mode="eval")
    assert value_of(tree.body) == Fraction(record["answer"])
    assert re.fullmatch(r"0|[1-9]\d*|\d+\.\d*[1-9]", record["answer"])
    steps = sum(isinstance(node, ast.BinOp) for node in ast.walk(tree))
    assert 2 <= steps <= 8


@pytest.mark.parametrize("record", by_id(items_and_demos("arithmetic")))
def test_no_problem_prints_its_own_answer(record: Record) -> None:
    assert not occurs_as_words(record["answer"], record["question"].replace(",", ""))


@pytest.mark.parametrize("record", by_id(items_and_demos("reading")))
def test_a_reading_answer_is_a_short_span_of_its_passage(record: Record) -> None:
    assert 90 <= word_count(record["passage"]) <= 160
    assert 1 <= word_count(record["answer"]) <= 6
    assert occurs_as_words(record["answer"], record["passage"])
    assert not occurs_as_words(record["answer"].casefold(), record["question"].casefold())
    assert record["question"].endswith("?")


@pytest.mark.parametrize("record", by_id(items_and_demos("multihop")))
def test_a_multihop_item_has_four_titled_paragraphs_and_holds_its_answer(record: Record) -> None:
    titles = [paragraph["title"] for paragraph in record["paragraphs"]]
    assert len(set(titles)) == 4
    assert all(set(paragraph) == {"title", "text"} for paragraph in record["paragraphs"])
    assert all(20 <= word_count(paragraph["text"]) <= 70 for paragraph in record["paragraphs"])
    assert any(occurs_as_words(record["answer"], p["text"]) for p in record["paragraphs"])
    assert 1 <= word_count(record["answer"]) <= 6
    assert record["question"].endswith("?")


@pytest.mark.parametrize("record", by_id(items_and_demos("multihop")))
def test_a_multihop_answer_needs_a_second_paragraph(record: Record) -> None:
    """The paragraph with the answer is not the one that the question points at."""
    named = {p["title"] for p in record["paragraphs"] if p["title"] in record["question"]}
    if occurs_as_words(record["answer"], record["question"]):  # which of two things ...?
        assert len(named) >= 2
        assert record["answer"] in named
        assert " or " in record["question"]
        return
    holders = {
        p["title"] for p in record["paragraphs"] if occurs_as_words(record["answer"], p["text"])
    }
    if len(holders) == 2:  # what do two things have in common?
        assert holders == named
    else:
        assert len(holders) == 1
        assert not holders & named


# ---- lists ---------------------------------------------------------------------------------


@pytest.mark.parametrize("record", by_id(items_and_demos("ranking")))
def test_a_ranking_item_mixes_relevant_and_other_documents(record: Record) -> None:
    marks = [document["relevant"] for document in record["documents"]]
    assert 8 <= len(marks) <= 10
    assert set(marks) == {0, 1}
    assert 3 <= sum(marks) <= 5
    assert marks != sorted(marks, reverse=True)
    assert marks != sorted(marks)


def test_no_document_title_or_query_is_used_twice() -> None:
    titles = [
        normalized(title)
        for record in items_and_demos("ranking")
        for title in (record["query"], *(document["title"] for document in record["documents"]))
    ]
    assert [title for title, count in Counter(titles).items() if count > 1] == []


@pytest.mark.parametrize("record", by_id(items_and_demos("keyphrases")))
def test_keyphrases_are_a_well_defined_set(record: Record) -> None:
    text, phrases = record["text"], record["keyphrases"]
    assert 90 <= word_count(text) <= 150
    assert 5 <= len(phrases) <= 9
    for one, other in combinations([phrase.casefold() for phrase in phrases], 2):
        assert one not in other
        assert other not in one
    for phrase in phrases:
        assert occurs_as_words(phrase, text)
        # One spelling only: a second case, a plural or a singular would be a second right answer.
        assert text.count(phrase) == text.casefold().count(phrase.casefold())
        assert not occurs_as_words(phrase + "s", text)
        assert not occurs_as_words(phrase.removesuffix("s"), text) or not phrase.endswith("s")


@pytest.mark.parametrize("record", by_id(items_and_demos("extraction")))
def test_gold_entities_stand_in_the_text_and_in_one_category(record: Record) -> None:
    text = record["text"]
    assert 100 <= word_count(text) <= 170
    assert 1 <= len(record["Task"]) <= 3
    assert 1 <= len(record["Method"]) <= 3
    assert len(record["Material"]) <= 3
    assert len(record["Metric"]) <= 3
    entities = [entity for key in ENTITY_KEYS for entity in record[key]]
    assert all(occurs_as_words(entity, text) for entity in entities)
    for one, other in combinations([entity.casefold() for entity in entities], 2):
        assert one not in other
        assert other not in one


def test_every_named_thing_in_an_extraction_text_is_gold() -> None:
    """Names in CamelCase are a method's or a material's, so none may be left out."""
    for record in items_and_demos("extraction"):
        names = set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w*(?:-\d+)?", record["text"]))
        assert names <= {entity for key in ENTITY_KEYS for entity in record[key]}, record["id"]


def test_some_texts_honestly_lack_a_material_or_a_metric() -> None:
    records = read_lines("extraction")
    lacking = [record for record in records if not record["Material"] or not record["Metric"]]
    assert len(lacking) >= 4
    assert any(not record["Material"] for record in records)
    assert any(not record["Metric"] for record in records)


def test_some_extraction_lists_hold_several_entities() -> None:
    for key in ENTITY_KEYS:
        assert sum(len(record[key]) >= 2 for record in read_lines("extraction")) >= 2
