"""Tables of cases: each folder's `cases.yaml` holds them by the test's file and name."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

Test = Callable[..., Any]


@cache
def _tables(folder: Path) -> dict[str, dict[str, Any]]:
    text = (folder / "cases.yaml").read_text(encoding="utf-8")
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # type: ignore[no-any-return]


def cases(*names: str) -> Callable[[Test], Test]:
    """Try a test on every row of its table; `names` are those of the columns."""

    def decorated(test: Test) -> Test:
        file = Path(test.__code__.co_filename)
        rows = _tables(file.parent)[file.stem][test.__name__.removeprefix("test_")]
        return pytest.mark.parametrize(names if names[1:] else names[0], rows)(test)

    return decorated


def cases_of(file: str, name: str) -> Any:
    """A table, or a text, that a test file keeps beside it."""
    path = Path(file)
    return _tables(path.parent)[path.stem][name]
