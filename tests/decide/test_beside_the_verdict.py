"""What a folder of logs holds beside its numbers is named by the gate, or leaves it open."""

from inspect_ai.log import write_eval_log

from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.logs.made_logs import a_log, a_sample

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
