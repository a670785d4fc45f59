"""MathComp's identity gap: how the answers shift with who the second person is said to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from askew.papers.mathcomp.numbers_grid import Sums, difference, grid_of, place
from askew.papers.mathcomp.numbers_rates import ALL, LABELS, NOTHING
from askew.statistics.intervals import Floats
from askew.statistics.tables import Analysis, Counts, Key, Quantity, Totals

_REFERENCE = "person"
_NAMES = "standard"


def identity_contrasts(rows: pd.DataFrame, detailed: bool = True) -> Analysis:
    """How much more often an answer is drifted to for an identity than for `person`.

    `identity_shift_more` is the difference of DirErr(more), one an identity; `identity_gap_more`
    the largest of them in size. `standard` is left out: its names are another wording.
    """
    rows = rows[rows["identity"] != _NAMES]
    if not len(rows):
        return NOTHING
    grid = grid_of(
        rows,
        ("subset", "item", "unit", "gold", "epoch", "run", "output", "style", "term", "position"),
        ("identity",),
    )
    identities = [str(c[0]) for c in grid.conditions]
    others = [i for i in identities if i != _REFERENCE]
    whole = grid.whole(range(len(identities)))
    outputs = list(dict.fromkeys(rows["output"])) if detailed else []
    sums = Sums(grid.groups)
    counts: dict[str, Counts] = {}
    for output in (ALL, *outputs):
        chosen = np.ones(len(whole), dtype=bool)
        if output != ALL:
            chosen = (grid.groups["output"] == output).to_numpy()
        counts[output] = sums.counts(whole & chosen, chosen)
        for (c, identity), (i, label) in product(enumerate(identities), enumerate(LABELS)):
            for what, values in (("error", grid.errors), ("chance", grid.chances)):
                sums.add((output, identity, label, what), values[:, c, i] * (whole & chosen))

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for output, label in product((ALL, *outputs), LABELS):
            quantities |= _shifts(totals, output, label, identities, others, counts[output])
        return quantities

    return Analysis(sums.table(), statistic, {})


def _shifts(
    totals: Totals,
    output: str,
    label: str,
    identities: Sequence[str],
    others: Sequence[str],
    counts: Counts,
) -> dict[Key, Quantity]:
    gap_key = (f"identity_gap_{label}", *place(output=output))
    if _REFERENCE not in identities or not others:
        lacking = _REFERENCE if others else "anyone beside person"
        unknown = Quantity(
            np.full(len(totals), np.nan), reason=f"not asked: {lacking}", counts=counts
        )
        return {gap_key: unknown}

    def rate(identity: str) -> Floats:
        key = (output, identity, label)
        return totals.ratio((*key, "error"), (*key, "chance"))

    shifts = {identity: rate(identity) - rate(_REFERENCE) for identity in others}
    reason = "no question was scored for every identity"
    if counts.n_items:
        reason = f"{label} is never wrong here"
    quantities = {
        (f"identity_shift_{label}", *place(output=output, identity=identity)): difference(
            values, reason, counts
        )
        for identity, values in shifts.items()
    }
    largest = np.max(np.abs([*shifts.values()]), axis=0)
    # A largest difference grows with noise, so its interval is mirrored.
    gap = Quantity(largest, reason=reason, counts=counts, reflect=True)
    return {gap_key: gap, **quantities}
