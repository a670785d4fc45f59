"""The parts of an audit: what is under way at a time keeps to what providers are allowed."""

from collections import Counter
from concurrent.futures import CancelledError, Executor, Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.audit import running
from askew.audit.asking import Answered
from askew.audit.audit_file import AuditError, AuditFile
from askew.audit.parts import Part, parts_of, rooms, under
from askew.audit.running import run_parts
from askew.executors import WorkerError


def part(model="a/x", **more):
    return Part("knowno", model, {}, **more)


def test_a_part_is_a_task_a_model_and_a_subset():
    audit = AuditFile.model_validate(
        {
            "version": 1,
            "models": [
                "respondent/oracle",
                {"model": "mockllm/model", "config": {"temperature": 1.0}},
            ],
            "tasks": [
                {"task": "knowno", "subsets": ["mctest", "bank77"], "parameters": {"items": 2}},
                {"task": "mathcomp", "parameters": {"items": 1}},
            ],
            "epochs": 2,
        }
    )
    parts = parts_of(audit)
    assert [p.name for p in parts] == [
        *("knowno, respondent/oracle (mctest)", "knowno, mockllm/model (mctest)"),
        *("knowno, respondent/oracle (bank77)", "knowno, mockllm/model (bank77)"),
        *("mathcomp, respondent/oracle", "mathcomp, mockllm/model"),
    ]
    assert parts[0].parameters == {"items": 2, "subset": "mctest"}
    assert [p.config for p in parts[:2]] == [{}, {"temperature": 1.0}]
    assert len({p.folder for p in parts}) == len(parts)
    assert {p.epochs for p in parts} == {2}


def test_a_part_has_one_folder_however_often_it_is_asked_and_others_have_others():
    assert part().folder == part().folder
    others = [part("a/y"), part(epochs=2), part(config={"seed": 1}), part(roles={"grader": "a/x"})]
    assert len({p.folder for p in (part(), *others)}) == 5
    assert under("s3://bucket/audit/", part()) == f"s3://bucket/audit/{part().folder}"
    assert under("logs", part()).startswith("/")


class Held(Executor):
    """Does so many calls at a time, and none is done before somebody waits for it."""

    def __init__(self, threads):
        self.threads = threads
        self.begun, self.most = [], Counter()

    def submit(self, fn, /, *args, **kwargs):
        one, _, connections, _ = args
        self.begun.append((Future(), one, connections))
        return self.begun[-1][0]

    def wait(self, futures, return_when):
        opened = Counter()
        for _, one, connections in self.begun[: self.threads]:
            opened.update({p: n * connections[p] for p, n in one.uses.items() if p in connections})
        self.most |= opened
        done = self.begun.pop(0)[0]
        done.set_result(Answered(True, samples=1))
        return {done}, set()


providers = st.sampled_from("abc")


@given(
    st.lists(st.tuples(providers, st.lists(providers, max_size=2)), min_size=1, max_size=12),
    st.dictionaries(providers, st.integers(3, 40)),
    st.integers(1, 8),
)
def test_all_parts_under_way_open_no_more_connections_than_a_provider_is_allowed(
    asked, limits, threads
):
    parts = [
        part(f"{p}/{n}", roles={f"r{i}": f"{o}/judge" for i, o in enumerate(others)})
        for n, (p, others) in enumerate(asked)
    ]
    room = rooms(parts, limits, threads)
    there = Held(threads)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running, "wait", there.wait)
        answers = run_parts(parts, "logs", there, room)
    assert len(answers) == len(parts)
    assert all(a.success for a in answers)
    assert all(there.most[p] <= limits[p] for p in limits)
    # Whatever is asked gets some.
    assert all(r.parts >= 1 and r.connections >= 1 for r in room.values())


def test_connections_that_one_part_alone_exceeds_are_refused():
    with pytest.raises(AuditError, match="asks 2 models there"):
        rooms([part(roles={"grader": "a/judge"})], {"a": 1}, 2)


class Planned(Executor):
    """Answers as planned, one call after the other."""

    def __init__(self, *answers):
        self.answers = [*answers]
        self.asked, self.begun = [], []

    def submit(self, fn, /, *args, **kwargs):
        done = Future()
        self.asked.append(args[0].name)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            done.set_exception(answer)
        elif not isinstance(answer, Future):  # which never ends
            done.set_result(answer)
        self.begun.append(done)
        return done


LOST = Answered(False, why="its process ended by signal 9", lost=True)


def test_a_part_whose_process_was_killed_is_begun_again():
    there, heard = Planned(LOST, LOST, Answered(True, 8)), []
    (answer,) = run_parts([part()], "logs", there, {}, lambda *told: heard.append(told))
    assert answer == Answered(True, 8)
    assert len(there.asked) == 3
    assert heard == [(part(), LOST, True), (part(), LOST, True), (part(), answer, False)]


def test_a_part_that_is_killed_each_time_is_given_up_and_says_so():
    there, heard = Planned(*[LOST] * 9), []
    (answer,) = run_parts([part()], "logs", there, {}, lambda *told: heard.append(told))
    assert not answer.success
    assert [again for *_, again in heard] == [True, True, False]
    assert "signal 9" in answer.why
    assert len(there.asked) == 3


def test_what_keeps_one_part_from_being_asked_does_not_keep_others():
    there = Planned(RuntimeError("no disk"), Answered(True, 8))
    bad, good = run_parts([part(), part("a/y")], "logs", there, {})
    assert bad == Answered(False, why="RuntimeError: no disk")
    assert good.success


def test_a_cluster_that_is_lost_is_one_message():
    with pytest.raises(WorkerError, match="scheduler ended, or the connection to it was lost"):
        run_parts([part()], "logs", Planned(CancelledError()), {})


def test_what_was_begun_is_given_up_where_the_rest_can_not_be_asked():
    there = Planned(CancelledError(), Future(), Future())
    with pytest.raises(WorkerError):
        run_parts([part(), part("a/y"), part("a/z")], "logs", there, {})
    assert [future.cancelled() for future in there.begun[1:]] == [True, True]
