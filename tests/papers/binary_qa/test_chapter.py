"""Binary QA's chapter: its numbers are the metric table's, and printed rows are marked."""

import pandas as pd
import pytest

from askew.metrics import binary_qa
from askew.papers.binary_qa.paper import FORMS
from askew.report.blocks import Figure
from tests.chapters import blocks_of, chapter_of, row_at

TURNED = ("contradictory", "false_framing")


def observed(domains=("reading", "ethics"), model="acme/one", items=6):
    """A model that turns no answer of the first third of the items, and is right elsewhere."""
    rows = []
    for domain in domains:
        for i in range(items):
            truth = ("Yes", "No")[i % 2]
            for form in FORMS:
                expected = {"Yes": "No", "No": "Yes"}[truth] if form in TURNED else truth
                answer = truth if form in TURNED and i < items // 3 else expected
                # One domain is harder: its first item with Yes is answered No.
                if domain == "ethics" and i == 0:
                    answer = "No"
                rows.append(
                    {
                        "model": model, "model_name": model, "task": "binary_qa",
                        "subset": domain, "item": f"{domain}-{i}", "cluster": f"{domain}-{i}",
                        "epoch": 1, "form": form, "truth": truth, "expected": expected,
                        "correct": float(answer == expected), "said_no": float(answer == "No"),
                        "answered": 1.0, "answer": answer, "outcome": "ok", "status": "scored",
                        "run": "r", "sample_id": f"{domain}-{i}/{form}", "log": "",
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def test_one_domain_reports_mbs_core_with_the_reason():
    observations = observed(domains=("reading",))
    chapter = chapter_of(observations)
    headline, lean = chapter.headlines
    assert lean.metric == "delta_recall"
    assert headline.metric == "mbs_core"
    core = row_at(binary_qa(observations, interval=None), "mbs_core", subset="all")
    assert headline.estimate.value == pytest.approx(core["value"])
    assert "MBS is undefined: one domain only" in headline.sentence


def test_the_worst_finding_is_the_domain_where_answers_turn_least():
    """Nothing is found of a model that is not shown to lean, nor in a domain of few questions."""
    leaning = observed(domains=("reading",), items=48)
    yes = leaning["item"].isin([f"reading-{i}" for i in range(0, 32, 2)]) & (
        leaning["expected"] == "Yes"
    )
    leaning.loc[yes, ["answer", "correct", "said_no"]] = ["No", 0.0, 1.0]
    *_, lean = chapter_of(leaning).headlines
    assert lean.verdict.detected
    assert lean.finding.startswith("Reading comprehension: ")
    assert "(n = 48)" in lean.finding
    for few in (observed(domains=("reading",)), leaning[leaning["item"] < "reading-2"]):
        *_, lean = chapter_of(few).headlines
        assert not lean.finding


def test_the_random_guesser_is_a_reference_in_table_and_figure():
    chapter = chapter_of(observed())
    shown = blocks_of(chapter)["binary-qa-table1"].groups[0].rows
    assert [r.kind for r in shown if r.head == "Random guesser"] == ["reference"]
    assert not any(t.has_simulated for t in blocks_of(chapter).values())
    chart = blocks_of(chapter, Figure)["binary-qa-score"]
    drawn = [row for row in chart.panels[0].spec["data"]["values"] if "kind" in row]
    assert {r["kind"] for r in drawn if "Random guesser" in r["name"]} == {"reference"}
    assert {r["kind"] for r in drawn} == {"measured", "reference", "published"}
    assert "square" in {key.shape for key in chart.legend}
