"""What the site takes from outside docs/: files that pages link to, and docstrings.

A link is written as a git host follows it (`docs/concepts.md` in the README).
Here its target becomes part of the site: a page where it is Markdown, a file as it
is where it is not. A link to nothing stays as it is, and `mkdocs build --strict` stops at it.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

from declared import PUBLIC, public

ROOT = Path(__file__).resolve().parents[1]
HOME = "README.md"
# A link or picture, and where its address begins; code is passed over.
_LINK = re.compile(
    r"(?P<code>```.*?```|``.*?``|`[^`\n]*`)|\]\((?P<to>[^)\s#:]+)(?=[)#])", re.DOTALL
)


def linked(text: str, folder: str) -> Iterator[str]:
    """The files that a page in this folder of the project links to, as paths in the project."""
    for found in _LINK.finditer(text):
        if found["to"]:
            yield normpath(join(folder, found["to"]))


def place(path: str) -> str:
    """Where a file of the project stands in the site."""
    return "index.md" if path == HOME else path.removeprefix("docs/")


def closure() -> set[str]:
    """The files outside docs/ that pages lead to, from link to link."""
    found: set[str] = set()
    waiting = [HOME, *(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
    while waiting:
        path = waiting.pop()
        if path.endswith(".md"):
            text = (ROOT / path).read_text(encoding="utf-8")
            new = {t for t in linked(text, dirname(path)) if (ROOT / t).is_file()} - found
            waiting += new
            found |= new
    return {HOME} | {path for path in found if not path.startswith("docs/")}


def rewritten(text: str, origin: str, known: Callable[[str], bool]) -> str:
    """A page's text with its links as they lead in the site."""

    def led(found: re.Match[str]) -> str:
        target = found["to"] and normpath(join(dirname(origin), found["to"]))
        if not target or not known(place(target)):
            return found[0]
        return "](" + relpath(place(target), dirname(place(origin)) or ".")

    return _LINK.sub(led, text)


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for path in sorted(closure()):
        files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    source = Path(page.file.abs_src_path).relative_to(ROOT).as_posix()
    text = rewritten(markdown, source, lambda path: path in files.src_uris)
    return PUBLIC.sub(
        lambda found: "\n\n".join(f"::: {home}" for home in public(found["names"])), text
    )
