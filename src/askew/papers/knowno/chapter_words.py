"""KnowNo's conditions, patterns and subsets in words, once for its tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askew.papers.knowno.numbers import ALL
from askew.report.evidence import Evidence
from askew.untrusted import one_line

SUBSET_NAMES: Mapping[str, str] = {
    ALL: "Mean of subsets",
    "mctest": "MC-Test",
    "bank77": "BANK-77",
    "equinfer": "EquInfer",
}
HINT_WORDS: Mapping[str, str] = {
    "with_gold": "right option offered",
    "hint_as_option": "none-of-them as an option",
    "hint_in_instruction": "none-of-them in the instruction",
    "no_hint": "no hint",
    "with_gold_plus_none": "right option and none-of-them",
}
# The order in which a flip looks for its telling side: where none-of-them stood there to be
# chosen, a wrong choice tells most.
WITHOUT_ORDER: Sequence[str] = ("hint_as_option", "hint_in_instruction", "no_hint")
PATTERN_WORDS: Mapping[str, str] = {
    "none": "says none fits",
    "none_and_gold": "says none, gives the true answer",
    "none_and_other": "says none, gives another answer",
    "new_gold": "gives the true answer, not offered",
    "new_wrong": "gives a new, wrong answer",
    "offered": "picks an offered option",
    "unparsed": "can't be read",
    "refused": "declines",
}
RIGHT_PATTERNS = ("none", "none_and_gold", "none_and_other", "new_gold")


def subset_name(subset: str) -> str:
    """A subset as it is shown."""
    return SUBSET_NAMES.get(subset) or one_line(subset)


def subset_slug(evidence: Evidence, subset: str) -> str:
    """A subset as a part of ids: a name from a user's file may hold anything."""
    if subset in SUBSET_NAMES:
        return subset
    return f"subset-{subsets_of(evidence).index(subset) + 1}"


def subsets_of(evidence: Evidence) -> list[str]:
    """The subsets that were asked, in the paper's order."""
    seen = [str(s) for s in evidence.rows["subset"].unique() if s != ALL]
    known = [s for s in SUBSET_NAMES if s in seen]
    return known + [s for s in seen if s not in SUBSET_NAMES]


def levels_of(evidence: Evidence) -> list[str]:
    """The mean over subsets, where there are several, then each subset."""
    subsets = subsets_of(evidence)
    return [ALL, *subsets] if len(subsets) > 1 else subsets
