"""Many models, each with a log: what is made of them grows with them, not with their square."""

import pandas as pd
import pytest

from askew.analysis import write_cards, write_report
from askew.report.ceiling import ceilings
from askew.statistics.tables import Interval
from tests.report.logged import logged
from tests.report.observed import HINTS, observed

QUICK = Interval(resamples=20)


class Account(dict):
    """What was read and left out, which counts how often it is copied with a table."""

    copies = 0

    def __deepcopy__(self, memo):
        Account.copies += 1
        return self


def copies(work, models):
    rows = [observed(f"acme/{n}", items=2, hints=HINTS[:2]) for n in range(models)]
    table = logged(pd.concat(rows, ignore_index=True))
    table.attrs["askew"] = Account(table.attrs["askew"])
    Account.copies = 0
    work(table)
    return Account.copies


@pytest.mark.parametrize("kind", ["md", "html", "cards", "ceilings"])
def test_what_was_read_is_not_copied_for_each_model(kind, tmp_path):
    made = {
        "cards": lambda table: write_cards(table, tmp_path / "cards", QUICK),
        "ceilings": lambda table: ceilings(table, QUICK),
    }
    of_report = lambda table: write_report(table, tmp_path / f"r.{kind}", interval=QUICK)  # noqa: E731
    work = made.get(kind, of_report)
    assert copies(work, 6) <= copies(work, 2)
