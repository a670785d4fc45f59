"""What is read, and computed of it, once."""

from askew.report.evidence import evidence_of
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score, written

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


def test_an_inconclusive_value_reports_the_items_of_its_subset(tmp_path):
    items = {"mctest": 50, "bank77": 70}
    samples = [
        a_sample(f"{s}{n}", hint, subset=s, score=a_score(float(n % 5 > 1 or hint == "with_gold")))
        for s in ("mctest", "bank77") for n in range(24) for hint in HINTS
    ]  # fmt: skip
    told = a_log(samples).eval.metadata | {"data_items": items}
    written(a_log(samples, metadata=told), tmp_path, "told.eval")
    written(a_log(samples, model="lab/untold"), tmp_path, "untold.eval")
    asked = Study.read(tmp_path, quiet=True)
    assert {r.model: r.items for r in asked.runs} == {"openai/gpt-5": items, "lab/untold": {}}
    found, evidence = asked.models, evidence_of(asked, "knowno")
    there = {m.label: evidence.there("gap", m, {}) for m in found}
    assert there == {"openai/gpt-5": 120, "lab/untold": 0}
    one = {m.label: evidence.there("gap", m, {"subset": "bank77"}) for m in found}
    assert one == {"openai/gpt-5": 70, "lab/untold": 0}
