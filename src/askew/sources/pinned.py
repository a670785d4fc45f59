"""Public files: pinned by what they hold, downloaded once, verified on every use.

A file is taken from its own address, or from `ASKEW_MIRROR` where that is set: a folder
(searched for `<paper>/<name>`, then `<name>`) or an http(s) address (asked for `<paper>/<name>`,
then, where that is missing, for the path of the file's own address). A mirror that is set is the
only place asked. Files are kept under `ASKEW_CACHE` (default: the user's cache folder), each in a
folder of its own.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, urlsplit

from platformdirs import user_cache_path

from askew.files import passing
from askew.parameters import Refusal
from askew.progress import DownloadLine
from askew.schema import Paper
from askew.sources.download import UnreachableError, download

# A name and password would end up in messages, and a query would swallow the path.
_PLAIN_ADDRESS = re.compile(r"https?://(\[[0-9a-f:.]+\](:\d+)?|[^][/@?#\s]+)(/[^?#]*)?", re.I)


class SourceError(Refusal):
    """A source could not be had: what was wrong, where, and what to do."""


@dataclass(frozen=True)
class Source:
    """One public file at one revision."""

    key: str
    """`<paper>/<file name>`: its name here, and its place in a mirror."""
    url: str
    revision: str
    """The repository or data set, `@`, and the commit or what else tells versions."""
    licence: str
    blob_id: str = ""
    """Git's id of its content, which every copy must have."""
    sha256: str = ""
    """Where there is no such id, the digest of its content; where there is none either, only the
    revision in its address pins it."""
    limit: int = 64 * 1024 * 1024

    @property
    def filename(self) -> str:
        return self.key.partition("/")[2]

    def fits(self, path: Path) -> bool:
        """Whether the whole, undamaged file lies at a path."""
        # A pipe would block; what is far larger need not be read to tell.
        if not path.is_file() or path.stat().st_size > self.limit:
            return False
        return self.digest_at(path) == (self.blob_id or self.sha256)

    def digest_at(self, path: Path) -> str:
        """What the content at a path is told by: as this source's own, where it is the file."""
        if self.blob_id:
            return git_blob_id(path)
        return sha256_of(path) if self.sha256 else ""


def on_github(
    paper: str, repository: str, commit: str, licence: str, blob_ids: Mapping[str, str]
) -> dict[str, Source]:
    """Sources by file name, from one repository on GitHub at one commit."""
    host = "https://raw.githubusercontent.com"
    return {
        (name := path.rpartition("/")[2]): Source(
            f"{paper}/{name}",
            f"{host}/{quote(f'{repository}/{commit}/{path}')}",
            f"{repository}@{commit}",
            licence,
            blob_id,
        )
        for path, blob_id in blob_ids.items()
    }


def sources_of(paper: Paper) -> tuple[Source, ...]:
    """What a paper's part `items` lists; nothing where it published no questions."""
    return tuple(getattr(paper.items, "SOURCES", {}).values()) if paper.has("items") else ()


def git_blob_id(path: Path) -> str:
    """The id git gives a file of the content at a path."""
    with path.open("rb") as file:
        head = b"blob %d\0" % os.fstat(file.fileno()).st_size
        # git names contents by SHA-1; FIPS builds of Python want to hear it is no signature.
        return hashlib.file_digest(
            file, lambda: hashlib.sha1(head, usedforsecurity=False)
        ).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of the content at a path."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cached_path(source: Source) -> Path:
    """Where the file of a source is kept, there or not."""
    folder = source.blob_id or hashlib.sha256(source.url.encode()).hexdigest()[:16]
    return cache_folder() / "sources" / folder / source.filename


def is_cached(source: Source) -> bool:
    """Whether the whole, undamaged file of a source is in the cache."""
    path = cached_path(source)
    with disk_errors(source.key, path):
        return source.fits(path)


def fetch(source: Source) -> Path:
    """The path of a source's verified file, fetched first where the cache has no whole one."""
    final = cached_path(source)
    with disk_errors(source.key, final):
        if not source.fits(final):
            with passing(final) as part:
                _bring(source, part)
    return final


def _bring(source: Source, part: Path) -> None:
    with part.open("xb") as file:
        origin = _fill(source, file)
    if not source.fits(part):
        kind = "git blob id" if source.blob_id else "sha256"
        raise SourceError(
            f"{source.key}: what came from {origin} is not the pinned file ({kind} "
            f"{source.digest_at(part)}, pinned {source.blob_id or source.sha256}); the file "
            "may have changed, or a proxy or a sign-in page answered in its place. "
            f"Nothing was kept. {_advice(source)}"
        )


def _fill(source: Source, file: BinaryIO) -> Path | str:
    """Write the source's bytes from the first origin that has them, and return that."""
    failures = []
    with closing(DownloadLine()) as line:
        for origin in _origins(source):
            try:
                if isinstance(origin, Path):
                    file.write(_content(origin, source.limit))
                else:
                    download(origin, file, source.limit, partial(line.update, source.key))
                return origin
            except UnreachableError as error:
                failures.append(f"{origin}: {error}")
                if not error.missing:
                    break
    raise SourceError(f"{source.key} could not be had. {'; '.join(failures)}. {_advice(source)}")


def _content(path: Path, limit: int) -> bytes:
    try:
        # A pipe or a device would block or never end.
        if not path.is_file():
            raise UnreachableError("no such file", missing=True)
        if path.stat().st_size > limit:
            raise UnreachableError(f"larger than the {limit:,} bytes a source may have")
        return path.read_bytes()
    except OSError as error:
        raise UnreachableError(f"it can't be read ({error.strerror or error})") from error


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
    if not _PLAIN_ADDRESS.fullmatch(mirror):
        raise SourceError(
            f"{source.key} was not looked for: ASKEW_MIRROR is neither a folder nor an http or "
            "https address without a user name. Set it to one of these, or unset it."
        )
    base = mirror.rstrip("/")
    return [f"{base}/{quote(source.key)}", f"{base}{urlsplit(source.url).path}"]


def _advice(source: Source) -> str:
    if _mirror():
        there = f"Put the file of {source.url} into the mirror as {source.key}"
        return f"{there}, or unset ASKEW_MIRROR to take it from there."
    proxy = "Check the network (a proxy is taken from HTTPS_PROXY)"
    return f"{proxy}, or set ASKEW_MIRROR to a folder that holds {source.key}."


def cache_folder() -> Path:
    """The folder of everything that is kept: `ASKEW_CACHE`, or one in the user's cache."""
    chosen = os.environ.get("ASKEW_CACHE", "").strip()
    try:
        usual = partial(user_cache_path, "askew", appauthor=False, opinion=False)
        return Path(chosen).expanduser().absolute() if chosen else usual()
    except RuntimeError as error:
        raise SourceError(
            f"There is no place to keep files: {error} Set ASKEW_CACHE to a folder."
        ) from error


@contextmanager
def disk_errors(key: str, path: Path) -> Iterator[None]:
    """Say of an `OSError` about the cache what was wrong and what to do."""
    try:
        yield
    except OSError as error:
        advice = "Look at that folder and its space, or set ASKEW_CACHE to another one"
        why = error.strerror or error
        raise SourceError(f"{key} could not be kept at {path}: {why}. {advice}.") from error
