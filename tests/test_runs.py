"""What is asked anew when a run is started once more."""

import json
from pathlib import Path

import pytest
from inspect_ai import eval_set

from askew.papers.knowno.tasks import knowno

pytestmark = pytest.mark.whole


def test_an_edited_data_file_is_asked_anew(tmp_path):
    path = tmp_path / "mine.jsonl"
    records = [
        {"id": f"q{i}", "question": f"What is {i} plus 1?", "options": [str(i + 1), str(i + 9)],
         "gold_option": str(i + 1)}
        for i in range(3)
    ]  # fmt: skip

    def asked():
        path.write_text("".join(json.dumps(r) + "\n" for r in records))
        _, logs = eval_set(
            knowno(data=str(path)), model="respondent/oracle", log_dir=str(tmp_path / "set"),
            display="none", log_level="error", log_dir_allow_dirty=True,
        )  # fmt: skip
        return {Path(log.location).name for log in logs}

    first = asked()
    assert asked() == first
    records[0]["question"] = "What is 0 plus one?"
    assert not asked() & first
