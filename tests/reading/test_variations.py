"""Replies as large models word them, by what makes them hard to read: each is read as people do.

Every line of `variations/<class>.jsonl` is a reply with the reading that two careful people agree
on (`right`; an outcome such as `@ambiguous` where they would differ or there is no answer). Where
the rules give none although there is one, `left` says why: it is counted, or a judge decides.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.reading import read_option_set, read_truth
from askew.papers.mathcomp.reading import read_comparison
from askew.reading.choices import read_choice, read_label
from askew.reading.yesno import read_yes_no

ROOT = Path(__file__).parents[2]
NINE = (
    *("closing_bold", "dismissed", "all_of_them", "agreed_none", "so_is", "none_fits"),
    *("hedged_polar", "other_language", "round_bullets"),
)
CASES = [
    (path.stem, json.loads(line))
    for path in sorted((Path(__file__).parent / "variations").glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]
# By class, as the docs have it: cases, and how many of them are left without an answer they have.
TOLD = re.findall(
    r"^\| `(\w+)` \| (\d+) \| (\d+) \|$",
    (ROOT / "docs/how-to/score-replies.md").read_text("utf-8"),
    re.MULTILINE,
)


def reading(case):
    shown = case.get("shown", "").split(" | ")
    if case["reader"] == "yesno":
        read = read_yes_no(case["reply"], case.get("asked", ""))
        return read.answer or f"@{read.outcome}"
    if case["reader"] == "comparison":
        compared = read_comparison(case["reply"], "Alex", "Sam")
        return compared.answer or f"@{compared.outcome}"
    if case["reader"] in ("labels", "choice"):
        choice = (read_label if case["reader"] == "labels" else read_choice)(case["reply"], shown)
        if choice.said_none:
            return "none"
        return str(choice.chosen + 1) if choice.chosen is not None else f"@{choice.outcome}"
    judging = case["reader"] == "truth"
    read = read_truth(case["reply"]) if judging else read_option_set(case["reply"], shown)
    if read.outcome != "ok":
        return f"@{read.outcome}"
    return read.answer + ("?" if read.hedged else "")


@pytest.mark.parametrize(
    ("kind", "case"), CASES, ids=[f"{kind}: {case['reply'][:40]!r}" for kind, case in CASES]
)
def test_a_variation_is_read_as_careful_people_read_it(kind, case):
    assert reading(case) == case.get("left", case["right"])


def test_what_is_left_unread_is_never_read_as_something_else():
    left = [case for _, case in CASES if "left" in case]
    assert all(case["left"].startswith("@") and case["right"][0] != "@" for case in left)


def test_each_class_has_the_documented_cases_and_no_reply_repeats():
    found, left = Counter(kind for kind, _ in CASES), Counter(k for k, c in CASES if "left" in c)
    assert {kind: (int(n), int(unread)) for kind, n, unread in TOLD} == {
        kind: (n, left[kind]) for kind, n in found.items()
    }
    # The nine classes that large models were found to write.
    assert all(
        n >= 36 and left[kind] <= 0.02 * n for kind, n in list(found.items()) if kind in NINE
    )
    keys = [(c["reader"], c.get("shown"), c.get("asked"), c["reply"]) for _, c in CASES]
    assert len(set(keys)) == len(keys)
