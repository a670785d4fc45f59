"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write under a passing name in the same folder, then rename; the folder is made if needed.

    Args:
        path: the file to write.
        content: what it holds.
    """
    target = Path(path)
    # A lone half of a surrogate pair, as broken replies hold them, has no UTF-8 form.
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    passing = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        passing.write_bytes(data)
        os.replace(passing, target)
    finally:
        passing.unlink(missing_ok=True)
    return target
