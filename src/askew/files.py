"""Users' files and our own; what is written appears whole or not at all, without locks."""

import os
import secrets
import tomllib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from askew.untrusted import one_line

Shape = TypeVar("Shape")


@cache
def toml_of(package: str, name: str) -> Mapping[str, Any]:
    """A TOML file of words or rows that lies beside a package's modules."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


@cache
def yaml_of(package: str, name: str) -> Mapping[str, Any]:
    """A YAML file of texts or designs that lies beside a package's modules."""
    text = resources.files(package).joinpath(name).read_text("utf-8")
    return dict(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def fill_text(design: Any, filled: Mapping[str, Any]) -> Any:
    """A design with each `$name` in it filled in; what is filled in stays as it is."""
    if isinstance(design, Mapping):
        return {key: fill_text(part, filled) for key, part in design.items()}
    if isinstance(design, list):
        return [fill_text(part, filled) for part in design]
    return filled[design[1:]] if isinstance(design, str) and design[:1] == "$" else design


class YamlFileError(ValueError):
    """A YAML file that can't be read as plain data: where and why."""


class _Strict(yaml.SafeLoader):
    """A safe loader that refuses a key given twice, of which one would be lost, and aliases."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        # By aliases a short file can stand for an endless one.
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                why = f"{key.value!r} is given twice"
                raise yaml.MarkedYAMLError(problem=why, problem_mark=key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else None)
        return super().construct_mapping(node, deep)


def strict_yaml(text: str) -> Any:
    """Plain data of YAML, as safe as `safe_load`: its loader with two refusals more."""
    return yaml.load(text, _Strict)


def given_path(path: str | Path) -> Path:
    """A user's file, from here or from the shell's folder: Inspect makes tasks in a file's own."""
    path = Path(path).expanduser()
    started = Path(os.environ.get("PWD", "."), path)
    return started if not os.path.exists(path) and os.path.isfile(started) else path


def near_file(file: str | Path, name: str) -> str:
    """A path that a user's file names, which is relative to the file; an address as it is."""
    return name if not name or "://" in name else str(Path(file).parent / Path(name).expanduser())


def read_yaml_file(path: str | Path) -> Any:
    """The plain data of a YAML file that a user wrote."""
    try:
        return strict_yaml(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise YamlFileError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = "the file ends too early: a bracket, a quote or a value is missing"
        why = problem if "stream end" in str(error.problem) else error.problem
        raise YamlFileError(f"{path}, line {line}: {why}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise YamlFileError(f"{path}: {' '.join(why.split())[:200]}") from None


def read_validated(path: str | Path, shape: type[Shape], hint: str) -> Shape:
    """A user's YAML file as what it should be, or one error about all that is wrong in it."""
    try:
        return TypeAdapter(shape).validate_python(read_yaml_file(path))
    except ValidationError as error:
        found = error.errors()
        problems = "".join(f"\n  {_place(e['loc'])}: {_why(e, shape)}" for e in found)
        n = f"{len(found)} error{'s' * (len(found) > 1)}"
        raise YamlFileError(f"{path}: {n} ({hint}){problems}") from None


def _place(location: Sequence[int | str]) -> str:
    """Where a problem lies; what stands in lists is counted from 1."""
    parts = (f" {p + 1}" if isinstance(p, int) else f", {p}" for p in location)
    return one_line("".join(parts).removeprefix(", ")) or "file"


def _why(problem: ErrorDetails, shape: Any) -> str:
    if problem["type"] == "extra_forbidden":
        # Each part of the place is a field, or a list's or mapping's element.
        for part in problem["loc"][:-1]:
            fields = getattr(shape, "model_fields", None)
            shape = fields[part].annotation if fields else get_args(shape)[-1]
        return "no such field; valid: " + ", ".join(shape.model_fields)
    if problem["type"] == "invalid-json-value":
        given = problem["input"]
        if isinstance(given, date):
            return f"{given} is a date: write '{given}', with quotes"
        plain = "text, numbers, true, false, null, lists and mappings"
        return f"{type(given).__name__}: give only {plain}"
    return one_line(problem["msg"].removeprefix("Value error, "), 300)


def write_atomically(path: str | Path, content: str | bytes) -> Path:
    """Write under a passing name in the same folder, then rename; the folder is made if needed."""
    # A lone half of a surrogate pair, as broken replies hold them, has no UTF-8 form.
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    target = Path(path)
    with passing(target) as part:
        part.write_bytes(data)
    return target


@contextmanager
def passing(target: Path) -> Iterator[Path]:
    """A hidden name beside `target` to write to, which gets that name if the block ends well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        os.replace(part, target)
    finally:
        # Gone after the replacement; left by any error, an interrupt included.
        part.unlink(missing_ok=True)
