"""MathComp on the paper's real file: by loopback mirror and by path, strict and as published."""

import threading
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from askew.papers.mathcomp.items import EXCLUDED
from askew.papers.mathcomp.numbers import mathcomp as numbers
from askew.papers.mathcomp.tasks import mathcomp
from askew.report.study import Study
from askew_authoring.mathcomp.lint import verify

pytestmark = pytest.mark.real_data


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing: the test's output is the test's."""


@pytest.fixture
def mirror(shared_data, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(shared_data)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ASKEW_MIRROR", f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def path(shared_data):
    return str(shared_data / "mathcomp" / "MathComp_Dataset.csv")


def test_the_papers_file_gives_300_items_in_14_framings_as_published(mirror):
    asked = list(mathcomp(data="paper", scenarios="strict_items=false").dataset)
    assert len(asked) == len({s.id for s in asked}) == 300 * 14
    golds = Counter(s.target for s in asked)
    assert golds == {"less": 119 * 14, "equal": 94 * 14, "more": 87 * 14}


def test_all_are_asked_and_ten_that_are_wrong_are_marked_by_default(mirror):
    asked = list(mathcomp(data="paper").dataset)
    assert len(asked) == 300 * 14
    wrong = Counter(s.metadata["item"] for s in asked if "wrong" in s.metadata)
    assert wrong == dict.fromkeys(EXCLUDED, 14)
    assert {f.item for f in verify("paper") if f.excluded} == set(wrong)
    lax = mathcomp(data="paper", strict_items=False)
    assert lax.metadata["data_revision"].endswith(".as_published")
    drawn = list(mathcomp(data="paper", items=290, framing="style=neutral").dataset)
    assert len(drawn) == 290 * 2
    assert not any("wrong" in s.metadata for s in drawn)


@pytest.mark.whole
def test_wrong_items_are_named_and_in_no_number(run, mirror, tmp_path):
    log = run(mathcomp(data="paper", framing="style=neutral,position=end"))
    assert log.results.scores[0].unscored_samples == 10
    observations = Study.read(log.location)
    assert observations.rows["item"].nunique() == len(observations.rows) == 290
    out = observations.excluded
    assert list(out["what"].unique()) == ["set aside"]
    assert sorted(out["why"]) == [f"{item}: {why}" for item, why in sorted(EXCLUDED.items())]
    # The run is whole: what is wrong with questions is not missing evidence.
    (ran,) = observations.runs
    assert (ran.planned, ran.scored) == (290, 290)
    table = numbers(observations.rows, by=(), interval=None, cuts=((),))
    assert set(table.loc[table["metric"] == "accuracy", "n_items"]) == {290}
