"""The authors' own prompts, taken from the files of their repository when they are asked for.

Their prompts are f-strings in the source of their experiments. The pinned files are fetched, parsed
and never run: an f-string becomes a template whose places are named by the expressions that
stand in it. `authors.toml` says where each text stands, and what has no wording of theirs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
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
from askew.reading.letters import LETTERS
from askew.schema import QUOTED_REPLY
from askew.sources.pinned import fetch

WORDED: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "authors.toml")
"""By setting, the file, and by family where the authors' text stands and which variant it asks."""
REVISION = tuple(SOURCES[told["file"]].blob_id for told in WORDED.values())


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
    file, at = fetch(SOURCES[told["file"]]), told[item.family]
    template = _text(file, at["text"])
    if item.family == "judging":
        question = _filled(template, question=item.question, facts=item.passage)
        # Its options are its own: numbered lines, each with what it stands for.
        offered = re.findall(r"^(\d+)\. (.+)$", _own(template), re.MULTILINE)
        labels, options = zip(*offered, strict=True)
        return Asked(question, options, labels, {})
    options = tuple(item.options[i] for i in shown)
    places = _places(item, file, at["text"])
    if condition.setting == MISCELLANY:
        written = item.published.options if item.published else item.options
        places["options_text"] = "".join(
            _filled(line, **{"label": LETTERS[i], "options_dict[label]": written[i]})
            for i in shown
            for line in _beside(file, at["text"], "options_text")
        )
        return Asked(_filled(template, **places), options, [LETTERS[i] for i in shown], {})
    if "examples" in at:
        places["examples_text"] = _examples(file, at)
    # Options that carry no numbers are read as counted from 1, like the prompt's own examples.
    first = 0 if item.published is None or item.published.numbered else 1
    labels = tuple(str(n) for n in range(first, first + len(options)))
    treatments = {}
    if "reflection" in at:
        again = _places(item, file, at["reflection"]) | {"first_answer": QUOTED_REPLY}
        reflection = _filled(_text(file, at["reflection"]), **again)
        treatments = {"reflection": reflection, "reflection_opens": "dialogue"}
    return Asked(_filled(template, **places), options, labels, treatments)


def _places(item: BoundaryItem, file: Path, at: str) -> dict[str, str]:
    """What fills the places of a choice prompt: question, facts where there are any, options."""
    told = item.published
    passage = told.passage if told else item.passage
    options = told.options if told else [f"{n}. {text}" for n, text in enumerate(item.options)]
    without, with_facts = _beside(file, at, "facts_part") or ((), ())
    return {
        "question": told.question if told else item.question,
        "facts_part": _filled(with_facts, passage=passage) if passage.strip() else _own(without),
        "options_text": "\n".join(options),
    }


def _examples(file: Path, at: Mapping[str, str]) -> str:
    """The examples in front of a few-shot prompt: those that their file holds."""
    pieces = _beside(file, at["text"], "examples_text")
    (unanswered,) = _beside(file, at["text"], "example_answer")
    shown = []
    for number, example in enumerate(_assigned(file)[at["examples"]][-1], start=1):
        places = {
            "i": str(number),
            "example_options": "\n".join(example["options"]),
            "example_answer": ", ".join(map(str, example["correct_answers"])) or _own(unanswered),
            **{f"example['{field}']": str(value) for field, value in example.items()},
        }
        shown += [_filled(piece, **places) for piece in pieces]
    return "".join(shown)


# A text with named places: pieces of it as written, each before the place that follows.
Template = tuple[tuple[str, str], ...]


def _filled(template: Template, **values: str) -> str:
    return "".join(text + (values[place] if place else "") for text, place in template)


def _own(template: Template) -> str:
    """What is written in it, without its places."""
    return "".join(text for text, _ in template)


def _text(file: Path, at: str) -> Template:
    """The text at "function.variable.number"."""
    place, _, number = at.rpartition(".")
    return _beside(file, at, place.rpartition(".")[2])[int(number)]


def _beside(file: Path, at: str, variable: str) -> list[Template]:
    """All texts that the function of another text assigns to a variable."""
    found = _assigned(file).get(f"{at.partition('.')[0]}.{variable}", ())
    return [value for value in found if isinstance(value, tuple)]


@lru_cache(maxsize=len(WORDED))
def _assigned(file: Path) -> Mapping[str, Sequence[Any]]:
    """What a file assigns to variables of its functions: texts in their order, and plain lists."""
    found: dict[str, list[Any]] = {}
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        nodes = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AugAssign)]
        for node in sorted(nodes, key=lambda n: n.lineno):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            # Of "a if b else c" the text is c, where a is made of data.
            value = node.value.orelse if isinstance(node.value, ast.IfExp) else node.value
            if isinstance(target, ast.Name) and (made := _value_of(value)) is not None:
                found.setdefault(f"{function.name}.{target.id}", []).append(made)
    return found


def _value_of(value: ast.expr) -> Any:
    """A text or an f-string as a template, a list as it is; nothing for other values."""
    if isinstance(value, ast.List):
        with suppress(ValueError):
            return ast.literal_eval(value)
    pieces: list[tuple[str, str]] = []
    for part in value.values if isinstance(value, ast.JoinedStr) else [value]:
        match part:
            case ast.Constant(value=str(text)):
                pieces.append((text, ""))
            case ast.FormattedValue(value=place, conversion=-1, format_spec=None):
                pieces.append(("", ast.unparse(place)))
            case _:
                return None
    return tuple(pieces)
