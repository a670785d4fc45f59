"""Training questions: right by construction, distinct, and as many as wanted."""

import re
from itertools import islice, pairwise

from askew_authoring.format_bias.finetune import training_questions

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = {
    ("minutes", "hours"): 60, ("seconds", "minutes"): 60, ("hours", "days"): 24,
    ("days", "weeks"): 7, ("metres", "kilometres"): 1000, ("centimetres", "metres"): 100,
    ("pieces", "dozens"): 12, ("months", "years"): 12,
}  # fmt: skip


def solved(question):
    """The answer, worked out from the question's words alone."""
    if match := re.fullmatch(r"What is (\d+) (plus|minus|times) (\d+)\?", question):
        a, b = int(match[1]), int(match[3])
        return str({"plus": a + b, "minus": a - b, "times": a * b}[match[2]])
    if match := re.fullmatch(r"Which number is the (largest|smallest): (.+)\?", question):
        numbers = [int(n) for n in re.findall(r"\d+", match[2])]
        return str(max(numbers) if match[1] == "largest" else min(numbers))
    if match := re.fullmatch(r"Which of the words (.+) comes (first|last) in .+\?", question):
        words = sorted(re.findall(r"[a-z]+", match[1].replace(" and ", " ")))
        return words[0] if match[2] == "first" else words[-1]
    if match := re.fullmatch(r"Which number comes next: (.+)\?", question):
        numbers = [int(n) for n in match[1].split(", ")]
        steps = {b - a for a, b in pairwise(numbers)}
        assert len(steps) == 1
        return str(numbers[-1] + steps.pop())
    if match := re.fullmatch(r"How many (\w+) are there in (\d+) (\w+)\?", question):
        return str(int(match[2]) * UNITS[match[1], match[3]])
    match = re.fullmatch(r"Which day of the week is (\d+) days after a (\w+)\?", question)
    assert match, question
    return DAYS[(DAYS.index(match[2]) + int(match[1])) % 7]


def test_two_thousand_questions_are_distinct_and_right():
    items = list(islice(training_questions(0), 2_000))
    assert len({item.context["question"] for item in items}) == 2_000
    assert len({item.id for item in items}) == 2_000
    for item in items:
        assert item.choices["ABCD".index(item.answer)] == solved(item.context["question"])
        assert len(set(item.choices)) == 4
    letters = [item.answer for item in items]
    assert all(430 < letters.count(letter) < 570 for letter in "ABCD")
