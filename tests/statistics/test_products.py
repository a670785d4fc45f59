"""Products made part by part are those that are made at once, and each part is small."""

import numpy as np
import pytest

from askew.statistics import products
from askew.statistics.products import product


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(3, 4, 5), (30, 400, 1_000), (1_000, 400, 30), (1, 400, 1_000), (1_000, 400, 1), (64, 64, 64),
     (64, 64, 65), (2, 100_000, 50), (0, 3, 5), (4, 0, 5), (3, 7, 0)],
)  # fmt: skip
def test_a_product_is_that_of_numpy(rows, inner, columns):
    rng = np.random.default_rng(rows)
    one, other = rng.random((rows, inner)), rng.integers(0, 9, (inner, columns))
    made = product(one, other)
    assert made.shape == (rows, columns)
    np.testing.assert_allclose(made, one @ other, rtol=1e-12)


class Counted(np.ndarray):
    """A matrix that says how many multiplications each of its products takes."""

    def __matmul__(self, other):
        asked.append((*self.shape, other.shape[1]))
        return np.asarray(self) @ np.asarray(other)


asked = []


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        # 64 x 64 x 64 are as many multiplications as one thread takes; 9,216 with a vector.
        ((64, 64, 64), [(64, 64, 64)]),
        ((64, 64, 65), [(64, 64, 64), (64, 64, 1)]),
        ((130, 64, 64), [(64, 64, 64), (64, 64, 64), (2, 64, 64)]),
        ((1, 96, 96), [(1, 96, 96)]),
        ((1, 96, 97), [(1, 96, 96), (1, 96, 1)]),
        ((97, 96, 1), [(96, 96, 1), (1, 96, 1)]),
        # Parts of eight are worth it, thinner ones not.
        ((1, 1_152, 16), [(1, 1_152, 8), (1, 1_152, 8)]),
        ((1, 1_153, 16), [(1, 1_153, 16)]),
    ],
)
def test_a_part_is_no_larger_than_one_thread_takes(shape, parts):
    rows, inner, columns = shape
    asked.clear()
    product(np.ones((rows, inner)).view(Counted), np.ones((inner, columns)))
    assert asked == parts
    assert products._OF_MATRICES == 64**3
    assert products._OF_A_VECTOR == 96**2
