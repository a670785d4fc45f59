"""Bytes from an http(s) address or a folder into an open file.

Bounded in size, time and retries. Everything that goes wrong on the far side is an
`UnreachableError`; an `OSError` that comes out of here is about the file being written.
"""

import http.client
import socket
import ssl
import sys
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, BinaryIO, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from askew.data.cache import CHUNK

MISSING = frozenset({404, 410})
LONGEST_PAUSE = 60.0

Advance = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Patience:
    """How long a download may take, and how often it may start over.

    Args:
        attempts: how often a file is asked for before giving up.
        silence: seconds without a byte after which an attempt has failed.
        total: seconds for all attempts at one address together; bounds a slow drip too.
        pause: seconds before the second attempt, doubled before each further one.
        wait: what sleeps between attempts.
    """

    attempts: int = 4
    silence: float = 30.0
    total: float = 600.0
    pause: float = 1.0
    wait: Callable[[float], None] = time.sleep


class UnreachableError(Exception):
    """Why an address or a folder did not give the whole file."""

    def __init__(
        self,
        reason: str,
        *,
        missing: bool = False,
        passing: bool = False,
        pause: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.missing = missing
        self.passing = passing
        self.pause = pause


class Progress(Protocol):
    """Told how far a file has come; `close` is called once, also after an error."""

    def update(self, name: str, done: int, total: int | None) -> None: ...

    def close(self) -> None: ...


class SilentProgress:
    """Shows nothing."""

    def update(self, name: str, done: int, total: int | None) -> None: ...

    def close(self) -> None: ...


class TerminalProgress:
    """One line on a terminal, rewritten at most ten times a second."""

    def __init__(self, stream: IO[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._next = 0.0
        self._shown = False

    def update(self, name: str, done: int, total: int | None) -> None:
        now = self._clock()
        if now < self._next and done != total:
            return
        self._next = now + 0.1
        self._shown = True
        part = f" of {total:,} bytes, {100 * done // total}%" if total else " bytes"
        self._write(f"\r{name}: {done:,}{part}")

    def close(self) -> None:
        if self._shown:
            self._write("\n")

    def _write(self, text: str) -> None:
        # A closed terminal is no reason to lose a download.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def progress_for_terminal() -> Progress:
    """A progress line where standard error is a terminal, silence elsewhere."""
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalProgress(sys.stderr)
    return SilentProgress()


def copy(path: Path, file: BinaryIO, *, limit: int, advance: Advance) -> None:
    """Replace what `file` holds by the bytes of the regular file at `path`."""
    _restart(file)
    done = 0
    with closing(_chunks_of_file(path, limit)) as chunks:
        for chunk, total in chunks:
            file.write(chunk)
            done += len(chunk)
            advance(done, total)


def download(
    address: str, file: BinaryIO, *, limit: int, patience: Patience, advance: Advance
) -> None:
    """Replace what `file` holds by the body found at `address`, starting over where it helps.

    Args:
        address: an http or https address.
        file: opened for writing; seekable.
        limit: the most bytes the body may have.
        patience: retries and time limits.
        advance: told the bytes written so far and, if the server says, of how many.
    """
    opener = _http_opener()
    ends = time.monotonic() + patience.total
    for attempt in range(1, patience.attempts + 1):
        try:
            _restart(file)
            done = 0
            with closing(_chunks_of_body(opener, address, limit, patience, ends)) as chunks:
                for chunk, total in chunks:
                    file.write(chunk)
                    done += len(chunk)
                    advance(done, total)
            return
        except UnreachableError as error:
            if not error.passing:
                raise
            if attempt == patience.attempts:
                raise UnreachableError(f"{error} ({attempt} attempts)") from error
            pause = patience.pause * 2 ** (attempt - 1) if error.pause is None else error.pause
            patience.wait(min(pause, LONGEST_PAUSE))


def _restart(file: BinaryIO) -> None:
    file.seek(0)
    file.truncate()


def _chunks_of_file(path: Path, limit: int) -> Generator[tuple[bytes, int | None], None, None]:
    try:
        # A pipe or a device would block or never end.
        if not path.is_file():
            raise UnreachableError("no such file", missing=True)
        with path.open("rb") as origin:
            total = path.stat().st_size
            done = 0
            while chunk := origin.read(CHUNK):
                done += len(chunk)
                _refuse_above(limit, done)
                yield chunk, total
    except OSError as error:
        raise UnreachableError(f"it can't be read ({error.strerror or error})") from error


def _chunks_of_body(
    opener: OpenerDirector, address: str, limit: int, patience: Patience, ends: float
) -> Generator[tuple[bytes, int | None], None, None]:
    try:
        request = Request(address, headers={"User-Agent": "askew"})
        with opener.open(request, timeout=patience.silence) as response:
            total: int | None = response.length
            _refuse_above(limit, total or 0)
            done = 0
            # read1 returns what has arrived; read would sit out a drip past its time.
            while chunk := response.read1(CHUNK):
                done += len(chunk)
                _refuse_above(limit, done)
                yield chunk, total
                if time.monotonic() > ends:
                    raise UnreachableError(f"not done within {patience.total:g} seconds")
            if total is not None and done < total:
                raise UnreachableError(
                    f"the body ended after {done} of {total} bytes", passing=True
                )
    except HTTPError as error:
        raise _refusal(error) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failure(error, patience) from error


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        raise UnreachableError(f"larger than the {limit:,} bytes a source may have")


def _refusal(error: HTTPError) -> UnreachableError:
    """What a status other than 2xx means; the server's own words are not repeated."""
    with error:
        phrase = http.client.responses.get(error.code, "unknown status")
        return UnreachableError(
            f"the server answered {error.code} {phrase}",
            missing=error.code in MISSING,
            passing=error.code >= 500 or error.code in (408, 429),
            pause=_seconds(error.headers),
        )


def _seconds(headers: Message | None) -> float | None:
    after = (headers.get("Retry-After") or "").strip() if headers is not None else ""
    return float(after) if after.isascii() and after.isdigit() and len(after) < 6 else None


def _failure(error: Exception, patience: Patience) -> UnreachableError:
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UnreachableError(
            "its certificate is not trusted here (SSL_CERT_FILE names the trusted ones)"
        )
    if isinstance(cause, TimeoutError):
        return UnreachableError(f"no byte for {patience.silence:g} seconds", passing=True)
    if isinstance(cause, socket.gaierror):
        return UnreachableError("the host's name can't be resolved (no network?)", passing=True)
    if isinstance(cause, http.client.IncompleteRead):
        return UnreachableError("the body ended early", passing=True)
    if isinstance(cause, http.client.InvalidURL | ValueError):
        return UnreachableError(f"not an address that can be asked ({cause!r:.200})")
    if isinstance(cause, OSError | http.client.HTTPException):
        return UnreachableError(f"the connection failed ({cause!r:.200})", passing=True)
    return UnreachableError(f"it can't be asked ({cause!r:.200})")


class _HttpRedirects(HTTPRedirectHandler):
    """Follows redirects to http and https only, and never from https down to http."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        scheme = urlsplit(newurl).scheme
        if scheme != "https" and scheme != req.type:
            raise UnreachableError(
                f"it redirects from {req.type} to {scheme}, which is not followed"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _http_opener() -> OpenerDirector:
    # Put together by hand: build_opener would also open file:, ftp: and data: addresses.
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        UnknownHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        _HttpRedirects(),
    ):
        opener.add_handler(handler)
    return opener
