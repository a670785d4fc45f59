"""KnowNo's hard questions keep what is promised of them, and no set leaks."""

import csv
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from inspect_ai import Task

from askew.papers.knowno.items import DEFINITIONS, load
from askew.papers.knowno.tasks import knowno
from askew.parameters import SelectionError
from askew.sources.loading import of_tier
from tests.papers.knowno.test_bundled_text import LETTER_LIKE, NONE_LIKE, _same

DOCS = Path(__file__).parents[3] / "docs"
HARD = of_tier(load("bundled"), "hard").items
STORIES = [item for item in HARD if item.subset == "mctest"]
UTTERANCES = [item for item in HARD if item.subset == "bank77"]
POSITIONS = 4


def _review(name: str) -> dict[str, dict[str, str]]:
    with (DOCS / f"knowno_{name}_hard_review.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


class TestStories:
    def test_four_options_of_which_none_is_part_of_another_or_says_none(self) -> None:
        for item in STORIES:
            assert len(item.options) == POSITIONS
            for inner, outer in permutations(map(str.casefold, item.options), 2):
                assert inner not in outer, item.id
            for option in item.options:
                assert not NONE_LIKE.search(option.casefold()), option
                assert not LETTER_LIKE.match(option), option

    def test_gold_positions_are_balanced_and_follow_no_pattern(self) -> None:
        places = [item.gold for item in STORIES]
        assert set(Counter(places).values()) == {len(places) // POSITIONS}
        steps = Counter((b - a) % POSITIONS for a, b in pairwise(places))
        assert max(steps.values()) <= 0.4 * (len(places) - 1)

    def test_every_gold_has_its_reason(self) -> None:
        review = _review("stories")
        assert {item.id: item.gold_text for item in STORIES} == {
            id: row["gold"] for id, row in review.items()
        }
        assert all(len(row["reason"].split()) >= 8 for row in review.values())


class TestUtterances:
    def test_none_spells_out_an_intent_or_holds_all_words_of_its_own(self) -> None:
        for item in UTTERANCES:
            text = f" {_same(item.context['utterance'])} "
            assert not [n for n in DEFINITIONS if f" {n.replace('_', ' ')} " in text], item.id
            assert not set(item.gold_text.split("_")) <= set(text.split()), item.id

    def test_every_gold_has_its_reason_and_another_intent_that_tempts(self) -> None:
        review = _review("utterances")
        assert {item.id: item.gold_text for item in UTTERANCES} == {
            id: row["gold"] for id, row in review.items()
        }
        for row in review.values():
            assert row["tempting"] in DEFINITIONS
            assert row["tempting"] != row["gold"]
            assert len(row["reason"].split()) >= 4

    def test_no_definition_names_an_intent(self) -> None:
        # The one that was taken away would be named by those that stayed.
        for text in DEFINITIONS.values():
            assert not [name for name in DEFINITIONS if name in text or _same(name) in _same(text)]


def _prompts(**parameters: object) -> dict[str, str]:
    made: Task = knowno(subset="bank77", hint="no_hint", **parameters)  # type: ignore[arg-type]
    return {str(sample.id): str(sample.input) for sample in made.dataset}


def _shows_definitions(prompt: str) -> bool:
    return "Definitions:" in prompt


class TestDefinitions:
    def test_hard_utterances_show_them_and_core_ones_do_not(self) -> None:
        shown = {id: _shows_definitions(text) for id, text in _prompts().items()}
        assert shown == {id: id.startswith("hlib") for id in shown}

    def test_they_can_be_shown_always_or_never(self) -> None:
        assert all(map(_shows_definitions, _prompts(definitions=True).values()))
        assert not any(map(_shows_definitions, _prompts(definitions=False).values()))

    @pytest.mark.parametrize("template", ["appendix", "generic"])
    def test_only_offered_intents_are_defined_each_once(self, template: str) -> None:
        for id, prompt in _prompts(tier="hard", items=6, template=template).items():
            gold = next(i.gold_text for i in UTTERANCES if id.startswith(i.id))
            assert f"{gold}: " not in prompt
            for name in DEFINITIONS:
                assert prompt.count(f"{name}: ") == (name != gold)

    def test_a_rewritten_label_is_defined_under_its_new_name(self) -> None:
        prompt = next(iter(_prompts(tier="hard", items=1, delimiter="-").values()))
        assert "loan-period-length: " in prompt or "pay-a-fine: " in prompt
        assert "_" not in prompt

    @pytest.mark.whole
    def test_a_version_that_shows_them_is_another_one(self) -> None:
        assert knowno(definitions=False).version != knowno().version

    def test_they_are_refused_where_nobody_wrote_any(self) -> None:
        with pytest.raises(SelectionError, match="definition"):
            knowno(subset="mctest", definitions=True)

    def test_a_users_records_may_define_their_intents(self, tmp_path: Path) -> None:
        path = tmp_path / "own.csv"
        path.write_text(
            "text,label_text,definition\nIt is late,late,It has not come.\nIt is wet,damaged,\n"
            "Where is it,late,\n"
        )
        prompt = str(next(iter(knowno(str(path), definitions=True).dataset)).input)
        assert "late: It has not come." in prompt
        assert not _shows_definitions(str(knowno(str(path)).dataset[0].input))

    def test_two_definitions_of_one_intent_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "own.csv"
        path.write_text("text,label_text,definition\na,x,one\nb,x,two\nc,y,three\n")
        with pytest.raises(ValueError, match="defined in two ways"):
            load(str(path))
