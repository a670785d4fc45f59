"""What people read: pages, templates, help and messages keep to the style guide's words."""

import ast
import re
import sys
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path

import click
import pytest
import yaml

from askew.cli import main
from askew.papers import papers

ROOT = Path(__file__).resolve().parents[1]
RULES = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text("utf-8"))
AVOID = {re.compile(pattern, re.I): instead for pattern, instead in RULES["avoid"].items()}
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks/README.md"})
WORDS = sorted(
    {*(ROOT / "src/askew").rglob("chapter.yaml"), *(ROOT / "src/askew/report").glob("*.yaml"),
     ROOT / "src/askew/decide/documents.yaml"}
)  # fmt: skip
MESSAGES = {"echo", "ClickException", "UsageError", "BadParameter"}
Text = tuple[str, str]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(text: str) -> Iterator[str]:
    """Sentences of Markdown without code, targets of links and tags; cells and items each alone."""
    text = re.sub(r"^```.*?^```|<!--.*?-->", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"``.*?``|`[^`]*`", "CODE", text, flags=re.S)
    text = re.sub(r"\]\([^)]*\)|<[^>]+>|\{[^}]*\}|https?:\S+", "] ", text)
    text = re.sub(r"\*?\"[^\"]*\"\*?", "QUOTE", text)
    for piece in re.split(r"\n\s*\n|\n\s*(?=[-*#>|\d])|\|", text):
        yield from re.split(r"(?<=[.!?:;])\s+", " ".join(piece.split()))


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def pages() -> Iterator[Text]:
    for page in PAGES:
        yield name_of(page), page.read_text("utf-8")


def templates() -> Iterator[Text]:
    for file in WORDS:
        for text in strings(yaml.safe_load(file.read_text("utf-8"))):
            if " " in text:
                yield name_of(file), text
    for paper in papers():
        for metric in paper.metrics:
            yield f"{paper.task}.{metric.name}", f"{metric.label}. {metric.meaning}"
        for factor in paper.factors:
            for key, condition in factor.conditions.items():
                yield f"{paper.task}.{key}", f"{condition.label}. {condition.meaning}"


def helps(command: click.Command = main, name: str = "askew") -> Iterator[Text]:
    yield name, command.help or ""
    for option in command.params:
        yield f"{name} {option.name}", getattr(option, "help", "") or ""
    for sub in getattr(command, "commands", {}).values():
        yield from helps(sub, f"{name} {sub.name}")


def messages() -> Iterator[Text]:
    """The texts of what is raised and printed."""
    for file in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            called = node.exc if isinstance(node, ast.Raise) else node
            if not isinstance(called, ast.Call):
                continue
            name = getattr(called.func, "attr", getattr(called.func, "id", ""))
            if isinstance(node, ast.Raise) or name in MESSAGES:
                parts = [n.value for a in called.args for n in ast.walk(a)
                         if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
                yield f"{name_of(file)}:{node.lineno}", " ".join(parts)


def docstrings() -> Iterator[Text]:
    """Of what is public: the Python reference shows them."""
    import askew

    for name in askew.__all__:
        value = getattr(askew, name)
        if callable(value):
            yield f"askew.{name}", getdoc(value) or ""


def names() -> Iterator[Text]:
    """Names of tests, which are sentences too."""
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^ *(?:async )?def (test_\w+)", file.read_text("utf-8"), re.M):
            yield name_of(file), name.replace("_", " ")


SURFACES = {"pages": pages, "templates": templates, "helps": helps, "messages": messages,
            "docstrings": docstrings, "names of tests": names}  # fmt: skip


def hits(surface: str) -> Iterator[str]:
    allowed = [(e["place"], word) for e in RULES["exceptions"] for word in e["words"]]
    for place, text in SURFACES[surface]():
        for sentence in sentences(text):
            kept = sentence
            for where, words in allowed:
                if re.match(where, place):
                    kept = re.sub(rf"\b{re.escape(words)}\b", "", kept)
            for pattern, instead in AVOID.items():
                for found in pattern.finditer(kept):
                    yield f"{place}: {found[0]!r} (write: {instead}) in {sentence[:90]!r}"
            long = [where for where, words in allowed if words == "#long"]
            if any(re.match(where, place) for where in long):
                continue
            if (n := len(re.findall(r"[\w'-]+", kept))) > RULES["sentence"]:
                yield f"{place}: {n} words in {sentence[:90]!r}"


@pytest.mark.parametrize("surface", SURFACES)
def test_texts_avoid_private_words_and_long_sentences(surface):
    assert [*hits(surface)] == []


if __name__ == "__main__":
    for each in sys.argv[1:] or SURFACES:
        print(*hits(each), sep="\n")
