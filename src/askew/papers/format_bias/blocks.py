"""Observations of format bias as blocks: formats by cells, one block an arm and category.

A cell is a paper task and a prompting. A block lines up its formats over the same cells, so that
averages over cells and variances over formats are plain array operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from askew.papers.format_bias.paper import PLAIN, PROMPTINGS
from askew.stats.intervals import Floats, Ints
from askew.stats.tables import OVERALL, Counts, Totals, UnitTable, unit_table

Codes = tuple[Ints, Ints]
"""Items and units by number."""
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
class Scope:
    """A set of cells that a number averages over; "all" where it does not single one out."""

    subset: str
    prompting: str
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Block:
    """The formats of one category in one arm, over its cells.

    Attributes:
        category: the formats' category.
        demos: how many demonstrations were shown.
        repeat: how often the format instruction was given.
        formats: names, in the order in which they appear.
        cells: (subset, prompting) of each cell.
        seen: the codes of items and of units that were seen, by format and cell.
        whole: those that were seen in every format, by cell.
        whole_part: the part of the table that holds only those.
        strata: by subset the stratum in which its units are drawn.
    """

    category: str
    demos: int
    repeat: int
    formats: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    seen: Mapping[tuple[int, int], Codes]
    whole: Mapping[tuple[int], Codes]
    whole_part: str
    strata: Mapping[str, str]
    _known: dict[tuple[int | None, tuple[int, ...]], Counts] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def sums(self, totals: Totals, name: str, part: str = OVERALL) -> Floats:
        """One additive quantity: formats by cells by resamples, 0 where nothing was asked."""
        arm = (self.demos, self.repeat)
        return np.array(
            [
                [totals[part, self.category, s, fmt, p, *arm, name] for s, p in self.cells]
                for fmt in self.formats
            ]
        )

    def scopes(self) -> Iterator[Scope]:
        """Everything, then each prompting, then each paper task."""
        yield Scope(OVERALL, OVERALL, tuple(range(len(self.cells))))
        for place in (1, 0):
            for value in dict.fromkeys(cell[place] for cell in self.cells):
                inside = tuple(i for i, cell in enumerate(self.cells) if cell[place] == value)
                yield Scope(*((value, OVERALL) if place == 0 else (OVERALL, value)), inside)

    def counts(self, fmt: int, cells: tuple[int, ...]) -> Counts:
        """Items and units behind one format's numbers."""
        if (fmt, cells) not in self._known:
            counted = _counted([self.seen[fmt, c] for c in cells if (fmt, c) in self.seen])
            self._known[fmt, cells] = replace(counted, n_strata=self._n_strata(cells))
        return self._known[fmt, cells]

    def whole_counts(self, cells: tuple[int, ...]) -> Counts:
        """Items seen in every format, and those left out because some format lacks them."""
        if (None, cells) not in self._known:
            kept = _counted([self.whole[c,] for c in cells if (c,) in self.whole])
            seen = _counted([codes for (_, c), codes in self.seen.items() if c in cells])
            left_out = seen.n_items - kept.n_items
            strata = self._n_strata(cells)
            self._known[None, cells] = replace(kept, n_dropped=left_out, n_strata=strata)
        return self._known[None, cells]

    def _n_strata(self, cells: tuple[int, ...]) -> int:
        return max(1, len({self.strata[self.cells[c][0]] for c in cells}))


def _counted(codes: Sequence[Codes]) -> Counts:
    if not codes:
        return Counts(0)
    n_items, n_units = (len(np.unique(np.concatenate(part))) for part in zip(*codes, strict=True))
    return Counts(n_items, 0, n_units)


def blocks_of(rows: pd.DataFrame) -> tuple[UnitTable, list[Block]]:
    """The sums behind all blocks of prepared rows, and the blocks."""
    strata = _strata(rows)
    stratum = rows["subset"].map(strata)
    item, _ = pd.factorize(pd.MultiIndex.from_frame(rows[["subset", "item"]]))
    unit, _ = pd.factorize(pd.MultiIndex.from_arrays([stratum, rows["unit"]]))
    sums = [name for name in (*SUMS, *PUBLISHED_SUMS) if name in rows]
    # Only what is read from here on: every part of a wide table is copied.
    rows = rows[[*_CELL, "unit", *sums]].assign(
        item_code=item, unit_code=unit, stratum=stratum, is_whole=_is_whole(rows), part=OVERALL,
        # A block's name is a text: what has no category would look for its sums in vain.
        category=rows["category"].fillna("nan"),
    )  # fmt: skip
    parts = [rows]
    blocks = []
    arms = rows.groupby([*_ARM, "category"], sort=False, dropna=False)
    for key, block_rows in arms:
        demos, repeat, category = (str(value) for value in key)
        complete = bool(block_rows["is_whole"].all())
        if not complete:
            parts.append(block_rows[block_rows["is_whole"]].assign(part="whole"))
        blocks.append(
            _block(
                block_rows,
                category,
                int(demos),
                int(repeat),
                OVERALL if complete else "whole",
                strata,
            )
        )
    return unit_table(pd.concat(parts), ("part", *_CELL), sums, ("stratum",)), blocks


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


def _block(
    rows: pd.DataFrame,
    category: str,
    demos: int,
    repeat: int,
    whole_part: str,
    strata: Mapping[str, str],
) -> Block:
    format_of, formats = pd.factorize(rows["format"])
    cell_of, cells = pd.factorize(
        pd.MultiIndex.from_frame(rows[["subset", "prompting"]].astype(str))
    )
    placed = rows[["item_code", "unit_code", "is_whole"]].assign(format=format_of, cell=cell_of)
    seen = _codes(placed, ["format", "cell"])
    whole = _codes(placed[placed["is_whole"]], ["cell"])
    return Block(
        category, demos, repeat, tuple(formats), tuple(cells), seen, whole, whole_part, strata
    )


def _codes(rows: pd.DataFrame, place: list[str]) -> dict[Any, Codes]:
    """The codes seen at every place, in the order in which places appear."""
    parts = rows.groupby(place, sort=False)
    return {at: (np.unique(part["item_code"]), np.unique(part["unit_code"])) for at, part in parts}
