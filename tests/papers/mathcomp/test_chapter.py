"""MathComp's chapter: its numbers are the metric table's, with the paper's cells beside them."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from askew.metrics import mathcomp
from askew.papers.mathcomp.framings import FRAMINGS, STYLED
from askew.papers.mathcomp.paper import LABELS as TERMS
from askew.report.blocks import Flips
from tests.chapters import QUICK, blocks_of, chapter_of, row_at

LABELS = ("less", "equal", "more")
POSITIONS = {"begin": "framing first", "end": "framing last"}
CATEGORIES = ("dining", "health_fitness")


def observed(
    answer=lambda row, draw: row["term"] if draw < 0.3 and row["term"] != "none" else row["gold"],
    model="acme/model-1",
    outputs=("one_word",),
    identities=("standard",),
    items=12,
    framings=FRAMINGS,
    **columns,
):
    """MathComp observations of one model; `answer` gets the condition and a draw from 0 to 1."""
    rng = np.random.default_rng(7)
    rows = []
    for i, output, identity, f in product(range(items), outputs, identities, framings):
        row = {
            "model": model, "model_name": model, "task": "mathcomp",
            "subset": CATEGORIES[i % 2], "item": f"i{i}", "cluster": f"i{i}", "epoch": 1,
            "style": f.style, "term": f.term, "position": f.position, "output": output,
            "identity": identity, "gold": LABELS[i % 3], "decided_by": "rules",
            "outcome": "ok", "status": "scored", "run": f"run of {model}", "log": "",
            "frames_words": 0.0, "yes_no": 0.0, "frame_echo": 0.0,
            "sample_id": f"i{i}/{f.style}/{f.term}/{f.position}/{output}/{identity}",
        }  # fmt: skip
        said = answer(row, rng.random())
        right = float(said == row["gold"])
        rows.append(
            row
            | {
                "answer": said, "strict_answer": said, "lenient_answer": said, "correct": right,
                "correct_strict": right, "correct_lenient": right,
                "answered": float(said is not None),
            }
            | columns
        )  # fmt: skip
    return pd.DataFrame(rows)


def number(table, metric, **levels):
    at = dict.fromkeys(("subset", "output", "identity", "style", "term", "position"), "all")
    return row_at(table, metric, **at | levels)


@pytest.fixture(scope="module")
def observations():
    """A model asked everything, and a simulated one asked for one word about names only."""
    everything = observed(
        outputs=("one_word", "cot_json"), identities=("standard", "person", "woman"), items=24
    )
    return pd.concat([everything, observed(model="respondent/parrot")], ignore_index=True)


@pytest.fixture(scope="module")
def section(observations):
    return chapter_of(observations)


def test_the_summary_is_the_framing_pull_with_its_three_terms(section, observations):
    first, second = section.headlines
    own = observations[observations["model"] == "acme/model-1"]
    numbers = mathcomp(own, interval=QUICK)
    expected = number(numbers, "framing_pull")
    assert (first.metric, first.estimate.value) == ("framing_pull", expected["value"])
    assert (first.estimate.low, first.estimate.high) == (expected["low"], expected["high"])
    assert first.estimate.low > 0
    assert first.sentence.startswith("Framing pull +")
    for term in TERMS:
        value = number(numbers, f"framing_pull_{term}")["value"]
        assert f"{term} {100 * value:+.1f}" in first.sentence
    assert second.model.simulated


def test_the_summary_sentence_reports_the_direction_or_inconclusive():
    steady = chapter_of(observed(lambda row, draw: row["gold"])).headlines[0]
    assert steady.sentence.startswith("Framing pull 0.0 points ")
    assert steady.sentence.endswith(steady.verdict.sentence)
    assert steady.verdict.word == "inconclusive"
    assert not steady.finding

    def guessed(row, draw):
        return row["gold"] if row["term"] != "none" else LABELS[int(3 * draw)]

    assert chapter_of(observed(guessed, items=24)).headlines[0].estimate.value < 0
    half = [f for f in FRAMINGS if f.position == "end"]
    unasked = chapter_of(observed(framings=half)).headlines[0]
    assert unasked.sentence.startswith("Undefined: not asked: direct/more/begin")


def test_the_worst_finding_is_the_largest_rise_over_the_neutral_question():
    def only_one_framing(row, draw):
        at = (row["style"], row["term"], row["position"])
        dragged = row["term"] if draw < 0.3 and row["term"] != "none" else row["gold"]
        return "more" if at == ("indirect", "less", "end") else dragged

    chapter = chapter_of(observed(only_one_framing, items=72))
    finding = chapter.headlines[0].finding
    assert finding.startswith('Indirect less, framing last: incorrect "more" 100.0% (')
    assert "with the neutral question 0.0% (" in finding
    assert finding.endswith("(n = 48).")


def test_strict_lenient_and_parsed_only_values_are_shown_and_counted():
    rows = observed(lambda row, draw: row["gold"], outputs=("cot_json",))
    framed = (rows["term"] == "less") & (rows["gold"] == "more")
    rows.loc[framed, ["strict_answer", "answer", "correct", "correct_strict"]] = [
        "less", "less", 0.0, 0.0,
    ]  # fmt: skip
    rows.loc[framed, ["frames_words", "outcome"]] = [1.0, "frames_words"]
    unread = (rows["style"] == "neutral") & (rows["item"] == "i0")
    rows.loc[unread, ["answer", "strict_answer", "lenient_answer", "outcome"]] = [
        None, "", "", "unparsed",
    ]  # fmt: skip
    rows.loc[unread, ["answered", "correct", "yes_no"]] = [0.0, 0.0, 1.0]
    chapter = chapter_of(rows)
    (group,) = blocks_of(chapter)["mathcomp-readings"].groups
    columns = [c.label for c in blocks_of(chapter)["mathcomp-readings"].columns]
    shown = {
        r.head: dict(zip(columns, (c.estimate for c in r.cells[:-1]), strict=False))
        for r in group.rows
    }
    understood, strict, lenient, parsed = shown.values()
    assert list(shown)[1:3] == ["Strict: the option word", "Lenient: own reasoning too"]
    # Of the 12 items, four have the label more: wrongly less on each of 4 framings of 14.
    assert strict["Incorrect less"].value == understood["Incorrect less"].value == 16 / (8 * 14)
    assert strict["Pull of less"].value == 16 / 32
    assert lenient["Incorrect less"].value == lenient["Framing pull"].value == 0
    assert lenient["Accuracy"].value == 1 - 2 / len(rows)
    assert parsed["Accuracy"].value == pytest.approx(1 - 16 / (len(rows) - 2))
    assert parsed["Incorrect less"].value == 16 / (8 * 14)
    (counts,) = blocks_of(chapter)["mathcomp-outcomes"].groups[0].rows
    assert [c.text for c in counts.cells] == ["168", "168", "0", "16", "2", "2"]


def test_flips_are_right_when_neutral_and_wrong_when_framed(section):
    (flips,) = blocks_of(section, Flips).values()
    assert flips.flips
    for flip in flips.flips:
        assert flip.before.correct
        assert not flip.after.correct
        assert flip.before.condition == "neutral, framing last"
        assert flip.after.condition in {
            f"{STYLED[f.style, f.term]}, {POSITIONS[f.position]}" for f in FRAMINGS
        }
        assert len(flip.others) == 11
