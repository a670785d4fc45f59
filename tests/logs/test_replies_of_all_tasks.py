"""Replies in a file score as they did in an eval, whichever way their records are written."""

import csv
import json
import re

import pytest
from inspect_ai.log import read_eval_log
from pandas.testing import assert_frame_equal

from askew import papers as all_papers
from askew.analysis import read_observations, summarize
from askew.logs.replay import score_replies
from askew.logs.replies import read_replies, template
from askew.report.study import Study
from askew.sources.loading import bundled_file
from askew.sources.records import RecordsError
from tests.cases import cases, cases_of

# Small evals that ask in every condition there is.
EVERYTHING = cases_of(__file__, "EVERYTHING")
# What tells where an observation is from.
SOURCE = ["model", "model_name", "run", "log"]


def of_knowno(sample):
    m = sample.metadata
    return {**{n: m[n] for n in ("kind", "hint", "order", "gold")}, "options": sample.choices}


def of_instruction_boundary(sample):
    m = sample.metadata
    told = {n: m[n] for n in ("setting", "variant", "source") if n in m}
    if m["family"] == "judging":
        return {**told, "label": m["truth"]}
    shown = m["shown"].split(",")
    right = [] if m["truth"] == "none" else m["truth"].split(",")
    told |= {"options": sample.choices, "shown": [int(n) for n in shown]}
    told["gold"] = [shown.index(n) for n in right]
    suggested = m["suggestion"]
    return told | ({"suggestion": shown.index(suggested)} if suggested in shown else {})


def of_mathcomp(sample):
    names = ("style", "term", "position", "output", "identity", "gold", "quantity")
    names += ("number_format", "judge_question")
    return {n: sample.metadata[n] for n in names}


def of_format_bias(sample):
    m = sample.metadata
    told = {n: m[n] for n in ("prompting", "format", "demos", "repeat")}
    if "accepted" in m:
        told["optional" if m["kind"] == "keyphrases" else "aliases"] = json.loads(m["accepted"])
    return told | {"task": m["subset"], "target": sample.target, "choices": sample.choices or []}


def of_binary_qa(sample):
    return {**{n: sample.metadata[n] for n in ("kind", "form")}, "answer": sample.metadata["truth"]}


def reply_of(sample):
    """What a record says of a reply."""
    turns = [m.text for m in sample.messages if m.role == "assistant"]
    return {
        "completion": sample.output.completion,
        "stop_reason": sample.output.stop_reason,
        "epoch": sample.epoch,
        **({"earlier": turns[:-1]} if turns[1:] else {}),
    }


def named(sample):
    return {"sample_id": sample.id, **reply_of(sample)}


def asked(sample):
    """A record with all fields."""
    m = sample.metadata
    of_task = globals()[f"of_{m['task']}"](sample)
    return {
        **{n: m[n] for n in ("item", "subset", "cluster", "tier") if n in m},
        **of_task,
        **reply_of(sample),
    }


def as_jsonl(records, path):
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def as_csv(records, path):
    path = path.with_suffix(".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(n for r in records for n in r)))
        table.writeheader()
        for record in records:
            cells = {n: v if isinstance(v, str | int) else json.dumps(v) for n, v in record.items()}
            table.writerow(cells)
    return path


def found(logs):
    """Observations and summary, but for where they are from."""
    observations = Study.read([str(log) for log in logs], quiet=True).rows
    observations = observations.sort_values(["sample_id", "epoch"], ignore_index=True)
    summary = summarize(observations, interval=None).drop(columns="model")
    # Columns stand in the order in which the log's first samples had them.
    return observations.drop(columns=SOURCE).sort_index(axis=1), summary.reset_index(drop=True)


def records_with_names(tmp_path):
    """Format bias's own questions, a file of them, named as its replies name items."""
    path = tmp_path / "questions.jsonl"
    records = []
    for kind, subset in {
        "mcq": "mmlu", "bbh": "bbh", "arithmetic": "gsm8k", "reading": "fairytaleqa",
        "multihop": "hotpotqa", "ranking": "scidocsrr", "keyphrases": "semeval2017",
        "extraction": "scirex_easy",
    }.items():  # fmt: skip
        text = bundled_file("askew.papers.format_bias", f"{kind}.jsonl").read_text(encoding="utf-8")
        record = json.loads(text.splitlines()[0])
        records.append({**record, "id": f"{subset}-1", "subset": subset})
    return str(as_jsonl(records, path))


@pytest.mark.parametrize("task", all_papers.task_papers())
def test_replies_score_as_in_an_eval(run, tmp_path, task):
    parameters = {"data": "bundled", **EVERYTHING[task]}
    if task == "format_bias":
        parameters = {**parameters, "data": records_with_names(tmp_path)}
    paper = all_papers.get_paper(task)
    made = paper.make(**parameters)
    log = run(made, "respondent/typical", epochs=2 if task == "binary_qa" else 1)
    samples = read_eval_log(log.location, resolve_attachments=True).samples
    observations, summary = found([log.location])
    for factor in (f for f in paper.factors if f.default):
        assert set(factor.default) <= set(observations[factor.name].astype(str))
    assert len(observations) >= 30
    for write, record, options in ((as_jsonl, named, parameters), (as_csv, asked, {})):
        file = write([record(s) for s in samples], tmp_path / "replies")
        logs = score_replies(file, task, tmp_path / "scored", model_name="lab/one", **options)
        scored, summed = found(logs)
        assert_frame_equal(scored, observations)
        assert_frame_equal(summed, summary)
    # What JSON says with types is taken like a table's texts.
    typed = as_jsonl([asked(s) for s in samples], tmp_path / "replies")
    assert samples_in(typed, task) == samples_in(file, task)
    # So are records that name the cluster as earlier versions did.
    earlier = [{("unit" if n == "cluster" else n): v for n, v in asked(s).items()} for s in samples]
    assert samples_in(as_jsonl(earlier, tmp_path / "r"), task) == samples_in(file, task)


def samples_in(file, task):
    return [
        (p.sample.id, p.epoch, p.sample.choices, p.sample.target, p.sample.metadata)
        for p in read_replies(file, all_papers.get_paper(task), {}, "lab/one", "bundled")
    ]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("task", "as_csv"), [(task, n % 2 == 0) for n, task in enumerate(all_papers.task_papers())]
)
def test_the_template_of_replies_has_records_that_can_be_scored(tmp_path, task, as_csv):
    paper = all_papers.get_paper(task)
    path = tmp_path / f"replies.{'csv' if as_csv else 'jsonl'}"
    path.write_text(template(paper, as_csv), encoding="utf-8")
    logs = score_replies(path, task, tmp_path / "logs")
    observations = Study.read(logs, quiet=True).rows
    assert len(observations) == len(template(paper).splitlines())
    # All but the first, which names a sample, were written to be read.
    assert set(read_observations(logs[1], quiet=True)["outcome"]) == {"ok"}


def knowno(tmp_path, *records, logs="logs", **options):
    return score_replies(as_jsonl(records, tmp_path / "r"), "knowno", tmp_path / logs, **options)


NAMED = {"sample_id": "st01-q1/with_gold/0", "completion": "A", "model": "lab/one"}
ASKED = cases_of(__file__, "ASKED")


def test_all_problems_of_replies_are_reported_in_one_message(tmp_path):
    of = {"named": NAMED, "asked": ASKED, "bare": {"model": "lab/one", "completion": "B"}}
    problems = cases_of(__file__, "PROBLEMS")
    path = as_jsonl([of[base] | change for base, change, _ in problems], tmp_path / "bad")
    path.write_text(path.read_text() + "no JSON\n")
    with pytest.raises(RecordsError) as caught:
        score_replies(path, "knowno", tmp_path / "logs")
    told = [str(problem) for problem in caught.value.problems]
    for line, words in enumerate([*(words for *_, words in problems), "not valid JSON"], 1):
        of_line = [t for t in told if t.startswith((f"line {line},", f"line {line}:"))]
        assert any(re.search(words, t) for t in of_line) if words else not of_line, (line, of_line)
    assert not (tmp_path / "logs").exists()


@cases("task", "record", "said")
def test_a_record_that_can_not_be_read_is_refused(tmp_path, task, record, said):
    good = {
        "mathcomp": {"style": "neutral", "term": "none", "position": "end", "gold": "more"},
        "binary_qa": {"form": "original", "answer": "yes"},
        "instruction_boundary": {"setting": "vanilla", "label": "True"},
    }[task]
    good |= {"model": "m", "item": "a", "completion": "x"}
    path = as_jsonl([good, {**good, "item": "b", **record}], tmp_path / "r")
    with pytest.raises(RecordsError, match="line 2") as caught:
        score_replies(path, task, tmp_path / "logs")
    assert said in str(caught.value)
    assert len(caught.value.problems) == 1


@pytest.mark.whole
def test_the_log_has_the_tasks_prompts_and_earlier_replies(tmp_path):
    (name,) = (
        s.id
        for s in all_papers.get_paper("instruction_boundary").make(items=1).dataset
        if "/multi_turn" in s.id
    )
    record = {"sample_id": name, "completion": "Unknown", "earlier": ["It is false."], "model": "m"}
    path, options = tmp_path / "r", {"log_dir": tmp_path / "logs", "items": 1}
    (log,) = score_replies(as_jsonl([record], path), "instruction_boundary", **options)
    (sample,) = read_eval_log(str(log)).samples
    roles = [m.role for m in sample.messages]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert sample.messages[1].text == "It is false."
    assert sample.scores["instruction_boundary_scorer"].answer == "unknown"
    twice = {**record, "earlier": ["True", "False"]}
    with pytest.raises(RecordsError, match="replies before the last: 2, where the sample has 1"):
        score_replies(as_jsonl([twice], path), "instruction_boundary", **options)


def test_a_grader_works_as_in_an_eval_and_needs_its_role(run, tmp_path):
    parameters = {"output": "cot", "items": 1, "parser": "grader"}
    roles = {"grader": "respondent/typical"}
    log = run(all_papers.get_paper("mathcomp").make(**parameters), model_roles=roles)
    samples = read_eval_log(log.location).samples
    for record, options in ((named, parameters), (asked, {"parser": "grader"})):
        file = as_jsonl([record(s) for s in samples], tmp_path / "r")
        with pytest.raises(ValueError, match="parser=grader needs --model-role grader"):
            score_replies(file, "mathcomp", tmp_path / "no", model_name="m", **options)
        where = {"log_dir": tmp_path / "scored", "model_name": "m"}
        scored = score_replies(file, "mathcomp", **where, model_roles=roles, **options)
        assert set(read_observations(scored, quiet=True)["decided_by"]) == {"grader"}
        assert_frame_equal(found(scored)[0], found([log.location])[0])
