"""From LaTeX sources to equation items, as in the paper (Section 3.2).

A model that sees 100 words on each side and the left side of an equation writes it; what equals
the right one is dropped, and so is what a second model calls flawed. An equation for which three
don't remain is given up.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, model_roles
from inspect_ai.solver import TaskState

from askew.files import toml_of
from askew.papers.knowno.items import EquationRecord
from askew.parameters import check_int
from askew.reading.reply import refuses, visible
from askew.reading.yesno import read_yes_no
from askew.untrusted import digest
from askew_authoring import building
from askew_authoring.building import CHECKER, WRITTEN, Made, Plan, Record
from askew_authoring.knowno.latex import (
    FEWEST_WORDS,
    FoundEquation,
    bare,
    equations,
    left_side,
    oddities,
)

NEGATIVES = 3
# How often one equation is asked for; the paper does not say.
ATTEMPTS = 8
# One reply is as good as any other only where they may differ.
_DRAWN = GenerateConfig(temperature=1.0)
PROMPTS = toml_of(__package__, "prompts.toml")


def plan_build(
    sources: Sequence[str | Path], model: str | Model, folder: str | Path,
    checker: str | Model = "", items: int | None = None, seed: int = 0,
) -> Plan[SheetRow]:  # fmt: skip
    """Find the equations of LaTeX sources and count what their negatives cost."""
    found, out = equations(sources)
    if items is not None and check_int("items", items) < len(found):
        kept = {e.id for e in random.Random(f"equations/{seed}").sample(found, items)}
        found = [e for e in found if e.id in kept]
    n, checks = NEGATIVES * len(found), NEGATIVES * len(found) * bool(checker)
    lines = [f"left out: {number:,}, which {why}" for why, number in out.items()]
    lines.append(f"in all: {len(found):,} equations, each asked for up to {ATTEMPTS} times")
    how = digest("/".join([*(each.id for each in found), str(model), str(checker)]))
    task = building.builder_task("knowno", map(_sample, found), PROMPTS, config=_DRAWN)
    rows = partial(_rows, {e.id: e for e in found}, "no flaw seen" if checker else "nobody checked")
    return Plan(
        Path(folder), model, checker, {how: task} if found else {}, SheetRow, rows, lines,
        (n, checks), _remaining,
    )  # fmt: skip


def _sample(found: FoundEquation) -> Sample:
    before, after = found.context(FEWEST_WORDS)
    return Sample(
        id=found.id,
        input=PROMPTS["write"].format(before=before, after=after, left=left_side(found.gold)),
        target=found.gold,
        metadata={
            "task": "knowno_builder", "item": found.id, "before": before, "after": after,
            "gold": found.gold,
        },
    )  # fmt: skip


async def write(state: TaskState, prompts: Mapping[str, Any]) -> dict[str, Any]:
    """Negatives of an equation, and what was dropped and why."""
    item = state.metadata
    gold, shown = str(item["gold"]), {n: str(item[n]) for n in ("before", "after")}
    prompt = prompts["write"].format(left=left_side(gold), **shown)
    kept: list[str] = []
    dropped: Counter[str] = Counter()
    for attempt in range(1, ATTEMPTS + 1):
        if len(kept) == NEGATIVES:
            break
        # The attempt keeps Inspect's cache from answering one asking with another's reply.
        message = ChatMessageUser(content=prompt, metadata={"attempt": attempt})
        # A crude negative: the right equation and a term that it does not have.
        drafts = [(f"{gold} + c_{{{attempt}}}", gold)]
        state.output = await building.ask([message], ("write", attempt), drafts, _DRAWN)
        made = written_equation(state.output.completion, left_side(gold))
        why = _fault(made, gold, kept)
        if not why and CHECKER in model_roles():
            check = ChatMessageUser(content=prompts["check"].format(equation=made, **shown))
            sides = [("No", "Yes")]
            output = await building.ask([check], ("check", attempt), sides, role=CHECKER)
            answer = read_yes_no(output.completion).answer
            why = {"Yes": "flawed", "No": ""}.get(answer or "", "not judged")
        if why:
            dropped[why] += 1
        else:
            kept.append(made)
    return {"negatives": kept, "dropped": dict(dropped)}


def _fault(made: str, gold: str, kept: Sequence[str]) -> str:
    """Why an equation is no negative, as far as a program sees."""
    if not made:
        return "no equation"
    if bare(made) == bare(gold):
        return "the right one"
    return "already there" if bare(made) in map(bare, kept) else ""


_FENCE = re.compile(r"```[a-z]*\n?")  # inspect-evals-lint: ignore[IECQ006] -- a formula, no code
_MATH = re.compile(r"\$\$?|\\[\[\]]|\\(?:begin|end)\{(?:equation|displaymath|align)\*?\}")
# What no words without an equation have.
_SIGN = re.compile(r"[\\+*/^_0-9]")
_LONGEST = 2_000


def written_equation(reply: str, left: str) -> str:
    """The one equation that a reply holds, with its left side; empty where it holds none.

    Where it is wrapped in words, the first line with an equals sign counts.
    """
    text = _MATH.sub("\n", _FENCE.sub("\n", visible(reply)[:_LONGEST]))
    lines = [line for each in text.split("\n") if (line := each.strip(" \t`.,;"))]
    if not lines or (refuses(text) and not any("=" in line for line in lines)):
        return ""
    made = next((line for line in lines if "=" in line), lines[0] if len(lines) == 1 else "")
    if "\\\\" in made or not ("=" in made or _SIGN.search(made)):
        return ""
    return made if "=" in made else f"{left} = {made}"


@dataclass(frozen=True)
class SheetRow(building.ReviewRow):
    """One negative of one equation, for a person to accept, mend or reject."""

    WHOLE, FIXED, MENDED, PLACE = NEGATIVES, "right", "equation", ("id", "number")
    id: str
    number: str
    equation: str
    right: str
    accept: str = ""
    checked: str = ""
    before: str = ""
    after: str = ""

    @staticmethod
    def record(rows: Sequence[SheetRow]) -> Record:
        """An item of an equation and its three negatives.

        An item with one negative that may be right is given up whole, as in the paper.
        """
        first = rows[0]
        options = [first.right, *(row.equation.strip() for row in rows)]
        for kind, why in oddities(options, 0, ""):
            raise ValueError(f"{kind}: {why}")
        random.Random(f"options/{first.id}").shuffle(options)
        made = {
            "id": first.id, "context_before": first.before, "context_after": first.after,
            "options_list": options, "gold_option": first.right,
            "gold_option_index": options.index(first.right),
        }  # fmt: skip
        EquationRecord.model_validate(made)
        return made


finish_build = partial(building.finish_build, SheetRow)


def _rows(
    found: Mapping[str, FoundEquation], checked: str, item: Mapping[str, Any]
) -> Iterator[SheetRow]:
    """The negatives of an equation that has enough of them."""
    each, negatives = found[item["item"]], item[WRITTEN]["negatives"]
    for n, negative in enumerate(negatives if len(negatives) >= NEGATIVES else (), start=1):
        yield SheetRow(each.id, str(n), negative, each.gold, "", checked, *each.context())


def _remaining(made: Made) -> Mapping[str, int]:
    left = Counter[str]()
    for item in made.values():
        left.update({f"dropped, {why}": n for why, n in item[WRITTEN]["dropped"].items()})
        left["given up, without enough wrong ones"] += len(item[WRITTEN]["negatives"]) < NEGATIVES
    return +left
