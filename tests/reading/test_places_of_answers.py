"""Where an answer stands in a reply, how far it is looked for, and what outweighs it."""

import pytest

from askew.reading.choices import read_choice
from askew.reading.labels import LabelReader, Named, read_label
from askew.reading.none import is_none, starts_with_hedge, starts_with_none
from askew.reading.yesno import read_yes_no

NAMES = ["Mara", "Tobin", "Ines"]
LABELS = ["return_by_post", "late_fee", "extend_loan"]

CHOICE_FIELDS = (
    *("letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"),
    *("text", "answer_text", "selected_option", "response"),
)
LABEL_FIELDS = (
    *("intent", "class", "label", "category", "answer", "intent_class", "intent_class_name"),
    *("classification", "intent_name", "prediction", "final_answer", "response", "output"),
)


@pytest.mark.parametrize("field", CHOICE_FIELDS)
def test_a_choice_stands_in_any_usual_field_of_an_object(field):
    said = read_choice(f'{{"why": "Mara or Ines had left.", "{field}": "B"}}', NAMES)
    assert (said.chosen, said.letter, said.settled) == (1, "B", True)
    other = read_choice(f'{{"why": "Mara or Ines had left.", "x{field}": "B"}}', NAMES)
    assert other.chosen is None


@pytest.mark.parametrize("field", LABEL_FIELDS)
def test_a_label_stands_in_any_usual_field_of_an_object(field):
    said = read_label(f'{{"why": "no extend_loan", "{field}": "late_fee"}}', LABELS)
    assert (said.chosen, said.why) == (1, "gives one label")
    other = read_label(f'{{"why": "no extend_loan", "{field}s": "late_fee"}}', LABELS)
    assert other.why != "gives one label"


@pytest.mark.parametrize(
    ("reply", "chosen", "said_none", "text"),
    [
        # The last announcement counts that is not doubtful and announces something.
        ("The answer is A. Wait, the answer is B.", 1, False, ""),
        ("The answer is B. The answer is D.", 1, False, ""),
        ("The answer is B. If it had rained, the answer is C.", 1, False, ""),
        ("The answer is B. The answer is in line 3.", 1, False, ""),
        # What is closest yields to what is right, and to a statement that none is.
        ("The answer is B. The closest is C.", 2, False, ""),
        ("None of the options is right. The closest is B.", None, True, "Tobin"),
        ("None of the options is right. Given these options, B.", None, True, "Tobin"),
        ("None of the options is right. If I had to choose, the answer is B.", None, True, "Tobin"),
        ("None of the options is right. The answer is B.", 1, False, ""),
        ("The answer is B. None of the options is quite right.", None, True, ""),
        ("The answer is B. None of them had a key.", 1, False, ""),
        ("The answer is B: none of the others had left.", 1, False, ""),
        ("The closest is C. The answer is B, they say. The answer is not A.", 1, False, ""),
        # Behind a denial a line or a sentence that is an answer, and no more, takes it back.
        ("None of the options fits.\nB", 1, False, ""),
        ("None of the options fits. So it is B", 1, False, ""),
        ("None of the options fits.\nIt was B, I think", None, True, ""),
        # Heads, last lines, last sentences, and what is concluded in their last words.
        ("B\nIt rained all day.", 1, False, ""),
        ("B\n\nIt rained all day. The answer is C.", 2, False, ""),
        ("She was right.\nC", 2, False, ""),
        ("It was late. So C.", 2, False, ""),
        ("It was late, so B. Tobin", 1, False, ""),
        ("It was late and so it must be (C)", 2, False, ""),
        ("Mara was right, and Ines was late. So it goes.\nTobin is correct.", 1, False, ""),
    ],
)  # fmt: skip
def test_an_answer_counts_by_where_it_stands(reply, chosen, said_none, text):
    read = read_choice(reply, NAMES)
    assert (read.outcome, read.chosen, read.said_none, read.text) == ("ok", chosen, said_none, text)


def test_the_removed_option_is_named_beside_a_denial():
    def gave(reply, removed="Oskar"):
        read = read_choice(reply, NAMES, removed)
        assert read.said_none
        return read.gave_removed

    assert gave("None of the options is right: it was Oskar.")
    assert gave("The correct answer (Oskar) is not listed.")
    assert gave("The correct answer, Oskar, is not listed.")
    assert gave("Oskar did it. None of the options is right.")
    assert gave("The closest is B, yet none of the options is right, since Oskar did it.")
    assert not gave("None of the options is right.")
    assert not gave("None of the options is right.", "")


def test_what_is_closest_yields_to_the_removed_option_that_is_announced_before_it():
    reply = "The correct answer is Oskar. The answer is B, they say. The closest is C."
    read = read_choice(reply, NAMES, "Oskar")
    assert (read.chosen, read.gave_removed, read.text) == (None, True, "Oskar")


def test_a_letter_that_nobody_offered_is_not_chosen_by_what_is_said_behind_it():
    for reply in ("Ans: D", "D is the correct answer.", "Option d is correct.", "E is right."):
        assert read_choice(reply, NAMES).chosen is None


def test_a_head_and_another_announcement_settle_nothing_unless_more_is_said_between():
    for reply in ("B\n\nThe answer is C.", "B.\nSo the answer is C.", "Tobin\nAnswer: C"):
        read = read_choice(reply, NAMES)
        assert (read.outcome, read.why) == ("ambiguous", "gives an option, and announces another")
    for reply in ("B\n\nIt rained all day. The answer is C.", "C\n\nThe answer is C.",
                  "It rained.\nThe answer is C."):  # fmt: skip
        assert read_choice(reply, NAMES).chosen == 2
    assert read_choice("B\n\nThe answer is Rick.", NAMES).outcome == "ok"


@pytest.mark.parametrize(
    ("reply", "chosen", "why"),
    [
        ("a late fee", 1, "gives one label"),
        ("late_fee (they pay)", 1, "gives one label"),
        ("late_fee - not sure", 1, "gives one label"),
        ("late_fee. Not extend_loan.", 1, "gives one label"),
        ("The late_fee intent", 1, "gives one label"),
        ("late_fee\nIt rained all day", 1, "gives one label"),
        ("It rained\nlate_fee", 1, "gives one label"),
        ("It rained\nlate_fee\nIt rained", 1, "names one label only"),
        ("late_fee now", 1, "names one label only"),
        ("new late-fee", 1, "names one label only"),
        ("late fee now", None, "gives a label not offered"),
        ("the intent is late_fee, not extend_loan", 1, "names one label only"),
        ("late_fee or extend_loan", None, "names 2 labels and settles on none"),
        # Denied, one by one or in a row.
        ("not late_fee", None, "no label is named"),
        ("It is not about late_fee, extend_loan or so", None, "no label is named"),
        ("They ask about not late_fee but extend_loan or so", 2, "names one label only"),
        ("It is about late_fee. Not extend_loan, they say so", 1, "names one label only"),
        ("not late_fee or extend_loan it is, but about return_by_post I think", 0,
         "names one label only"),
        # Beside a denial of all.
        ("The intent is late_fee. None of the intents fits.", None,
         "says that none fits, yet gives one"),
        ("late_fee\nNone of the intents fits.", None, "says that none fits, yet gives one"),
        ("None of the intents fits. The intent is late_fee.", 1, "gives one label"),
        # Up to eight words are a label of its own.
        ("one two three four five six seven eight", None, "gives a label not offered"),
        ("one two three four five six seven eight nine", None, "no label is named"),
        ("one two\nthree", None, "no label is named"),
        ("unknown", None, "no label is named"),
        ("The intent is 'one two three four five six seven eight'.", None,
         "announces a label not offered"),
        ("The intent is 'one two three four five six seven eight nine'.", None,
         "no label is named"),
        ("The intent is lost_ticket, so they said on that day.", None, "no label is named"),
        # Ten lines are looked at for one label each.
        ("\n".join(["x"] * 8 + ["late_fee", "extend_loan"]), None, "gives several labels"),
        ("\n".join(["x"] * 9 + ["late_fee", "extend_loan"]), 2, "gives one label"),
        ("late_fee\nextend_loan" + "\nx" * 20, None, "gives several labels"),
    ],
)  # fmt: skip
def test_a_label_counts_by_where_it_stands(reply, chosen, why):
    read = read_label(reply, LABELS)
    assert (read.chosen, read.why) == (chosen, why)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("late_fee", [(1, "late_fee")]),
        ("Late-Fee, or extend loan", [(1, "Late-Fee"), (2, "extend loan")]),
        ("late_fee late_fee", [(1, "late_fee"), (1, "late_fee")]),
        ("late extend_loan", [(2, "extend_loan")]),
        ("a_late_fee", []),
        ("a-late_fee", []),
        ("late_fee_b", []),
        ("late_fee-b", []),
        ("a late_fee b", [(1, "late_fee")]),
        ("_late_fee_", [(1, "late_fee")]),
        ("late", []),
        ("", []),
    ],
)
def test_labels_are_found_as_they_are_written(text, found):
    names = LabelReader(LABELS).find(text)
    assert [(n.index, n.written) for n in names] == found
    assert all(text[n.start : n.end] == n.written for n in names)
    assert all(n == Named(n.index, n.start, n.end, n.written) for n in names)


def test_the_whole_of_a_text_is_a_label_even_without_its_separators():
    reader = LabelReader([*LABELS, "late fee"])
    assert [reader.whole(text) for text in ("LateFee", "EXTENDLOAN", "late-fee!", "...", "x")] == [
        1, 2, 1, None, None,
    ]  # fmt: skip
    assert LabelReader(["+", "a"]).whole("*") is None
    assert LabelReader(["+", "a"]).by_words == {("a",): 1}
    assert (reader.longest, reader.first_words) == (3, {"return", "late", "extend"})
    assert (LabelReader([]).longest, LabelReader([]).whole("x")) == (0, None)


@pytest.mark.parametrize(("length", "none"), [(200, True), (201, False)])
def test_none_is_said_in_up_to_200_characters(length, none):
    assert is_none("none of them".ljust(length)) is none


def test_none_opens_a_text_behind_a_few_words_that_lead_to_it():
    for lead in ("", "There is ", "There are ", "There was ", "There's ", "The ", "I think "):
        assert starts_with_none(f"{lead}no correct option for it.")
    assert not starts_with_none("She said there is no correct option.")


@pytest.mark.parametrize(("words", "opens"), [(4, True), (5, False)])
def test_a_hedge_opens_a_text_behind_up_to_four_words(words, opens):
    text = " ".join(["so"] * words) + " it cannot be said"
    assert starts_with_hedge(" ".join(["so"] * words) + " unclear it is") is opens
    assert starts_with_hedge(f"**({text}") is (words < 4)


@pytest.mark.parametrize(
    ("reply", "answer", "why"),
    [
        ("y", "Yes", "gives the initial alone"),
        ("(n).........", "No", "gives the initial alone"),
        ("(n)..........", None, "neither Yes nor No is named"),
        # An announcement against what stands before it, behind it, and at the end.
        ("No. The answer is Yes.", None, "states No, then Yes"),
        ("No, it rained all day long. The answer is Yes.", "Yes", "announces its answer"),
        ("The answer is no. It is certain that the answer is yes.", None, "states No, then Yes"),
        ("The answer is no. So the final answer is yes.", "Yes", "announces its answer"),
        ("The answer is no. It rained all day.\nYes.", None, "states No, then Yes"),
        ("The answer is no. It rained all day.\nNo.", "No", "announces its answer"),
        ("The answer is not yes, it is no.", "No", "announces its answer"),
        # The head against the last line.
        ("No. It rained all day.\nYes.", None, "states No, then Yes"),
        ("No. It rained all day. Yes.", None, "states No, then Yes"),
        ("No. It rained all day.\nNo.", "No", "opens with its answer"),
        ("Yes. 5 were sold.", "Yes", "opens with its answer"),
        ("No. 5 were sold.", "No", "opens with its answer"),
        ("It rained. No. 5 were sold.", None, "uses the word No without answering by it"),
        ("It rained.\nNo. 5 were sold.", None, "uses the word No without answering by it"),
        # A last sentence, and a last word that is announced from afar.
        ("It rained all day. So yes.", "Yes", "closes with its answer"),
        ("It rained all day! Yes, it did.", "Yes", "closes with its answer"),
        ("The answer to whether it sails is no", "No", "closes with its answer"),
        ("It sails, or no", None, "uses the word No without answering by it"),
    ],
)
def test_yes_or_no_counts_by_where_it_stands(reply, answer, why):
    read = read_yes_no(reply)
    assert (read.answer, read.why) == (answer, why)


def test_a_single_clause_answers_in_up_to_400_characters():
    clause = "Was it the mill - no, the weir"
    for length, answer in ((400, "No"), (401, None)):
        reply = ("Some said that it was not so" + " and so on" * 50)[: length - 31] + " " + clause
        assert len(reply) == length
        assert read_yes_no(reply).answer == answer


def test_of_a_long_reply_600_characters_and_20000_are_read():
    long = "It rained all day and nobody left. " * 700
    assert read_yes_no(f"Yes. {long}").answer == "Yes"
    assert read_yes_no(f"{long}\nThe answer is no.").answer == "No"
    assert read_yes_no(f"{long}\nThe answer is no.\n{long}").answer is None
    near = "x" * 590
    assert read_yes_no(f"{near}\nThe answer is no.\n{long}").answer is None
    assert read_yes_no(f"{near[:560]}\nThe answer is no.\n{long}").answer == "No"
    assert read_yes_no(f"{long}\nThe answer is no.\n{long[:19_000]}").answer == "No"


def test_the_last_fifty_announcements_are_looked_at():
    filler = "The answer is there. " * 50
    assert read_yes_no(f"It is so.\nThe answer is yes. {filler[21:]}It is so.").answer == "Yes"
    assert read_yes_no(f"It is so.\nThe answer is yes. {filler}It is so.").answer is None
