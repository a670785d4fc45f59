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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import sleep
from typing import BinaryIO
from urllib.parse import quote, urlsplit

import httpx
from platformdirs import user_cache_path

from askew.files import passing
from askew.parameters import Refusal
from askew.progress import transfer_progress
from askew.schema import Paper

ATTEMPTS = 4
# Seconds between two attempts, whatever a server asks for.
LONGEST_PAUSE = 60.0
# Seconds without a byte after which an attempt has failed.
SILENCE = 30.0

Advance = Callable[[int, int | None], None]
# A name and password would end up in messages, and a query would swallow the path.
_PLAIN_ADDRESS = re.compile(r"https?://(\[[0-9a-f:.]+\](:\d+)?|[^][/@?#\s]+)(/[^?#]*)?", re.I)


@dataclass(eq=False)
class UnreachableError(Exception):
    """Why an address or a folder did not give the whole file; none of the words are a server's."""

    reason: str
    missing: bool = False
    """Whether another place may have it."""
    passing: bool = False
    """Whether asking again may help."""
    pause: float | None = None
    """Seconds after which the server wants to be asked again."""

    def __str__(self) -> str:
        return self.reason


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
    with transfer_progress(source.key) as advance:
        for origin in _origins(source):
            try:
                if isinstance(origin, Path):
                    file.write(_content(origin, source.limit))
                else:
                    download(origin, file, source.limit, advance)
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


# --- Bytes of an address, with retries and a size limit ------------------------------------------


def download(address: str, file: BinaryIO, limit: int, advance: Advance) -> None:
    """Replace what `file` holds by the body found at `address`, starting over where it helps.

    It has at most `limit` bytes; `advance` hears how many are written and, if known, of how many.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with _client() as client:
                _write_body(client, address, file, limit, advance)
            return
        except UnreachableError as error:
            if not error.passing:
                raise
            if attempt == ATTEMPTS:
                raise UnreachableError(f"{error} ({attempt} attempts)") from error
            wished = 2.0 ** (attempt - 1) if error.pause is None else error.pause
            sleep(min(wished, LONGEST_PAUSE))


def _client() -> httpx.Client:
    try:
        return httpx.Client(
            # The bytes are wanted as they are kept: nothing is unpacked, bombs included.
            headers={"User-Agent": "askew", "Accept-Encoding": "identity"},
            # The system's certificates, to which a company may have added its own.
            verify=ssl.create_default_context(),
            timeout=SILENCE,
            follow_redirects=True,
            event_hooks={"response": [_refuse_unsafe_redirect]},
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise UnreachableError(
            f"a proxy named by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY can't be used ({error!s:.200})"
        ) from error


def _refuse_unsafe_redirect(response: httpx.Response) -> None:
    """Redirects are followed to http and https only, and never from https down to http."""
    if response.has_redirect_location:
        here = response.url.scheme
        there = response.url.join(response.headers["Location"]).scheme
        if there not in ("https", here):
            raise UnreachableError(f"it redirects from {here} to {there}, which is not followed")


def _write_body(
    client: httpx.Client, address: str, file: BinaryIO, limit: int, advance: Advance
) -> None:
    file.seek(0)
    file.truncate()
    done = 0
    try:
        with client.stream("GET", address) as response:
            if not response.is_success:
                raise _refusal(response)
            length = response.headers.get("Content-Length")
            total = int(length) if length else None
            for chunk in response.iter_raw():
                done += len(chunk)
                if max(done, total or 0) > limit:
                    raise UnreachableError(f"larger than the {limit:,} bytes a source may have")
                file.write(chunk)
                advance(done, total)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise _failure(error) from error


def _refusal(response: httpx.Response) -> UnreachableError:
    """What a status other than 2xx means; the server's own words are not repeated."""
    code = response.status_code
    after = response.headers.get("Retry-After", "")
    return UnreachableError(
        f"the server answered {code} {httpx.codes.get_reason_phrase(code) or 'unknown status'}",
        missing=code in (404, 410),
        passing=code >= 500 or code in (408, 429),
        pause=float(after) if re.fullmatch("[0-9]{1,5}", after) else None,
    )


def _failure(error: Exception) -> UnreachableError:
    cause: BaseException = error
    # httpx says what kind of trouble it is, what it began with says which.
    while (before := cause.__cause__ or cause.__context__) is not None:
        cause = before
    if not isinstance(error, httpx.TransportError) or isinstance(error, httpx.UnsupportedProtocol):
        return UnreachableError(f"not an address that can be asked ({cause!r:.200})")
    if isinstance(cause, ssl.SSLCertVerificationError):
        told = "its certificate is not trusted here (SSL_CERT_FILE names the trusted ones)"
        return UnreachableError(told)
    told = f"the connection failed: no network? ({cause!r:.200})"
    return UnreachableError(told, passing=True)
