"""The authors' own prompts, taken from the files of their repository when they are asked for.

Their prompts are f-strings in the source of their experiments. The pinned files are fetched, parsed
and never run: an f-string becomes a template whose places are named by the expressions that
stand in it. `authors.toml` says where each text stands, and what has no wording of theirs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from askew.files import toml_of
from askew.papers.instruction_boundary.items import SOURCES
from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    MISCELLANY,
    SETTINGS,
    Family,
    SettingVariant,
)
from askew.papers.instruction_boundary.questions import BoundaryItem, VariantsAsked
from askew.parameters import SelectionError, listed
from askew.schema import QUOTED_REPLY
from askew.sources.pinned import SourceError, fetch

WORDED: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "authors.toml")
"""By setting, the file, and by family where the authors' text stands and which variant it asks."""
REVISION = tuple(SOURCES[told["file"]].blob_id for told in WORDED.values())
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def theirs(setting: str, family: Family) -> str | None:
    """The variant of a setting that the authors' prompts ask; nothing where they have none."""
    told = WORDED[setting].get(family)
    return None if told is None else str(told["variant"])


def variants_of_theirs(**given: Any) -> VariantsAsked:
    """What the settings' parameters ask for in the authors' words; another variant is refused.

    "all" asks for all that they word.
    """
    asked: dict[str, Any] = dict(given)
    for name, setting in SETTINGS.items():
        if not setting.parameter or name == MISCELLANY:
            continue
        known = [v for family in FAMILIES if (v := theirs(name, family)) is not None]
        wanted = listed(given.get(setting.parameter) or "all")
        if wanted == ["all"]:
            asked[setting.parameter] = wanted = known
        if odd := [v for v in wanted if v not in known]:
            raise SelectionError(
                f"{setting.parameter}={odd[0]}: the authors' files word {name} for "
                f"{', '.join(known)} only; ask that, or take wording=askew"
            )
    return VariantsAsked.of(**asked, named_too=True)


def check_families(settings: Sequence[str], families: Collection[Family]) -> None:
    """Refuse settings under which a family of the items can't be asked in the authors' words."""
    for family in families:
        worded = [s for s in SETTINGS if theirs(s, family) is not None]
        if not set(worded) & set(settings):
            raise SelectionError(
                f"setting={','.join(settings)}: of {family} questions the authors' files word "
                f"{' and '.join(worded)} only; add one of these, choose a subset without such "
                "questions, or take wording=askew"
            )


@dataclass(frozen=True)
class Template:
    """A text with named places: pieces of it as written, each before the place that follows."""

    pieces: tuple[tuple[str, str], ...]

    def fill(self, **values: str) -> str:
        """The text with its places filled; a place without a value is refused."""
        missing = sorted({place for _, place in self.pieces if place and place not in values})
        if missing:
            raise SourceError(f"a prompt of the authors has a place {missing[0]!r:.80} too many")
        return "".join(text + (values[place] if place else "") for text, place in self.pieces)

    @property
    def own(self) -> str:
        """What is written in it, without its places."""
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True)
class Asked:
    """A question as the authors' code sends it.

    `labels` are what the prompt calls its options, in their order; `options` their texts.
    """

    question: str
    options: Sequence[str]
    labels: Sequence[str]
    treatments: Mapping[str, str]


def ask(item: BoundaryItem, condition: SettingVariant, shown: Sequence[int]) -> Asked:
    """An item under a setting, in the authors' words.

    Args:
        item: the question; one of the paper's is put as it was published.
        condition: the setting, one that they word for the item's family.
        shown: indexes of the options to show.
    """
    told = WORDED[condition.setting]
    texts = _texts_of(fetch(SOURCES[told["file"]]))
    at = told[item.family]
    template = texts.template(at["text"])
    if item.family == "judging":
        question = template.fill(question=item.question, facts=item.passage)
        # Its options are its own: numbered lines, each with what it stands for.
        offered = re.findall(r"^(\d+)\. (.+)$", template.own, re.MULTILINE)
        labels, options = zip(*offered, strict=True)
        return Asked(question, options, labels, {})
    options = tuple(item.options[i] for i in shown)
    places = _places(item, texts, at["text"])
    if condition.setting == MISCELLANY:
        labels = tuple(LETTERS[i] for i in shown)
        written = item.published.options if item.published else item.options
        lines = texts.all_of(at["text"], "options_text")
        places["options_text"] = "".join(
            line.fill(**{"label": LETTERS[i], "options_dict[label]": written[i]})
            for i in shown
            for line in lines
        )
        return Asked(template.fill(**places), options, labels, {})
    if "examples" in at:
        places["examples_text"] = _examples(texts, at)
    # Options that carry no numbers are read as counted from 1, like the prompt's own examples.
    first = 0 if item.published is None or item.published.numbered else 1
    labels = tuple(str(n) for n in range(first, first + len(options)))
    treatments = {}
    if "reflection" in at:
        again = _places(item, texts, at["reflection"]) | {"first_answer": QUOTED_REPLY}
        reflection = texts.template(at["reflection"]).fill(**again)
        treatments = {"reflection": reflection, "reflection_opens": "dialogue"}
    return Asked(template.fill(**places), options, labels, treatments)


def _places(item: BoundaryItem, texts: _Texts, at: str) -> dict[str, str]:
    """What fills the places of a choice prompt: question, facts where there are any, options."""
    told = item.published
    passage = told.passage if told else item.passage
    options = told.options if told else [f"{n}. {text}" for n, text in enumerate(item.options)]
    without, with_facts = texts.all_of(at, "facts_part") or (Template(()), Template(()))
    return {
        "question": told.question if told else item.question,
        "facts_part": with_facts.fill(passage=passage) if passage.strip() else without.own,
        "options_text": "\n".join(options),
    }


def _examples(texts: _Texts, at: Mapping[str, str]) -> str:
    """The examples in front of a few-shot prompt: those that their file holds."""
    pieces = texts.all_of(at["text"], "examples_text")
    (unanswered,) = texts.all_of(at["text"], "example_answer")
    shown = []
    for number, example in enumerate(texts.data[at["examples"]], start=1):
        places = {
            "i": str(number),
            "example_options": "\n".join(example["options"]),
            "example_answer": ", ".join(map(str, example["correct_answers"])) or unanswered.own,
            **{f"example['{field}']": str(value) for field, value in example.items()},
        }
        shown += [piece.fill(**places) for piece in pieces]
    return "".join(shown)


@dataclass(frozen=True)
class _Texts:
    """What a file assigns to variables of its functions: texts in their order, and plain data."""

    texts: Mapping[str, Sequence[Template]]
    data: Mapping[str, Any]

    def template(self, at: str) -> Template:
        """The text at "function.variable.number"."""
        place, _, number = at.rpartition(".")
        return self.texts[place][int(number)]

    def all_of(self, at: str, variable: str) -> Sequence[Template]:
        """All texts that the same function assigns to another variable."""
        return self.texts.get(f"{at.partition('.')[0]}.{variable}", ())


@lru_cache(maxsize=len(WORDED))
def _texts_of(path: Path) -> _Texts:
    """The texts of a Python file, which is parsed and never run."""
    texts: dict[str, list[Template]] = {}
    data: dict[str, Any] = {}
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for variable, value in _assigned(function):
            name = f"{function.name}.{variable}"
            if isinstance(value, ast.List):
                with suppress(ValueError):
                    data[name] = ast.literal_eval(value)
            elif (found := _template(value)) is not None:
                texts.setdefault(name, []).append(found)
    return _Texts(texts, data)


def _assigned(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The variables of a function with what is assigned or added to each, in the source's order."""
    nodes = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AugAssign)]
    for node in sorted(nodes, key=lambda n: n.lineno):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name):
            # Of "a if b else c" the text is c, where a is made of data.
            value = node.value.orelse if isinstance(node.value, ast.IfExp) else node.value
            yield target.id, value


def _template(value: ast.expr) -> Template | None:
    """A text or an f-string as a template; nothing for other values."""
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    pieces: list[tuple[str, str]] = []
    for part in parts:
        match part:
            case ast.Constant(value=str(text)):
                pieces.append((text, ""))
            case ast.FormattedValue(value=place, conversion=-1, format_spec=None):
                pieces.append(("", ast.unparse(place)))
            case _:
                return None
    return Template(tuple(pieces))
