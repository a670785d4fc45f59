"""What a folder of logs holds beside its numbers is named by the gate, or leaves it open."""

import pytest
from inspect_ai.log import ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.scorer import ScoreEdit

from askew.decide.documents import gate_document
from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.report.render import terminal_text
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.logs.made_logs import a_log, a_sample, a_score

RULE = {
    "subset": "mctest",
    "min_items": 1,
    "metric": "with_gold",
    "task": "knowno",
    "bound": "value",
    "min": 0.5,
}
POLICY = Policy.model_validate({"version": 1, "allow_simulated": True, "rules": [RULE]})


def samples():
    return [a_sample(f"i{n}", hint) for n in range(6) for hint in ("with_gold", "no_hint")]


def outcome(*logs):
    return gate(Study.read(list(logs), quiet=True), POLICY, Interval(resamples=100))


def whole(**how):
    made = samples()
    return a_log(made, planned=[s.id for s in made], **how)


def usage(log):
    for one in log.samples:
        one.model_usage = {"respondent/oracle": {"input_tokens": 1}}


def future(log):
    for one in log.samples:
        one.completed_at = "2099-01-01T00:00:00+00:00"


def no_metadata(log):
    log.metadata = log.eval.metadata = None


def more_samples(log):
    log.samples += [a_sample(f"j{n}") for n in range(6)]


def half_without_ids(log):
    log.eval.dataset.samples, log.eval.dataset.sample_ids = 24, None


def empty_and_correct(log):
    for one in log.samples[::2]:
        one.scores = {"knowno_scorer": a_score(outcome="empty")}


@pytest.mark.parametrize(
    "change", [usage, future, no_metadata, more_samples, half_without_ids, empty_and_correct]
)
def test_logs_that_contradict_themselves_or_lack_samples_are_inconclusive(tmp_path, change):
    good = whole(model="lab/other")
    changed = whole()
    change(changed)
    write_eval_log(changed, str(tmp_path / "changed.eval"))
    write_eval_log(good, str(tmp_path / "good.eval"))
    assert outcome(str(tmp_path / "good.eval")).exit_code == 0
    assert outcome(str(tmp_path)).exit_code == 3


def test_summaries_that_differ_from_samples_are_a_contradiction(tmp_path):
    import zipfile

    path, other = tmp_path / "a.eval", tmp_path / "b.eval"
    write_eval_log(whole(), str(path))
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("samples/"):
                text = text.replace(b'"correct":1.0', b'"correct":0.0')
                text = text.replace(b'"correct": 1.0', b'"correct": 0.0')
            new.writestr(name, text)
    assert outcome(str(path)).exit_code == 0
    assert outcome(str(other)).exit_code == 3


def test_edited_scores_and_chosen_parts_are_named_with_the_verdict(tmp_path):
    path = str(tmp_path / "a.eval")
    write_eval_log(whole(args={"tier": "core"}), path)
    log = read_eval_log(path)
    who = ProvenanceData(author="me", reason="a slip")
    first = log.samples[0]
    edit = ScoreEdit(explanation="looked at", provenance=who)
    edit_score(log, first.id, "knowno_scorer", edit, recompute_metrics=False)
    write_eval_log(log, path)
    result = outcome(path)
    assert result.exit_code == 0
    told = terminal_text(gate_document(result), 120)
    for text in (" ".join(result.notes), told):
        assert "me: a slip" in text
        assert "tier=core" in text
