"""Files that appear whole or not at all, whatever ends the program while it writes them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from askew.data.cache import alone_in, remove_leftovers

# Others hold a folder only while they write into it.
_LONGEST_WAIT = 10.0


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write under a passing name in the same folder, then rename; the folder is made if needed.

    Args:
        path: the file to write.
        content: what it holds.
    """
    # A lone half of a surrogate pair, as broken replies hold them, has no UTF-8 form.
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    target = Path(path)
    with passing(target) as part:
        part.write_bytes(data)
    return target


@contextmanager
def passing(target: Path, same: str = "") -> Iterator[Path]:
    """A hidden name in the folder of `target` to write to; renamed when the block ends well.

    What a killed run left under such a name is removed; no reader of logs takes it for one.

    Args:
        target: the file to write.
        same: a pattern of names that earlier runs had for the same file; default its own name.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with ExitStack() as held:
        alone = False
        # A folder that may not be listed can still be written to.
        with suppress(OSError):
            alone = held.enter_context(alone_in(target.parent, _LONGEST_WAIT))
            remove_leftovers(target.parent, alone, f".{same or _literal(target.name)}.*.part")
        try:
            yield part
            os.replace(part, target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _literal(name: str) -> str:
    """A pattern that only this name fits."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
