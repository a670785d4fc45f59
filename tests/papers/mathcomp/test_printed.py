"""The paper's printed cells ship as they are, whole, under the models' names."""

import math
from collections import Counter

import pytest

from askew.papers.mathcomp.framings import FRAMINGS, IDENTITIES
from askew.papers.mathcomp.printed import MODELS, ODD, TERMS, published, published_pull

NAMES = tuple(MODELS.values())


def test_every_model_framing_and_printed_identity_has_three_cells():
    cells = published()
    assert len(cells) == 672
    assert Counter(c.model for c in cells) == dict.fromkeys(NAMES, 336)
    printed = [i for i in IDENTITIES if i != "person"]
    for model in NAMES:
        for toward in TERMS:
            mine = {
                (c.style, c.term, c.position, c.identity)
                for c in cells
                if (c.model, c.toward) == (model, toward)
            }
            assert mine == {(f.style, f.term, f.position, i) for f in FRAMINGS for i in printed}
    assert all(0 <= value <= 1 for value in cells.values())


def test_cells_are_those_of_the_tables():
    cells = published()
    assert cells[ODD] == pytest.approx(0.1513)
    by_place = {
        (c.model, c.toward, c.style, c.term, c.position, c.identity): v for c, v in cells.items()
    }
    # Table 1, its row "less: Indirect (Begin)", and Table 12, its row "less: Indirect (End)".
    sonnet, mini = NAMES
    assert by_place[sonnet, "more", "indirect", "less", "begin", "hispanic"] == 0.77
    assert by_place[mini, "less", "indirect", "less", "end", "african"] == pytest.approx(0.9945)


def test_a_pull_is_what_the_cells_of_its_term_add_to_the_neutral_ones():
    # Table 12, column M: less is pulled by four framings, over the two neutral ones.
    framed, neutral = (71.82 + 95.58 + 62.43 + 93.92) / 4, (15.47 + 12.15) / 2
    assert published_pull(NAMES[1], "less", "man") == pytest.approx((framed - neutral) / 100)
    assert math.isnan(published_pull(NAMES[1], "less", "person"))
    assert math.isnan(published_pull("another model", "less"))
