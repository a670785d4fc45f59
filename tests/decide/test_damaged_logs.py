"""Logs whose parts are permuted, repeated or dropped give the same numbers, or a reason."""

import random

import pytest

from askew.papers import names
from tests.logs.logs_of_all import log_of, numbers

FIELDS = ("item", "cluster", "subset")


def logs(task):
    return log_of(task, model="lab/good"), log_of(task, model="lab/other")


def metadata_of(log):
    return [
        s.metadata if s.metadata else next(iter(s.scores.values())).metadata for s in log.samples
    ]


def permuted(log, field):
    held = [m.get(field) for m in metadata_of(log)]
    for metadata, value in zip(
        metadata_of(log), random.Random(0).sample(held, len(held)), strict=True
    ):
        metadata[field] = value


def repeated(log, field):
    for metadata in metadata_of(log):
        metadata[field] = metadata_of(log)[0].get(field)


def dropped(log, field):
    for metadata in metadata_of(log):
        metadata.pop(field, None)


@pytest.mark.parametrize("change", [permuted, repeated, dropped])
@pytest.mark.parametrize("task", names())
def test_damage_to_one_log_leaves_the_numbers_of_others(task, change):
    good, _ = logs(task)
    before = numbers(task, good)
    for field in FIELDS:
        good, other = logs(task)
        change(other, field)
        assert numbers(task, good, other).equals(before)


@pytest.mark.parametrize("task", names())
def test_order_and_copies_of_logs_and_samples_change_nothing(task):
    before = numbers(task, *logs(task))
    good, other = logs(task)
    other.samples.reverse()
    assert numbers(task, other, good, good.model_copy(deep=True)).equals(before)
