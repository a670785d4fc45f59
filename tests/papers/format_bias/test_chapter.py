"""Format bias's chapter: its numbers, its marks, and the published rows beside them."""

import json

import numpy as np
import pandas as pd
import pytest
from inspect_ai.scorer import SampleScore, Score

from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.metrics import format_bias
from askew.papers.format_bias.paper import PAPER
from askew.papers.format_bias.scorer import headlines
from askew.report.card import write_cards
from askew.report.study import Study
from askew.scoring.outcome import live
from tests.chapters import QUICK, blocks_of, chapter_of, row_at

FORMATS = ("bolding", "brackets", "quoting")
TASKS = ("gsm8k", "mmlu")
AT = ("task", "subset", "item", "cluster", "epoch", "category", "format", "prompting", "demos",
      "repeat")  # fmt: skip


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
                            "subset": subset, "item": f"{subset}-{i}", "cluster": f"{subset}-{i}",
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


def number(table, metric):
    return row_at(table, metric, subset="all", format="all", prompting="all")


def test_the_summary_of_a_category_is_its_bias_with_its_interval():
    (headline,) = chapter_of(asked()).headlines
    expected = number(format_bias(asked(), interval=QUICK), "bias_f")
    assert headline.metric == "bias_f_wrapping"
    found = headline.estimate
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"])
    )
    assert 0 < found.low < found.null.value_debiased < found.value
    assert found.n_items == 80
    assert f"{found.null.value_debiased**0.5:.1f} after noise correction" in headline.sentence
    assert headline.finding.startswith("Quoting: estimated true score ")


def test_bias_f_is_the_same_in_every_place_though_replies_are_missing(tmp_path):
    rows = asked().sample(frac=0.9, random_state=1)
    study, scores = Study(rows), []
    for row in rows.to_dict("records"):
        score = Score(value={name: row[name] for name in ("format_ok", "score")})
        scores.append(SampleScore(score=score, sample_metadata={k: row[k] for k in AT}))
    console = live(PAPER, "few", "bias_f_wrapping", named=headlines, pooled_only=True)
    chapter = chapter_of(rows)
    cell, *_ = blocks_of(chapter)["format_bias-biasf"].groups[0].rows[0].cells
    (card,) = write_cards(study, tmp_path / "card.json", QUICK)
    on_card = {n["metric"]: n["value"] for n in json.loads(card.read_text())["numbers"]}
    policy = {"version": 1, "rules": [{"task": "format_bias", "metric": "bias_f", "max": 100}]}
    (check,) = gate(study, Policy.model_validate(policy), QUICK).checks
    places = {
        "inspect": console(scores)["bias_f_wrapping"],
        "python": number(format_bias(rows, interval=None), "bias_f")["value"],
        "results": number(study.summary(QUICK), "bias_f")["value"],
        "report": chapter.headlines[0].estimate.value,
        "table": cell.estimate.value,
        "card": on_card["bias_f_wrapping"],
        "gate": check.value,
    }
    assert set(places.values()) == {places["report"]}, places
    whole = number(format_bias(asked(), interval=None), "bias_f")["value"]
    assert places["report"] != whole


def test_no_bias_is_claimed_where_the_interval_begins_at_zero():
    (headline,) = chapter_of(asked(follows=(1, 1, 1), right=(1, 1, 1), n=10)).headlines
    assert headline.estimate.value == 0
    assert not headline.verdict.detected
    assert headline.verdict.sentence in headline.sentence
    assert not headline.finding


def test_a_format_that_no_reply_followed_is_named_as_the_reason():
    part = chapter_of(asked(follows=(1, 1, 0), n=5))
    (headline,) = part.headlines
    assert headline.estimate.missing
    assert "no reply followed quoting" in headline.estimate.why
    assert headline.estimate.why in headline.sentence
    assert headline.verdict.word == "inconclusive"
    assert not headline.finding
    shown = blocks_of(part)["format_bias-wrapping-formats"].groups[0].rows
    (quoting,) = (r for r in shown if r.head == "Quoting")
    assert "no reply followed quoting" in quoting.cells[2].plain()


def test_mitigations_get_the_papers_verdict_next_to_its_table_18():
    """Without a treatment nobody follows quoting well; with five examples all formats are."""
    treated = asked(follows=(1, 1, 1), right=(0.6, 0.6, 0.6), demos=5, n=30)
    chapter = chapter_of(pd.concat([asked(n=30), treated]))
    mine, theirs, smaller = blocks_of(chapter)["format_bias-mitigation-verdicts"].groups
    (row,) = mine.rows
    assert row.head == "5 demonstrations, instruction given once"
    before, after, change = (c.estimate for c in row.cells[1:4])
    assert change.value == pytest.approx(after.value - before.value)
    assert change.low < change.value < change.high
    shown = {r.head: [c.plain() for c in r.cells] for r in theirs.rows}
    assert {head: cells[5] for head, cells in shown.items()} == {
        "instruction given 3 times": "no", "1 demonstration": "no", "5 demonstrations": "no",
        "fine-tuned on formatted answers": "yes",
    }  # fmt: skip
    assert shown["instruction given 3 times"][1:3] == ["61.1", "146.8"]
    assert shown["fine-tuned on formatted answers"][2] == "0.9"
    assert {r.kind for r in theirs.rows} == {"published"}
    # Five examples take Gemma-2B's BiasF to 0.9, but FI falls for the placeholder.
    assert smaller.title == "Gemma-2B in the paper"
    assert [r.cells[5].plain() for r in smaller.rows] == ["no", "no", "no"]
    assert smaller.rows[-1].cells[4].plain() == "placeholder"
