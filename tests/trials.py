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
from askew.untrusted import make_whole, mask_secrets
from tests.bend import test_author_revision as author
from tests.cases import cases_of
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
    return f"{len(Study.read([log(model_args={}), log(0.0, **of)], quiet=True).models)} runs"


def no_metadata(one):
    one.metadata = one.eval.metadata = None


def more_samples(one):
    one.samples += [a_sample(f"j{n}", "no_hint") for n in range(6)]


def each(name, value):
    """A change of something that all samples have."""
    return lambda one: [setattr(sample, name, value) for sample in one.samples]


def no_ids(one):
    one.eval.dataset.samples, one.eval.dataset.sample_ids = 24, None


def detail():
    good = simulation("format_bias", items=20, category="list").observations("typical", 1)
    good = good.assign(model="x/good", model_name="x/good", log="good.eval")
    odd = {"model": "x/bad", "model_name": "x/bad", "log": "bad.eval", "map_as_published": -3.0}
    both = Study(pd.concat([good, good.assign(**odd)], ignore_index=True))
    of = {"task": "format_bias", "metric": "map_as_published", "subset": "scidocsrr", "min": 0.001}
    outcome = gate(both, policy(rules=[{**RULE, **of}]), Interval(resamples=50))
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
    given_path = mock.patch("askew.treatments.messages.given_path")
    with given_path as path, tempfile.TemporaryDirectory() as folder:
        path.return_value = Path(folder, name)
        path.return_value.write_text(text, encoding="utf-8")
        return refused(named_texts, "framing", name).replace(f"framing='{name}': ", "")


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
    ("two samples of one item and condition", same_item),
    ("half a surrogate pair", lambda: repr(make_whole(["a\ud83d"]))),
    ("the author's system prompt changes",
     lambda: f"{len(author.labels(lambda _: None, author.other_prompt))} runs"),
    ("a pull request brings logs", lambda: action(brings_logs=True)),
    ("a value below 0", detail),
    ("closed output of `gate`", closed_output),
    ("runs differ in `private_deployment`",
     lambda: two_runs(model_args={"private_deployment": "x"})),
    ("a log without metadata", lambda: changed(no_metadata)),
    ("a score edited with Inspect", edited),
    ("a simulated model renamed",
     lambda: changed(each("model_usage", {"respondent/oracle": {"input_tokens": 1}}))),
    ("unplanned samples", lambda: changed(more_samples)),
    ("samples dated 2099", lambda: changed(each("completed_at", "2099-01-01T00:00:00+00:00"))),
    ("a reply both correct and empty",
     lambda: changed(each("scores", {"knowno_scorer": a_score(outcome="empty")}))),
    ("half of the samples, no ids", lambda: changed(no_ids)),
    ("`min: no`", lambda: rule(min=False)),
    ("`max_left_out: yes`", lambda: refused(lambda: policy(max_left_out=True))),
    ("`min: 0.7` of MBS", lambda: rule(task="binary_qa", metric="mbs_core", min=0.7)),
    ("`min: 0` of a rate", lambda: rule(min=0)),
    ("`tier=core` only", lambda: gated(log(args={"tier": "core"}))),
    ("chosen samples only", lambda: gated(log(limits={"sample_id": ["i1"]}))),
    ("an error repeats the key", lambda: mask_secrets(LEAK)),
    ("a password in `base_url`", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % (
            "{model: openai/m, base_url: 'http://me:hunter22@a.example'}", "logs"))),
    ("a mirror's file without digest", mirror),
    ("a broken plug-in", plugin),
    ("`framing=prompt.txt`, a file", lambda: framing("prompt.txt", "Be good.")),
    ("a name twice (YAML)", lambda: framing("f.yaml", "a: x\na: y\n")),
    ("a name twice (JSON)", lambda: framing("f.json", '{"a": "x", "a": "y"}')),
    ("60 KB of dots (TOML)", lambda: framing("f.toml", "a" + ".a" * 30_000 + " = 1")),
    ("a log named with U+202E", lambda: command(
        "export", "{}/x\u202e.eval", "--format", "every-eval-ever", "-o", "{}/e",
        **{"x\u202e_eval": "junk"})),
    ("`bend show` of a broken file",
     lambda: command("bend", "show", "{}/bad.py", bad_py="import nowhere_at_all\n")),
    ("audit: unknown simulated model", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % ("respondent/nobody", "logs"))),
    ("audit: `log_dir` is a file", lambda: command(
        "audit", "{}/a.yaml", "--dry-run", a_yaml=AUDIT % ("respondent/oracle", "a.yaml"))),
    ("a damaged exchange file", exchange),
    ("markup in a rule's name", action),
]  # fmt: skip

HEAD = cases_of(__file__, "HEAD")
TAIL = cases_of(__file__, "TAIL")


def outcomes():
    return [(what, work()) for what, work in TRIALS]


def short(seen):
    """The start of an outcome."""
    words = seen.split()
    return " ".join(words[:7]).rstrip(",:;") + " …" * (len(words) > 7)


def page(rows):
    lines = (f"| {what} | `{short(seen)}` |\n" for what, seen in rows)
    return HEAD + "".join(lines) + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(outcomes()), encoding="utf-8")
