"""The sets that only users can fetch: MMLU, FLD, MMLU-Pro, the judging questions, EquInfer."""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from askew.files import toml_of
from askew.papers.instruction_boundary.items import LABELS, judging_of
from askew.reading.names import LETTERS
from askew.schema import clean_id
from askew.sources.records import RecordsError, UnfitError
from askew.untrusted import digest
from askew_authoring.publishers import Entry, Publisher, Raw, UnsoundError, UnusedRecord

# What stands behind the subject in the names of MMLU's files.
_PART = re.compile(r"_(test|val|dev)$")
_FLD_SENTENCE = re.compile(r"\bsent\d{1,4}: ?")
# As many of FLD as the paper asked, and as many of MMLU-Pro.
_FLD, _PRO = 600, 300
_KEPT = ("context_before", "context_after", "options_list", "gold_option", "gold_option_index")


def _mmlu(raw: Raw, file: str) -> dict[str, Any]:
    shown = _options(raw["choices"] if "choices" in raw else [raw[x] for x in "ABCD"], "choices")
    answer, offered = raw["answer"], LETTERS[: len(shown)]
    # Its mirror counts options from 0.
    letter = LETTERS[answer] if answer in range(len(shown)) else str(answer).strip().upper()
    if letter not in [*offered]:
        raise UnfitError(f"{answer!r:.60}", f"it is one of {', '.join(offered)}", "answer")
    subject, question = str(raw.get("subject") or _PART.sub("", file)), str(raw["question"])
    name = f"{clean_id(subject)}-{digest(question + str(shown))}"
    record = {"question": question, "choices": shown, "answer": letter}
    return {"id": name, "subset": "mmlu", "subject": subject, **record}


def _mmlu_pro(raw: Raw, file: str) -> dict[str, Any]:
    shown, index = _options(raw["options"], "options"), raw["answer_index"]
    if index not in range(len(shown)):
        raise UnfitError(f"{index!r:.60} is no index of the options", "correct it", "answer_index")
    letter = LETTERS[index]
    if str(raw.get("answer", letter)).strip() != letter:
        what = f"{raw['answer']!r:.60}, where answer_index says {letter}"
        raise UnfitError(what, "correct one of the two", "answer")
    record = {"form": "single", "question": _text(raw, "question"), "options": shown}
    name = f"mmlu_pro-{clean_id(str(raw['question_id']))}"
    return {"id": name, "subset": "mmlu_pro", **record, "gold": [index]}


def _fld(raw: Raw, file: str) -> dict[str, Any]:
    text = _text(raw, "facts" if "facts" in raw else "context")
    facts = [" ".join(part.split()) for part in _FLD_SENTENCE.split(text)]
    hypothesis = _text(raw, "hypothesis")
    label = str(raw["world_assump_label"]).strip("_ ").casefold()
    if label not in ("proved", "disproved", "unknown"):
        fix = "it is one of PROVED, DISPROVED, UNKNOWN"
        raise UnfitError(f"{label!r:.60}", fix, "world_assump_label")
    # Its records have no ids: the same question is the same item wherever it stands.
    name, record = f"fld-{digest(text + hypothesis)}", {"facts": [*filter(None, facts)]}
    return {"id": name, "subset": "fld", **record, "conclusion": hypothesis, "label": LABELS[label]}


def _judging(raw: Raw, file: str) -> dict[str, Any]:
    try:
        item = judging_of(raw, "judging_questions", "")
    except RecordsError as error:
        raise UnfitError(str(error), "give it facts, a conclusion and a label") from None
    name = f"judging-{digest(item.passage + item.question)}"
    record = {"facts": item.passage.split("\n"), "conclusion": item.question, "label": item.form}
    return {"id": name, "subset": "judging_questions", **record}


def _equation(raw: Raw, file: str) -> dict[str, Any]:
    kept = {name: raw[name] for name in _KEPT if raw.get(name) is not None}
    options = kept["options_list"]
    if isinstance(options, list) and options.count(kept["gold_option"]) > 1:
        raise UnsoundError("the right equation is offered twice")
    name = raw.get("id") or digest(str(kept["context_before"]) + str(kept["gold_option"]))
    return {"id": f"equinfer-{clean_id(str(name))}", **kept}


def _options(given: Any, field: str) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(option, str) for option in given):
        raise UnfitError("no list of texts", "fetch the file again", field)
    shown = [option.strip() for option in given]
    if not all(shown) or len(set(shown)) < len(shown):
        raise UnsoundError("an option is empty" if not all(shown) else "an option is offered twice")
    return shown


def _text(raw: Raw, name: str) -> str:
    value = raw[name]
    if not isinstance(value, str) or not value.strip():
        raise UnfitError("no text", "fetch the file again", name)
    return value.strip()


def _half_unknown(entries: Sequence[Entry], seed: int) -> Sequence[Entry]:
    """Half unknown, half true and false together, as many as the paper asked or there are."""
    rng = random.Random(f"fld/{seed}")
    sound = [entry for entry in entries if not isinstance(entry, UnusedRecord)]
    halves = [[e for e in sound if (e["label"] == "unknown") is half] for half in (True, False)]
    n = min(_FLD // 2, *map(len, halves))
    kept = {e["id"] for half in halves for e in rng.sample(half, n)}
    return [e for e in sound if e["id"] in kept]


def _draw(entries: Sequence[Entry], seed: int) -> Sequence[Entry]:
    """As `random.seed(seed)` and `random.sample` of the authors' code draw them."""
    return random.Random(seed).sample(list(entries), min(_PRO, len(entries)))


_RECORDS = {
    "mmlu": _mmlu, "fld": _fld, "mmlu_pro": _mmlu_pro, "judging_questions": _judging,
    "equinfer": _equation,
}  # fmt: skip
_SELECTED = {"fld": _half_unknown, "mmlu_pro": _draw}


# By task, and by the name of the set.
PUBLISHERS: Mapping[str, Mapping[str, Publisher]] = {
    task: {
        name: Publisher(name, **told, record=_RECORDS[name], select=_SELECTED.get(name))
        for name, told in sets.items()
    }
    for task, sets in toml_of(__package__, "sets.toml").items()
}
