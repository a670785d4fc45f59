"""What other packages bring that is broken is named and passed over; askew's own work goes on."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from askew import papers, treatments
from tests.cases import cases_of

BROKEN = cases_of(__file__, "BROKEN")


@pytest.mark.parametrize("value", BROKEN.values(), ids=[*BROKEN])
@pytest.mark.parametrize(
    ("module", "known", "cached"),
    [
        (papers, papers.papers, (papers.names, papers.find_paper)),
        (treatments, treatments.treatments, (treatments.treatments,)),
    ],
)
def test_a_broken_plugin_is_named_once_and_the_rest_works(
    monkeypatch, capsys, module, known, cached, value
):
    usual = len(known())

    def found(group, **wanted):
        return EntryPoints([EntryPoint("ours", value, group)])

    monkeypatch.setattr(module, "entry_points", found)
    for one in cached:
        one.cache_clear()
    try:
        assert [len(known()), len(known())] == [usual, usual]
    finally:
        for one in cached:
            one.cache_clear()
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert f"{module.GROUP} ours = {value} is passed over" in told[0]
