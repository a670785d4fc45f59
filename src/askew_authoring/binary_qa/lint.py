"""Binary QA: what a machine can find in its items.

Bundled items promise more than any file of questions must keep: see the second half.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from askew.files import toml_of
from askew.papers.binary_qa.items import BinaryItem, load
from askew.papers.binary_qa.paper import LABELS
from askew.papers.mathcomp.arithmetic import evaluate
from askew.schema import Finding
from askew.sources.tiers import CORE, HARD
from askew_authoring.baselines import Baseline, Labelled, of_labels
from askew_authoring.binary_qa.rules import (
    ASKED_OF_ALL,
    FALSE_FRAME,
    REWRITES,
    WORDINGS,
    comparison_asked,
    comparison_problems,
    problems,
)


def verify(data: str, subset: str | Sequence[str] | None = None) -> list[Finding]:
    """What a machine can find in the items of `data`, with ids.

    The bundled items are held to more than a user's: to all that the documentation says of them.
    """
    items = load(data, subset).items
    return [*find(items), *(find_in_bundled(items) if data == "bundled" else [])]


def find(items: Sequence[BinaryItem]) -> list[Finding]:
    """What a machine can find in any set of items: rewrites that break a form's rule, and labels
    that are not balanced."""
    found = [Finding(item.id, *said) for item in items for said in _broken_rules(item)]
    for subset in dict.fromkeys(item.subset for item in items):
        answers = Counter(item.answer for item in items if item.subset == subset)
        if answers["Yes"] != answers["No"]:
            counts = f"{answers['Yes']} Yes and {answers['No']} No"
            found.append(Finding(subset, "labels not balanced", counts))
    return found


def _broken_rules(item: BinaryItem) -> Iterator[tuple[str, str]]:
    for form in REWRITES:
        asked = item.question(form)
        if not asked:
            yield "form missing", f"{form} is not asked"
            continue
        for problem in problems(form, item.original, asked):
            yield "form rule", f"{form}: {problem}"
    # Wordings that compare with the number, but otherwise than `check` and their form demand.
    if item.check is not None:
        op, n = item.check.op, item.check.n
        for form in WORDINGS:
            for problem in comparison_problems(form, item.original, item.question(form), op, n):
                yield "comparison", f"{form}: {problem}"


# What their texts look like, their kinds and hedges, and what answers follow from: workings of
# numbers, words of right translations.
PROMISED: Mapping[str, Any] = toml_of(__package__, "checks.toml")
_HEDGES: tuple[str, ...] = tuple(PROMISED["hedges"])
_ENGLISH_NO, _GERMAN_NO = {"not", "none", "nobody"}, {"nicht", "niemand", "kein", "keiner"}
_PAIR = re.compile(r"Source \(English\): (.+)\nTranslation \(German\): (.+)")
_LONG_WORD = re.compile(r"\b[a-z]{5,}\b")
# What kind of thing is wrong, and what.
Said = tuple[str, str]


def find_in_bundled(items: Sequence[BinaryItem]) -> list[Finding]:
    """Every promise that an item or a domain breaks, with its id."""
    found = [
        Finding(item.id, *said)
        for item in items
        for check in (_unlike_promised, _worded, *_OF_DOMAIN[item.tier].get(item.subset, ()))
        for said in check(item)
    ]
    for subset, tier in dict.fromkeys((item.subset, item.tier) for item in items):
        mine = [item for item in items if (item.subset, item.tier) == (subset, tier)]
        of_tier = (_openings,) if tier == HARD else (_thresholds,)
        for check_all in (_kinds, _ids, _giveaways, *of_tier):
            found += [Finding(subset, *said) for said in check_all(subset, mine)]
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w']+", text.lower()))


def _hedge(item: BinaryItem) -> str:
    return next((hedge for hedge in _HEDGES if item.hedged.startswith(hedge)), "")


def _unlike_promised(item: BinaryItem) -> Iterator[Said]:
    """The texts that look otherwise than `checks.toml` says."""
    for rule in PROMISED["texts"]:
        text = rule["text"].format(**dict(item))
        pattern = (rule.get("must") or rule["never"]).replace("<hedge>", f"(?:{'|'.join(_HEDGES)})")
        ours = all(getattr(item, key) in names for key, names in rule.get("of", {}).items())
        if ours and bool(re.search(pattern, text)) is not ("must" in rule):
            yield rule["finds"], rule["says"]


def _worded(item: BinaryItem) -> Iterator[Said]:
    """What no pattern can say of an item's wordings and its passage."""
    if len({item.question(form).casefold() for form in WORDINGS}) < len(WORDINGS):
        yield "shape", "two wordings are one sentence"
    for form in WORDINGS:
        question = item.question(form)
        if not re.fullmatch(r"[A-Z][^?\n]*[^?\s]\?", question) or "  " in question:
            yield "shape", f"{form}: is not one sentence with a question mark"
        if not question.isascii():
            yield "shape", f"{form}: has signs beyond ASCII"
    if item.passage != unicodedata.normalize("NFC", item.passage).strip():
        yield "shape", "passage: is not normalised, or has space around it"
    ours, theirs = _words(item.synonym), _words(item.original)
    if not (ours - theirs and theirs - ours):
        yield "positive forms", "synonym: replaces no word"
    if len(theirs - _words(item.false_framing.removeprefix(FALSE_FRAME))) > 2:
        yield "false framing", "false_framing: leaves out words of the original"


def _swap(item: BinaryItem) -> Iterator[Said]:
    asked, opposite = item.original, item.contradictory
    swaps = [a for a, b in PROMISED["complements"] if a in asked and b in opposite]
    if len(swaps) != 1 or swaps[0] in opposite:
        yield "multi-hop", "contradictory: does not swap one comparison for its complement"


def _working(item: BinaryItem) -> Iterator[Said]:
    """The true number follows from the passage, and every operand stands there."""
    workings = PROMISED["workings"].get(item.id)
    if workings is None or item.check is None:
        yield "working", "no working, or no number to check"
        return
    ((how, operands),) = workings.items()
    there = set(re.findall(r"\d+|[A-Z][a-z]+", item.passage))
    missing = [o for o in operands if (o if isinstance(o, str) else str(abs(o))) not in there]
    if missing:
        yield "working", f"passage: {', '.join(map(str, missing))} does not stand there"
    made = _computed(how, operands)
    if made != item.check.value:
        yield "working", f"the passage gives {made:g}, not {item.check.value:g}"


def _calculation(item: BinaryItem) -> Iterator[Said]:
    """The true number is what its calculation gives, in exact fractions."""
    written = PROMISED["calculations"].get(item.id)
    if written is None or item.check is None:
        yield "working", "no calculation, or no number to check"
    elif (made := evaluate(written)) != Fraction(str(item.check.value)):
        yield "working", f"the calculation gives {made}, not {item.check.value:g}"


def _computed(how: str, operands: Sequence[Any]) -> float:
    if how == "count":
        return len(operands)
    numbers = [float(value) for value in operands]
    if how.startswith("over "):
        return sum(number > float(how.removeprefix("over ")) for number in numbers)
    if how == "percent":
        return 100 * numbers[0] / numbers[1]
    return math.prod(numbers) if how == "product" else math.fsum(numbers)


def _asks(item: BinaryItem) -> Iterator[Said]:
    """Every wording puts a comparison that can be recognised, exact ones where the kind says so."""
    if item.check is None:
        return
    for form in WORDINGS:
        if not comparison_asked(item.question(form), item.check.n):
            yield "comparison asked", f"{form}: no comparison with {item.check.n:g} is recognised"
    if (item.check.op == "==") is not (item.kind == "exact"):
        yield "comparison asked", f"kind {item.kind} asks {item.check.op}"


def _translation(item: BinaryItem) -> Iterator[Said]:
    """A pair shows only the planted kind of error."""
    pair = _PAIR.fullmatch(item.passage)
    if pair is None or item.original != ASKED_OF_ALL["translation"]:
        yield "translation", "is not a pair under the paper's question"
        return
    english, german = pair.groups()
    left = set(_LONG_WORD.findall(english)) & set(_LONG_WORD.findall(german))
    if item.tier == CORE:
        yield from _negation(item.kind, english, german)
    if bool(left) is not (item.kind == "error_untranslated"):
        yield "translation", f"words left in English: {', '.join(sorted(left)) or 'none'}"
    right = any(word in german for word in PROMISED["right_words"].get(item.id, ()))
    if right is not (item.kind == "correct"):
        yield "translation", "has the right word, or lacks it, otherwise than its kind says"


def _negation(kind: str, english: str, german: str) -> Iterator[Said]:
    kept = bool(_words(english) & _ENGLISH_NO) is bool(_words(german) & _GERMAN_NO)
    if kept is (kind == "error_negation"):
        yield "translation", "the negation is kept, or lost, otherwise than its kind says"


def _ethics(item: BinaryItem) -> Iterator[Said]:
    if item.original != ASKED_OF_ALL.get(item.kind):
        yield "ethics", "does not ask the paper's question"


def _kinds(subset: str, items: Sequence[BinaryItem]) -> Iterator[Said]:
    counted = Counter(item.kind for item in items)
    promised = PROMISED["hard_kinds" if items[0].tier == HARD else "kinds"]
    if counted != promised.get(subset):
        yield "kinds", ", ".join(f"{n} {kind}" for kind, n in counted.items())
    labels = Counter((item.kind, item.answer) for item in items)
    for kind in counted:
        yes, no = (labels[kind, label] for label in LABELS)
        # No translation has an error and is right, or has none and is wrong.
        uneven = (yes if kind == "correct" else no) if subset == "translation" else yes - no
        if uneven:
            yield "kinds", f"{kind}: {yes} Yes and {no} No"


def _ids(subset: str, items: Sequence[BinaryItem]) -> Iterator[Said]:
    named = f"{subset}-hard" if items[0].tier == HARD else subset
    if [item.id for item in items] != [f"{named}-{n:02d}" for n in range(1, len(items) + 1)]:
        yield "ids", "ids don't number the items"
    if len({item.passage for item in items}) < len(items):
        yield "ids", "a passage stands twice"
    if subset not in ("translation", "ethics") and len({i.original for i in items}) < len(items):
        yield "ids", "a question is asked twice"


def _giveaways(subset: str, items: Sequence[BinaryItem]) -> Iterator[Said]:
    """A hedge or a stock rewording that comes with one answer more often gives it away."""
    stock = ("synonym", "contradictory") if subset in ("translation", "ethics") else ()
    worded = [(_hedge(item), item) for item in items]
    worded += [(item.question(form), item) for form in stock for item in items]
    uses = Counter((wording, item.answer) for wording, item in worded)
    for wording in dict.fromkeys(wording for wording, _ in uses):
        yes, no = (uses[wording, label] for label in LABELS)
        if yes != no:
            yield "gives the answer away", f"{wording.strip()!r}: {yes} Yes and {no} No"


def _openings(subset: str, items: Sequence[BinaryItem]) -> Iterator[Said]:
    """The word that a question begins with is right with Yes as often as with No."""
    uses = Counter((item.original.split()[0], item.answer) for item in items)
    for word in dict.fromkeys(word for word, _ in uses):
        yes, no = (uses[word, label] for label in LABELS)
        if yes != no:
            yield "gives the answer away", f"{word} ...?: {yes} Yes and {no} No"


def _thresholds(subset: str, items: Sequence[BinaryItem]) -> Iterator[Said]:
    """Each threshold comes three times, with both answers."""
    for op in (">", ">=", "<", "<=") if subset == "numerical" else ():
        used = [item.answer for item in items if item.check and item.check.op == op]
        if len(used) != 3 or set(used) != set(LABELS):
            yield (
                "thresholds",
                f"{op}: {len(used)} items, {' and '.join(sorted(set(used))) or 'none'}",
            )


_Checks = Mapping[str, Sequence[Callable[[BinaryItem], Iterator[Said]]]]
_OF_DOMAIN: Mapping[str, _Checks] = {
    CORE: {
        "multi_hop": (_swap,),
        "numerical": (_working, _asks),
        "translation": (_translation,),
        "ethics": (_ethics,),
    },
    HARD: {
        "numerical": (_calculation, _asks),
        "translation": (_translation,),
        "ethics": (_ethics,),
    },
}


def statistics(
    data: str, subset: str | Sequence[str] | None = None
) -> Mapping[str, list[Baseline]]:
    """What guessers get of each domain's original questions, by tier.

    A translation or a deed is its passage: the question is the same of all.
    """
    sets: dict[str, list[Labelled]] = {}
    for item in load(data, subset).items:
        asked = item.passage if item.original in ASKED_OF_ALL.values() else item.original
        about = "" if asked == item.passage else item.passage
        name = f"{item.subset} {item.tier}".strip()
        labelled = Labelled(item.id, asked, item.answer, about, item.unit)
        sets.setdefault(name, []).append(labelled)
    return {name: of_labels(items) for name, items in sets.items()}
