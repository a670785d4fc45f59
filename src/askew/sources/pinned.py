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
from urllib.parse import quote, urlsplit

import httpx
from platformdirs import user_cache_path

from askew.files import write_atomically
from askew.parameters import UsageError
from askew.schema import Paper
from askew.untrusted import digest, mask_secrets

# Seconds between two attempts.
PAUSES = (1.0, 2.0, 4.0)
# Seconds without a byte after which an attempt has failed.
SILENCE = 30.0


class SourceError(UsageError):
    """A source could not be had: what was wrong, where, and what to do."""


@dataclass(frozen=True)
class Source:
    """One public file at one revision."""

    key: str  # `<paper>/<file name>`: its name here, and its place in a mirror
    url: str
    revision: str  # the repository or data set, `@`, and the commit or what else tells versions
    licence: str
    blob_id: str = ""  # Git's id of its content, which every copy must have
    sha256: str = ""
    """Where there is no such id, the digest of its content; where there is none either, only the
    revision in its address pins it, and no mirror is asked."""

    @property
    def filename(self) -> str:
        return self.key.partition("/")[2]

    def fits(self, content: bytes) -> bool:
        """Whether it is the whole, undamaged file."""
        if self.blob_id:
            return git_blob_id(content) == self.blob_id
        return not self.sha256 or hashlib.sha256(content).hexdigest() == self.sha256


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
    folder = source.blob_id or digest(source.url, 16)
    return cache_folder() / "sources" / folder / source.filename


def is_cached(source: Source) -> bool:
    """Whether the whole, undamaged file of a source is in the cache."""
    path = cached_path(source)
    return path.is_file() and source.fits(path.read_bytes())


def fetch(source: Source) -> Path:
    """The path of a source's verified file, fetched first where the cache has no whole one."""
    path = cached_path(source)
    try:
        return path if is_cached(source) else write_atomically(path, _bring(source))
    except OSError as error:
        why = f"{source.key} could not be kept at {path}: {error.strerror or error}"
        advice = "Look at that folder and its space, or set ASKEW_CACHE to another one"
        raise SourceError(f"{why}. {advice}.") from error


def _bring(source: Source) -> bytes:
    """What the first place that has it gives; an error where none does."""
    mirror = os.environ.get("ASKEW_MIRROR", "").strip()
    places: list[Path | str] = [source.url]
    advice = (
        "Check the network (a proxy is taken from HTTPS_PROXY), or set ASKEW_MIRROR to a folder "
        f"that holds {source.key}."
    )
    if mirror:
        if not source.blob_id + source.sha256:
            problem = "has no digest by which a mirror's copy could be verified. Unset ASKEW_MIRROR"
            raise SourceError(f"{source.key} {problem} to take it from {source.revision}.")
        advice = (
            f"Put the file of {source.url} into the mirror as {source.key}, or unset ASKEW_MIRROR "
            "to take it from there."
        )
        if "://" in mirror:
            base = mirror.rstrip("/")
            places = [f"{base}/{quote(source.key)}", f"{base}{urlsplit(source.url).path}"]
        else:
            folder = Path(mirror).expanduser()
            places = [folder / source.key, folder / source.filename]
    failures = []
    for place in places:
        shown = mask_secrets(str(place))
        try:
            content = place.read_bytes() if isinstance(place, Path) else _download(place)
        except (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL) as error:
            failures.append(f"{shown}: {_failure(error)}")
            continue
        if source.fits(content):
            return content
        pin = f"git blob id {source.blob_id}" if source.blob_id else f"sha256 {source.sha256}"
        raise SourceError(
            f"{source.key}: what came from {shown} is not the pinned file ({pin}); the file may "
            "have changed, or a proxy or a sign-in page answered in its place. Nothing was kept. "
            f"{advice}"
        )
    raise SourceError(f"{source.key} could not be had. {'; '.join(failures)}. {advice}")


def cache_folder() -> Path:
    """The folder of everything that is kept: `ASKEW_CACHE`, or one in the user's cache."""
    chosen = os.environ.get("ASKEW_CACHE", "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    return user_cache_path("askew", appauthor=False, opinion=False)


def _download(address: str) -> bytes:
    """What lies at an address; trouble that may pass is waited out."""
    pauses = iter(PAUSES)
    while True:
        try:
            found = httpx.get(
                address, follow_redirects=True, headers={"User-Agent": "askew"}, timeout=SILENCE,
                # The system's certificates, to which a company may have added its own.
                verify=ssl.create_default_context(),
            )  # fmt: skip
            plain = [r.url.host for r in (*found.history, found) if r.url.scheme != "https"]
            if address.startswith("https:") and plain:
                raise httpx.UnsupportedProtocol(f"it redirects to {plain[0]} without https")
            return found.raise_for_status().content
        except httpx.HTTPError as error:
            pause = next(pauses, None)
            if pause is None or not _may_pass(error):
                raise
            sleep(pause)


def _may_pass(error: Exception) -> bool:
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
    return f"the connection failed: no network? ({why})" if _may_pass(error) else why
