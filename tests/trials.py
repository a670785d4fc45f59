"""Trials of askew with damaged logs, files and settings; `python -m tests.trials` writes the page.

Each trial returns what was seen, in a few words.
"""

import tempfile
from contextlib import redirect_stderr
from importlib.metadata import EntryPoint
from io import StringIO
from pathlib import Path
from unittest import mock

import pandas as pd
from click.testing import CliRunner
from inspect_ai.log import ProvenanceData, edit_score
from inspect_ai.scorer import ScoreEdit
from pydantic import ValidationError

from askew import write_report
from askew.cli import main
from askew.decide.gate import gate
from askew.decide.policy import Policy
from askew.decide.simulation import simulation
from askew.parameters import load_or_tell
from askew.report.exchange import read_exchange
from askew.report.study import Study
from askew.sources.pinned import Source, fetch
from askew.stats.tables import Interval
from askew.treatments.messages import named_texts
from askew.untrusted import make_whole, masked
from tests.bend import test_author_revision as author
from tests.logs.made_logs import a_log, a_sample, a_score, written

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "robustness.md"
RULE = {"metric": "no_hint", "task": "knowno", "subset": "mctest", "bound": "value",
        "min": 0.5, "min_items": 1}  # fmt: skip


def policy(**given):
    return Policy.model_validate({"version": 1, "allow_simulated": True, "rules": [RULE]} | given)


def log(correct=1.0, items=6, **how):
    samples = [a_sample(f"i{n}", "no_hint", score=a_score(correct)) for n in range(items)]
    return a_log(samples, **{"planned": [s.id for s in samples], **how})


def gated(*logs):
    """The gate's word for logs, and the note or reason beside it."""
    outcome = gate(Study.read([*logs], quiet=True), policy(), Interval(resamples=50))
    reasons = [c.metric or c.rule.metric for c in outcome.checks if c.status != "pass"]
    kinds = [note.partition(":")[0] for note in outcome.notes]
    word = outcome.verdict.partition(":")[0].lower()
    return "; ".join([word, *dict.fromkeys(reasons + kinds)])


def changed(change, **how):
    """The gate on a good log and one that was changed."""
    other = log(model="lab/b", **how)
    change(other)
    return gated(log(), other)


def refused(work, *given):
    try:
        work(*given)
    except ValidationError as error:
        return f"refused: {error.errors()[0]['msg'].removeprefix('Value error, '):.90}"
    except Exception as error:
        return f"refused: {str(error).splitlines()[-1].strip():.90}"
    return "accepted"


def command(*words, **files):
    """The exit code of a command, and what it prints last."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name.replace("_", ".")).write_text(text, encoding="utf-8")
        done = CliRunner().invoke(main, [w.replace("{}", folder) for w in words])
    last = done.output.replace(f"{folder}/", "").strip().splitlines()[-1:]
    return f"exit code {done.exit_code}: {''.join(last):.110}"


def same_item():
    twins = log(model="lab/b")
    for one in twins.samples:
        one.metadata["item"] = one.metadata["cluster"] = "i1"
    with tempfile.TemporaryDirectory() as folder:
        study = Study.read([log(), twins], quiet=True)
        write_report(study, Path(folder, "r.json"), interval=Interval(resamples=50))
    return f"reported: {len(study.rows)} replies"


def two_runs(**of):
    """How many models two logs are whose settings differ."""
    return f"{log_models(log(model_args={}), log(0.0, **of))} runs"


def log_models(*logs):
    return len(Study.read([*logs], quiet=True).models)


def no_metadata(one):
    one.metadata = one.eval.metadata = None


def usage(one):
    for sample in one.samples:
        sample.model_usage = {"respondent/oracle": {"input_tokens": 1}}


def more_samples(one):
    one.samples += [a_sample(f"j{n}", "no_hint") for n in range(6)]


def future(one):
    for sample in one.samples:
        sample.completed_at = "2099-01-01T00:00:00+00:00"


def empty_and_correct(one):
    for sample in one.samples:
        sample.scores = {"knowno_scorer": a_score(outcome="empty")}


def no_ids(one):
    one.eval.dataset.samples, one.eval.dataset.sample_ids = 24, None


def detail():
    good = simulation("format_bias", items=20, category="list").observations("typical", 1)
    good = good.assign(model="x/good", model_name="x/good", log="good.eval")
    odd = {"model": "x/bad", "model_name": "x/bad", "log": "bad.eval", "map_as_published": -3.0}
    both = Study(pd.concat([good, good.assign(**odd)], ignore_index=True))
    rules = [
        {
            **RULE,
            "task": "format_bias",
            "metric": "map_as_published",
            "subset": "scidocsrr",
            "min": 0.001,
        }
    ]
    outcome = gate(both, policy(rules=rules), Interval(resamples=50))
    reasons = [c.why for c in outcome.checks if c.status != "pass"]
    return "; ".join([outcome.verdict.partition(":")[0].lower(), *reasons])[:110]


def edited():
    with tempfile.TemporaryDirectory() as folder:
        one = log()
        edit = ScoreEdit(explanation="read", provenance=ProvenanceData(author="me", reason="slip"))
        edit_score(one, one.samples[0].id, "knowno_scorer", edit, recompute_metrics=False)
        return gated(str(written(one, folder)))


def rule(**given):
    return refused(lambda: policy(rules=[{**RULE, **given}]))


def mirror():
    bare = Source("boats/t.csv", "https://a.example/t.csv", "t@v1", "CC0")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.csv").write_bytes(b"other")
        with mock.patch.dict("os.environ", ASKEW_MIRROR=folder, ASKEW_CACHE=folder):
            return refused(fetch, bare)


def plugin():
    with redirect_stderr(StringIO()) as told:
        load_or_tell(EntryPoint("ours", "nowhere_at_all:PAPER", "askew.papers"), object)
    return told.getvalue().strip()[:90]


def framing(name, text):
    error = f"framing='{name}': "
    with (
        mock.patch("askew.treatments.messages.given_path") as path,
        tempfile.TemporaryDirectory() as f,
    ):
        Path(f, name).write_text(text, encoding="utf-8")
        path.return_value = Path(f, name)
        return refused(named_texts, "framing", name).replace(error, "")


def exchange():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a_samples.jsonl").write_text('{"metadata": 3}\n', encoding="utf-8")
        return refused(read_exchange, folder).replace(f"{folder}/", "")


def closed_output():
    def gone(*_, **__):
        raise BrokenPipeError(32, "Broken pipe")

    with tempfile.TemporaryDirectory() as folder, mock.patch("os.dup2"):
        written(log(), folder)
        rules = Path(folder, "p.yaml")
        rules.write_text(policy().model_dump_json(), encoding="utf-8")
        with mock.patch("click.echo", gone):
            given = ["gate", folder, "--policy", str(rules), "--junit", f"{folder}/j.xml"]
            code = CliRunner().invoke(main, given).exit_code
        return f"exit code {code}; JUnit {'written' if Path(folder, 'j.xml').exists() else 'lost'}"


def action(brings_logs=False):
    from tests import test_action

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if brings_logs:
            (folder / "askew-audit" / "logs").mkdir(parents=True)
        ends = 'rules: [{name: "a\n````\n# b", task: knowno, metric: gap, max: 0.2}]'
        with mock.patch.object(test_action, "RULES", ends):
            job = test_action.audit(folder, programs=test_action.stand_ins(folder, "gate", 0))
        if brings_logs:
            return f"conclusion: {job.outputs['conclusion']}"
        block = job.summary.partition("The policy</summary>")[2].partition("</details>")[0]
        inside = all(line.startswith("    ") for line in block.splitlines() if line)
        return "the policy stays code" if inside else "markup in the summary"


AUDIT = "version: 1\nmodels: [%s]\nlog_dir: %s\ntasks: [{task: knowno}]\n"
LEAK = "Incorrect API key provided: Bearer sk-abcdefghijklmnop"
TRIALS = [
    ("F1", "samples of one item under one condition, with a good log", same_item),
    ("F2", "half a surrogate pair in a reply", lambda: repr(make_whole(["a\ud83d"]))),
    ("F3", "the author's system prompt changes between two runs",
     lambda: f"{len(author.labels(lambda _: None, author.other_prompt))} runs"),
    ("F4", "a pull request brings logs", lambda: action(brings_logs=True)),
    ("F5", "a detail of format bias is below 0",
     detail),
    ("F6", "the reader of the gate's output has gone", closed_output),
    ("F7", "runs differ in `private_deployment`",
     lambda: two_runs(model_args={"private_deployment": "x"})),
    ("F8", "a log without its metadata", lambda: changed(no_metadata)),
    ("F9", "a score edited with Inspect", edited),
    ("F9", "usage of a simulated model under another name", lambda: changed(usage)),
    ("F9", "samples that the run did not plan", lambda: changed(more_samples)),
    ("F9", "samples that end in 2099", lambda: changed(future)),
    ("F9", "correct and empty at once", lambda: changed(empty_and_correct)),
    ("F10", "a log without ids, half of its samples there", lambda: changed(no_ids)),
    ("F11", "`min: no`", lambda: rule(min=False)),
    ("F11", "`max_left_out: yes`", lambda: refused(lambda: policy(max_left_out=True))),
    ("F11", "`min: 0.7` of MBS", lambda: rule(task="binary_qa", metric="mbs_core", min=0.7)),
    ("F11", "`min: 0` of a rate", lambda: rule(min=0)),
    ("F12", "only `tier=core` was run", lambda: gated(log(args={"tier": "core"}))),
    ("F12", "only chosen samples were run", lambda: gated(log(limits={"sample_id": ["i1"]}))),
    ("F13", "an error repeats the key", lambda: masked(LEAK)),
    ("F13", "`base_url` of an audit has a password", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % (
            "{model: openai/m, base_url: 'http://me:hunter22@a.example'}", "logs"))),
    ("F14", "a mirror's copy of a file without a digest", mirror),
    ("F15", "a plug-in that does not import", plugin),
    ("F17", "`framing=prompt.txt`, a file", lambda: framing("prompt.txt", "Be good.")),
    ("F18", "a framing named twice (YAML)", lambda: framing("f.yaml", "a: x\na: y\n")),
    ("F18", "a framing named twice (JSON)", lambda: framing("f.json", '{"a": "x", "a": "y"}')),
    ("F18", "60 KB of dots (TOML)", lambda: framing("f.toml", "a" + ".a" * 30_000 + " = 1")),
    ("F20", "a log named with U+202E", lambda: command(
        "export", "{}/x\u202e.eval", "--format", "every-eval-ever", "-o", "{}/e",
        **{"x\u202e_eval": "junk"})),
    ("F21", "`bend show` of a file that does not import",
     lambda: command("bend", "show", "{}/bad.py", bad_py="import nowhere_at_all\n")),
    ("F22", "`audit --dry-run`, unknown simulated model", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % ("respondent/nobody", "logs"))),
    ("F22", "`audit --dry-run`, `log_dir` is a file", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % ("respondent/oracle", "a.yaml"))),
    ("F23", "an exchange file with a field of another kind", exchange),
    ("F25", "a rule's name over several lines, in the action's summary", action),
]  # fmt: skip

HEAD = """# Robustness

These trials repeat the findings of a review that tried to break askew. `python -m tests.trials`
writes this page, and a test compares it with what the trials give.

| finding | trial | outcome |
|---|---|---|
"""
TAIL = """
Not repeated here:

- F16, a reply of endless `<think>`: Inspect needs quadratic time. Set `--max-tokens`.
- F19, an item name of more than 200 characters.
- F24, `inspect score` without `--scorer`: the tests of tasks by path do it.
- F26, replies of 2 MB.

## See also

[Validation](validation.md) · [Security](../../SECURITY.md)
"""


def outcomes():
    return [(finding, what, work()) for finding, what, work in TRIALS]


def page(rows):
    lines = (f"| {finding} | {what} | `{seen.strip()}` |\n" for finding, what, seen in rows)
    return HEAD + "".join(lines) + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(outcomes()), encoding="utf-8")
