"""Binary QA: its items, from a file's records."""

import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from askew.papers.binary_qa.paper import FORMS, LABELS, PAPER, SUBSETS, Answer
from askew.parameters import SelectionError
from askew.schema import clean_id
from askew.sources import loading
from askew.untrusted import digest

FILES = loading.Files(
    task=PAPER.task, home=PAPER.home, bundled=dict.fromkeys(SUBSETS, "items.jsonl"), paper={},
    tiers=True,
)  # fmt: skip

Operator = Literal[">", ">=", "<", "<=", "==", "!="]
OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


class Comparison(BaseModel):
    """What a numerical question compares: the true value, an operator, the number asked about."""

    model_config = ConfigDict(extra="forbid")

    value: float
    op: Operator
    n: float

    @property
    def holds(self) -> bool:
        return OPERATORS[self.op](self.value, self.n)


def canonical_answer(value: object) -> object:
    """Yes and No in any case; everything else as it is, to be refused."""
    return value.strip().capitalize() if isinstance(value, str) else value


class BinaryRecord(loading.FileRecord):
    """One line of a file of questions: a yes/no question over a passage, in its wordings.

    A wording that a user's file leaves out is empty, and its form is not asked.
    """

    subset: loading.Text = "own"
    kind: str = ""
    passage: str = ""
    answer: Annotated[Answer, BeforeValidator(canonical_answer)]
    original: loading.Text
    synonym: str = ""
    hedged: str = ""
    contradictory: str = ""
    false_framing: str = ""
    check: Comparison | None = None

    @model_validator(mode="after")
    def _answer_is_what_the_numbers_say(self) -> Self:
        if self.check is not None and self.check.holds is not (self.answer == "Yes"):
            compared = f"{self.check.value:g} {self.check.op} {self.check.n:g}"
            raise ValueError(f"answer {self.answer} contradicts check ({compared})")
        return self


class BinaryItem(BinaryRecord):
    """A record with an id and a kind, and the bootstrap cluster that it belongs to."""

    cluster: str
    difficulty: int = 0

    def question(self, form: str) -> str:
        return str(getattr(self, FORMS[form].question))


def items_of(records: Sequence[BinaryRecord]) -> list[BinaryItem]:
    """Items of a file's records; those over one passage share a bootstrap cluster."""
    passages = Counter(r.passage for r in records if r.passage)
    items = []
    for number, record in enumerate(records, start=1):
        item_id = clean_id(record.id or f"question-{number:04d}")
        shared = passages[record.passage] > 1
        text = f"text-{digest(record.passage)}" if shared else item_id
        made = {"id": item_id, "kind": record.kind or record.subset}
        made["cluster"] = record.cluster or text
        # The record was validated.
        items.append(BinaryItem.model_construct(**{**dict(record), **made}))
    return items


def load(data: str, subset: str | Sequence[str] | None = None) -> loading.ItemSet[BinaryItem]:
    """Items of `data` ("bundled" or a path), of the given subsets."""
    if data == "paper":
        raise SelectionError(
            'data="paper": the paper\'s questions were never published. Build a set like it from '
            "the same sources with: askew data build binary_qa --model <model>. Then pass the "
            "file it writes: data=<path>"
        )
    return loading.load_items(FILES, data, subset, BinaryRecord.model_validate, items_of)


def choose_items(items: Sequence[BinaryItem], n: int | None, seed: int) -> list[BinaryItem]:
    """At most `n` items, a seeded choice spread over domains and, in them, labels and tiers."""
    if n is None:
        return loading.spread(items, None, seed)
    subsets = list(dict.fromkeys(item.subset for item in items))
    # Every domain once before any twice, with both labels among the first.
    labelled = [
        item.model_copy(update={"subset": f"{item.subset}/{item.answer}"})
        for turn in (0, 1)
        for i, subset in enumerate(subsets)
        for item in items
        if (item.subset, item.answer) == (subset, LABELS[(i + turn) % 2])
    ]
    kept = {item.id for item in loading.spread(labelled, n, seed)}
    return loading.spread([item for item in items if item.id in kept], None, seed)
