"""A small log of each task, made without asking anybody, and the same with something changed."""

from functools import cache

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score

from askew.papers import find_paper
from askew.report.study import Study
from tests.logs.made_logs import a_log

_MOST = 6


def samples_of(task):
    """Some samples as the task makes them, each with every measure and what its score tells."""
    return [sample.model_copy(deep=True) for sample in _samples_of(task)]


@cache
def _samples_of(task):
    return tuple(_made(task))


def _made(task):
    paper = find_paper(task)
    if paper.told_by_score:
        for n, arm in enumerate(("plain", "repeat", "absent") * 2):
            item = f"i{n // 3}"
            told = {"item": item, "cluster": item, "subset": "quiz", "arm": arm, "treatment": arm}
            yield _sample(paper, f"{item}/{arm}", {}, {**told, "outcome": "ok"}, n)
        return
    made = paper.make(items=1)
    for n, sample in enumerate([*made.dataset][:_MOST]):
        yield _sample(paper, str(sample.id), sample.metadata, {"outcome": "ok"}, n)


def _sample(paper, name, metadata, told, n):
    value = {m: float((n + i) % 3 > 0) for i, m in enumerate(paper.measures)}
    if paper.told_by_score:
        value = {paper.split_of: value[paper.split_of]}
    score = Score(value=value, metadata=told)
    scores = {f"{paper.task}_scorer": score}
    return EvalSample(
        id=name, epoch=1, input="x", target="x", metadata=dict(metadata), scores=scores
    )


def log_of(task, model="lab/good", change=lambda metadata, score: None):
    """A log of a task; what its samples say of themselves and their score can be changed."""
    samples = samples_of(task)
    for sample in samples:
        score = sample.scores[f"{task}_scorer"]
        change(score.metadata if find_paper(task).told_by_score else sample.metadata, score)
    return a_log(samples, task=f"askew/{task}", paper=task, model=model, steps=())


def numbers(task, *logs, model="lab/good"):
    """A model's numbers, of logs that are read together."""
    observations = Study.read(list(logs), quiet=True)
    own = observations.rows[observations.rows["task"] == task]
    table = find_paper(task).table(own, interval=None, **find_paper(task).pooled)
    return table[table["model"] == model].reset_index(drop=True)
