"""Copy bytes from an http(s) address into an open file, with retries and a size limit.

Everything that goes wrong on the far side is an `UnreachableError`; an `OSError` that comes out of
here is about the file being written.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from time import sleep
from typing import BinaryIO

import httpx

ATTEMPTS = 4
# Seconds without a byte after which an attempt has failed.
SILENCE = 30.0

Advance = Callable[[int, int | None], None]


@dataclass(eq=False)
class UnreachableError(Exception):
    """Why an address or a folder did not give the whole file; none of the words are a server's."""

    reason: str
    missing: bool = False
    """Whether another place may have it."""
    passing: bool = False
    """Whether asking again may help."""

    def __str__(self) -> str:
        return self.reason


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
            sleep(2.0 ** (attempt - 1))


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
    return UnreachableError(
        f"the server answered {code} {httpx.codes.get_reason_phrase(code) or 'unknown status'}",
        missing=code in (404, 410),
        passing=code >= 500 or code in (408, 429),
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
