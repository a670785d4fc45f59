"""Public files: pinned by what they hold, downloaded once, verified on every use.

A file is taken from its own address, or from `ASKEW_MIRROR` where that is set: a folder
(searched for `<paper>/<name>`, then `<name>`) or an http(s) address (asked for `<paper>/<name>`,
then for the path of the file's own address). A mirror that is set is the only place asked. Files
are kept under `ASKEW_CACHE` (default: the user's cache folder), each in a folder of its own.
"""

import hashlib
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from platformdirs import user_cache_path

from askew.files import write_atomically
from askew.parameters import UsageError
from askew.schema import Paper
from askew.untrusted import mask_secrets

# Seconds between two attempts.
PAUSES = (1.0, 2.0, 4.0)
# Seconds without a byte after which an attempt has failed.
SILENCE = 30.0


class SourceError(UsageError):
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
    revision in its address pins it, and no mirror is asked."""

    @property
    def filename(self) -> str:
        return self.key.partition("/")[2]

    @property
    def pinned(self) -> str:
        """What tells its content; empty where only its address does."""
        return self.blob_id or self.sha256

    def told_by(self, content: bytes) -> str:
        """What tells some content, in the way of this source."""
        if self.blob_id:
            return git_blob_id(content)
        return hashlib.sha256(content).hexdigest() if self.sha256 else ""

    def fits(self, path: Path) -> bool:
        """Whether the whole, undamaged file lies at a path."""
        return path.is_file() and self.told_by(path.read_bytes()) == self.pinned


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


def git_blob_id(content: bytes) -> str:
    """The id git gives a file of this content."""
    # git names contents by SHA-1; FIPS builds of Python want to hear it is no signature.
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


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
    return source.fits(cached_path(source))


def fetch(source: Source) -> Path:
    """The path of a source's verified file, fetched first where the cache has no whole one."""
    try:
        if not is_cached(source):
            write_atomically(cached_path(source), _bring(source))
    except OSError as error:
        advice = "Look at that folder and its space, or set ASKEW_CACHE to another one"
        why = f"{source.key} could not be kept at {cached_path(source)}: {error.strerror or error}"
        raise SourceError(f"{why}. {advice}.") from error
    return cached_path(source)


def _bring(source: Source) -> bytes:
    """What the first place that has it gives; an error where none does."""
    failures = []
    for origin in _origins(source):
        place = mask_secrets(str(origin))
        try:
            content = origin.read_bytes() if isinstance(origin, Path) else _download(origin)
        except (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL) as error:
            failures.append(f"{place}: {_failure(error)}")
            continue
        if (found := source.told_by(content)) == source.pinned:
            return content
        kind = "git blob id" if source.blob_id else "sha256"
        raise SourceError(
            f"{source.key}: what came from {place} is not the pinned file ({kind} {found}, "
            f"pinned {source.pinned}); the file may have changed, or a proxy or a sign-in page "
            f"answered in its place. Nothing was kept. {_advice(source)}"
        )
    raise SourceError(f"{source.key} could not be had. {'; '.join(failures)}. {_advice(source)}")


def _mirror() -> str:
    return os.environ.get("ASKEW_MIRROR", "").strip()


def _origins(source: Source) -> list[Path | str]:
    """The folders' paths or the addresses to try, in order."""
    mirror = _mirror()
    if not mirror:
        return [source.url]
    if not source.pinned:
        problem = "has no digest by which a mirror's copy could be verified. Unset ASKEW_MIRROR"
        raise SourceError(f"{source.key} {problem} to take it from {source.revision}.")
    if "://" not in mirror:
        folder = Path(mirror).expanduser()
        return [folder / source.key, folder / source.filename]
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
    if chosen:
        return Path(chosen).expanduser().absolute()
    return user_cache_path("askew", appauthor=False, opinion=False)


def _download(address: str) -> bytes:
    """What lies at an address; trouble that may pass is waited out."""
    # The system's certificates, to which a company may have added its own.
    how: dict[str, Any] = {"verify": ssl.create_default_context(), "timeout": SILENCE}
    pauses = iter(PAUSES)
    while True:
        try:
            found = httpx.get(
                address, follow_redirects=True, headers={"User-Agent": "askew"}, **how
            )
            plain = [r.url.host for r in (*found.history, found) if r.url.scheme != "https"]
            if address.startswith("https:") and plain:
                raise httpx.UnsupportedProtocol(f"it redirects to {plain[0]} without https")
            return found.raise_for_status().content
        except httpx.HTTPError as error:
            pause = next(pauses, None)
            if pause is None or not _may_pass(error):
                raise
            sleep(pause)


def _may_pass(error: httpx.HTTPError) -> bool:
    """Whether asking again may help."""
    if isinstance(error, httpx.HTTPStatusError):
        code = error.response.status_code
        return code >= 500 or code in (408, 429)
    is_final = isinstance(error, httpx.UnsupportedProtocol) or "CERTIFICATE_VERIFY" in str(error)
    return isinstance(error, httpx.TransportError) and not is_final


def _failure(error: Exception) -> str:
    """Why a place did not give the file, in words of ours: a server's are not repeated."""
    if isinstance(error, httpx.HTTPStatusError):
        code = error.response.status_code
        return f"the server answered {code} {httpx.codes.get_reason_phrase(code)}"
    if "CERTIFICATE_VERIFY" in str(error):
        return "its certificate is not trusted here (SSL_CERT_FILE names the trusted ones)"
    why = f"{getattr(error, 'strerror', None) or error!s:.200}"
    may_pass = isinstance(error, httpx.HTTPError) and _may_pass(error)
    return f"the connection failed: no network? ({why})" if may_pass else why
