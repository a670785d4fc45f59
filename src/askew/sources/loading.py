"""Items from one of three places: bundled with askew, the paper's files, or the user's own.

Which of them run, and in what order: whole items, seeded, spread over subsets.

Tiers of questions are those that most models can answer (`core`), and those that tell strong ones
apart (`hard`). A record of a file may say its tier. Our own questions all have one: `hard` where a
record says so or stands in a file whose name ends in `_hard`, else `core`. The paper's have none.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints

from askew.files import given_path
from askew.parameters import EVERYTHING, SelectionError, check_int, choose, quote
from askew.schema import round_robin
from askew.sources.pinned import Source, SourceError, fetch
from askew.sources.records import RecordsError, UnfitError, read_records
from askew.untrusted import digest

Record = TypeVar("Record")
# It has an `id` and a `subset`.
Item = TypeVar("Item", bound=Any)
Tier = Literal["", "core", "hard"]
CORE, HARD = "core", "hard"
TIERS: Mapping[str, str] = {
    CORE: "questions that a strong model can be expected to know",
    HARD: "questions that tell strong models apart",
}
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Shape = TypeVar("Shape", bound=BaseModel)


class FileRecord(BaseModel):
    """A line of a file of questions: papers add what theirs hold; other fields are refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    id: str = ""
    tier: Tier = ""
    cluster: str = Field("", validation_alias=AliasChoices("cluster", "unit"))
    """Items of one text, template or pair share it: they are resampled together."""


def record_of(task: str, raw: Mapping[str, Any], shapes: Mapping[str, type[Shape]]) -> Shape:
    """A validated record of the shape that one of its fields tells."""
    # A row of a table has all columns, also those of other shapes.
    filled = [key for key in shapes if str(raw.get(key, "")).strip()]
    for key in filled or [key for key in shapes if key in raw]:
        return shapes[key].model_validate(raw)
    close = ((name, get_close_matches(name, shapes, 1, 0.6)) for name in sorted(raw))
    guess = "".join(f"; is {name} meant as {found[0]}?" for name, found in close if found)
    problem = f"fields {', '.join(sorted(raw))} fit no record of {task}: it needs one of "
    fix = f"see: askew data template {task}"
    raise UnfitError(problem + ", ".join(shapes) + guess, fix, fields=True)


@dataclass(frozen=True)
class Files:
    """Where a paper's questions lie, by subset."""

    task: str
    home: str  # the paper's package: its folder `bundled` holds the questions that come with it
    bundled: Mapping[str, str]
    paper: Mapping[str, Source]
    tiers: bool = False
    """Whether the bundled questions stand in tiers: their records have a field `tier`, and
    `<file>_hard.jsonl` beside a bundled file holds further ones."""
    more: Sequence[str] = ()  # further files that the revision of the bundled questions tells
    named: Mapping[str, str] = field(default_factory=dict)  # what logs of before call a revision

    def beside(self, name: str) -> list[Path]:
        """A bundled file and, where there is one, that of the hard questions beside it."""
        file = bundled_file(self.home, name)
        hard = file.with_name(f"{file.stem}_{HARD}{file.suffix}")
        return [file, hard] if self.tiers and hard.is_file() else [file]

    def revision(self, *names: str) -> str:
        """The revision of some bundled files."""
        found = revision_of([path for name in names for path in self.beside(name)])
        return self.named.get(found, found)


@dataclass(frozen=True)
class ItemSet(Generic[Item]):
    """Items and where they came from; `revision` changes when any file of them does."""

    items: list[Item]
    origin: str
    revision: str


def templates(home: str) -> tuple[list[str], list[str]]:
    """Lines of a paper's examples of records, as JSONL and as CSV."""
    jsonl, csv = (
        bundled_file(home, f"template.{kind}").read_text(encoding="utf-8").splitlines()
        for kind in ("jsonl", "csv")
    )
    return jsonl, csv


def load_items(
    where: Files, data: str, subset: str | Sequence[str] | None,
    parse: Callable[[Mapping[str, Any]], Record], items_of: Callable[[list[Record]], list[Item]],
) -> ItemSet[Item]:  # fmt: skip
    """Read, validate and select items: `parse` reads a line, `items_of` the records of a file."""
    wanted, paths, revision = _files_of(where, data, subset)
    is_own = data not in ("bundled", "paper")

    def read(tier: Mapping[str, str], raw: Mapping[str, Any]) -> Record:
        record = parse({**tier, **raw})
        # Numbers pool all subsets under this name: replies to it would be lost.
        if getattr(record, "subset", "") == EVERYTHING:
            raise ValueError(f'subset: "{EVERYTHING}" means all subsets: choose another name')
        return record

    items: list[Item] = []
    for path in paths:
        # Where a record of ours says no tier, its file does.
        tier = {"tier": HARD if path.stem.endswith(f"_{HARD}") else CORE}
        parse_one = partial(read, tier if data == "bundled" and where.tiers else {})
        try:
            # In a user's file a repeated id is a slip, which line numbers help to mend.
            found = items_of(read_records(path, parse_one, unique="id" if is_own else None))
            if repeated := [i for i, n in Counter(item.id for item in found).items() if n > 1]:
                raise ValueError(f"ids occur more than once: {', '.join(repeated[:10])}")
        except RecordsError:
            raise
        except ValueError as error:
            raise RecordsError(f"{path}: {error}") from error
        items += found
    if is_own:
        wanted = choose("subset", subset, tuple(dict.fromkeys(item.subset for item in items)))
    origin = "file" if is_own else data
    return ItemSet([item for item in items if item.subset in wanted], origin, revision)


def select_tier(loaded: ItemSet[Item], tier: object) -> ItemSet[Item]:
    """The items of the tiers asked for."""
    if tier is None or tier == "all":
        return loaded
    wanted = choose("tier", tier, tuple(TIERS))  # type: ignore[arg-type]
    kept = [item for item in loaded.items if tier_of(item) in wanted]
    if kept:
        return replace(loaded, items=kept)
    why = "none of the questions chosen is of that tier"
    if not any(map(tier_of, loaded.items)):
        why = (
            f"the questions of data={loaded.origin!r} have no tiers; only the bundled ones do, and "
            "files whose records have a field tier. Leave tier out"
        )
    raise SelectionError(f"tier={quote(tier)}: {why}")


def bundled_file(home: str, name: str) -> Path:
    """A file of questions that comes with a paper's package."""
    return Path(str(files(home))) / "bundled" / name


def _files_of(
    where: Files, data: str, subset: str | Sequence[str] | None
) -> tuple[tuple[str, ...], list[Path], str]:
    """The subsets wanted, the files that hold them, once each, and the revision of the questions.

    It is that of all of a task's questions, so that runs of different subsets agree on it.
    """
    if data == "bundled":
        wanted = choose("subset", subset, tuple(where.bundled))
        names = dict.fromkeys(where.bundled[s] for s in wanted)
        revision = where.revision(*dict.fromkeys([*where.bundled.values(), *where.more]))
        return wanted, [path for name in names for path in where.beside(name)], revision
    if data == "paper":
        wanted = choose("subset", subset, tuple(where.paper))
        sources = dict.fromkeys(where.paper[s] for s in wanted)
        revision = digest("/".join(s.blob_id for s in dict.fromkeys(where.paper.values())))
        try:
            return wanted, [fetch(source) for source in sources], revision
        except SourceError as error:
            several = f" Or select sets with other files: subset={','.join(where.paper)}"
            raise SourceError(error.message + several * (len(sources) > 1)) from error
    path = user_file(where.task, data)
    return (), [path], revision_of([path])


def user_file(task: str, data: object) -> Path:
    """The user's file; refused where `data` names none, whatever a command line made of it."""
    try:
        path = given_path(data)  # type: ignore[arg-type]
        if path.is_file():
            return path
        why = "not a file" if path.exists() else "file not found"
    except (TypeError, OSError, RuntimeError, ValueError) as error:
        why = f"not a path ({getattr(error, 'strerror', None) or error})"
    raise SelectionError(
        f"data={quote(data, 300)}: {why}. Use 'bundled', 'generated', 'bundled,generated', "
        f"'paper' or a path. For the format of files: askew data template {task}"
    )


def revision_of(paths: Sequence[Path]) -> str:
    """A short name for the contents of files, whatever they are called."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:12]


def text_cluster(text: str, kind: str = "text") -> str:
    """The cluster of what is asked about a text: case and blanks tell none apart."""
    return f"{kind}-{digest(' '.join(text.casefold().split()))}"


def spread(items: Sequence[Item], n: int | None, seed: int) -> list[Item]:
    """At most `n` items, a seeded choice within each subset and tier, in turns of these."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.subset, []).append(item)
    if n is not None:
        check_int("items", n)
        lots = {
            name: sample_by_tier(group, lambda rng, lot: rng.sample(lot, len(lot)), seed, name)
            for name, group in groups.items()
        }
        chosen = {item.id for item in _in_turns(lots)[:n]}
        groups = {name: [i for i in group if i.id in chosen] for name, group in groups.items()}
    return _in_turns(groups)


def _in_turns(groups: Mapping[str, Sequence[Item]]) -> list[Item]:
    """Groups in turn, and in each its tiers in turn, of which neighbours begin with different."""
    turns = {name: interleave(group, i) for i, (name, group) in enumerate(groups.items())}
    return list(round_robin(turns))


def shuffle_by_seed(elements: Sequence[str], *seeds: object) -> list[str]:
    """A copy in an order that depends on the seeds alone."""
    copy = list(elements)
    random.Random("/".join(map(str, seeds))).shuffle(copy)
    return copy


# --- Tiers ---------------------------------------------------------------------------------------


def tier_of(item: object) -> str:
    """The tier of an item; nothing where it has none."""
    return str(getattr(item, "tier", "") or "")


def interleave(items: Iterable[Item], first: int = 0) -> list[Item]:
    """Items of one group, its tiers in turn, so that any prefix has both as evenly as can be.

    Of several groups that take turns, each begins with another tier: `first` is its number.
    """
    tiers = _by_tier(items)
    names = list(tiers)
    start = first % len(names) if names else 0
    return list(round_robin({name: tiers[name] for name in (*names[start:], *names[:start])}))


def sample_by_tier(
    items: Iterable[Item], draw: Callable[[random.Random, list[Item]], list[Item]], *seed: object
) -> list[Item]:
    """The items of one group, each tier in an order drawn by itself: none changes another's."""
    sampled = []
    for tier, group in _by_tier(items).items():
        # Core items are drawn as if there were no others.
        seeds = (*seed, tier) if tier == HARD else seed
        sampled += draw(random.Random("/".join(map(str, seeds))), group)
    return sampled


def _by_tier(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Items by tier, in the order of the tiers."""
    tiers: dict[str, list[Item]] = {"": [], **{tier: [] for tier in TIERS}}
    for item in items:
        tiers[tier_of(item)].append(item)
    return {tier: group for tier, group in tiers.items() if group}
