"""The public files that a Binary QA set is built from: pinned, downloaded once, verified.

The same folders and variables as for the other papers' files: kept under `ASKEW_CACHE`, taken
from `ASKEW_MIRROR` (a folder or an address) where that is set.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from askew.sources.cache import (
    SourceError,
    alone_in,
    cache_folder,
    disk_errors,
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

SIZE_LIMIT = 400 * 1024 * 1024
FOLDER = "binary_qa"
_HUB = "https://huggingface.co/datasets"


@dataclass(frozen=True)
class PinnedFile:
    """One file of a public data set at one revision.

    Args:
        name: its name here, and in a mirror as `binary_qa/<name>`.
        url: where it lies; the revision is part of it.
        revision: the commit, or what else says which version it is.
        sha256: digest of its content; where it is empty, the revision alone pins the file.
        licence: what its data set says about its use.
    """

    name: str
    url: str
    revision: str
    sha256: str
    licence: str


def _on_hub(
    name: str, dataset: str, revision: str, path: str, sha256: str, licence: str
) -> PinnedFile:
    url = f"{_HUB}/{dataset}/resolve/{revision}/{path}"
    return PinnedFile(name, url, f"{dataset}@{revision}", sha256, licence)


_BOOLQ = "35b264d03638db9f4ce671b711558bf7ff0f80d5"
_HOTPOT = "1908d6afbbead072334abe2965f91bd2709910ab"
_DROP = "95cda593fae71b60b5b19f82de3fcf3298c1239c"
_MQM = "9d2d6ca92d466d507665e31417302bcc44903970"

# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[PinnedFile, ...]] = {
    "boolq": (
        _on_hub(
            "boolq_train.parquet",
            "google/boolq",
            _BOOLQ,
            "data/train-00000-of-00001.parquet",
            "4f028e992c0bd4df30b9f056f4946b64f5c23028034ff0ed5ea467d8538cc623",
            "CC BY-SA 3.0",
        ),
    ),
    "hotpotqa": tuple(
        _on_hub(
            f"hotpotqa_distractor_train_{part}.parquet",
            "hotpotqa/hotpot_qa",
            _HOTPOT,
            f"distractor/train-0000{part}-of-00002.parquet",
            sha256,
            "CC BY-SA 4.0",
        )
        for part, sha256 in enumerate(
            (
                "76d3bb3048a7cc73c1958107c0c5872a00d7e7d00c105b81e92f6769e7822e68",
                "713661628434fbb19fff7392e2e321e4ed107e3c7c7784d0690946e5f722763f",
            )
        )
    ),
    "drop": (
        _on_hub(
            "drop_train.parquet",
            "ucinlp/drop",
            _DROP,
            "data/train-00000-of-00001.parquet",
            "",
            "CC BY-SA 4.0",
        ),
    ),
    "mqm": (
        PinnedFile(
            "mqm_newstest2020_ende.tsv",
            "https://raw.githubusercontent.com/google/wmt-mqm-human-evaluation/"
            f"{_MQM}/newstest2020/ende/mqm_newstest2020_ende.tsv",
            f"google/wmt-mqm-human-evaluation@{_MQM}",
            "22acb4d5cc4dc0d8f2683e9251c179c917ae8589d71b1945d755c46d88d345e3",
            "Apache 2.0",
        ),
    ),
    # The hub's main branch: the digests are what pins these two.
    "ethics": tuple(
        _on_hub(
            f"ethics_{part}_train.csv",
            "hendrycks/ethics",
            "main",
            f"data/{part}/train.csv",
            sha256,
            "MIT",
        )
        for part, sha256 in (
            ("commonsense", "286cb4098a66b71819493f964cf2afe62cdbb6c6b41983b9c0b8fc484650c752"),
            ("justice", "175c8255f5ee3d99ad381cd716473367274dc24b3832d5e3357f37f1779a7d3f"),
        )
    ),
}


def obtain(
    file: PinnedFile, *, progress: Progress | None = None, patience: Patience | None = None
) -> Path:
    """The path of a verified copy of a pinned file, fetched first where there is none.

    Args:
        file: an entry of `FILES`.
        progress: told the bytes as they come; by default a line on a terminal's stderr.
        patience: retries and time limits of a download.
    """
    folder = cache_folder() / "sources" / hashlib.sha256(file.url.encode()).hexdigest()[:16]
    final = folder / file.name
    patience = patience or Patience()
    with disk_errors(file.name, final):
        if _is_whole(final, file):
            return final
        make_private(folder)
        with alone_in(folder, patience.total) as alone:
            # Another process may have brought it while this one waited.
            if not _is_whole(final, file):
                remove_leftovers(folder, alone)
                place(
                    final,
                    lambda out: _fill(file, out, progress or progress_for_terminal(), patience),
                    lambda part, origin: _require_pinned(file, part, origin),
                )
    return final


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_whole(path: Path, file: PinnedFile) -> bool:
    return path.is_file() and (not file.sha256 or digest_of(path) == file.sha256)


def _fill(file: PinnedFile, out: BinaryIO, progress: Progress, patience: Patience) -> str:
    """Write the file's bytes from where it is to be had; the name of that place."""

    def advance(done: int, total: int | None) -> None:
        progress.update(file.name, done, total)

    origin = _origin(file)
    try:
        if isinstance(origin, Path):
            copy(origin, out, limit=SIZE_LIMIT, advance=advance)
        else:
            download(origin, out, limit=SIZE_LIMIT, patience=patience, advance=advance)
    except UnreachableError as error:
        raise SourceError(
            f"{file.name} could not be had. {origin}: {error}. Check the network, or set "
            f"ASKEW_MIRROR to a folder that holds {FOLDER}/{file.name} (the file of {file.url})."
        ) from error
    finally:
        progress.close()
    return str(origin)


def _origin(file: PinnedFile) -> Path | str:
    mirror = os.environ.get("ASKEW_MIRROR", "").strip()
    if not mirror:
        return file.url
    if mirror.startswith(("http://", "https://")):
        return f"{mirror.rstrip('/')}/{FOLDER}/{quote(file.name)}"
    folder = Path(mirror).expanduser()
    beside = folder / file.name
    return beside if beside.is_file() else folder / FOLDER / file.name


def _require_pinned(file: PinnedFile, part: Path, origin: str) -> None:
    if not file.sha256:
        return
    found = digest_of(part)
    if found != file.sha256:
        raise SourceError(
            f"{file.name}: what came from {origin} is not the pinned file (sha256 {found}, pinned "
            f"{file.sha256}); the data set may have changed, or a sign-in page answered in its "
            "place. Nothing was kept."
        )
