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
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from urllib.parse import quote, urlsplit

import click
import httpx
from platformdirs import user_cache_path

from askew.files import passing
from askew.parameters import UsageError
from askew.schema import Paper

ATTEMPTS = 4
# Seconds without a byte after which an attempt has failed.
SILENCE = 30.0
# Seconds between two attempts at most, whatever a server asks for.
LONGEST_PAUSE = 60.0
# Bytes of a file at most: no source has a tenth of it, and a server may never end.
LARGEST = 64 * 1024 * 1024
# A name and password would end up in messages, and a query would swallow the path.
_PLAIN_ADDRESS = re.compile(r"https?://(\[[0-9a-f:.]+\](:\d+)?|[^][/@?#\s]+)(/[^?#]*)?", re.I)


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

    def fits(self, path: Path) -> bool:
        """Whether the whole, undamaged file lies at a path."""
        return path.is_file() and self.digest_at(path) == (self.blob_id or self.sha256)

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
    return source.fits(cached_path(source))


def fetch(source: Source) -> Path:
    """The path of a source's verified file, fetched first where the cache has no whole one."""
    final = cached_path(source)
    try:
        if not source.fits(final):
            with passing(final) as part:
                _bring(source, part)
    except OSError as error:
        advice = "Look at that folder and its space, or set ASKEW_CACHE to another one"
        why = f"{source.key} could not be kept at {final}: {error.strerror or error}"
        raise SourceError(f"{why}. {advice}.") from error
    return final


def _bring(source: Source, part: Path) -> None:
    """Write the source's file from the first place that has it; an error where none does."""
    failures = []
    for origin in _origins(source):
        try:
            if isinstance(origin, Path):
                part.write_bytes(origin.read_bytes())
            else:
                _download(origin, part, source.key)
        except (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL) as error:
            if isinstance(error, OSError) and not isinstance(origin, Path):
                raise  # the cache's own disk
            failures.append(f"{origin}: {_failure(error)}")
            if _is_missing(error):
                continue
            break
        if source.fits(part):
            return
        kind = "git blob id" if source.blob_id else "sha256"
        raise SourceError(
            f"{source.key}: what came from {origin} is not the pinned file ({kind} "
            f"{source.digest_at(part)}, pinned {source.blob_id or source.sha256}); the file "
            "may have changed, or a proxy or a sign-in page answered in its place. "
            f"Nothing was kept. {_advice(source)}"
        )
    raise SourceError(f"{source.key} could not be had. {'; '.join(failures)}. {_advice(source)}")


def _mirror() -> str:
    return os.environ.get("ASKEW_MIRROR", "").strip()


def _origins(source: Source) -> list[Path | str]:
    """The folders' paths or the addresses to try, in order."""
    mirror = _mirror()
    if not mirror:
        return [source.url]
    if not source.blob_id + source.sha256:
        problem = "has no digest by which a mirror's copy could be verified. Unset ASKEW_MIRROR"
        raise SourceError(f"{source.key} {problem} to take it from {source.revision}.")
    if "://" not in mirror:
        folder = Path(mirror).expanduser()
        return [folder / source.key, folder / source.filename]
    if not _PLAIN_ADDRESS.fullmatch(mirror):
        raise SourceError(
            f"{source.key} was not searched: ASKEW_MIRROR must be a folder, or an http or https "
            "address without a user name. Correct it, or unset it."
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
    if chosen:
        return Path(chosen).expanduser().absolute()
    return user_cache_path("askew", appauthor=False, opinion=False)


def _download(address: str, part: Path, name: str) -> None:
    """Write the body found at an address, starting over where it helps."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _write_body(address, part, name)
            return
        except httpx.HTTPError as error:
            if attempt == ATTEMPTS or not _may_pass(error):
                raise
            sleep(_pause(error, attempt))


def _pause(error: httpx.HTTPError, attempt: int) -> float:
    """Seconds until the next attempt: those that the server asks for, else twice the last."""
    answer = error.response if isinstance(error, httpx.HTTPStatusError) else httpx.Response(200)
    after = answer.headers.get("Retry-After", "")
    wished = float(after) if re.fullmatch("[0-9]{1,5}", after) else 2.0 ** (attempt - 1)
    return min(wished, LONGEST_PAUSE)


def _refuse_downgrade(response: httpx.Response) -> None:
    """Raise at a redirect to anything but https, unless it came by the same scheme."""
    if response.has_redirect_location:
        here = response.url.scheme
        there = response.url.join(response.headers["Location"]).scheme
        if there not in ("https", here):
            raise httpx.UnsupportedProtocol(f"it redirects from {here} to {there}")


def _write_body(address: str, part: Path, name: str) -> None:
    # The system's certificates, to which a company may have added its own.
    trusted = ssl.create_default_context()
    hooks = {"response": [_refuse_downgrade]}
    with (
        httpx.Client(
            verify=trusted, timeout=SILENCE, follow_redirects=True, event_hooks=hooks
        ) as client,
        client.stream("GET", address, headers={"User-Agent": "askew"}) as response,
    ):
        response.raise_for_status()
        length = int(response.headers.get("Content-Length") or 0)
        hidden = sys.stderr is None or not sys.stderr.isatty()
        shown = click.progressbar(length=length, label=name, file=sys.stderr, hidden=hidden)
        with part.open("wb") as file, shown as bar:
            for chunk in response.iter_bytes():
                file.write(chunk)
                bar.update(len(chunk))
                if file.tell() > LARGEST:
                    raise ValueError(f"it is larger than {LARGEST:,} bytes")


def _may_pass(error: Exception) -> bool:
    """Whether asking again may help."""
    if isinstance(error, httpx.HTTPStatusError):
        code = error.response.status_code
        return code >= 500 or code in (408, 429)
    if isinstance(error, httpx.UnsupportedProtocol) or "CERTIFICATE_VERIFY" in str(error):
        return False
    return isinstance(error, httpx.TransportError)


def _is_missing(error: Exception) -> bool:
    """Whether another place may have it."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (404, 410)
    return isinstance(error, FileNotFoundError)


def _failure(error: Exception) -> str:
    """Why a place did not give the file, in words of ours: a server's are not repeated."""
    if isinstance(error, httpx.HTTPStatusError):
        code = error.response.status_code
        tried = f" ({ATTEMPTS} attempts)" if _may_pass(error) else ""
        return f"the server answered {code} {httpx.codes.get_reason_phrase(code)}{tried}"
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, OSError):
        return f"it can't be read ({error.strerror or error})"
    if "CERTIFICATE_VERIFY" in str(error):
        return "its certificate is not trusted here (SSL_CERT_FILE names the trusted ones)"
    if not _may_pass(error):
        return f"{error!s:.200}"
    return f"the connection failed: no network? ({error!s:.200}; {ATTEMPTS} attempts)"
