"""Bytes from an http(s) address or a folder into an open file.

Bounded in size, time and retries. Everything that goes wrong on the far side is an
`UnreachableError`; an `OSError` that comes out of here is about the file being written.
"""

import socket
import ssl
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential

CHUNK = 64 * 1024
LONGEST_PAUSE = 60.0
MOST_REDIRECTS = 10

Advance = Callable[[int, int | None], None]
# Bytes as they come, and of how many in all where that is known.
Chunks = Generator[tuple[bytes, int | None], None, None]


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


@dataclass(eq=False)
class UnreachableError(Exception):
    """Why an address or a folder did not give the whole file.

    Args:
        reason: in a few words, none of them the server's.
        missing: whether another place may have it.
        passing: whether asking again may help.
        pause: seconds after which the server wants to be asked again.
    """

    reason: str
    missing: bool = False
    passing: bool = False
    pause: float | None = None

    def __str__(self) -> str:
        return self.reason


def copy(path: Path, file: BinaryIO, *, limit: int, advance: Advance) -> None:
    """Replace what `file` holds by the bytes of the regular file at `path`."""
    _write(_chunks_of_file(path), file, limit, advance)


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
    ends = time.monotonic() + patience.total
    doubled = wait_exponential(multiplier=patience.pause)

    def pause(state: RetryCallState) -> float:
        asked = _trouble(state).pause
        left = max(0.0, ends - time.monotonic())
        return min(doubled(state) if asked is None else asked, LONGEST_PAUSE, left)

    retrying = Retrying(
        retry=retry_if_exception(lambda e: isinstance(e, UnreachableError) and e.passing),
        stop=stop_after_attempt(patience.attempts),
        wait=pause,
        sleep=patience.wait,
        retry_error_callback=_give_up,
    )
    with _client() as client:
        retrying(lambda: _write(_body(client, address, patience, ends), file, limit, advance))


def _give_up(state: RetryCallState) -> NoReturn:
    error = _trouble(state)
    raise UnreachableError(f"{error} ({state.attempt_number} attempts)") from error


def _trouble(state: RetryCallState) -> UnreachableError:
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, UnreachableError)
    return error


def _write(chunks: Chunks, file: BinaryIO, limit: int, advance: Advance) -> None:
    file.seek(0)
    file.truncate()
    done = 0
    with closing(chunks):
        for chunk, total in chunks:
            done += len(chunk)
            if max(done, total or 0) > limit:
                raise UnreachableError(f"larger than the {limit:,} bytes a source may have")
            file.write(chunk)
            advance(done, total)


def _chunks_of_file(path: Path) -> Chunks:
    try:
        # A pipe or a device would block or never end.
        if not path.is_file():
            raise UnreachableError("no such file", missing=True)
        with path.open("rb") as origin:
            total = path.stat().st_size
            while chunk := origin.read(CHUNK):
                yield chunk, total
    except OSError as error:
        raise UnreachableError(f"it can't be read ({error.strerror or error})") from error


def _client() -> httpx.Client:
    try:
        return httpx.Client(
            # The bytes are wanted as they are kept: nothing is unpacked, bombs included.
            headers={"User-Agent": "askew", "Accept-Encoding": "identity"},
            # The system's certificates, to which a company may have added its own.
            verify=ssl.create_default_context(),
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
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


def _body(client: httpx.Client, address: str, patience: Patience, ends: float) -> Chunks:
    late = UnreachableError(f"not done within {patience.total:g} seconds")
    left = ends - time.monotonic()
    if left <= 0:
        raise late
    try:
        timeout = min(patience.silence, left)
        with client.stream("GET", address, timeout=timeout) as response:
            if not response.is_success:
                raise _refusal(response)
            length = response.headers.get("Content-Length")
            for chunk in response.iter_raw():
                yield chunk, int(length) if length else None
                if time.monotonic() > ends:
                    raise late
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise (late if time.monotonic() > ends else _failure(error, patience)) from error


def _refusal(response: httpx.Response) -> UnreachableError:
    """What a status other than 2xx means; the server's own words are not repeated."""
    code = response.status_code
    after = response.headers.get("Retry-After", "").strip()
    is_seconds = after.isascii() and after.isdigit() and len(after) < 6
    return UnreachableError(
        f"the server answered {code} {httpx.codes.get_reason_phrase(code) or 'unknown status'}",
        missing=code in (404, 410),
        passing=code >= 500 or code in (408, 429),
        pause=float(after) if is_seconds else None,
    )


def _failure(error: Exception, patience: Patience) -> UnreachableError:
    cause: BaseException = error
    # httpx says what kind of trouble it is, what it began with says which.
    while (before := cause.__cause__ or cause.__context__) is not None:
        cause = before
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UnreachableError(
            "its certificate is not trusted here (SSL_CERT_FILE names the trusted ones)"
        )
    if isinstance(error, httpx.TimeoutException):
        return UnreachableError(f"no byte for {patience.silence:g} seconds", passing=True)
    if isinstance(cause, socket.gaierror):
        return UnreachableError("the host's name can't be resolved (no network?)", passing=True)
    if isinstance(error, httpx.TooManyRedirects):
        return UnreachableError(f"it redirects more than {MOST_REDIRECTS} times")
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | ValueError):
        return UnreachableError(f"not an address that can be asked ({cause!r:.200})")
    return UnreachableError(f"the connection failed ({cause!r:.200})", passing=True)
