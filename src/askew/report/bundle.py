"""A folder that holds a report's page and Inspect's own viewer of the same logs, linked by sample.

Whoever serves the folder over HTTP has both; nothing in it is fetched from elsewhere.
"""

from __future__ import annotations

import io
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from inspect_ai.log import bundle_log_dir, read_eval_log

from askew.logs.unpacking import opened
from askew.report.report import write_report
from askew.report.samples import place_of
from askew.untrusted import one_line

_logger = logging.getLogger(__name__)
# Signs of a log's name that Inspect takes for parts of an address or for patterns.
_ODD = re.compile(r"[^\w .+:=,()@-]+")
PAGE = "index.html"
VIEWER = "viewer"


class BundleError(ValueError):
    """A bundle can't be written where or from what was asked."""


def write_bundle(
    observations: pd.DataFrame, folder: str | Path, *, overwrite: bool = False, **options: Any
) -> Path:
    """Write the report's page and a viewer of its logs into a folder, whole or not at all.

    A log that is gone, or that Inspect can't read, is named by a warning and has no place in the
    viewer; the page's numbers rest on it all the same.

    Args:
        observations: the table that `read_observations` returns; their logs are copied.
        folder: where; it must be new or empty.
        overwrite: replace a folder that holds such a bundle, and nothing else.
        **options: as `write_report` takes them.
    """
    # Absolute: Inspect takes "hf/..." for a place to upload to.
    target = Path(folder).absolute()
    logs = sorted({str(log) for log in observations["log"].dropna() if log})
    if not logs:
        raise BundleError("the observations name no logs, and a bundle shows logs: read some first")
    _check(target, logs, overwrite)
    token = secrets.token_hex(4)
    part, old, staged = (target.with_name(f".{target.name}.{token}.{end}")
                         for end in ("part", "old", "logs"))  # fmt: skip
    try:
        names, missing = _gathered(logs, staged)
        if not names:
            raise BundleError(f"none of the logs can be shown: {missing[0]}")
        part.mkdir(parents=True)
        # What Inspect prints of its progress would stand among a command's own lines.
        with redirect_stdout(io.StringIO()):
            bundle_log_dir(str(staged), str(part / VIEWER))
        viewer = {log: f"{VIEWER}/index.html#/logs/{quote(name)}" for log, name in names}
        write_report(observations, part / PAGE, viewer=viewer, **options)
        if target.exists():
            os.replace(target, old)
        os.replace(part, target)
        for log in missing:
            _logger.warning("not in the viewer: %s", log)
    finally:
        for left in (part, old, staged):
            shutil.rmtree(left, ignore_errors=True)
    return target


def _check(target: Path, logs: Sequence[str], overwrite: bool) -> None:
    """Raise where writing would lose something, or be read as logs the next time."""
    if target.suffix.lower() in (".html", ".md", ".json", ".csv"):
        raise BundleError(f"{target}: a bundle is a folder; give it a name without {target.suffix}")
    if target.exists() and not target.is_dir():
        raise BundleError(f"{target}: is a file; a bundle needs a folder, new or empty")
    for place in (Path(log).absolute() for log in logs if "://" not in log):
        if place.parent == target or place.parent in target.parents:
            raise BundleError(
                f"{target}: lies among the logs, where its copies would be read as logs the next "
                f"time; give a folder outside {place.parent}"
            )
        if target in place.parents:
            raise BundleError(f"{target}: holds a log to report, {place}; give another folder")
    held = sorted(one_line(p.name) for p in target.iterdir()) if target.is_dir() else []
    if held and not overwrite:
        raise BundleError(
            f"{target}: the folder is not empty; give another one, or --overwrite to replace a "
            "bundle that is there"
        )
    if others := [name for name in held if name not in (PAGE, VIEWER)]:
        raise BundleError(
            f"{target}: holds more than a bundle ({', '.join(others[:3])}), which --overwrite "
            "would delete; give another folder"
        )


def _gathered(logs: Iterable[str], folder: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Logs from anywhere in one folder, each with its name there, and why others are not in it.

    Of equal names, the later ones stand in folders of their own.
    """
    names: list[tuple[str, str]] = []
    missing: list[str] = []
    taken: set[str] = set()
    for number, log in enumerate(logs, start=1):
        name = _ODD.sub("-", log.replace("\\", "/").rpartition("/")[2])
        name = f"{number}/{name}" if name.lower() in taken else name
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with opened(place_of(log)) as source, place.open("wb") as copy:
                shutil.copyfileobj(source, copy)
            # Inspect lists all logs of a folder, or none.
            read_eval_log(str(place), header_only=True)
        except Exception as error:  # any reader of any storage may fail in its own way
            place.unlink(missing_ok=True)
            missing.append(one_line(f"{log}: {type(error).__name__}: {error}", 400))
        else:
            taken.add(name.lower())
            names.append((log, name))
    return names, missing
