"""Replies in a file score as they did in an eval, whichever way their records are written."""

import csv
import json

import pytest
from inspect_ai.log import read_eval_log
from pandas.testing import assert_frame_equal

from askew import papers as all_papers
from askew.analysis import read_observations, summarize
from askew.logs.replay import score_replies
from askew.sources.loading import bundled
from askew.sources.replies import template

# Small evals that ask in every condition there is.
EVERYTHING = {
    "knowno": {"hint": "all", "items": 3, "orders": 2, "seed": 3},
    "instruction_boundary": {
        "variants": "suggest=all,missing=all,n_wrong=1+3,examples=unknown+true", "items": 6,
    },
    "mathcomp": {"output": "all", "identity": "standard,person,woman", "items": 1, "seed": 4},
    "format_bias": {"format": "all", "demos": "0,1", "prompting": "all", "items": 7},
    "binary_qa": {"items": 6},
}  # fmt: skip
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
    return told | {"task": m["subset"], "target": sample.target, "choices": sample.choices or []}


def of_binary_qa(sample):
    return {**{n: sample.metadata[n] for n in ("kind", "form")}, "answer": sample.metadata["truth"]}


def said(sample):
    """What a record says of a reply."""
    turns = [m.text for m in sample.messages if m.role == "assistant"]
    return {
        "completion": sample.output.completion,
        "stop_reason": sample.output.stop_reason,
        "epoch": sample.epoch,
        **({"earlier": turns[:-1]} if turns[1:] else {}),
    }


def named(sample):
    return {"sample_id": sample.id, **said(sample)}


def asked(sample):
    """A record with all fields."""
    m = sample.metadata
    of_task = globals()[f"of_{m['task']}"](sample)
    return {**{n: m[n] for n in ("item", "subset", "unit")}, **of_task, **said(sample)}


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
    observations = read_observations([str(log) for log in logs], quiet=True)
    observations = observations.sort_values(["sample_id", "epoch"], ignore_index=True)
    summary = summarize(observations).drop(columns="model")
    return observations.drop(columns=SOURCE), summary.reset_index(drop=True)


def records_with_names(tmp_path):
    """Format bias's own questions, a file of them, named as its replies name items."""
    path = tmp_path / "questions.jsonl"
    records = []
    for kind, subset in {
        "mcq": "mmlu", "bbh": "bbh", "arithmetic": "gsm8k", "reading": "fairytaleqa",
        "multihop": "hotpotqa", "ranking": "scidocsrr", "keyphrases": "semeval2017",
        "extraction": "scirex_easy",
    }.items():  # fmt: skip
        text = bundled("askew.papers.format_bias", f"{kind}.jsonl").read_text(encoding="utf-8")
        record = json.loads(text.splitlines()[0])
        records.append({**record, "id": f"{subset}-1", "subset": subset})
    return str(as_jsonl(records, path))


@pytest.mark.parametrize("task", all_papers.OWN)
def test_replies_score_as_in_an_eval(run, tmp_path, task):
    parameters = EVERYTHING[task]
    if task == "format_bias":
        parameters = {**parameters, "data": records_with_names(tmp_path), "items": None}
    paper = all_papers.asked_for(task)
    made = paper.make(**parameters)
    log = run(made, "respondent/typical", epochs=2 if task == "binary_qa" else 1)
    samples = read_eval_log(log.location, resolve_attachments=True).samples
    observations, summary = found([log.location])
    for factor in paper.factors:
        assert set(factor.default) <= set(observations[factor.name].astype(str))
    assert len(observations) >= 30
    for write, record, options in (
        (as_jsonl, named, parameters),
        (as_jsonl, asked, {}),
        (as_csv, asked, {}),
    ):
        file = write([record(s) for s in samples], tmp_path / "replies")
        logs = score_replies(file, task, tmp_path / "scored", model_name="lab/one", **options)
        scored, summed = found(logs)
        assert_frame_equal(scored, observations)
        assert_frame_equal(summed, summary)
