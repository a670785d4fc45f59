"""MathComp's chapter: its numbers are the metric table's, with the paper's cells beside them."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pandas as pd
import pytest

from askew.analysis import read_observations, write_report
from askew.metrics import mathcomp
from askew.papers.mathcomp import printed
from askew.papers.mathcomp.framings import FRAMINGS, STYLED
from askew.papers.mathcomp.paper import LABELS as TERMS
from askew.papers.mathcomp.tasks import mathcomp as mathcomp_task
from askew.report.chapters import chapter
from askew.report.document import Chart, FlipList, Table
from askew.report.evidence import Evidence, models_of
from tests.papers.mathcomp.asked import (
    CATEGORIES,
    LABELS,
    POSITIONS,
    QUICK,
    asked,
    blocks_of,
    chapter_of,
    drawn,
    number,
)
from tests.report.observed import Page


@pytest.fixture(scope="module")
def observations():
    """A model asked everything, and a simulated one asked for one word about names only."""
    everything = asked(
        outputs=("one_word", "cot_json"), identities=("standard", "person", "woman"), items=24
    )
    return pd.concat([everything, asked(model="respondent/parrot")], ignore_index=True)


@pytest.fixture(scope="module")
def told(observations):
    return chapter_of(observations)


@pytest.fixture(scope="module")
def numbers(observations):
    """The metric table of the first model."""
    own = observations[observations["model"] == "acme/model-1"]
    return mathcomp(own, interval=QUICK)


def test_the_headline_is_the_pull_with_its_three_terms(told, numbers):
    first, second = told.headlines
    expected = number(numbers, "framing_pull")
    assert (first.metric, first.estimate.value) == ("framing_pull", expected["value"])
    assert (first.estimate.low, first.estimate.high) == (expected["low"], expected["high"])
    assert first.estimate.low > 0
    assert first.sentence.startswith("A word in the question drags answers towards itself by ")
    for term in TERMS:
        value = number(numbers, f"framing_pull_{term}")["value"]
        assert f"{term} {100 * value:+.1f}" in first.sentence
    assert second.model.simulated
    assert first.scale == second.scale
    assert first.scale[0] == -first.scale[1]


def test_the_sentence_says_which_way_or_that_nothing_is_shown():
    steady = chapter_of(asked(lambda row, draw: row["gold"])).headlines[0]
    assert steady.sentence.startswith(
        f"A pull of the question's words: {steady.verdict.said} (0.0 "
    )
    assert steady.verdict.word == "can't tell"
    assert steady.finding is None
    assert steady.nothing_found == ""
    guesses = chapter_of(
        asked(
            lambda row, draw: row["gold"] if row["term"] != "none" else LABELS[int(3 * draw)],
            items=24,
        )
    )
    other = guesses.headlines[0]
    assert "away from itself by " in other.sentence
    half = [f for f in FRAMINGS if f.position == "end"]
    unasked = chapter_of(asked(framings=half)).headlines[0]
    assert unasked.sentence.startswith("Can't be said: not asked: direct/more/begin")


def test_the_worst_finding_is_the_largest_rise_over_the_neutral_question():
    def only_one_framing(row, draw):
        at = (row["style"], row["term"], row["position"])
        dragged = row["term"] if draw < 0.3 and row["term"] != "none" else row["gold"]
        return "more" if at == ("indirect", "less", "end") else dragged

    chapter = chapter_of(asked(only_one_framing, items=72))
    finding = chapter.headlines[0].finding
    assert finding.sentence.startswith("Indirect less (framing last): wrongly more 100.0% (")
    assert "against 0.0% (" in finding.sentence
    assert finding.sentence.endswith("(n = 48).")
    assert finding.target == "mathcomp-framings-one-word-more-end"
    groups = blocks_of(chapter)["mathcomp-framings-one-word"].groups
    assert finding.target in {g.id for g in groups}


@pytest.mark.parametrize("output", ["one-word", "cot-json"])
def test_heat_maps_are_a_direction_a_position_and_models_by_framings(told, output):
    chart = blocks_of(told, Chart)[f"mathcomp-heat-{output}"]
    assert [p.name for p in chart.panels] == [
        f"{y}-{position}" for y, position in product(LABELS, POSITIONS)
    ]
    published = [f"{m} (published)" for m in printed.MODELS.values()]
    for panel in chart.panels:
        rows = drawn(panel)
        assert list(dict.fromkeys(r["series"] for r in rows)) == list(STYLED.values())
        names = list(dict.fromkeys(r["name"] for r in rows))
        asked_here = ["model-1", "parrot (simulated)", *published]
        assert names == (asked_here if output == "one-word" else ["model-1"])
        assert Counter(r["name"] for r in rows) == dict.fromkeys(names, 7)
    assert chart.table_id == f"mathcomp-framings-{output}"


def test_every_cell_of_map_and_table_is_the_metric_tables(told, numbers):
    for output in ("one_word", "cot_json"):
        slug = output.replace("_", "-")
        panels = {p.name: p for p in blocks_of(told, Chart)[f"mathcomp-heat-{slug}"].panels}
        groups = blocks_of(told)[f"mathcomp-framings-{slug}"].groups
        for (label, position), group in zip(product(LABELS, POSITIONS), groups, strict=True):
            assert group.title == f"Wrongly {label}, {POSITIONS[position]}"
            shaded = drawn(panels[f"{label}-{position}"])
            mine = [r for r in shaded if r["name"] == "model-1"]
            for (style, term), cell, place in zip(STYLED, group.rows[0].cells, mine, strict=False):
                expected = number(
                    numbers, f"dir_err_{label}", output=output, identity="standard",
                    style=style, term=term, position=position,
                )  # fmt: skip
                assert cell.estimate.value == expected["value"]
                assert (cell.estimate.low, cell.estimate.high) == (
                    expected["low"], expected["high"],
                )  # fmt: skip
                assert place["value"] == pytest.approx(100 * expected["value"], abs=1e-3)
            # Those that the word would make wrong: two of three of the 24.
            assert group.rows[0].cells[-1].text == "16"


def test_the_papers_cells_stand_beside_and_the_odd_one_is_marked(told):
    table = blocks_of(told)["mathcomp-framings-one-word"]
    seen = 0
    for (label, position), group in zip(product(LABELS, POSITIONS), table.groups, strict=True):
        theirs = [r for r in group.rows if r.kind == "published"]
        assert [r.head for r in theirs] == list(printed.MODELS.values())
        for row, ((style, term), i) in product(theirs, zip(STYLED, range(7), strict=True)):
            at = {"style": style, "term": term, "position": position, "identity": "standard"}
            assert row.cells[i].estimate.value == printed_cell(row.head, label, **at)
            place = {"model": row.head, "metric": f"dir_err_{label}", **at}
            assert row.cells[i].mark == ("a" if place == printed.ODD else "")
            seen += 1
    assert seen == 2 * 3 * 14
    assert "15.13" in table.notes["a"]
    assert blocks_of(told)["mathcomp-framings-cot-json"].notes == {}


def printed_cell(model, label, **at):
    rows = printed.rows()
    rows = rows[(rows["model"] == model) & (rows["metric"] == f"dir_err_{label}")]
    return rows.set_index([*at])["value"][tuple(at.values())]


def test_what_the_papers_cells_imply_for_the_pull_stands_beside(told):
    group = next(
        g for g in blocks_of(told)["mathcomp-pull"].groups if g.id == "mathcomp-pull-one-word"
    )
    mini = next(r for r in group.rows if r.head == "GPT-4o mini")
    rows = printed.rows().set_index(["model", "metric"])["value"]
    metrics = ("framing_pull", *(f"framing_pull_{term}" for term in TERMS))
    assert [c.estimate.value for c in mini.cells[:4]] == [rows[mini.head, m] for m in metrics]
    sonnet = next(r for r in group.rows if r.head == "Claude 3.7 Sonnet")
    assert [c.mark for c in sonnet.cells[:4]] == ["a", "", "", "a"]


def test_the_pull_stands_pooled_by_output_and_in_parts(told, numbers):
    tables = blocks_of(told)
    pooled, one_word, in_json = tables["mathcomp-pull"].groups
    assert pooled.title == "All outputs together"
    metrics = ("framing_pull", *(f"framing_pull_{t}" for t in TERMS))
    for group, at in ((pooled, {}), (one_word, {"output": "one_word"}),
                      (in_json, {"output": "cot_json"})):  # fmt: skip
        values = [c.estimate.value for c in group.rows[0].cells[:4]]
        assert values == [number(numbers, m, **at)["value"] for m in metrics]
    standard, person, woman = tables["mathcomp-pull-parts"].groups
    assert [r.head for r in standard.rows] == [
        "model-1, one word", "parrot, one word", "model-1, reasoning in JSON",
    ]  # fmt: skip
    assert len(person.rows) == len(woman.rows) == 2
    scopes = ({}, {"style": "direct"}, {"style": "indirect"}, {"position": "begin"},
              {"position": "end"})  # fmt: skip
    at = {"output": "one_word", "identity": "woman"}
    values = [c.estimate.value for c in woman.rows[0].cells[:5]]
    assert values == [number(numbers, "framing_pull", **at, **scope)["value"] for scope in scopes]


@pytest.mark.parametrize("label", LABELS)
def test_the_identity_table_is_laid_out_like_table_1(told, numbers, label):
    table = blocks_of(told)[f"mathcomp-identity-{label}"]
    assert [c.label for c in table.columns] == ["Standard", "Person", "Woman", "Items"]
    one_word, in_json, *theirs = table.groups
    assert [g.title for g in (one_word, in_json)] == [
        "model-1, one word", "model-1, reasoning in JSON",
    ]  # fmt: skip
    for ((style, term), position), row in zip(
        product(STYLED, POSITIONS), one_word.rows, strict=True
    ):
        expected = [
            number(numbers, f"dir_err_{label}", output="one_word", identity=identity, style=style,
                   term=term, position=position)["value"]
            for identity in ("standard", "person", "woman")
        ]  # fmt: skip
        assert [c.estimate.value for c in row.cells[:3]] == expected
    for model, group in zip(printed.MODELS.values(), theirs, strict=True):
        assert group.title == f"{model} (published)"
        for ((style, term), position), row in zip(
            product(STYLED, POSITIONS), group.rows, strict=True
        ):
            at = {"style": style, "term": term, "position": position, "identity": "woman"}
            assert row.cells[2].estimate.value == printed_cell(model, label, **at)
            assert row.cells[1].text == "\N{EN DASH}"


def test_shifts_compare_with_a_person_and_need_one(told, numbers):
    less, equal, more = blocks_of(told)["mathcomp-identity-shifts"].groups
    row = more.rows[0]
    at = {"output": "one_word"}
    assert [c.estimate.value for c in row.cells[:2]] == [
        number(numbers, "identity_gap_more", **at)["value"],
        number(numbers, "identity_shift_more", **at, identity="woman")["value"],
    ]
    assert len(less.rows) == len(equal.rows) == 2
    chart = blocks_of(told, Chart)["mathcomp-identity-figure"]
    assert [p.name for p in chart.panels] == list(LABELS)
    without = blocks_of(chapter_of(asked(identities=("standard", "woman"))))
    assert "mathcomp-identity-shifts" not in without
    assert "mathcomp-identity-more" in without
    only_names = blocks_of(chapter_of(asked()))
    assert not [b for b in only_names if "identity" in b]


def test_categories_are_cut_by_identity_and_position(told, numbers):
    table = blocks_of(told)["mathcomp-categories-one-word"]
    assert [g.title for g in table.groups] == [
        "model-1, Alex and Sam", "model-1, a person and another person",
        "model-1, a person and a woman", "parrot (simulated), Alex and Sam",
    ]  # fmt: skip
    row = table.groups[2].rows[1]
    assert row.head == "Health & Fitness"
    at = {"subset": "health_fitness", "output": "one_word", "identity": "woman"}
    assert [c.estimate.value for c in row.cells[:6]] == pytest.approx(
        [
            number(numbers, f"dir_err_{y}", **at, position=p)["value"]
            for y, p in product(LABELS, POSITIONS)
        ],
        nan_ok=True,
    )
    chart = blocks_of(told, Chart)["mathcomp-category-heat"]
    assert len(chart.panels) == 4
    assert len(drawn(chart.panels[0])) == len(CATEGORIES) * 6


def test_strict_lenient_and_parsed_only_stand_side_by_side_and_are_counted():
    rows = asked(lambda row, draw: row["gold"], outputs=("cot_json",))
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
    assert list(shown)[1:3] == ["strict: the option word", "lenient: own reasoning too"]
    # Of the 12 items, four have the label more: wrongly less on each of 4 framings of 14.
    assert strict["Wrongly less"].value == understood["Wrongly less"].value == 16 / (8 * 14)
    assert strict["Pull of less"].value == 16 / 32
    assert lenient["Wrongly less"].value == lenient["Framing pull"].value == 0
    assert lenient["Accuracy"].value == 1 - 2 / len(rows)
    assert parsed["Accuracy"].value == pytest.approx(1 - 16 / (len(rows) - 2))
    assert parsed["Wrongly less"].value == 16 / (8 * 14)
    (counts,) = blocks_of(chapter)["mathcomp-outcomes"].groups[0].rows
    assert [c.text for c in counts.cells] == ["168", "168", "0", "16", "2", "2"]


def test_reasoning_is_compared_where_both_outputs_were_asked():
    both = chapter_of(asked(outputs=("one_word", "cot"), items=6))
    (row,) = blocks_of(both)["mathcomp-relief"].groups[0].rows
    relief, one_word, cot = (c.estimate.value for c in row.cells[:3])
    assert relief == pytest.approx(one_word - cot)
    assert "mathcomp-relief" not in blocks_of(chapter_of(asked(items=4)))


def test_flips_are_right_when_neutral_and_wrong_when_framed(told):
    (flips,) = blocks_of(told, FlipList).values()
    assert flips.flips
    for flip in flips.flips:
        assert flip.before.correct
        assert not flip.after.correct
        assert flip.before.condition == "neutral, framing last"
        assert flip.after.condition in {
            f"{STYLED[f.style, f.term]}, {POSITIONS[f.position]}" for f in FRAMINGS
        }
        assert len(flip.others) == 11
    assert "one word" in flips.rule


def test_whose_scenarios_they_are_is_said():
    rows = asked(items=2)
    numbers = mathcomp(rows, interval=None)
    evidence = Evidence("mathcomp", rows, numbers, models_of(rows))

    def said(*data):
        return chapter(replace(evidence, data=data, interval=QUICK)).sections[0].paragraphs[1]

    assert "levels compare" in said("paper")
    assert "Their seed stands with the runs" in said("bundled")
    assert "not the paper's" in said("mine.csv")
    assert "not the paper's" in said("paper", "bundled")


def test_names_from_a_log_reach_no_id():
    odd = asked(items=4).assign(output='x"> <b>', identity="<i>", subset="a b")
    ids = []
    for kind in (Table, Chart):
        for block in blocks_of(chapter_of(odd), kind).values():
            parts = block.groups if kind is Table else block.panels
            ids += [block.id, *(getattr(p, "id", "") or getattr(p, "name", "") for p in parts)]
    assert ids
    assert not [i for i in ids if set(i) & set('"<> ')]


@pytest.mark.whole
def test_the_page_shows_maps_tables_and_whose_rows_they_are(tmp_path):
    rows = pd.concat([asked(items=6), asked(model="respondent/parrot", items=6)], ignore_index=True)
    path = write_report(rows, tmp_path / "r.html", interval=QUICK, extent="full")
    page = Page(path.read_text(encoding="utf-8"))
    panels = [a for a in page.all("div") if "data-chart" in a]
    heat = [
        a["data-chart"] for a in panels if "/" in a["data-chart"] and "-heat-" in a["data-chart"]
    ]
    assert len([h for h in heat if h.startswith("mathcomp-heat-one-word/")]) == 6
    # A picture stands in every panel, where no script runs.
    assert len(page.all("svg")) >= len(panels)
    first = page.rows["mathcomp-framings-one-word"][2]
    assert first[0] == "model-1"
    sonnet = next(r for r in page.rows["mathcomp-pull"] if r[0].startswith("Claude 3.7 Sonnet"))
    assert "published" in sonnet[0]
    assert "simulated" in "".join(r[0] for r in page.rows["mathcomp-pull"] if "parrot" in r[0])
    path = write_report(rows, tmp_path / "r.md", interval=QUICK, extent="full")
    text = path.read_text(encoding="utf-8")
    assert "**DirErr by framing, one word, in percent, with 95% intervals**" in text
    assert "| Claude 3.7 Sonnet *(published)* | 16.02 | 35.36 |" in text
    assert "parrot *(simulated)*" in text


@pytest.mark.whole
def test_free_form_replies_that_nobody_decided_are_counted_in_the_chapter(run, tmp_path):
    task = mathcomp_task(items=3, output="cot")
    log = run(task, model="respondent/typical", model_args={"trails_off": 0.3})
    lost = log.results.scores[0].unscored_samples
    assert lost > 0
    chapter = chapter_of(read_observations(str(tmp_path / "logs")))
    section = next(s for s in chapter.sections if s.id == "mathcomp-readings")
    assert section.paragraphs[-1].startswith(f"Left out of every number: {lost} of typical")
    (row,) = blocks_of(chapter)["mathcomp-outcomes"].groups[0].rows
    assert row.cells[0].text == str(len(log.samples) - lost)
