"""Format bias's set that only users can fetch: MMLU as its authors and its mirror give it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from askew.files import toml_of
from askew.reading.names import LETTERS
from askew.schema import clean_id
from askew.sources.loading import digest
from askew.sources.records import UnfitError
from askew_authoring.publishers import Publisher, Raw, UnsoundError

# What stands behind the subject in the names of MMLU's files.
_PART = re.compile(r"_(test|val|dev)$")


def _mmlu(raw: Raw, file: str) -> dict[str, Any]:
    choices = raw["choices"] if "choices" in raw else [raw[letter] for letter in "ABCD"]
    if not isinstance(choices, list) or not all(isinstance(c, str) for c in choices):
        raise UnfitError("no list of texts", "fetch the file again", "choices")
    answer = raw["answer"]
    # Its mirror counts options from 0.
    letter = LETTERS[answer] if answer in range(len(choices)) else str(answer).strip().upper()
    if len(letter) != 1 or letter not in LETTERS[: len(choices)]:
        offered = ", ".join(LETTERS[: len(choices)])
        raise UnfitError(f"{answer!r:.60}", f"it is one of {offered}", "answer")
    shown = [choice.strip() for choice in choices]
    if not all(shown) or len(set(shown)) < len(shown):
        raise UnsoundError("an option is empty" if not all(shown) else "an option is offered twice")
    subject = str(raw.get("subject") or _PART.sub("", file))
    question = str(raw["question"])
    return {
        "id": f"{clean_id(subject)}-{digest(question + str(shown))}",
        "subset": "mmlu",
        "subject": subject,
        "question": question,
        "choices": shown,
        "answer": letter,
    }


_TOLD = toml_of(__package__, "publishers.toml")
PUBLISHERS: Mapping[str, Publisher] = {
    "mmlu": Publisher(
        "mmlu", **_TOLD["mmlu"], record=_mmlu, tally=lambda record: str(record["subject"])
    )
}
