"""Each data set is read from its own format, with its traps."""

from collections import Counter

import pytest

from askew_authoring.binary_qa.rules import ASKED_OF_ALL
from askew_authoring.binary_qa.sources import HELD, LOADERS, candidates
from tests.authoring.binary_qa import source_files as made
from tests.cases import cases


@pytest.fixture
def files(tmp_path):
    return made.write_all(tmp_path, 12)


@pytest.mark.parametrize("source", LOADERS)
def test_every_data_set_gives_both_labels_or_numbers(files, source):
    found = candidates(source, files[source])
    domain = HELD[source]["domain"]
    assert {c.subset for c in found} == {domain}
    assert len({c.id for c in found}) == len(found)
    if source == "drop":
        assert all(c.answer is None and c.number >= 2 for c in found)
    else:
        assert set(Counter(c.answer for c in found)) == {"Yes", "No"}


def test_boolq_s_bare_questions_become_sentences(tmp_path):
    rows = [
        {"question": "is it open", "answer": True, "passage": "It is  open.\n"},
        {"question": "was it shut?", "answer": False, "passage": "It was not."},
    ]
    path = made.parquet(tmp_path / "b.parquet", made.BOOLQ, rows)
    first, second = candidates("boolq", [path])
    assert (first.question, first.answer, first.passage) == ("Is it open?", "Yes", "It is open.")
    assert (second.question, second.answer) == ("Was it shut?", "No")


def test_hotpotqa_keeps_comparisons_with_a_yes_or_no_and_all_its_paragraphs(tmp_path):
    rows = [
        made.hotpotqa_row(0, answer="Ash"),
        made.hotpotqa_row(1, type="bridge"),
        made.hotpotqa_row(2),
        made.hotpotqa_row(4, level="medium", answer="no"),
    ]
    path = made.parquet(tmp_path / "h.parquet", made.HOTPOTQA, rows)
    kept, other = candidates("hotpotqa", [path])
    assert (kept.answer, kept.kind) == ("Yes", "medium")
    assert (other.answer, other.kind) == ("No", "medium")
    assert kept.passage == (
        "Mill 2\nMill 2 stands on the Ash. It still grinds.\n\nWeir 2\nWeir 2 lies in the Ash.\n\n"
        "Inn 2\nAn inn."
    )


@cases("spans", "types", "number")
def test_drop_keeps_whole_numbers_that_all_annotators_gave(tmp_path, spans, types, number):
    path = made.parquet(tmp_path / "d.parquet", made.DROP, [made.drop_row(1, spans, types)])
    assert [c.number for c in candidates("drop", [path])] == ([] if number is None else [number])


def test_drop_keeps_questions_for_a_number_only(tmp_path):
    row = made.drop_row(1) | {"question": "Which fair had 11 stalls?"}
    path = made.parquet(tmp_path / "d.parquet", made.DROP, [row])
    assert candidates("drop", [path]) == []


# --- translation: a row an error and a rater ---

SHARED = ("Nord-7", "lamps.1", "1")
SOURCE, TARGET = "The lamps were lit.", "Die Lampen wurden angezündet."
ERROR = ("Accuracy/Mistranslation", "Major")


def rated(tmp_path, *ratings, quoted=False):
    """Candidates from rows (segment, rater, target, category, severity) of one source text."""
    rows = [(*SHARED, seg, rater, SOURCE, target, *error) for seg, rater, target, error in ratings]
    if quoted:
        path = made.table(tmp_path / "m.tsv", made.MQM, rows, "\t")
    else:
        path = tmp_path / "m.tsv"
        cells = [made.MQM, *rows]
        path.write_text("".join("\t".join(map(str, r)) + "\n" for r in cells), encoding="utf-8")
    return candidates("mqm", [path])


def test_raters_of_one_mind_settle_a_label_and_marks_do_not_give_it_away(tmp_path):
    marked = TARGET.replace("Lampen", "<v>Lampen</v>")
    (found,) = rated(tmp_path, (1, "rater1", marked, ERROR), (1, "rater2", TARGET, ERROR))
    assert (found.answer, found.kind, found.question) == (
        "Yes",
        "error",
        ASKED_OF_ALL["translation"],
    )
    assert found.passage == f"Source (English): {SOURCE}\nTranslation (German): {TARGET}"


# --- ethics: one number, two meanings ---


def test_label_1_means_wrong_in_commonsense_and_just_in_justice(files):
    found = candidates("ethics", files["ethics"])
    commonsense = {c.passage: c for c in found if c.kind == "commonsense"}
    justice = {c.passage: c for c in found if c.kind == "justice"}
    kept = commonsense["I found purse 1 on the tram and kept the purse."]
    assert (kept.answer, kept.question) == ("No", ASKED_OF_ALL["commonsense"])
    assert commonsense["I found purse 0 on the tram and returned the purse."].answer == "Yes"
    won = justice["I gave Ada 1 the cup because she had won the race."]
    assert (won.answer, won.question) == ("Yes", ASKED_OF_ALL["justice"])
    assert justice["I gave Ada 0 the cup because her hat was blue."].answer == "No"


# --- what is not the file it should be ---


def test_a_text_with_two_labels_is_left_out_everywhere(tmp_path):
    row = made.boolq_row(1)
    rows = [row, row | {"answer": not row["answer"]}, made.boolq_row(2), made.boolq_row(2)]
    path = made.parquet(tmp_path / "b.parquet", made.BOOLQ, rows)
    assert [c.question for c in candidates("boolq", [path])] == ["Does the ferry 2 sail in winter?"]
