"""KnowNo's reading of free-text labels: which of many intents a reply names."""

import json
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from askew.reading.choices import leaks_delimiter, read_label
from tests.cases import cases, cases_of
from tests.repeated import THOROUGH, times

LABELS = [
    *("return_by_post", "Book_not_on_shelf", "late_fee_waived?", "late_fee", "extend_loan"),
    *("fee_by_post", "none-of-them"),
]
DRESSES = cases_of(__file__, "DRESSES")


def dressed(form: str, label: str) -> str:
    words = re.sub(r"[_-]", " ", label)
    told = {"t": label, "up": label.upper(), "low": label.lower(), "spaced": words}
    told |= {"capital": words.capitalize(), "hyphened": label.replace("_", "-")}
    return form.format(**told, escaped=label.replace("_", "\\_"))


@pytest.mark.parametrize("form", DRESSES.values(), ids=DRESSES)
@pytest.mark.parametrize("label", LABELS)
def test_a_label_in_any_dress_is_read_back(label, form):
    choice = read_label(dressed(form, label), LABELS)
    assert (choice.outcome, LABELS[choice.chosen]) == ("ok", label)
    # A reply that was cut may have gone on below its last line.
    assert choice.settled == (form != DRESSES["reasoning"])
    assert choice.said_none == (label == "none-of-them")


words = st.sampled_from(["card", "fee", "loan", "not", "late", "post", "by", "my", "2", "is"])
labels = st.lists(words, min_size=2, max_size=5).map("_".join)
label_sets = st.lists(labels, min_size=2, max_size=40, unique=True)


@pytest.mark.whole
@pytest.mark.parametrize("form", DRESSES.values(), ids=DRESSES)
@settings(max_examples=times(15), deadline=None)
@given(labels=label_sets, data=st.data())
def test_labels_inside_other_labels_are_distinguished(form, labels, data):
    label = data.draw(st.sampled_from(labels))
    assume(len({lab.replace("_", "") for lab in labels}) == len(labels))
    choice = read_label(dressed(form, label), labels)
    assert choice.outcome == "ok"
    assert labels[choice.chosen] == label


@pytest.mark.parametrize("form", DRESSES.values(), ids=DRESSES)
def test_the_removed_label_is_recognised_in_any_dress(form):
    choice = read_label(dressed(form, "renew_lost_card"), LABELS[:-1], "renew_lost_card")
    assert (choice.outcome, choice.gave_removed, choice.chosen) == ("ok", True, None)
    assert not choice.said_none


def test_the_written_form_is_kept_for_the_probe_of_delimiters():
    shown = ["late-fee", "extend-loan"]
    assert read_label("Intent: `late_fee`", shown).text == "late_fee"
    assert leaks_delimiter(read_label("Intent: `late_fee`", shown), shown)
    assert leaks_delimiter(read_label("late\\_fee", shown), shown)
    assert leaks_delimiter(read_label("renew_card", shown, "renew-card"), shown)
    assert leaks_delimiter(read_label("card_lost", shown), shown)


@pytest.fixture
def utterances(shared_data):
    lines = (shared_data / "knowno" / "Bank77_1000.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.whole
@pytest.mark.real_data
def test_every_intent_of_the_paper_is_read_back_in_every_dress(utterances):
    labels = list(dict.fromkeys(u["label_text"] for u in utterances))
    assert len(labels) == 77
    wrong, runs = [], 0
    # Each in every fifth dress, which ones goes by its place; in all where more is asked for.
    step = 5 if THOROUGH == 1 else 1
    for place, utterance in enumerate(utterances):
        label = utterance["label_text"]
        for name in list(DRESSES)[place % step :: step]:
            reply = dressed(DRESSES[name], label)
            choice = read_label(reply, labels)
            if choice.chosen is None or labels[choice.chosen] != label:
                wrong.append((name, reply, choice))
            runs += 1
    assert wrong == []
    assert runs == 1_000 // step * len(DRESSES)


@pytest.mark.parametrize("before", ["The street", "Stra\u00dfe " * 12, "\u0130stanbul " * 12])
def test_what_is_denied_is_denied_behind_words_of_any_script(before):
    """Where lower case is longer than what was written, places would shift."""
    found = read_label(
        f"{before} is certainly not about late_fee here", ["late_fee", "renew_card"], ""
    )
    assert (found.outcome, found.chosen) == ("unparsed", None)


@cases("labels")
def test_labels_of_signs_digits_or_a_letter_are_read(labels):
    for form in ("{}", "**{}**", "{}.", "The label is {}.", '{{"label": "{}"}}'):
        for label in labels:
            choice = read_label(form.format(label), labels)
            assert (choice.outcome, choice.chosen) == ("ok", labels.index(label)), form
    assert read_label(labels[0], labels[1:], labels[0]).gave_removed
    assert read_label("!?", labels).outcome == "empty"
