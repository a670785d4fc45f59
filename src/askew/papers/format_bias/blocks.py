"""Observations of format bias as rows to add up, and the blocks that they make."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from askew.papers.format_bias.paper import PLAIN, PROMPTINGS
from askew.stats.engine import Items, Sums
from askew.stats.tables import OVERALL

SUMS = ("format_ok", "score", "ok_score", "ok_score_squared")
# Only rankings have these: what the authors' script makes of a reply, and how many have that.
PUBLISHED_SUMS = (
    "map_as_published", "has_map", "format_ok_as_published", "has_format_ok_as_published",
)  # fmt: skip
_ARM = tuple(PLAIN)
_CELL = ("category", "subset", "format", "prompting", *_ARM)
_GROUP = ("category", "subset", "item", "epoch", "prompting", *_ARM)
# What observations of another origin may leave out, and what that means.
_DEFAULTS: Mapping[str, str | int] = {"prompting": next(iter(PROMPTINGS)), **PLAIN, "epoch": 1}

Cell = tuple[str, str]
"""A paper task and a prompting."""


@dataclass(frozen=True, eq=False)
class Scope:
    """A set of cells that a number averages over; "all" where it does not single one out."""

    subset: str
    prompting: str
    cells: Collection[Cell]

    def parts(self, sums: Sums) -> list[Sums]:
        """The sums of each of its cells."""
        return [sums.of(subset=subset, prompting=prompting) for subset, prompting in self.cells]


def prepared(observations: pd.DataFrame) -> pd.DataFrame:
    """The observations with what the sums need; they are left as they are."""
    rows = observations.copy(deep=False)
    for column, value in _DEFAULTS.items():
        given = rows.get(column, pd.Series(value, index=rows.index))
        rows[column] = given.fillna(value).astype(type(value))
    if "unit" not in rows and "item" in rows:
        rows["unit"] = rows["item"]
    if not len(rows):
        return rows
    ok = rows["format_ok"].to_numpy(dtype=float)
    score = rows["score"].to_numpy(dtype=float)
    rows["ok_score"] = ok * score
    rows["ok_score_squared"] = ok * score * score
    for name, has in zip(PUBLISHED_SUMS[::2], PUBLISHED_SUMS[1::2], strict=True):
        if name in rows:
            rows[has] = rows[name].notna().astype(float)
            rows[name] = rows[name].astype(float).fillna(0.0)
    return rows


@dataclass(frozen=True)
class Block:
    """The formats of one category in one arm, over the same cells.

    Attributes:
        at: the levels of its category and arm.
        formats: names, in the order in which they appear.
        cells: in the order in which they appear.
        seen: formats with the cells in which they were asked.
        whole: the part of the rows that holds the items that were scored in every format.
    """

    at: Mapping[str, Hashable]
    formats: Collection[str]
    cells: Collection[Cell]
    seen: Collection[tuple[str, Cell]]
    whole: str

    def scopes(self) -> Iterator[Scope]:
        """Everything, then each prompting, then each paper task."""
        yield Scope(OVERALL, OVERALL, self.cells)
        for place in (1, 0):
            for value in dict.fromkeys(cell[place] for cell in self.cells):
                inside = [cell for cell in self.cells if cell[place] == value]
                yield Scope(*((value, OVERALL) if place == 0 else (OVERALL, value)), inside)


def blocks_of(rows: pd.DataFrame) -> tuple[Items, list[Block]]:
    """What is summed of prepared rows, and the blocks."""
    sums = [name for name in (*SUMS, *PUBLISHED_SUMS) if name in rows]
    # Only what is read from here on: every part of a wide table is copied.
    rows = rows[[*_CELL, "item", "unit", *sums]].assign(
        is_whole=_is_whole(rows), part=OVERALL, stratum=rows["subset"].map(_strata(rows)),
        # A block's name is a text: what has no category would look for its sums in vain.
        category=rows["category"].fillna("nan"),
    )  # fmt: skip
    parts, blocks = [rows], []
    for levels, inside in rows.groupby([*_ARM, "category"], sort=False):
        whole = OVERALL if inside["is_whole"].all() else "whole"
        if whole != OVERALL:
            parts.append(inside[inside["is_whole"]].assign(part=whole))
        cells = zip(inside["subset"], inside["prompting"], strict=True)
        seen = dict.fromkeys(zip(inside["format"], cells, strict=True))
        formats, cells_seen = (dict.fromkeys(part) for part in zip(*seen, strict=True))
        at = dict(zip((*_ARM, "category"), levels, strict=True))
        blocks.append(Block(at, formats, cells_seen, seen, whole))
    return Items(pd.concat(parts), ("part", *_CELL), sums, ("stratum",)), blocks


def _strata(rows: pd.DataFrame) -> dict[str, str]:
    """By subset the stratum in which its units are drawn: subsets that share a text are one."""
    of = {str(subset): str(subset) for subset in rows["subset"].unique()}
    texts = rows.loc[rows["unit"] != rows["item"], ["unit", "subset"]].drop_duplicates()
    for _, subsets in texts[texts.duplicated("unit", keep=False)].groupby("unit")["subset"]:
        joined = {of[subset] for subset in subsets}
        of = {subset: min(joined) if s in joined else s for subset, s in of.items()}
    return of


def _is_whole(rows: pd.DataFrame) -> pd.Series:
    """Whether a row's item was scored, in its condition, in every format of its category."""
    arm = ["category", *_ARM]
    asked = rows.groupby(arm, sort=False, dropna=False)["format"].transform("nunique")
    group = [*_GROUP, *(["run"] if "run" in rows else [])]
    seen = rows.groupby(group, sort=False, dropna=False)["format"].transform("nunique")
    return seen == asked
