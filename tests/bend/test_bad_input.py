"""What can't be asked as asked: one message that says what to do, before any call of a model."""

import sys
import textwrap

import pytest
from inspect_ai.scorer import Score, accuracy, scorer

from askew.bend import bend
from askew.parameters import SelectionError
from askew.scoring.stopping import SequentialStopping
from tests.bend.recorded import asked, of_words
from tests.cases import cases, cases_of

FILE = cases_of(__file__, "FILE")


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(FILE))
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "empty.toml").write_text("")
    return tmp_path


# Parameters of the task, and what the message must say.
WRONG = cases_of(__file__, "WRONG")


def _given(wrong, folder):
    told = {"task": "{}/mine.py@plain_words", **wrong}
    return {k: v.format(folder) if isinstance(v, str) else v for k, v in told.items()}


@pytest.mark.whole
@pytest.mark.parametrize("what", WRONG)
def test_one_message_explains_the_fix(what, mine):
    wrong, words = WRONG[what]
    given = _given(wrong, mine)
    with pytest.raises(SelectionError) as refused:
        bend(given.pop("task"), **given)
    assert all(word in refused.value.message for word in words), refused.value.message
    assert "\n" not in refused.value.message.strip()


@pytest.mark.whole
@pytest.mark.parametrize("command", ["eval", "eval-set"])
def test_without_a_task_inspect_prints_one_message(command, tmp_path, forks):
    given = ["inspect", command, "askew/bend", "--model", "mockllm/model", "--log-dir", tmp_path]
    code, out, err = forks(given, tmp_path)
    assert (code, out.strip()) == (2, "")
    assert err.startswith("askew: bend needs a task: -T task=")
    assert len(err.splitlines()) == 1


def test_a_misspelt_name_is_explained_with_modules_of_any_kind(monkeypatch):
    monkeypatch.setitem(sys.modules, "not_installed", None)
    for task, given in (("askew/knowmo", {}), ("askew/knowno", {"item": 2})):
        with pytest.raises(SelectionError, match=r"Did you mean (askew/knowno|items)"):
            bend(task, "repeat", **given)


def test_a_debugger_that_reads_the_frame_changes_nothing():
    def tracer(frame, event, argument):
        return tracer if frame.f_code.co_name == "bend" and frame.f_locals else None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert len(bend(of_words(1), "repeat").dataset) == 2
    finally:
        sys.settrace(before)


def test_a_scorer_that_no_metric_averages_is_refused_before_any_call():
    wordless = of_words(2, scorer=_scorer("fine", []))
    with pytest.raises(SelectionError, match=r"odd of .* has no metrics.*measure=odd"):
        bend(wordless, "repeat")
    assert len(bend(wordless, "repeat", measure="odd").dataset) == 4


def _scorer(value, metrics=None):
    @scorer(metrics=[accuracy()] if metrics is None else metrics, name="odd")
    def odd():
        async def score_of(state, target):
            return Score(value=value)

        return score_of

    return odd()


@pytest.mark.whole
@cases("value", "given", "words")
def test_a_score_that_can_never_count_stops_the_run_at_once(value, given, words):
    task = bend(of_words(5, scorer=_scorer(value)), "repeat", **given)
    log, sent = asked(task, max_samples=1)
    assert log.status == "error"
    assert words in log.error.message
    assert len(sent) < 5


class _ByItsOwnSamples:
    """An author's rule, which knows the author's samples alone."""

    async def start_task(self, task, samples, epochs):
        return str({1: "one"}[samples[0].id])


@pytest.mark.parametrize("more", [{}, {"stop_when": 0.2}])
def test_the_task_authors_early_stopping_does_not_apply_to_arms(more):
    theirs = of_words(early_stopping=_ByItsOwnSamples())
    stops = bend(theirs, treatments="repeat", **more).early_stopping
    assert isinstance(stops, SequentialStopping) if more else stops is None
    assert isinstance(theirs.early_stopping, _ByItsOwnSamples)
