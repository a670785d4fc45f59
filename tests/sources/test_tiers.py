"""Tiers: what a record says of itself, what its file says, and how both are spread."""

import json
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers import papers
from askew.papers.knowno import items as knowno_items
from askew.parameters import SelectionError
from askew.sources import loading
from askew.sources.loading import TIERS, Files, load_items, select_tier, spread, templates, tier_of

OWN = [p for p in papers() if p.has("items")]


@dataclass(frozen=True)
class Thing:
    id: str
    subset: str
    tier: str = ""


def things(*groups):
    return [Thing(f"{s}-{t}-{i}", s, t) for s, t, n in groups for i in range(n)]


SIZES = st.integers(1, 9)


@given(SIZES, SIZES, SIZES, SIZES)
def test_tiers_of_one_subset_take_turns_until_one_is_used_up(a, b, c, d):
    mixed = things(("x", "core", a), ("x", "hard", b), ("y", "core", c), ("y", "hard", d))
    order = spread(mixed, None, 0)
    assert sorted(t.id for t in order) == sorted(t.id for t in mixed)
    both = min(a, b, c, d)
    for n in range(1, 4 * both + 1):
        tiers, subsets = Counter(t.tier for t in order[:n]), Counter(t.subset for t in order[:n])
        assert abs(tiers["core"] - tiers["hard"]) <= 1
        assert abs(subsets["x"] - subsets["y"]) <= 1


@given(st.integers(2, 60), st.integers())
def test_a_choice_takes_from_both_tiers_of_every_subset(n, seed):
    mixed = things(*((s, t, 12) for s in "abc" for t in TIERS))
    kept = spread(mixed, n, seed)
    assert len(kept) == n
    counts = Counter((t.subset, t.tier) for t in kept)
    assert max(counts.values()) - min(counts[s, t] for s in "abc" for t in TIERS) <= 1


@given(st.integers(1, 9), st.integers())
def test_hard_items_leave_the_choice_among_core_ones_as_it_is(n, seed):
    core, hard = things(("a", "core", 12)), things(("a", "hard", 12))
    alone = [t.id for t in spread(core, n, seed)]
    beside = [t.id for t in spread([*core, *hard], 2 * n, seed) if t.tier == "core"]
    assert alone == beside


@pytest.fixture
def bundle(tmp_path, monkeypatch):
    """A folder of bundled questions: two core ones, one marked hard, and a file of hard ones."""

    def write(name, *records):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "bundled" / name).write_text(text, encoding="utf-8")

    def question(name, **more):
        return {"id": name, "question": name, "options": ["a", "b"], "gold_option": "a", **more}

    (tmp_path / "bundled").mkdir()
    write("q.jsonl", question("one"), question("two", tier="hard"))
    monkeypatch.setattr(loading, "files", lambda home: tmp_path)
    where = Files("knowno", "home", {"mctest": "q.jsonl"}, {}, tiers=True)

    def load(data="bundled"):
        return load_items(where, data, None, knowno_items.parse_record, knowno_items.items_of)

    return load, lambda name: write("q_hard.jsonl", question(name)), tmp_path


def test_the_tier_comes_from_the_record_or_else_from_its_file(bundle):
    load, write_hard, _ = bundle
    assert {i.id: i.tier for i in load().items} == {"one": "core", "two": "hard"}
    before = load().revision
    write_hard("three")
    loaded = load()
    assert {i.id: i.tier for i in loaded.items} == {"one": "core", "two": "hard", "three": "hard"}
    assert loaded.revision != before
    assert {i.id for i in select_tier(loaded, "core").items} == {"one"}
    assert select_tier(loaded, "core").revision == loaded.revision
    for tiers in (None, "core,hard", "all"):
        assert select_tier(loaded, tiers) == loaded


def test_a_users_file_has_tiers_only_from_its_records(bundle, tmp_path):
    load, _, folder = bundle
    own = folder / "bundled" / "q.jsonl"
    assert [i.tier for i in load(str(own)).items] == ["", "hard"]
    assert [i.id for i in select_tier(load(str(own)), "hard").items] == ["two"]
    odd = tmp_path / "odd.jsonl"
    odd.write_text(own.read_text().replace('"hard"', '"heavy"'))
    with pytest.raises(ValueError, match=r"line 2, field tier: .*'core' or 'hard'"):
        load(str(odd))


@pytest.mark.parametrize("paper", OWN, ids=lambda p: p.task)
class TestEveryPaper:
    def test_all_bundled_questions_have_a_tier_and_an_id_of_their_own(self, paper):
        items = paper.items.load("bundled").items
        assert {tier_of(item) for item in items} <= set(TIERS)
        assert len({(i.subset, i.id) for i in items}) == len(items)

    @pytest.mark.whole
    def test_the_core_tier_runs_and_is_recorded(self, paper):
        samples = list(paper.make(data="bundled", tier="core").dataset)
        assert samples
        assert {s.metadata["tier"] for s in samples} == {"core"}

    def test_questions_without_tiers_refuse_a_tier(self, paper, tmp_path):
        file = tmp_path / "own.jsonl"
        file.write_text(templates(paper.home)[0][0] + "\n", encoding="utf-8")
        with pytest.raises(SelectionError, match="have no tiers"):
            paper.make(data=str(file), tier="hard")
        assert not {s.metadata.get("tier") for s in paper.make(data=str(file)).dataset} - {None}
