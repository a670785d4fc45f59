"""Instruction Boundary's sets that only users can fetch: FLD, MMLU-Pro, the judging questions."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from askew.files import toml_of
from askew.papers.instruction_boundary.paper_files import LABELS, judging_of
from askew.schema import clean_id
from askew.sources.loading import digest
from askew.sources.records import RecordsError, UnfitError
from askew_authoring.publishers import Entry, LeftOut, Publisher, Raw, UnsoundError

_FLD_SENTENCE = re.compile(r"\bsent\d{1,4}: ?")
# As many of FLD as the paper asked, and as many of MMLU-Pro.
_FLD, _PRO = 600, 300


def _fld(raw: Raw, file: str) -> dict[str, Any]:
    text = _text(raw, "facts" if "facts" in raw else "context")
    facts = [" ".join(part.split()) for part in _FLD_SENTENCE.split(text)]
    hypothesis = _text(raw, "hypothesis")
    label = str(raw["world_assump_label"]).strip("_ ").casefold()
    if label not in ("proved", "disproved", "unknown"):
        raise UnfitError(
            f"{label!r:.60}", "it is one of PROVED, DISPROVED, UNKNOWN", "world_assump_label"
        )
    # Its records have no ids: the same question is the same item wherever it stands.
    return {
        "id": f"fld-{digest(text + hypothesis)}",
        "subset": "fld",
        "facts": [fact for fact in facts if fact],
        "conclusion": hypothesis,
        "label": LABELS[label],
    }


def _mmlu_pro(raw: Raw, file: str) -> dict[str, Any]:
    options, index = raw["options"], raw["answer_index"]
    if not isinstance(options, list) or not all(isinstance(o, str) for o in options):
        raise UnfitError("no list of texts", "fetch the file again", "options")
    if not isinstance(index, int) or not 0 <= index < len(options):
        raise UnfitError(f"{index!r:.60} is no index of the options", "mend it", "answer_index")
    if str(raw.get("answer", chr(65 + index))).strip() != chr(65 + index):
        what = f"{raw['answer']!r:.60}, where answer_index says {chr(65 + index)}"
        raise UnfitError(what, "mend one of the two", "answer")
    shown = [option.strip() for option in options]
    if len(set(shown)) < len(shown):
        raise UnsoundError("an option is offered twice")
    return {
        "id": f"mmlu_pro-{clean_id(str(raw['question_id']))}",
        "subset": "mmlu_pro",
        "form": "single",
        "question": _text(raw, "question"),
        "options": shown,
        "gold": [index],
    }


def _judging(raw: Raw, file: str) -> dict[str, Any]:
    try:
        item = judging_of(raw, "judging_questions", "")
    except RecordsError as error:
        raise UnfitError(str(error), "give it facts, a conclusion and a label") from None
    return {
        "id": f"judging-{digest(item.passage + item.question)}",
        "subset": "judging_questions",
        "facts": item.passage.split("\n"),
        "conclusion": item.question,
        "label": item.form,
    }


def _text(raw: Raw, name: str) -> str:
    value = raw[name]
    if not isinstance(value, str) or not value.strip():
        raise UnfitError("no text", "fetch the file again", name)
    return value.strip()


def _half_unknown(entries: Sequence[Entry], seed: int) -> Sequence[Entry]:
    """Half unknown, half true and false together, as many as the paper asked or there are."""
    rng = random.Random(f"fld/{seed}")
    sound = [entry for entry in entries if not isinstance(entry, LeftOut)]
    halves = [[e for e in sound if (e["label"] == "unknown") is half] for half in (True, False)]
    n = min(_FLD // 2, *map(len, halves))
    kept = {e["id"] for half in halves for e in rng.sample(half, n)}
    return [e for e in sound if e["id"] in kept]


def _drawn(entries: Sequence[Entry], seed: int) -> Sequence[Entry]:
    """As `random.seed(seed)` and `random.sample` of the authors' code draw them."""
    return random.Random(seed).sample(list(entries), min(_PRO, len(entries)))


_TOLD: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "publishers.toml")
PUBLISHERS: Mapping[str, Publisher] = {
    publisher.name: publisher
    for publisher in (
        Publisher(
            "fld", **_TOLD["fld"], record=_fld, select=_half_unknown,
            tally=lambda record: str(record["label"]),
        ),
        Publisher(
            "mmlu_pro", **_TOLD["mmlu_pro"], record=_mmlu_pro, select=_drawn,
            tally=lambda record: f"with {len(record['options'])} options",
        ),
        Publisher(
            "judging_questions", **_TOLD["judging_questions"], record=_judging,
            tally=lambda record: str(record["label"]),
        ),
    )
}  # fmt: skip
