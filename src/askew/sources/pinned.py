"""The papers' public files: pinned by git blob id, downloaded once, verified on every use.

A file is taken from GitHub, or from `ASKEW_MIRROR` where that is set: a folder (searched for
`<task>/<name>`, then `<name>`) or an http(s) address (asked for `<task>/<name>`, then, where
that is missing, for `<repository>/<commit>/<path>`). A mirror that is set is the only place
asked. Files are kept under `ASKEW_CACHE` (default: the user's cache folder), each at
`sources/<blob id>/<name>`.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO
from urllib.parse import quote, urlsplit

from askew.sources.cache import (
    SourceError,
    alone_in,
    blob_id_at,
    cache_folder,
    disk_errors,
    git_blob_id,
    make_private,
    place,
    remove_leftovers,
)
from askew.sources.download import (
    Patience,
    Progress,
    UnreachableError,
    copy,
    download,
    progress_for_terminal,
)

__all__ = [
    "SOURCES",
    "Patience",
    "Progress",
    "Source",
    "SourceError",
    "cached_path",
    "fetch",
    "for_task",
    "git_blob_id",
    "is_cached",
]

SIZE_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True)
class Source:
    """One file of a public repository, at one commit.

    Args:
        key: `<task>/<file name>`: its name here, and its place in a mirror.
        repository: owner and name on GitHub.
        commit: the commit at which the file is taken.
        path: where it lies in the repository.
        blob_id: git's id of its content, which every copy must have.
        licence: what its repository says about its use.
    """

    key: str
    repository: str
    commit: str
    path: str
    blob_id: str
    licence: str

    @property
    def task(self) -> str:
        return self.key.partition("/")[0]

    @property
    def filename(self) -> str:
        return self.key.partition("/")[2]

    @property
    def place(self) -> str:
        """Repository, commit and path, percent-encoded: what follows the host."""
        return quote(f"{self.repository}/{self.commit}/{self.path}")

    @property
    def url(self) -> str:
        return f"https://raw.githubusercontent.com/{self.place}"


@dataclass(frozen=True)
class _Pin:
    """Files of one task taken from one repository at one commit, as path to blob id."""

    task: str
    repository: str
    commit: str
    licence: str
    files: Mapping[str, str]

    def sources(self) -> Iterator[Source]:
        for path, blob_id in self.files.items():
            key = f"{self.task}/{path.rpartition('/')[2]}"
            yield Source(key, self.repository, self.commit, path, blob_id, self.licence)


_PINS = (
    _Pin(
        task="knowno",
        repository="xhz0809/Know-No",
        commit="fab21973c8dd41addd07480e7a192dc8ab2e67c9",
        licence="none stated",
        files={
            "data/Bank77/Bank77_1000.jsonl": "97f24762ad47cb7ef24b12024f8528f3d6646316",
            "data/MCTest/MCTest_1000.jsonl": "859999e66664bda122f9cffdf4f8c04bed197536",
            "data/EquInfer/EquInfer_1049.jsonl": "d1e4bff3f93df7b2f83be375a82099b8c37d64ed",
        },
    ),
    _Pin(
        task="mathcomp",
        repository="Mamin78/more_or_less_wrong",
        commit="d5fab1108a265b4c1e5b4edaa80a94eb73c477bf",
        licence="CC BY 4.0",
        files={"MathComp_Dataset.csv": "843c0630b1c5e13c8ed25a6690a6f647d6c89728"},
    ),
    _Pin(
        task="instruction_boundary",
        repository="ZpLing/Instruction-Boundary",
        commit="720bdfb7700d0728f4133a0eda29c37fa51c902e",
        licence="none stated",
        files={
            "MCQs_2700.json": "11eeb9ba239b370d7f0d603e1c01c7c018d12fc7",
            "src/dataset/choice_tfu_format_dataset.json": (
                "3f6127a8b36d0034779c34935ba6b7486c0d27ca"
            ),
            "Judging Questions.json": "0ba6effdfde18a2a017c5659f6e4994f7a591426",
        },
    ),
    _Pin(
        task="instruction_boundary",
        repository="Yale-LILY/FOLIO",
        commit="5d7bb84c7edab3fb358e057d2807f19cf5cf5e2d",
        licence="CC BY-SA 4.0",
        files={
            "data/v0.0/folio-train.jsonl": "6b199ee52af24a6e74fda22f87760a8647c9dbbd",
            "data/v0.0/folio-validation.jsonl": "06244bd10b37eac73cba7aca6c336e96011ace58",
        },
    ),
    _Pin(
        task="format_bias",
        repository="dxlong2000/FormatBiasEval",
        commit="6d5e65edb44bf91cd6e92b3692b7765f3f89727a",
        licence="none stated",
        files={
            f"EvalData/{name}": blob_id
            for name, blob_id in {
                "dict_SciREX_easy.csv": "5a9edaa3c01b498928b1819e354011f6c0ce5f4d",
                "dict_SciREX_medium.csv": "b104e2774f0bfe8b6dca36c8422cc43b0bc3c602",
                "dict_SciREX_hard.csv": "1a43c1c13d0dbb01e01a8dab6a1085e6a3c748f9",
                "generation_fairytaleqa_200.csv": "d0738f683d3201362b5b0d4276b99ed071d0fb61",
                "generation_gsm8k_test_200.csv": "a541be80411d9f3f7eee02c1ef2a6936317ced85",
                "generation_hotpotqa_validation_200.csv": (
                    "fb4f73c55cdb3492ee28ff77e919bd980e2583d5"
                ),
                "list_keyphrases_SemEval2017_200.csv": "dd3f72644b91be7faed1008b78d64e773c51b8cf",
                "list_scidocs_reranking_200.csv": "ce7a07a755353e3ee3dfe8042497cd3944903ea6",
                "mcq_bbh_test_1.csv": "a5c30a3454080a8867c416fc91ae99b6be2b7a11",
                "mcq_mmlu_test_27.csv": "6093a755f111b734b2ce7e881e9b368803036c16",
            }.items()
        },
    ),
)
# The one whose paper published no questions: its set is built, not fetched.
_WITHOUT_SOURCES = frozenset({"binary_qa"})

SOURCES: Mapping[str, Source] = MappingProxyType(
    {source.key: source for pin in _PINS for source in pin.sources()}
)


def for_task(task: str) -> list[Source]:
    """The sources of a task, none where its paper published no questions."""
    found = [source for source in SOURCES.values() if source.task == task]
    if not found and task not in _WITHOUT_SOURCES:
        known = sorted({source.task for source in SOURCES.values()} | _WITHOUT_SOURCES)
        raise ValueError(f"no task {task!r}; the tasks are {', '.join(known)}")
    return found


def cached_path(source: Source) -> Path:
    """Where the file of a source is kept, there or not."""
    return cache_folder() / "sources" / source.blob_id / source.filename


def is_cached(source: Source) -> bool:
    """Whether the whole, undamaged file of a source is in the cache."""
    path = cached_path(source)
    with disk_errors(source.key, path):
        return blob_id_at(path, SIZE_LIMIT) == source.blob_id


def fetch(
    source: Source, *, progress: Progress | None = None, patience: Patience | None = None
) -> Path:
    """The path of a source's verified file, fetched first where the cache has no whole one.

    Safe to call from several processes at once: one of them fetches, the others wait for it.

    Args:
        source: an entry of `SOURCES`.
        progress: told the bytes as they come; by default a line on a terminal's stderr.
        patience: retries and time limits of a download.
    """
    final = cached_path(source)
    patience = patience or Patience()
    if is_cached(source):
        return final
    with disk_errors(source.key, final):
        make_private(final.parent)
        with alone_in(final.parent, patience.total) as alone:
            # Another process may have brought it while this one waited.
            if not is_cached(source):
                remove_leftovers(final.parent, alone)
                try:
                    _bring(source, final, progress or progress_for_terminal(), patience)
                except PermissionError:
                    # Windows, which has no lock here, won't replace a file that another
                    # process has fetched meanwhile and is reading.
                    if not is_cached(source):
                        raise
    return final


def _bring(source: Source, final: Path, progress: Progress, patience: Patience) -> None:
    def fill(file: BinaryIO) -> str:
        try:
            return _fill(source, file, progress, patience)
        finally:
            progress.close()

    def verify(part: Path, origin: str) -> None:
        _require_pinned(source, part, origin)

    place(final, fill, verify)


def _fill(source: Source, file: BinaryIO, progress: Progress, patience: Patience) -> str:
    """Write the source's bytes from the first origin that has them; its name."""

    def advance(done: int, total: int | None) -> None:
        progress.update(source.key, done, total)

    failures = []
    for origin in _origins(source):
        try:
            if isinstance(origin, Path):
                copy(origin, file, limit=SIZE_LIMIT, advance=advance)
            else:
                download(origin, file, limit=SIZE_LIMIT, patience=patience, advance=advance)
            return str(origin)
        except UnreachableError as error:
            failures.append(f"{origin}: {error}")
            if not error.missing:
                break
    raise SourceError(f"{source.key} could not be had. {'; '.join(failures)}. {_advice(source)}")


def _mirror() -> str:
    return os.environ.get("ASKEW_MIRROR", "").strip()


def _origins(source: Source) -> list[Path | str]:
    """The folders' paths or the addresses to try, in order."""
    mirror = _mirror()
    if not mirror:
        return [source.url]
    if "://" not in mirror:
        folder = Path(mirror).expanduser()
        return [folder / source.key, folder / source.filename]
    if not _is_plain_address(mirror):
        raise SourceError(
            f"{source.key} was not looked for: ASKEW_MIRROR is neither a folder nor an http or "
            "https address without a user name. Set it to one of these, or unset it."
        )
    base = mirror.rstrip("/")
    return [f"{base}/{quote(source.key)}", f"{base}/{source.place}"]


def _is_plain_address(mirror: str) -> bool:
    try:
        parts = urlsplit(mirror)
    except ValueError:
        return False
    # A name and password would end up in messages, and a query would swallow the path.
    extras = parts.username or parts.password or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not extras


def _advice(source: Source) -> str:
    if _mirror():
        return (
            f"Put the file of {source.url} into the mirror as {source.key}, "
            "or unset ASKEW_MIRROR to take it from there."
        )
    return (
        "Check the network (a proxy is taken from HTTPS_PROXY), "
        f"or set ASKEW_MIRROR to a folder that holds {source.key}."
    )


def _require_pinned(source: Source, part: Path, origin: str) -> None:
    found = blob_id_at(part, SIZE_LIMIT)
    if found != source.blob_id:
        raise SourceError(
            f"{source.key}: what came from {origin} is not the pinned file (git blob id {found}, "
            f"pinned {source.blob_id}); a proxy or a sign-in page may have answered in its place. "
            f"Nothing was kept. {_advice(source)}"
        )
