"""Products of matrices, where a library's threads would cost more than they save.

Most products here take a fraction of a millisecond. Linear algebra libraries share each among
threads, which wait for each other in a loop: beside an eval they take a fifth of its time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from askew.statistics.intervals import Floats

# Up to so many multiplications OpenBLAS, which numpy brings along, takes one thread; fewer where
# one side is a vector.
_OF_MATRICES, _OF_A_VECTOR = 4 * 65_536, 4 * 2_304
# Where a part would be thinner than this, threads are worth their while.
_THINNEST = 8


def product(one: Floats, other: npt.NDArray[Any]) -> Floats:
    """`one @ other`, part by part, each so small that it is made in one thread."""
    (rows, inner), columns = one.shape, other.shape[1]
    most = _OF_A_VECTOR if min(rows, columns) == 1 else _OF_MATRICES
    step = most // max(1, inner * min(rows, columns))
    if step >= max(rows, columns) or step < _THINNEST:
        return np.asarray(one @ other)
    made = np.empty((rows, columns))
    for at in range(0, max(rows, columns), step):
        if columns >= rows:
            made[:, at : at + step] = one @ other[:, at : at + step]
        else:
            made[at : at + step] = one[at : at + step] @ other
    return made
