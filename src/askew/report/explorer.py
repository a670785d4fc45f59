"""All replies behind a report's numbers, packed so that the page unpacks what is looked at.

The page lists observations, and holds the prompts and replies of some: `chosen` says which. A hash
decides between equals, so that the same observations give the same page, however logs were read.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.logs.read import Asking, read_replies
from askew.papers import get_paper
from askew.report.blocks import Explorer
from askew.report.estimates import Model
from askew.report.study import Study, levels_of
from askew.schema import OUTCOMES, Paper
from askew.untrusted import LABEL, digest, one_line

MOST_ROWS = 100_000
MOST_TEXTS = 2_400
# Of packed characters in the page: together they are less than 3 MB.
_ROOM_ROWS = 1_200_000
_ROOM_TEXTS = 1_600_000
_A_CHUNK = 60
_WHOLE = re.compile(r"-?[0-9]+\.0")
_WRONG, _RIGHT, _PARTLY, _UNSCORED = range(4)
_ASKING = ["task", "model", "run", "sample_id", "epoch"]
_RULED = ["stratum", "flip", "verdict", "draw"]
_QUESTION = ["task", "model", "subset", "item", "epoch", "run"]


# By task what is declared of it, and its observations.
Asked = Mapping[str, tuple[Paper, pd.DataFrame]]


def collect_replies(
    study: Study, summary: pd.DataFrame, others: pd.DataFrame | None = None, *, texts: bool = True
) -> Explorer:
    """The replies behind a report, for its page; with prompts and replies where logs are opened.

    `others` are scores of tasks of other authors: a row a sample, epoch and measure.
    """
    asked = {task: (get_paper(task), part) for task, part in study.by_task.items()}
    models = [*study.models]
    if others is not None:
        asked |= _others(others, int(study.rows.index.max() + 1) if len(study.rows) else 0)
        known = {model.label for model in models}
        models += [Model(m, one_line(m)) for m in others["model"].unique() if m not in known]
    rows = _selection_keys(asked)
    listed = _fewer(rows, MOST_ROWS)
    wanted = _with_texts(listed) if texts else listed[:0].assign(texts=None)
    while True:
        records = wanted["texts"].tolist()
        chunks = [_pack(records[at : at + _A_CHUNK]) for at in range(0, len(records), _A_CHUNK)]
        if (size := sum(map(len, chunks))) > _ROOM_TEXTS:
            wanted = _fewer(wanted, int(len(wanted) * 0.95 * _ROOM_TEXTS / size))
            continue
        packed = _pack(_index(asked, models, listed, summary, wanted.index))
        if len(packed) <= _ROOM_ROWS or not len(listed):
            return Explorer(len(rows), len(listed), len(wanted), packed, chunks)
        # Few page through so many: a list that takes too much room is shortened, by a tenth at
        # least, and texts of what is not in it go.
        listed = _fewer(listed, int(len(listed) * 0.9 * _ROOM_ROWS / len(packed)))
        wanted = wanted[wanted.index.isin(listed.index)]


def _others(scores: pd.DataFrame, first: int) -> Asked:
    """Scores of other tasks as observations with an index from `first` on, by measure."""
    rows = scores.assign(
        item=scores["sample_id"], run="", outcome="ok", subset=scores["measure"]
    ).set_axis(range(first, first + len(scores)))
    found = {}
    for task, part in rows.groupby("task", sort=False):
        told = Paper(
            task=str(task), home="", title=one_line(task), reference="", subsets=(), factors=(),
            subset_names={m: one_line(m) for m in part["measure"].unique()},
            measures={"value": "the task's own scorers"}, headlines=(),
        )  # fmt: skip
        found[f"others/{task}"] = told, part
    return found


def _selection_keys(asked: Asked) -> pd.DataFrame:
    """What the rule goes by: of each observation its stratum, its verdict, and a hash."""
    parts: list[pd.DataFrame] = []
    for paper, part in asked.values():
        score = part[paper.split_of].astype("float64")
        ways = [name for f in paper.factors if (name := f.name) in part]
        strata = part.groupby(["model", *ways], sort=False, dropna=False).ngroup()
        verdict = np.select([score == 1, score == 0, score.notna()], [_RIGHT, _WRONG, _PARTLY], 3)
        parts.append(part.reindex(columns=[*_QUESTION, "sample_id", "log"]).assign(
            epoch=part.get("epoch", 1),
            verdict=verdict,
            score=score,
            stratum=strata + sum(keys["stratum"].max() + 1 for keys in parts[-1:]),
        ))  # fmt: skip
    if not parts:
        return pd.DataFrame(columns=[*_QUESTION, "sample_id", "log", *_RULED, "score"])
    keys = pd.concat(parts)
    keys["draw"] = pd.util.hash_pandas_object(keys[_ASKING].astype(str), index=False)
    of_question = [keys[name] for name in _QUESTION]
    keys["flip"] = keys["verdict"].isin([_RIGHT, _WRONG])
    for kind in (_RIGHT, _WRONG):
        given = (keys["verdict"] == kind).groupby(of_question, sort=False, dropna=False)
        keys["flip"] &= given.transform("any")
    return keys


def chosen(keys: pd.DataFrame, most: int) -> npt.NDArray[np.bool_]:
    """Which observations are kept, so many at most, by the rule that the page states.

    Half the places go to questions that flip, each wrong answer with a right one to the same
    question; the others take turns over task, model and condition.
    """
    drawn = keys.assign(place=np.arange(len(keys))).sort_values("draw", kind="stable")
    wrong, right = (drawn[drawn["flip"] & (drawn["verdict"] == v)] for v in (_WRONG, _RIGHT))
    other = right.drop_duplicates(_QUESTION)[[*_QUESTION, "place"]]
    wrong = wrong.iloc[_turns(wrong)].merge(other, on=_QUESTION, how="left", suffixes=("", "_of"))
    # Of a shortened list some right answers are gone.
    pairs = wrong[["place", "place_of"]].to_numpy(float).ravel()
    flips = pd.unique(pairs[~np.isnan(pairs)])[: most // 2]
    rest = drawn["place"].to_numpy()[_turns(drawn)]
    rest = rest[~np.isin(rest, flips)][: max(0, most - len(flips))]
    kept = np.zeros(len(keys), dtype=bool)
    kept[np.concatenate([flips, rest]).astype(int)] = True
    return kept


def _turns(drawn: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Places of drawn observations in an order in which strata take turns."""
    turn = drawn.groupby("stratum", sort=False).cumcount().to_numpy()
    return np.argsort(turn, kind="stable")


def _fewer(keys: pd.DataFrame, most: int) -> pd.DataFrame:
    """So many of the observations, by the rule; all where there are no more."""
    return keys if len(keys) <= most else keys[chosen(keys, most)]


def _with_texts(listed: pd.DataFrame) -> pd.DataFrame:
    """Observations of which the page may hold the texts, and these, where a log has them."""
    # Neighbours share prompts, and what is shared takes no room.
    order = ["task", "subset", "item", "sample_id", "model", "epoch"]
    wanted = _fewer(listed, MOST_TEXTS).sort_values(order)
    found: dict[tuple[str, Asking], tuple[str, ...]] = {}
    requests: list[tuple[str, Asking]] = [
        (log if isinstance(log, str) else "", (str(sample), int(epoch)))
        for log, sample, epoch in wanted[["log", "sample_id", "epoch"]].itertuples(index=False)
    ]
    for log in dict.fromkeys(log for log, _ in requests):
        for asking, reply in read_replies(log, [a for where, a in requests if where == log]):
            if not reply.unread:
                found[log, asking] = (reply.prompt, reply.reply, reply.why, reply.expected)
    there = pd.Series([found.get(key) for key in requests], wanted.index, dtype=object)
    return wanted.assign(texts=there)[there.notna()]


def _index(
    asked: Asked, models: Sequence[Model], listed: pd.DataFrame, summary: pd.DataFrame,
    kept: "pd.Index[Any]",
) -> dict[str, Any]:  # fmt: skip
    """The list of observations as the page's script takes it: by task, a column a list."""
    place = pd.Series(np.arange(len(kept)), index=kept)
    numbers = {model.label: n for n, model in enumerate(models)}
    tasks = []
    for task, (paper, part) in asked.items():
        own = listed.loc[part.index.intersection(listed.index)]
        rows, factors = part.loc[own.index], {f.name: f for f in paper.factors}
        conditions = []
        for name in dict.fromkeys(["subset", *factors, *levels_of(summary)]):
            if name in rows:
                coded = _encode_column(rows[name], key_of)
                names: Any = paper.subset_names.get if name == "subset" else str
                label = factors[name].label if name in factors else names
                shown = [one_line(label(value) or value) for value in coded["values"]]
                title = name if paper.subsets else "measure"
                conditions.append({"name": name, "title": title, "labels": shown, **coded})
        tasks.append({
            "task": task,
            "title": paper.name,
            "measure": paper.measures.get(paper.split_of, paper.split_of),
            "conditions": conditions,
            "model": [numbers[label] for label in rows["model"]],
            "item": _encode_column(rows["item"], one_line),
            "sample": _encode_column(own["sample_id"], key_of),
            "epoch": _encode_column(own["epoch"].astype(str)),
            "run": _encode_column(own["run"]),
            "answer": _encode_column(rows["answer"], one_line),
            "outcome": _encode_column(rows["outcome"], one_line),
            "verdict": own["verdict"].tolist(),
            "score": _encode_column(own["score"].map("{:.3g}".format)),
            "flip": own["flip"].astype(int).tolist(),
            "text": place.reindex(own.index).fillna(-1).astype(int).tolist(),
            "log": _encode_column(own["log"], lambda log: one_line(PureWindowsPath(log).name)),
        })  # fmt: skip
    named = [[key_of(m.label), m.label_shown, m.short, m.marked] for m in models]
    return {"models": named, "outcomes": OUTCOMES, "chunk": _A_CHUNK, "tasks": tasks}


def _encode_column(values: "pd.Series[Any]", shown: Callable[[str], str] = str) -> dict[str, Any]:
    """A column as its different values, as they are shown, and which of them each row has."""
    codes, different = pd.factorize(values.astype("string").fillna(""))
    return {"values": [shown(str(v)) for v in different], "codes": codes.tolist()}


def key_of(value: str) -> str:
    """A value by which replies are chosen: as it is, and where it is endless, short and its own.

    A whole number that a table holds among fractions or gaps is whole here.
    """
    if len(value) <= LABEL:
        return value.removesuffix(".0") if _WHOLE.fullmatch(value) else value
    return f"{value[:LABEL]}-{digest(value, 16)}"


def _pack(content: object) -> str:
    """JSON as letters and digits: nothing in it can end the element that holds it."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")
