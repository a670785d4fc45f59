"""The authors' own prompts: f-strings in files of theirs, which are fetched, read and never run.

`authors.toml` says which of a file's prompts asks what, and what has no wording of theirs.
"""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from askew.files import toml_of
from askew.papers.instruction_boundary import paper, questions
from askew.papers.instruction_boundary.items import SOURCES
from askew.papers.instruction_boundary.paper import MISCELLANY, SETTINGS, Family, SettingVariant
from askew.parameters import SelectionError, parse_list
from askew.reading.names import LETTERS
from askew.schema import QUOTED_REPLY
from askew.sources.pinned import fetch

WORDED: Mapping[str, Mapping[str, Any]] = toml_of(__package__, "authors.toml")
"""By setting, the file, and by family which of its prompts asks it, and which variant."""
REVISION = tuple(SOURCES[told["file"]].blob_id for told in WORDED.values())


def theirs(setting: str, family: Family) -> str | None:
    """The variant of a setting that the authors' prompts ask; nothing where they have none."""
    variant: str | None = WORDED[setting].get(family, {}).get("variant")
    return variant


def variants_of_theirs(**given: Any) -> questions.Variants:
    """What the parameters ask for in the authors' words, "all" for all that there is of these."""
    for name, setting in SETTINGS.items():
        if not setting.parameter or name == MISCELLANY:
            continue
        known = [v for family in paper.FAMILIES if (v := theirs(name, family)) is not None]
        wanted = parse_list(given.get(setting.parameter) or "all")
        if wanted == ["all"]:
            given[setting.parameter] = wanted = known
        if odd := [v for v in wanted if v not in known]:
            raise SelectionError(
                f"{setting.parameter}={odd[0]}: the authors' files word {name} for "
                f"{', '.join(known)} only: choose one of them, or wording=askew"
            )
    return questions.check_variants(**given)


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


def ask(
    item: questions.BoundaryItem, condition: SettingVariant, shown: Sequence[int]
) -> tuple[str, Sequence[str], dict[str, str]]:
    """An item under a setting in the authors' words: question, options' texts, and metadata.

    One of the paper's questions is put as it was published. `shown` are indexes of options.
    """
    worded = WORDED[condition.setting]
    file, at = fetch(SOURCES[worded["file"]]), worded[item.family]
    prompt = _texts(file, "prompt")[at["text"]]
    if item.family == "judging":
        question = prompt.format(question=item.question, facts=item.passage)
        # Its options are its own: numbered lines, each with what it stands for.
        offered = re.findall(r"^(\d+)\. (.+)$", prompt, re.MULTILINE)
        return question, [text for _, text in offered], {"labels": ",".join(n for n, _ in offered)}
    options = [item.options[i] for i in shown]
    own = tuple(f"{n}. {text}" for n, text in enumerate(item.options))
    put = item.published or questions.PublishedQuestion(item.question, item.passage, own, True)
    if condition.setting == MISCELLANY:
        written = put.options if item.published else item.options
        (line,) = _texts(file, "options_text")
        lines = [line.format(label=LETTERS[i], options_dict={"label": written[i]}) for i in shown]
        question = prompt.format(question=put.question, options_text="".join(lines))
        return question, options, {"labels": ",".join(LETTERS[i] for i in shown)}
    facts = _texts(file, "facts_part")[0].format(passage=put.passage) if put.passage.strip() else ""
    places = {
        "question": put.question, "facts_part": facts, "options_text": "\n".join(put.options),
        "first_answer": QUOTED_REPLY,
    }  # fmt: skip
    if condition.setting == "few_shot":
        places["examples_text"] = _examples(file)
    # Options that carry no numbers are read as counted from 1, like the prompt's own examples.
    first = 0 if put.numbered else 1
    metadata = {"labels": ",".join(str(n + first) for n in range(len(options)))}
    if "reflection" in at:
        metadata["reflection"] = _texts(file, "prompt")[at["reflection"]].format(**places)
        metadata["reflection_opens"] = "dialogue"
    return prompt.format(**places), options, metadata


def _examples(file: Path) -> str:
    """The examples in front of a few-shot prompt: those that their file holds."""
    source, pieces = file.read_text(encoding="utf-8"), _texts(file, "examples_text")
    (found,) = re.findall(r"all_examples = (\[.*?\n +\]\n)", source, re.DOTALL)
    (unanswered,) = re.findall(r'example_answer = .* else "(.*)"', source)
    shown = []
    for number, example in enumerate(ast.literal_eval(found), start=1):
        answer = ", ".join(map(str, example["correct_answers"])) or unanswered
        offered = "\n".join(example["options"])
        places = {"i": number, "example": example, "example_options": offered}
        shown += [piece.format(**places, example_answer=answer) for piece in pieces]
    return "".join(shown)


@lru_cache(maxsize=64)
def _texts(file: Path, variable: str) -> list[str]:
    """All texts with places that a file assigns to a variable, as `str.format` takes them."""
    text = r'f(""".*?"""|"[^"\n]*")'
    source = file.read_text(encoding="utf-8")
    assigned = re.findall(rf"\b{variable} \+?= (\(?(?:\s*{text})+)", source, re.DOTALL)
    found = (re.findall(text, written, re.DOTALL) for written, _ in assigned)
    joined = ("".join(map(ast.literal_eval, pieces)) for pieces in found)
    return [template.replace("['", "[").replace("']", "]") for template in joined]
