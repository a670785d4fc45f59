"""YAML files that users write: plain data, no aliases, no key twice, errors with their line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import yaml

_LARGEST = 1_000_000


class YamlFileError(ValueError):
    """A YAML file that can't be read as plain data: where and why."""


class _Strict(yaml.SafeLoader):
    """A safe loader that refuses what hides meaning: aliases, and a key given twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            name = getattr(key, "value", None)
            if isinstance(name, str):
                if name in seen:
                    why = f"{name!r} is given twice"
                    raise yaml.MarkedYAMLError(problem=why, problem_mark=key.start_mark)
                seen.add(name)
        return super().construct_mapping(node, deep)


def problems(path: str | Path, hint: str, told: Sequence[str]) -> str:
    """All that is wrong in a file, a line each."""
    return f"{path}: {len(told)} problem(s) ({hint})\n" + "\n".join(f"  {one}" for one in told)


def read_yaml_file(path: str | Path) -> Any:
    """The data of a YAML file.

    Args:
        path: the file.
    """
    source = Path(path)
    if source.stat().st_size > _LARGEST:
        raise YamlFileError(f"{source}: larger than {_LARGEST:,} bytes")
    try:
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise YamlFileError(f"{source}: not UTF-8 text (byte {error.start})") from None
    try:
        # As safe as `safe_load`: its loader with two refusals more.
        return yaml.load(text, _Strict)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise YamlFileError(f"{source}, line {line}: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise YamlFileError(f"{source}: {' '.join(why.split())[:200]}") from None
