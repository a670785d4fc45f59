"""Many replies that were not read are told before any number: on the page, console and live."""

import pytest
from inspect_ai.model import ModelOutput

from askew.papers.knowno.scorer import knowno_metrics
from askew.report.accounting import not_read, outcome_table
from askew.report.report import write_report
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score, written

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
    table = outcome_table(study)
    (row,) = table.groups[0].rows
    assert [c.text for c in row.cells] == ["30", "8", "2 (5.0%)", agreed, "38", "2", "40"]


def test_a_task_shows_the_unparsed_share_with_its_metrics():
    from inspect_ai.scorer import SampleScore

    def live(n_unread):
        scores = [
            SampleScore(score=s.scores["knowno_scorer"], sample_metadata=s.metadata)
            for s in some(n_unread)
        ]
        return knowno_metrics()(scores)

    assert live(2)["not_read"] == 0.05
    assert "not_read" not in live(1)
