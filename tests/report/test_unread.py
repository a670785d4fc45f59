"""Many replies that were not read are told before any number: on the page, console and live."""

import logging

import pandas as pd
import pytest
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import SampleScore

from askew.decide.simulation import simulation
from askew.papers.knowno.scorer import knowno_metrics
from askew.report.accounting import not_read, outcome_table
from askew.report.blocks import Figure, Table
from askew.report.report import build_report, write_report
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.logs.made_logs import a_log, a_sample, a_score, written
from tests.report.logged import logged
from tests.report.observed import observed

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


def some(n_unread, outcome="unparsed"):
    samples = []
    for n in range(10):
        for hint in HINTS:
            unread = len(samples) < n_unread
            how = {"outcome": outcome, "pattern": "unparsed"} if unread else {}
            sample = a_sample(f"i{n}", hint, score=a_score(0.0 if unread else 1.0, **how))
            sample.output = ModelOutput.from_content("m", f"Well, {len(samples)} <b>or</b> so.")
            samples.append(sample)
    return samples


@pytest.mark.parametrize("outcome", ["unparsed", "ambiguous"])
def test_more_than_3_percent_unparsed_are_reported_with_examples(tmp_path, outcome):
    written(a_log(some(2, outcome), model="lab/odd"), tmp_path, "odd.eval")
    written(a_log(some(1), model="lab/clear"), tmp_path, "clear.eval")  # 2.5 in 100
    written(a_log(some(9, "refused"), model="lab/shy"), tmp_path, "shy.eval")
    (told,) = not_read(Study.read(tmp_path, quiet=True))
    assert told.startswith("2 of 40 replies of odd to KnowNo were not parsed (5.0%)")
    assert "“Well, 0 <b>or</b> so.”; “Well, 1 <b>or</b> so.”." in told


def test_a_log_that_a_later_one_replaces_whole_is_reported(tmp_path):
    for name, minute in (("october", 1), ("november", 2)):
        samples = [a_sample(f"i{n}", "no_hint", ended=minute) for n in range(4)]
        written(a_log(samples), tmp_path, f"{name}.eval")
    (told,) = not_read(Study.read(tmp_path, quiet=True))
    assert "replaces all 4 replies of" in told
    assert "october.eval" in told


def test_counts_of_replies_by_rules_and_by_grader_come_first(tmp_path):
    samples = some(2)
    for n, sample in enumerate(samples[2:10]):  # the grader reads eight, six of them as rules
        score = sample.scores["knowno_scorer"]
        said = score.answer if n < 6 else "another"
        score.metadata |= {"decided_by": "grader", "rules_answer": said}
    written(a_log(samples), tmp_path, "graded.eval")
    study = Study.read(tmp_path, quiet=True)
    page = write_report(study, tmp_path / "r.md").read_text("utf-8")
    agreed = "6 of 8 (41% to 93%)"
    said = "30 were parsed by rules, 8 by the grader, and 2 not parsed (5.0%). Grader and rules"
    assert page.index(f"Of 40 replies, {said} agree on {agreed}.") < page.index("Findings")
    (row,) = outcome_table(study).groups[0].rows
    assert [c.text for c in row.cells] == ["30", "8", "2 (5.0%)", agreed, "38", "2", "40"]


def test_a_task_shows_the_unparsed_share_with_its_metrics():
    def live(n_unread):
        scores = [
            SampleScore(score=s.scores["knowno_scorer"], sample_metadata=s.metadata)
            for s in some(n_unread)
        ]
        return knowno_metrics()(scores)

    assert live(2)["not_read"] == 0.05
    assert "not_read" not in live(1)


HOT = {"config.temperature": 1.0}


def report(**settings):
    models = pd.concat([observed(f"acme/{m}") for m in ("one", "two", "three")])
    return build_report(logged(models, **settings), interval=Interval(resamples=50))


@pytest.fixture(scope="module")
def marked():
    return report(two=HOT)


def blocks(of, kind):
    return [b for c in of.chapters for s in c.sections for b in s.blocks if isinstance(b, kind)]


def test_the_name_has_a_mark_in_every_table_with_a_note_on_why(marked):
    shown = [
        t for t in blocks(marked, Table) if "two" in str([r.head for g in t.groups for r in g.rows])
    ]
    assert shown
    for table in shown:
        heads = {row.head for group in table.groups for row in group.rows}
        assert not {"two", "one †", "three †"} & heads
        assert "temperature" in table.notes["†"]


def test_its_summary_names_the_differing_setting(marked):
    said = {h.model.label: h.sentence for c in marked.chapters for h in c.headlines}
    assert "temperature 1.0 (not 0.0)" in said["acme/two"]
    assert "not 0.0" not in said["acme/one"]
    assert [len(row.cells) for row in marked.document.parts[0].summary_table.rows] == [1, 1, 1]


def test_models_with_equal_settings_have_no_mark():
    plain = report()
    assert not any("†" in str(b) for b in blocks(plain, Table))
    assert not any("†" in c.reading for c in blocks(plain, Figure))


QUICK = Interval(resamples=60)


@pytest.fixture(scope="module")
def good():
    made = simulation("format_bias", items=20, category="list").observations("typical", 1)
    return made.assign(model="x/good", model_name="x/good", log="good.eval")


@pytest.fixture(scope="module")
def both(good):
    """A detail of the second log lies outside of its range, which no reader checks."""
    bad = {"model": "x/bad", "model_name": "x/bad", "log": "bad.eval", "map_as_published": -3.0}
    return Study(pd.concat([good, good.assign(**bad)], ignore_index=True))


def test_a_log_of_which_no_report_can_be_made_is_left_out_and_named(good, both, tmp_path, caplog):
    with pytest.raises(ValueError, match="rate -3"):
        both.summary(QUICK)
    with caplog.at_level(logging.WARNING, logger="askew"):
        page = write_report(both, tmp_path / "both.html", interval=QUICK).read_text("utf-8")
    assert "bad.eval" in page
    assert "bad.eval" in caplog.text
    both_as_csv = write_report(both, tmp_path / "both.csv", interval=QUICK)
    alone_as_csv = write_report(Study(good), tmp_path / "alone.csv", interval=QUICK)
    assert both_as_csv.read_bytes() == alone_as_csv.read_bytes()


def test_rows_without_a_log_stay_where_one_log_has_a_fault(good, both, tmp_path):
    bad = both.rows[both.rows["log"] == "bad.eval"]
    study = Study(pd.concat([good.assign(log=None), bad], ignore_index=True))
    page = write_report(study, tmp_path / "some.csv", interval=QUICK).read_text("utf-8")
    assert "x/good" in page
    assert "x/bad" not in page


def test_a_fault_of_two_logs_together_is_no_fault_of_one_and_writes_nothing(
    good, tmp_path, monkeypatch
):
    study = Study(pd.concat([good, good.assign(log="again.eval")], ignore_index=True))
    alone = Study.ceilings

    def fail_together(self, interval):
        if self.rows["log"].nunique() > 1:
            raise RuntimeError("together")
        return alone(self, interval)

    monkeypatch.setattr(Study, "ceilings", fail_together)
    with pytest.raises(RuntimeError, match="together"):
        write_report(study, tmp_path / "out.md", interval=QUICK)
    assert not [*tmp_path.iterdir()]
