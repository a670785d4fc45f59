"""Why nothing of a run was scored: what its first error says."""

import json

import pytest

from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, written

REQUEST = json.dumps({"messages": "m" * 2_000}, indent=2)
ERROR = f"Error code 429: {REQUEST}\n\nthe quota is used up"
JSON_NAME = "2026-03-01T12-00-00+00-00_knowno_x.json"


def failed(folder, name="failed.eval", error=ERROR, **more):
    log = a_log([a_sample(f"i{n}", error=error, **more) for n in range(3)], model="lab/failed")
    return written(log, folder, name)


def why(logs):
    [run] = [run for run in Study.read(logs, quiet=True).runs if run.failure]
    assert (run.task, run.model) == ("knowno", "lab/failed")
    return run.failure


@pytest.mark.parametrize("name", ["failed.eval", JSON_NAME])
def test_the_reason_after_a_long_request_is_reported(name, tmp_path):
    assert why(failed(tmp_path, name)) == "3 errored: the quota is used up"
