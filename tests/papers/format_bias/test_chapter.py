"""Format bias's chapter: its numbers, its marks, and the published rows beside them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from askew.metrics import format_bias
from askew.papers.format_bias import printed
from askew.report.chapters import chapter
from askew.report.document import Chart, FlipList, Table
from askew.report.evidence import Evidence, models_of
from askew.report.summary import rows_by_task, summarize
from askew.statistics.tables import Interval
from tests.report.observed import observed

QUICK = Interval(resamples=200)
FORMATS = ("bolding", "brackets", "quoting")
TASKS = ("gsm8k", "mmlu")


def asked(model="acme/model-1", follows=(0.95, 0.9, 0.6), right=(0.9, 0.7, 0.3), n=40, **columns):
    """Wrapping observations: each format is followed and answered right at its own rate."""
    rng = np.random.default_rng(3)
    rows = []
    for subset in TASKS:
        for i in range(n):
            for name, fi, accuracy in zip(FORMATS, follows, right, strict=True):
                for prompting in ("zs", "cot"):
                    ok = rng.random() < fi
                    rows.append(
                        {
                            "model": model, "model_name": model, "task": "format_bias",
                            "subset": subset, "item": f"{subset}-{i}", "unit": f"{subset}-{i}",
                            "epoch": 1, "category": "wrapping", "format": name,
                            "prompting": prompting, "demos": 0, "repeat": 1,
                            "format_ok": float(ok),
                            "score": float(ok and rng.random() < accuracy), "outcome": "ok",
                            "status": "scored", "run": "r", "log": "",
                            "sample_id": f"{subset}-{i}/{name}/{prompting}/0/1",
                        }
                        | columns
                    )  # fmt: skip
    return pd.DataFrame(rows)


def chapter_of(observations, models=None):
    own = rows_by_task(observations)["format_bias"]
    summary = summarize(observations, QUICK)
    rows = summary[summary["task"] == "format_bias"]
    return chapter(Evidence("format_bias", own, rows, models or models_of(own), ("bundled",)))


def blocks_of(part, kind=Table):
    return {b.id: b for s in part.sections for b in s.blocks if isinstance(b, kind)}


@pytest.fixture(scope="module")
def one_model():
    return asked()


@pytest.fixture(scope="module")
def told(one_model):
    return chapter_of(one_model)


@pytest.fixture(scope="module")
def numbers(one_model):
    return format_bias(one_model, interval=QUICK)


def number(table, metric, **at):
    wanted = {"subset": "all", "format": "all", "prompting": "all"} | at
    rows = table[table["metric"] == metric]
    for level, value in wanted.items():
        rows = rows[rows[level] == value]
    (row,) = rows.to_dict("records")
    return row


def printed_rows(**at):
    """Printed numbers by model and format; a level that is not named is pooled."""
    rows = printed.rows()
    for column in ("subset", "prompting", "demos", "repeat", *at):
        wanted = at.get(column)
        rows = rows[rows[column].isna() if wanted is None else rows[column] == wanted]
    return rows


def group_of(table, title):
    (group,) = (g for g in table.groups if g.title == title)
    return group


def test_the_headline_of_a_category_is_its_bias_with_its_interval(told, numbers):
    (headline,) = told.headlines
    expected = number(numbers, "bias_f")
    assert headline.metric == "bias_f_wrapping"
    found = headline.estimate
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["without_noise"], expected["low"], expected["high"])
    )
    assert 0 < found.low < found.value < expected["value"]
    assert found.n_items == 80
    # The printed definition stands beside it.
    assert f"BiasF by its definition: {expected['value']:.1f}" in headline.sentence
    assert headline.sentence.endswith("the format moves the score.")
    assert headline.finding.sentence.startswith("Quoting: estimated true score ")
    assert headline.finding.target in blocks_of(told)


def test_no_bias_is_claimed_where_the_interval_begins_at_zero():
    (headline,) = chapter_of(asked(follows=(1, 1, 1), right=(1, 1, 1), n=10)).headlines
    assert headline.estimate.value == 0
    assert not headline.verdict.shown
    assert headline.verdict.said in headline.sentence
    assert "moves the score" not in headline.sentence
    assert headline.finding is None


def test_a_format_that_no_reply_followed_is_named_as_the_reason():
    part = chapter_of(asked(follows=(1, 1, 0), n=5))
    (headline,) = part.headlines
    assert headline.estimate.missing
    assert "no reply followed quoting" in headline.estimate.why
    assert headline.estimate.why in headline.sentence
    # What is not shown has no finding.
    assert headline.verdict.word == "can't tell"
    assert headline.finding is None
    (quoting,) = (
        r
        for r in blocks_of(part)["format_bias-wrapping-formats"].groups[0].rows
        if r.head == "quoting"
    )
    assert "no reply followed quoting" in quoting.cells[2].plain()


def test_formats_stand_side_by_side_with_the_numbers_of_the_metric_table(told, numbers):
    table = blocks_of(told)["format_bias-wrapping-formats"]
    rows = {r.head: r.cells for r in table.groups[0].rows}
    labels = [c.label for c in table.columns]
    assert list(rows) == list(FORMATS)
    for name, cells in rows.items():
        shown = dict(zip(labels, cells, strict=True))
        for label, metric in (("SysE", "sys_e"), ("FI", "fi"), ("EstTrue", "est_true")):
            expected = number(numbers, metric, format=name)
            assert shown[label].estimate.value == pytest.approx(expected["value"])
            assert shown[label].estimate.low == pytest.approx(expected["low"], nan_ok=True)
        for words, way in (("zero-shot", "zs"), ("chain of thought", "cot")):
            expected = number(numbers, "est_true", format=name, prompting=way)
            assert shown[f"EstTrue, {words}"].estimate.value == pytest.approx(expected["value"])


@pytest.mark.parametrize("metric", ["est_true", "fi", "sys_e"])
def test_cells_are_those_of_the_metric_table_above_the_papers(told, numbers, metric):
    table = blocks_of(told)[f"format_bias-wrapping-{metric.replace('_', '-')}"]
    group = group_of(table, "GSM8K, zero-shot")
    mine, *theirs = group.rows
    for name, cell in zip(FORMATS, mine.cells, strict=False):
        at = number(numbers, metric, subset="gsm8k", format=name, prompting="zs")
        assert cell.estimate.value == pytest.approx(at["value"])
    assert mine.kind == "measured"
    assert {r.kind for r in theirs} == {"published"}
    own = printed_rows(category="wrapping", metric=metric, subset="gsm8k", prompting="zs")
    for row in theirs:
        values = own[own["model"] == row.head].set_index("format")["value"]
        assert [c.estimate.value for c in row.cells[:-1]] == [values[f] for f in FORMATS]


def test_every_cell_says_whether_theorem_3_1_holds(told, numbers):
    table = blocks_of(told)["format_bias-wrapping-est-true"]
    marks = {}
    for subset, title in (("gsm8k", "GSM8K"), ("mmlu", "MMLU")):
        for way, words in (("zs", "zero-shot"), ("cot", "chain of thought")):
            row = group_of(table, f"{title}, {words}").rows[0]
            for name, cell in zip(FORMATS, row.cells, strict=False):
                at = {"subset": subset, "format": name, "prompting": way}
                reliable = number(numbers, "est_true_reliable", **at)["value"] == 1
                marks[subset, way, name] = (cell.mark, reliable)
    assert {"u" not in mark for mark, reliable in marks.values() if reliable} == {True}
    assert {mark for mark, reliable in marks.values() if not reliable} == {"u"}
    assert "Theorem 3.1" in table.notes["u"]


def test_equal_scores_are_marked_and_a_mean_says_that_a_part_is_unreliable():
    part = chapter_of(asked(follows=(1, 1, 0.5), right=(1, 0.5, 0.5), n=10))
    cells = blocks_of(part)["format_bias-wrapping-est-true"]
    bolding, brackets, _ = group_of(cells, "GSM8K, zero-shot").rows[0].cells[:3]
    assert bolding.mark == "c"
    assert brackets.mark != "c"
    formats = blocks_of(part)["format_bias-wrapping-formats"]
    quoting = next(r for r in formats.groups[0].rows if r.head == "quoting")
    assert quoting.cells[2].mark == "p"
    assert set(formats.notes) == {"p"}


def test_published_bias_is_marked_as_published_in_table_and_chart(told):
    group = blocks_of(told)["format_bias-biasf"].groups[0]
    expected = printed_rows(category="wrapping", metric="bias_f")
    shown = {r.head: r.cells[0].estimate.value for r in group.rows if r.kind == "published"}
    assert shown == dict(zip(expected["model"], expected["value"], strict=True))
    assert [r.head for r in group.rows if r.kind != "published"] == ["model-1"]
    chart = blocks_of(told, Chart)["format_bias-biasf-figure"]
    drawn = chart.panels[0].spec["data"]["values"]
    points = [row for row in drawn if row.get("kind") == "published"]
    assert points
    assert all(row["name"].endswith("(published)") for row in points)


def test_arms_are_rows_of_their_own_and_the_plainest_is_the_headline(one_model):
    part = chapter_of(pd.concat([asked(demos=5, n=8), asked(n=8)], ignore_index=True))
    (headline,) = part.headlines
    assert headline.label.endswith("0 demonstrations, instruction given once")
    rows = blocks_of(part)["format_bias-biasf"].groups[0].rows
    heads = [r.head for r in rows if r.kind == "measured"]
    assert heads == [
        "model-1, 0 demonstrations, instruction given once",
        "model-1, 5 demonstrations, instruction given once",
    ]


def test_another_task_in_the_same_logs_changes_nothing(one_model, told):
    both = chapter_of(pd.concat([observed(), one_model], ignore_index=True))
    assert both.headlines[0].estimate == told.headlines[0].estimate


def test_a_model_with_nothing_scored_is_named_with_the_reason(one_model):
    (known,) = models_of(one_model)
    silent = replace(known, label="acme/silent", short="silent")
    last = chapter_of(one_model, (known, silent)).headlines[-1]
    assert last.model == silent
    assert last.estimate.why == "no sample was scored"


def test_a_users_names_reach_no_id(one_model):
    names = {"gsm8k": 'x"> <b>', "mmlu": "mmlu"}
    odd = one_model.assign(subset=one_model["subset"].map(names))
    part = chapter_of(odd)
    ids = [*blocks_of(part), *(g.id for b in blocks_of(part).values() for g in b.groups)]
    assert not [i for i in ids if set(i) & set('"<> ')]


def test_published_ratios_follow_the_definition_and_corrections_are_noted():
    rows = printed.rows()
    noted = rows[(rows["note"] != "") & (rows["metric"] == "est_true")]
    assert noted.groupby("category").size().to_dict() == {"wrapping": 12, "list": 1, "mapping": 2}
    first = noted[noted["category"] == "wrapping"].iloc[0]
    assert "printed 44.27" in first["note"]
    assert first["value"] == pytest.approx(0.4477)
    assert set(rows.loc[rows["category"] == "list", "format"].dropna()) == {
        "python", "bullet", "separator", "newline"
    }  # fmt: skip


def test_corrections_are_numbered_as_they_appear_and_said_below_the_table(told):
    table = blocks_of(told)["format_bias-wrapping-est-true"]
    published = [r for g in table.groups for r in g.rows if r.kind == "published"]
    marks = [c.mark for r in published for c in r.cells if c.mark]
    assert marks == ["1", "2", "3"]
    assert all("which is not SysE / FI of its own row" in table.notes[m] for m in marks)


@pytest.fixture(scope="module")
def treated():
    """Without a treatment nobody follows quoting well; with five examples all formats are."""
    return chapter_of(
        pd.concat([asked(n=30), asked(follows=(1, 1, 1), right=(0.6, 0.6, 0.6), demos=5, n=30)])
    )


def test_treatments_get_the_papers_verdict_beside_its_table_18(treated):
    table = blocks_of(treated)["format_bias-mitigation-verdicts"]
    mine, theirs, smaller = table.groups
    (row,) = mine.rows
    assert row.head == "5 demonstrations, instruction given once"
    before, after, change = (c.estimate for c in row.cells[1:4])
    assert change.value == pytest.approx(after.value - before.value)
    assert change.low < change.value < change.high
    shown = {r.head: [c.plain() for c in r.cells] for r in theirs.rows}
    assert {head: cells[5] for head, cells in shown.items()} == {
        "instruction given 3 times": "no",
        "1 demonstration": "no",
        "5 demonstrations": "no",
        "fine-tuned on formatted answers": "yes",
    }
    assert shown["instruction given 3 times"][1:3] == ["61.1", "146.8"]
    assert shown["fine-tuned on formatted answers"][2] == "0.9"
    assert {r.kind for r in theirs.rows} == {"published"}
    # Five examples take Gemma-2B's BiasF to 0.9, but FI falls for the placeholder.
    assert smaller.title == "Gemma-2B in the paper"
    assert [r.cells[5].plain() for r in smaller.rows] == ["no", "no", "no"]
    assert smaller.rows[-1].cells[4].plain() == "placeholder"


def test_the_published_headline_is_the_variance_of_systematic_scores(treated):
    table = blocks_of(treated)["format_bias-mitigation-formats"]
    last = {
        (g.title, r.head): r.cells[-1].estimate.value
        for g in table.groups
        for r in g.rows
        if r.kind == "published"
    }
    plain, tuned = "ChatGPT, no treatment", "ChatGPT, fine-tuned on formatted answers"
    # All seven formats of the paper's model count, whichever were asked here.
    assert last["SysE", plain] == pytest.approx(235.33, abs=0.01)
    assert last["SysE", tuned] == pytest.approx(0.71, abs=0.015)
    assert last["EstTrue", plain] == pytest.approx(61.1, abs=0.05)
    assert last["EstTrue", tuned] == pytest.approx(0.93, abs=0.01)


@pytest.fixture(scope="module")
def two_models(one_model):
    other = asked("acme/model-2", follows=(0.6, 0.9, 0.95), right=(0.4, 0.6, 0.9))
    return pd.concat([one_model, other], ignore_index=True)


def test_means_over_models_stand_beside_the_papers(two_models):
    """Tables 7 to 9: by model and over models, by prompting and by task."""
    part = chapter_of(two_models)
    table = blocks_of(part)["format_bias-wrapping-means"]
    assert [g.title for g in table.groups] == [
        "EstTrue", "FI", "EstTrue, zero-shot", "EstTrue, chain of thought", "EstTrue, MMLU",
        "EstTrue, GSM8K",
    ]  # fmt: skip
    for group in table.groups[:2]:
        heads = {r.head: [c.estimate for c in r.cells[:4]] for r in group.rows}
        one, two = heads["model-1"], heads["model-2"]
        for mean, *each in zip(heads["Mean of models"], one, two, strict=True):
            assert mean.value == pytest.approx(sum(e.value for e in each) / 2)
            assert mean.low < mean.value < mean.high
    last = table.groups[2].rows[-1]
    assert (last.head, last.kind) == (printed.MEAN_MODEL, "published")
    assert last.cells[0].estimate.value == pytest.approx(0.3066)
    bias = blocks_of(part)["format_bias-biasf"].groups[0]
    assert [r.head for r in bias.rows if r.kind == "measured"] == [
        "model-1", "model-2", "Mean of models"
    ]  # fmt: skip
    assert {headline.model.label for headline in part.headlines} == set(two_models["model"])


def test_one_model_has_no_means(told):
    assert "format_bias-wrapping-means" not in blocks_of(told)


def test_rankings_as_published_stand_beside_table_10(one_model):
    lists = {"bolding": "python", "brackets": "bullet", "quoting": "newline"}
    rows = one_model.assign(
        category="list",
        format=one_model["format"].map(lists),
        subset=one_model["subset"].map({"gsm8k": "scidocsrr", "mmlu": "semeval2017"}),
    )
    ranked = rows["subset"] == "scidocsrr"
    rows["format_ok_as_published"] = np.where(ranked, 1.0, np.nan)
    rows["map_as_published"] = np.where(ranked, 0.5, np.nan)
    blocks = blocks_of(chapter_of(rows))
    group = group_of(blocks["format_bias-list-fi-as-published"], "SciDocsRR, zero-shot")
    shown = {r.head: r.cells[0].estimate.value for r in group.rows}
    assert (shown["model-1"], shown["Mistral"]) == (1, pytest.approx(0.745))
    titles = {g.title for g in blocks["format_bias-list-est-true-as-published"].groups}
    assert titles == {"SciDocsRR, zero-shot", "SciDocsRR, chain of thought"}


def test_without_a_treatment_there_is_no_such_section(told):
    assert "format_bias-mitigation" not in {s.id for s in told.sections}


def test_flips_are_right_in_one_format_and_lost_in_another(told):
    (flips,) = blocks_of(told, FlipList).values()
    assert flips.id == "format_bias-wrapping-flips"
    assert flips.n_found >= len(flips.flips) > 0
    assert "zero-shot" in flips.rule
    (best,) = {f.before.condition for f in flips.flips}
    assert best == "bolding"
    for flip in flips.flips:
        assert flip.before.correct
        assert not flip.after.correct
        assert flip.after.condition in ("brackets", "quoting")


def test_a_part_of_the_score_is_no_flip(one_model):
    halves = one_model.assign(score=one_model["score"].where(one_model["score"] == 1, 0.5))
    assert not blocks_of(chapter_of(halves), FlipList)
