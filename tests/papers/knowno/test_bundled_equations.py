"""The bundled equation items are well formed, balanced, and reviewed option by option."""

import json
import re
from collections import Counter
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

Item = dict[str, Any]

BUNDLED = files("askew.papers.knowno") / "bundled"
DOCS = Path(__file__).parents[3] / "docs"
TIERS = {"core": "", "hard": "_hard"}
# Below it, three options would show by what they have in common which fourth one is missing.
LEAST_UNLIKE_A_SQUARE = 6


SETS = {
    tier: [*map(json.loads, (BUNDLED / f"equinfer{ending}.jsonl").read_text("utf-8").splitlines())]
    for tier, ending in TIERS.items()
}
ITEMS = [item for items in SETS.values() for item in items]
each_tier = pytest.mark.parametrize("tier", TIERS)
each_item = pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])


def without_spaces(latex: str) -> str:
    """The text with whitespace and the commands that only set a space removed."""
    return re.sub(r"\\[,;:! ]|\s", "", latex)


def braces_balance(latex: str) -> bool:
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


@each_item
def test_four_options_define_one_quantity_each_in_one_closed_line(item: Item) -> None:
    options = item["options_list"]
    assert options.index(item["gold_option"]) == item["gold_option_index"]
    assert len(options) == len({without_spaces(option) for option in options}) == 4
    assert len({without_spaces(option.partition("=")[0]) for option in options}) == 1
    for option in options:
        assert "=" in option
        assert braces_balance(option)
        for left, right in ("()", "[]", (r"\Big(", r"\Big)"), (r"\left", r"\right")):
            assert option.count(left) == option.count(right)
        assert option == option.strip()
        assert option[-1] not in ".,;:"
        assert not {"$", "\n"} & {*option}


@each_item
def test_no_option_can_be_read_off_the_context(item: Item) -> None:
    context = without_spaces(item["context_before"] + "\n" + item["context_after"])
    for option in item["options_list"]:
        right_side = option.partition("=")[2]
        assert without_spaces(right_side) not in context


def _alike(options: list[str]) -> list[Counter[str]]:
    """The signs of each option and their neighbourhoods, as often as they occur."""
    signs = [re.findall(r"\\[A-Za-z]+|[A-Za-z]+|\d+|[^\s{}]", option) for option in options]
    return [Counter([*each, *map(" ".join, pairwise(each))]) for each in signs]


@each_item
def test_four_options_are_no_square_whose_missing_corner_shows(item: Item) -> None:
    first, *others = _alike(item["options_list"])
    for i, opposite in enumerate(others):
        one, other = (others[j] for j in range(3) if j != i)
        here, there = first + opposite, one + other
        unlike = (here - there).total() + (there - here).total()
        assert unlike >= LEAST_UNLIKE_A_SQUARE


@each_tier
def test_gold_positions_are_balanced(tier: str) -> None:
    positions = Counter(item["gold_option_index"] for item in SETS[tier])
    assert max(positions.values()) - min(positions[index] for index in range(4)) <= 1


def test_the_review_covers_each_option_once_and_calls_right_the_gold_alone() -> None:
    files = [DOCS / f"knowno_equations{ending}_review.csv" for ending in TIERS.values()]
    rows = pd.concat(map(pd.read_csv, files))
    assert {*rows} == {"id", "option_index", "right", "reason"}
    said = rows[["id", "option_index", "right"]].itertuples(index=False, name=None)
    assert Counter(said) == Counter(
        (item["id"], n, "yes" if n == item["gold_option_index"] else "no")
        for item in ITEMS for n in range(4)
    )  # fmt: skip
