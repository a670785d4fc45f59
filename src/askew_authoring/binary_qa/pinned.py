"""The public files that a Binary QA set is built from, pinned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askew.files import toml_of
from askew.sources.pinned import Source

_LIMIT = 400 * 1024 * 1024
HELD: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "sources.toml")
# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[Source, ...]] = {
    name: tuple(
        Source(
            f"binary_qa/{file['name']}",
            f"{held['url']}/{file['path']}",
            held["revision"],
            held["licence"],
            sha256=file.get("sha256", ""),
            limit=_LIMIT,
        )
        for file in held["files"]
    )
    for name, held in HELD.items()
}
