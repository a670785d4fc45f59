"""Items that flip, right asked one way and wrong asked another, with their prompts and replies."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Literal

import numpy as np
import pandas as pd

from askew.logs.read import Asking, Reply, read_replies
from askew.report.blocks import Flip, FlipReply, Flips, fill
from askew.report.estimates import Model
from askew.report.evidence import Entry, Evidence
from askew.schema import round_robin
from askew.untrusted import one_line

# At most so many transcripts are opened and printed, over all models of a task.
MOST = 12
_CONDITION = "flip condition"
_PAIRED_BY = ("subset", "item", "epoch", "order", "run")
_TOLD = ("model", "correct", "answer", "outcome", "log", "sample_id")
Asked = Mapping[Hashable, Mapping[Hashable, Any]]
"""The observations of one item that may flip, by condition."""
Segment = tuple[Literal["same", "del", "ins"], str]
_JUDGED = {1.0: True, 0.0: False}  # a share is neither
_NOWHERE = "the observations do not say where the log is"
_TOKENS = re.compile(r"\s+|[^\s,]+|,")
# Comparing is quadratic in the worst case; prompts are cut before they come here.
_LINES = 400
# Words of a line, and of all lines that are compared by word: a common word that stands between
# others that all differ costs the cube of how often it does.
_WORDS, _ALL_WORDS = 800, 2_000
# Longer shared stretches are shown by their ends.
_SHARED_END = 700


def flip_list(evidence: Evidence, block: Entry) -> Flips | None:
    """The flips that tell most: wrong in most of the other ways, as a chapter's block has them.

    None where these ways were not asked. The first way that is wrong is shown; models take turns.
    """
    by, rows = list(block["by"]), evidence.observations
    if not set(by) <= set(rows):
        return None
    if "correct" in block:
        rows = rows.assign(correct=(rows[str(block["correct"])] >= 0.5).astype(float))
    keys = rows[by].astype("string").fillna("").astype(str)
    conditions = keys.agg("/".join, axis=1) if len(by) > 1 else keys[by[0]]
    order = {n: evidence.values(n, block.get("order", {}).get(n, ())) for n in by}
    ways = [dict(zip(by, way, strict=True)) for way in keys.drop_duplicates().to_numpy()]
    ways.sort(key=lambda way: [order[n].index(v) if v in order[n] else -1 for n, v in way.items()])
    by_name = {"/".join(way.values()): way for way in ways}
    names = {name: evidence.words(way) for name, way in by_name.items()}
    if block["before"] == "best":
        right = rows["correct"].groupby(conditions, sort=False).sum()
        first = [max(names, key=lambda name: float(right[name]))]
    else:
        first = [n for n, way in by_name.items() if block["before"].items() <= way.items()]
    without, only = block.get("without", {}), block.get("only", {})
    afters = [
        name
        for name, way in by_name.items()
        if name not in first
        and not any(way[n] in gone for n, gone in without.items())
        and all(way[n] in wanted for n, wanted in only.items())
    ]
    if not first or not afters:
        return None
    names |= {s: evidence.label("subset", s) for s in evidence.values("subset")}
    right = block.get("right", "")
    pairs = [f.name for f in evidence.paper.factors if f.name in rows and f.name not in by]
    alike = {n: rows[n].astype("string").fillna("") for n in pairs}
    columns = [c for c in dict.fromkeys((*_PAIRED_BY, *_TOLD, right)) if c in rows]
    rows = rows[columns].assign(**alike, **{_CONDITION: conditions})
    for column in {"answer", "log", "sample_id", right} & {*columns}:
        rows[column] = rows[column].map(lambda text: text if isinstance(text, str) else "")
    pools: dict[str, list[tuple[Model, Asked]]] = {}
    n_found = 0
    for model in evidence.models:
        n, kept = _rank(rows[rows["model"] == model.label], first[0], afters, pairs)
        n_found += n
        pools[model.label] = [(model, by_name) for by_name in kept]
    id, shown = block["flips"], islice(round_robin(pools), MOST)
    flips = [
        _flip(f"{id.removesuffix('s')}-{n}", model, of, (first[0], *afters), names, right)
        for n, (model, of) in enumerate(shown, start=1)
    ]
    rule = fill(block["rule"], best=names[first[0]])
    return Flips(id, rule, flips, n_found) if n_found or not block.get("some") else None


def _rank(
    rows: pd.DataFrame, before: str, afters: Sequence[str], pairs: Sequence[str]
) -> tuple[int, list[Asked]]:
    """How many groups flip, and those wrong in most conditions, subsets taking turns."""
    keys = [k for k in dict.fromkeys((*_PAIRED_BY, *pairs)) if k in rows and rows[k].notna().all()]
    # By the order in which what tells them apart appears, what is named first before the rest.
    codes = pd.DataFrame({key: pd.factorize(rows[key])[0] for key in keys}, index=rows.index)
    rows = rows.assign(group=codes.groupby(keys).ngroup() if keys else 0)
    # The first answer of several stands.
    given = rows[rows["correct"].notna()].drop_duplicates(["group", _CONDITION])
    correct = given.pivot(index="group", columns=_CONDITION, values="correct")
    correct = correct.reindex(columns=[before, *afters])
    n_wrong = (correct[afters] == 0).sum(axis=1)
    flipped = n_wrong[(correct[before] == 1) & (n_wrong > 0)]
    subset = rows.drop_duplicates("group").set_index("group")["subset"].reindex(flipped.index)
    turn = flipped.groupby([subset, flipped], sort=False).cumcount()
    kept = flipped.index[np.lexsort((turn, -flipped))][:MOST]
    # An item's answers by condition: those that were ranked, also where there are several.
    answers = pd.concat([rows, given]).drop_duplicates(["group", _CONDITION], keep="last")
    by_group = answers.set_index(_CONDITION).groupby("group")
    return len(flipped), [by_group.get_group(n).to_dict("index") for n in kept]


def _flip(
    id: str, model: Model, ways: Asked, order: Sequence[str], names: Mapping[str, str], right: str
) -> Flip:
    sides = []
    for row, name in ((ways[way], names[way]) for way in order if way in ways):
        answer, outcome = one_line(row.get("answer", "")), one_line(row.get("outcome", "ok"))
        place = row.get("log", ""), row.get("sample_id", ""), int(row.get("epoch", 1))
        sides.append(FlipReply(name, answer, outcome, _JUDGED.get(row["correct"]), *place))
    first, (before, *others) = ways[order[0]], sides
    after = next(side for side in others if side.correct is False)
    item, right_answer = one_line(first["item"]), one_line(first.get(right, ""))
    subset = names.get(str(first["subset"]), one_line(first["subset"]))
    others = [side for side in others if side is not after]
    return Flip(id, model, item, subset, right_answer, before, after, others)


def with_transcripts(flips: Flips) -> Flips:
    """The same flips with what was asked and replied, where the log can still be read."""
    found: dict[tuple[str, Asking], Reply] = {}
    sides = [side for flip in flips.flips for side in (flip.before, flip.after)]
    known = [side for side in sides if side.log and side.sample_id]
    for log in dict.fromkeys(side.log for side in known):
        askings = [(side.sample_id, side.epoch) for side in known if side.log == log]
        found |= {(log, asking): reply for asking, reply in read_replies(log, askings)}

    def opened(flip: Flip) -> Flip:
        told, compared = [], []
        for side in (flip.before, flip.after):
            why = "the log does not hold it any more" if side in known else _NOWHERE
            of = found.get((side.log, (side.sample_id, side.epoch)), Reply(unread=why))
            told.append(replace(side, prompt=of.prompt, reply=of.reply, unread=of.unread))
            compared.append(of.compared)
        difference = prompt_difference(*compared) if all(compared) else []
        return replace(flip, before=told[0], after=told[1], difference=difference)

    return replace(flips, flips=[opened(flip) for flip in flips.flips])


def prompt_difference(before: str, after: str) -> list[Segment]:
    """Both prompts as one text: lines are compared, and words where one line replaced another."""
    old, new = before.splitlines(keepends=True)[:_LINES], after.splitlines(keepends=True)[:_LINES]
    segments: list[Segment] = []
    for kind, text in _diff(old, new, by_word=True):
        missing = len(text) - 2 * _SHARED_END
        if kind == "same" and missing >= _SHARED_END:
            head, tail = text[:_SHARED_END], text[-_SHARED_END:]
            text = f"{head}\n[… {missing:,} shared characters …]\n{tail}"
        segments += [(kind, text)] * bool(text)
    return segments


def _diff(old: list[str], new: list[str], by_word: bool = False) -> Iterator[Segment]:
    """Shared, dropped and added pieces; `by_word` looks into one line that replaced another."""
    # Of many words, those that are everywhere say nothing of what belongs together.
    matcher = SequenceMatcher(None, old, new, autojunk=not by_word)
    left = _ALL_WORDS
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        one, other = old[i1:i2], new[j1:j2]
        lines = (*one, *other) if by_word and len(one) == len(other) == 1 else ()
        words = [_TOKENS.findall(line) for line in lines]
        if tag == "equal":
            yield "same", "".join(other)
        elif words and max(map(len, words)) <= min(_WORDS, left):
            left -= max(map(len, words))
            yield from _diff(words[0], words[1])
        else:
            yield "del", "".join(one)
            yield "ins", "".join(other)
