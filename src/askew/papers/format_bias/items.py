"""Format bias: its items, the shapes they can have in a file, and where its questions come from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from askew.files import toml_of
from askew.papers.format_bias.paper import ENTITY_KEYS, KINDS, LEVELS, PAPER, SUBSETS, ItemKind
from askew.reading.literals import LiteralError, read_python
from askew.reading.names import LETTERS
from askew.schema import clean_id
from askew.sources import loading
from askew.sources.pinned import on_github
from askew.sources.records import read_records


@dataclass(frozen=True)
class FormatItem:
    """A question with its truth; which of the last fields is filled depends on its kind."""

    id: str
    subset: str
    cluster: str
    kind: ItemKind
    context: Mapping[str, str]
    answer: str = ""
    choices: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    relevant: tuple[int, ...] = ()
    keyphrases: tuple[str, ...] = ()
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tier: str = ""
    accepted: tuple[str, ...] | None = None
    difficulty: int = 0


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class _Record(loading.FileRecord):
    kind: ClassVar[ItemKind]
    shown: ClassVar[tuple[str, ...]]
    """What a question is laid out of, in its order."""
    subset: str = ""


class ChoiceRecord(_Record):
    """A multiple-choice question; `answer` is the letter of the right option."""

    kind = "mcq"
    shown = ("question",)
    subject: str = ""
    question: loading.Text
    choices: list[loading.Text] = Field(min_length=2, max_length=26)
    answer: Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]

    @model_validator(mode="after")
    def _check_answer(self) -> Self:
        offered = LETTERS[: len(self.choices)]
        if self.answer not in offered:
            raise ValueError(f"answer {self.answer!r} is not one of {', '.join(offered)}")
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("an option is offered twice")
        return self


class _ShortAnswer(_Record):
    """A question with a short answer; `aliases` are other words that are as right."""

    answer: loading.Text
    aliases: list[loading.Text] | None = None


class ArithmeticRecord(_ShortAnswer):
    """A question with a short answer; `work` is a calculation that gives it."""

    kind = "arithmetic"
    shown = ("question",)
    question: loading.Text
    work: str = ""


class ReadingRecord(_ShortAnswer):
    """A question about a passage, with a short answer."""

    kind = "reading"
    shown = ("passage", "question")
    passage: loading.Text
    question: loading.Text


class _Paragraph(_Given):
    title: str = ""
    text: loading.Text


class MultihopRecord(_ShortAnswer):
    """A question about several paragraphs, with a short answer."""

    kind = "multihop"
    shown = ("context", "question")
    paragraphs: list[_Paragraph] = Field(min_length=1)
    question: loading.Text

    @property
    def context(self) -> str:
        """All paragraphs, each under its title where it has one."""
        return "\n".join(f"{p.title}: {p.text}" if p.title else p.text for p in self.paragraphs)


class _Document(_Given):
    title: loading.Text
    relevant: Literal[0, 1]


class RankingRecord(_Record):
    """A query and documents, some of which are relevant to it."""

    kind = "ranking"
    shown = ("query",)
    query: loading.Text
    documents: list[_Document] = Field(min_length=2)

    @model_validator(mode="after")
    def _some_are_relevant(self) -> Self:
        if not any(d.relevant for d in self.documents):
            raise ValueError("no document is relevant: there is nothing to rank first")
        return self


class KeyphrasesRecord(_Record):
    """A text and its keyphrases; `optional` are phrases that may be given as well."""

    kind = "keyphrases"
    shown = ("text",)
    text: loading.Text
    keyphrases: list[loading.Text]
    optional: list[loading.Text] | None = None


class ExtractionRecord(_Record):
    """A text and the names it has of each kind; the keys given say which levels are asked."""

    kind = "extraction"
    shown = ("text",)
    text: loading.Text
    Task: list[loading.Text]
    Method: list[loading.Text] | None = None
    Material: list[loading.Text] | None = None
    Metric: list[loading.Text] | None = None


# The field that tells a shape; the last one is what all short answers have.
_SHAPES: Mapping[str, type[_Record]] = {
    "documents": RankingRecord, "keyphrases": KeyphrasesRecord, "Task": ExtractionRecord,
    "paragraphs": MultihopRecord, "passage": ReadingRecord, "choices": ChoiceRecord,
    "question": ArithmeticRecord,
}  # fmt: skip


def parse_record(raw: Mapping[str, Any]) -> _Record:
    """A validated record of whichever shape its fields say it is, ours or the paper's."""
    mine = {k: v for k, v in (paper_record(raw) or raw).items() if k != "kind"}
    return loading.record_of(PAPER.task, mine, _SHAPES)


def paper_record(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row of one of the paper's files in our shape; nothing where it is not one.

    They are CSV with Python literals in some cells. In the stories file `target` and `references`
    repeat the question, in the extraction files `category` and `top_k` are not what the row holds
    (its `answer` is), ids are missing or repeated, and relevant documents come first.
    """

    def literal(column: str) -> Any:
        """The Python literal in a cell: read, never evaluated, and capped."""
        try:
            return read_python(raw[column])
        except LiteralError as error:
            raise ValueError(f"{column}: {error}: {raw[column][:60]!r}") from error

    made: dict[str, Any] = {name: raw[name] for name in ("question", "answer") if name in raw}
    match raw:
        case {"choices_texts": _, "correct_key": key, "topic": topic, "question": question}:
            made |= {"cluster": loading.text_cluster(question), "subject": topic}
            made |= {"choices": literal("choices_texts"), "answer": key.strip().upper()}
            subset = "bbh" if topic == "sports_understanding" else "mmlu"
        case {"cot_answer": _}:
            subset = "gsm8k"
        case {"story_name": _, "content": content}:
            # Questions about one section stand or fall together.
            made |= {"cluster": loading.text_cluster(content), "passage": content}
            subset = "fairytaleqa"
        case {"supporting_facts": _, "context": _, "id": cluster}:
            # The authors' prompts leave the titles out; one row has no paragraphs at all.
            context = literal("context")
            if not isinstance(context, dict):
                raise ValueError("context must be a dictionary from titles to lists of sentences")
            text = " <SEP> ".join(map("".join, context["sentences"]))
            made |= {"cluster": cluster}
            made |= {"paragraphs": [{"text": text}]} if text.strip() else {}
            subset = "hotpotqa"
        case {"query": query, "positive": _, "negative": _}:
            sides = {1: literal("positive"), 0: literal("negative")}
            documents = [{"title": t, "relevant": m} for m, own in sides.items() for t in own]
            made = {"cluster": loading.text_cluster(query), "query": query, "documents": documents}
            subset = "scidocsrr"
        case {"id": name, "document": text, "keyphrases": _}:
            made = {"id": name, "text": text, "keyphrases": literal("keyphrases")}
            subset = "semeval2017"
        case {"doc_id": name, "document": text, "answer": _}:
            names, cluster = literal("answer"), name[:12]
            n_keys = len(names) if isinstance(names, dict) else 0
            subset = {len(keys): level for level, keys in LEVELS.items()}.get(n_keys, "")
            if not subset:
                raise ValueError("answer: not a dictionary with one, two or four keys")
            at = f"{subset.removeprefix('scirex_')}-{cluster}"
            made = {"id": at, "cluster": cluster, "text": text, **names}
        case _:
            return None
    return {"subset": subset, **made}


def items_of(records: Sequence[_Record]) -> list[FormatItem]:
    """Items of a file's records; an extraction record gives one for each level that it has."""
    return [item for n, record in enumerate(records) for item in _items_of_record(record, n)]


def _items_of_record(record: _Record, number: int) -> Iterator[FormatItem]:
    given = {k: names for k in ENTITY_KEYS if (names := getattr(record, k, None)) is not None}
    # Yes-or-no questions are BBH's.
    is_yes_no = {c.lower() for c in getattr(record, "choices", ())} == {"yes", "no"}
    first = next(subset for subset, kind in KINDS.items() if kind == record.kind)
    named = record.subset or ("extraction" if given else "bbh" if is_yes_no else first)
    base = clean_id(record.id or f"{'extraction' if given else named}-{number:04d}")
    documents: list[_Document] = getattr(record, "documents", [])
    accepted = getattr(record, "aliases", getattr(record, "optional", None))
    # Levels share a text, so a cluster.
    by_level = given and not record.subset
    for subset, keys in (LEVELS if by_level else {named: tuple(given)}).items():
        if set(keys) <= set(given):
            yield FormatItem(
                f"{base}-{subset.removeprefix('scirex_')}" if by_level else base, subset,
                record.cluster or base, record.kind,
                {name: getattr(record, name) for name in record.shown},
                getattr(record, "answer", ""), tuple(getattr(record, "choices", ())),
                tuple(d.title for d in documents), tuple(d.relevant for d in documents),
                tuple(dict.fromkeys(getattr(record, "keyphrases", ()))),
                {key: tuple(dict.fromkeys(given[key])) for key in keys},
                record.tier, None if accepted is None else tuple(accepted),
            )  # fmt: skip


_PINNED = toml_of(__package__, "sources.toml")
SOURCES = on_github(PAPER.task, **_PINNED["github"])
FILES = loading.Files(
    task=PAPER.task, home=PAPER.home,
    bundled={s: f"{'bbh' if s == 'bbh' else KINDS[s]}.jsonl" for s in SUBSETS},
    paper={s: SOURCES[name] for s, name in _PINNED["subsets"].items()}, tiers=True,
)  # fmt: skip


def load(data: str, subset: str | Sequence[str] | None = None) -> loading.ItemSet[FormatItem]:
    """Items of `data` ("bundled", "paper" or a path), of the given subsets."""
    return loading.load_items(FILES, data, subset, parse_record, items_of)


DEMOS_FILE = loading.bundled_file(PAPER.home, "demos.jsonl")


@lru_cache(maxsize=1)
def demonstrations() -> Mapping[str, tuple[FormatItem, ...]]:
    """Our own worked examples, never tested, by kind of item; yes-or-no questions are "bbh"."""
    by_kind: dict[str, list[FormatItem]] = {}
    for item in items_of(read_records(DEMOS_FILE, parse_record)):
        # An extraction demonstration is shown at the level of the item it stands before.
        by_kind.setdefault("bbh" if item.subset == "bbh" else item.kind, []).append(item)
    return {kind: tuple(items) for kind, items in by_kind.items()}
