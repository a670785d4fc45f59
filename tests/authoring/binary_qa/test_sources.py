"""Each data set is pinned and read from its own format, with its traps; a draw is balanced."""

from collections import Counter
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.binary_qa.paper import SUBSETS
from askew_authoring.binary_qa.rules import ASKED_OF_ALL
from askew_authoring.binary_qa.sources import (
    FILES,
    HELD,
    LOADERS,
    Candidate,
    candidates,
    draw,
    quotas,
)
from tests.authoring.binary_qa import source_files as made
from tests.cases import cases


def test_every_file_is_pinned_by_a_revision_or_a_digest():
    held = [file for files in FILES.values() for file in files]
    assert len({file.filename for file in held}) == len(held)
    for file in held:
        assert urlsplit(file.url).scheme == "https"
        revision = file.revision.partition("@")[2]
        assert len(file.sha256) == 64 or (len(revision) == 40 and revision in file.url)


def boolq(tmp_path, *rows):
    return candidates("boolq", [made.parquet(tmp_path / "b.parquet", made.BOOLQ, [*rows])])


def drop(tmp_path, row):
    return candidates("drop", [made.parquet(tmp_path / "d.parquet", made.DROP, [row])])


def test_boolq_s_bare_questions_become_sentences(tmp_path):
    first, second = boolq(
        tmp_path,
        {"question": "is it open", "answer": True, "passage": "It is  open.\n"},
        {"question": "was it shut?", "answer": False, "passage": "It was not."},
    )
    assert (first.question, first.answer, first.passage) == ("Is it open?", "Yes", "It is open.")
    assert (second.question, second.answer) == ("Was it shut?", "No")


def test_a_text_with_two_labels_is_left_out_everywhere(tmp_path):
    row, other = made.boolq_row(1), made.boolq_row(2)
    found = boolq(tmp_path, row, row | {"answer": not row["answer"]}, other, other)
    assert [c.question for c in found] == ["Does the ferry 2 sail in winter?"]


def test_hotpotqa_keeps_comparisons_with_a_yes_or_no_and_all_its_paragraphs(tmp_path):
    rows = [
        made.hotpotqa_row(0, answer="Ash"), made.hotpotqa_row(1, type="bridge"),
        made.hotpotqa_row(2), made.hotpotqa_row(4, level="medium", answer="no"),
    ]  # fmt: skip
    path = made.parquet(tmp_path / "h.parquet", made.HOTPOTQA, rows)
    kept, other = candidates("hotpotqa", [path])
    assert [(c.answer, c.kind) for c in (kept, other)] == [("Yes", "medium"), ("No", "medium")]
    assert kept.passage == (
        "Mill 2\nMill 2 stands on the Ash. It still grinds.\n\nWeir 2\nWeir 2 lies in the Ash.\n\n"
        "Inn 2\nAn inn."
    )


@cases("spans", "types", "number")
def test_drop_keeps_whole_numbers_that_all_annotators_gave(tmp_path, spans, types, number):
    found = [c.number for c in drop(tmp_path, made.drop_row(1, spans, types))]
    assert found == ([] if number is None else [number])


def test_raters_of_one_mind_settle_a_label_and_marks_do_not_give_it_away(tmp_path):
    source, target = "The lamps were lit.", "Die Lampen wurden angezündet."
    marked, error = target.replace("Lampen", "<v>Lampen</v>"), ("Accuracy/Mistranslation", "Major")
    place = ("Nord-7", "lamps.1", "1", "1")
    rows = [(*place, f"rater{i}", source, t, *error) for i, t in enumerate((marked, target))]
    (found,) = candidates("mqm", [made.table(tmp_path / "m.tsv", made.MQM, rows, "\t")])
    assert (found.answer, found.kind) == ("Yes", "error")
    assert found.question == ASKED_OF_ALL["translation"]
    assert found.passage == f"Source (English): {source}\nTranslation (German): {target}"


def test_label_1_means_wrong_in_commonsense_and_just_in_justice(tmp_path):
    found = candidates("ethics", made.write_all(tmp_path, 12)["ethics"])
    answers = {(c.passage, c.question): c.answer for c in found}
    assert [
        answers[passage, ASKED_OF_ALL[kind]]
        for kind, passage in (
            ("commonsense", "I found purse 1 on the tram and kept the purse."),
            ("commonsense", "I found purse 0 on the tram and returned the purse."),
            ("justice", "I gave Ada 1 the cup because she had won the race."),
            ("justice", "I gave Ada 0 the cup because her hat was blue."),
        )
    ] == ["No", "Yes", "Yes", "No"]


# --- which become items ---


def test_two_hundred_items_are_shared_out_as_in_the_paper():
    wanted = {s: {cell[1:]: n for cell, n in quotas(s, 200).items()} for s in SUBSETS}
    assert wanted["reading"] == {("reading", "Yes"): 100, ("reading", "No"): 100}
    levels = [wanted["multi_hop"][level, "No"] for level in ("easy", "medium", "hard")]
    assert levels == [20, 30, 50]
    assert {*wanted["numerical"].values()} == {*wanted["ethics"].values()} == {50}
    assert wanted["translation"] == {("error", "Yes"): 100, ("correct", "No"): 100}


@given(st.sampled_from(SUBSETS), st.integers(1, 300))
def test_any_even_number_is_shared_out_whole_with_half_of_each_label(subset, half):
    labels = Counter()
    for (_, _, answer), wanted in quotas(subset, 2 * half).items():
        labels[answer] += wanted
    assert labels == {"Yes": half, "No": half}


@pytest.mark.parametrize("source", LOADERS)
def test_a_draw_fills_its_cells_in_order_and_depends_on_its_seed_alone(tmp_path, source):
    found = candidates(source, made.write_all(tmp_path, 60)[source])
    domain = HELD[source]["domain"]
    assert {c.subset for c in found} == {domain}
    assert len({c.id for c in found}) == len(found)
    drawn = draw(domain, found, 20, 0, 1)
    assert Counter(d.quota for d in drawn) == quotas(domain, 20)
    assert drawn == draw(domain, [*reversed(found)], 20, 0, 1) != draw(domain, found, 20, 0, 2)


def test_drawn_comparisons_agree_with_their_label():
    found = [
        Candidate(f"drop-{i}", "numerical", "", f"Passage {i}", f"How many {i}?", None, 2 + i)
        for i in range(300)
    ]
    drawn = draw("numerical", found, 200, 0, 3)
    for each in drawn:
        assert each.check.holds is (each.answer == "Yes")
        assert each.check.value == each.number
        assert each.check.n >= 1
        assert (each.check.op == "==") is (each.kind == "exact")
    ops = Counter((d.check.op, d.answer) for d in drawn if d.kind == "threshold")
    assert min(ops[op, answer] for op in "<>" for answer in ("Yes", "No")) > 10
    assert 3 < sum(d.check.n == d.check.value for d in drawn if d.kind == "threshold") < 30
