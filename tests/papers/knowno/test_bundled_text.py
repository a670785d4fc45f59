"""The KnowNo questions we bundle keep the promises their scoring rests on, and no set leaks."""

import csv
import re
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from inspect_ai import Task

from askew.papers.knowno.items import DEFINITIONS, load
from askew.papers.knowno.tasks import knowno
from askew.parameters import SelectionError
from askew.sources.loading import select_tier

DOCS = Path(__file__).parents[3] / "docs"
POSITIONS = 4
LONGEST_SHARE = 0.4
# An option in such words would turn right once the gold option is taken away.
NONE_LIKE = re.compile(
    r"\b(none|nobody|no one|nothing|nowhere|neither|never|both|everyone|everybody|everything"
    r"|all of|any of|either of|not (given|known|mentioned|said|stated)|unknown"
    r"|(someone|somebody|something|somewhere) else|another (answer|option))\b"
)
# What a reader of letters could take for a choice: "A stick", "B: a stick", "(c) a stick".
LETTER_LIKE = re.compile(r"\(?[a-z](\s|[.:)]|$)", re.IGNORECASE)
SETS = {
    (tier, subset): [i for i in select_tier(load("bundled"), tier).items if i.subset == subset]
    for tier in ("core", "hard")
    for subset in ("mctest", "bank77")
}
STORIES, UTTERANCES = (
    {tier: items for (tier, of), items in SETS.items() if of == subset}
    for subset in ("mctest", "bank77")
)
each_tier = pytest.mark.parametrize("tier", STORIES)


def _same(text: str) -> str:
    """Return what two texts share when only case, spaces and punctuation differ."""
    return " ".join(re.findall(r"\w+", text.casefold()))


@each_tier
def test_no_question_or_utterance_repeats(tier: str) -> None:
    for name, items in (("question", STORIES[tier]), ("utterance", UTTERANCES[tier])):
        asked = Counter(_same(item.context[name]) for item in items)
        assert [text for text, count in asked.items() if count > 1] == []


@each_tier
def test_no_option_contains_another_or_looks_like_none_or_a_letter(tier: str) -> None:
    for item in STORIES[tier]:
        assert len(item.options) == len({*map(_same, item.options)}) == POSITIONS, item.id
        for inner, outer in permutations(map(str.casefold, item.options), 2):
            assert inner not in outer, item.id
        for option in item.options:
            assert not NONE_LIKE.search(option.casefold()), option
            assert not LETTER_LIKE.match(option), option


@each_tier
def test_gold_positions_are_balanced_and_follow_no_pattern(tier: str) -> None:
    places = [item.gold for item in STORIES[tier]]
    counts = Counter(places)
    assert set(counts) == set(range(POSITIONS))
    assert max(counts.values()) - min(counts.values()) <= 2
    steps = Counter((b - a) % POSITIONS for a, b in pairwise(places))
    assert max(steps.values()) <= 0.4 * (len(places) - 1)


@each_tier
@pytest.mark.parametrize("pick", [max, min])
def test_length_does_not_give_the_gold_away(tier: str, pick) -> None:
    hits = 0
    for item in STORIES[tier]:
        lengths = [len(option) for option in item.options]
        gold = len(item.gold_text)
        hits += gold == pick(lengths) and lengths.count(gold) == 1
    assert hits <= LONGEST_SHARE * len(STORIES[tier])


@each_tier
def test_no_utterance_spells_out_an_intent_or_all_words_of_its_own(tier: str) -> None:
    for item in UTTERANCES[tier]:
        text = f" {_same(item.context['utterance'])} "
        assert not [n for n in DEFINITIONS if f" {n.replace('_', ' ')} " in text], item.id
        assert not set(item.gold_text.split("_")) <= set(text.split()), item.id


def test_no_name_is_part_of_another_and_no_definition_names_an_intent() -> None:
    assert [pair for pair in permutations(DEFINITIONS, 2) if pair[0] in pair[1]] == []
    assert {item.gold_text for item in UTTERANCES["core"]} == {*DEFINITIONS}
    # The one that was taken away would be named by those that stayed.
    for text in DEFINITIONS.values():
        assert not [name for name in DEFINITIONS if name in text or _same(name) in _same(text)]


@pytest.mark.parametrize(
    ("name", "items", "words"), [("stories", STORIES, 8), ("utterances", UTTERANCES, 4)]
)
def test_every_hard_gold_has_its_reason_and_of_intents_another_that_tempts(
    name, items, words
) -> None:
    with (DOCS / f"knowno_{name}_hard_review.csv").open(encoding="utf-8", newline="") as file:
        review = [*csv.DictReader(file)]
    assert {i.id: i.gold_text for i in items["hard"]} == {row["id"]: row["gold"] for row in review}
    for row in review:
        assert len(row["reason"].split()) >= words
        assert "tempting" not in row or row["tempting"] in {*DEFINITIONS} - {row["gold"]}


# --- Definitions of intents ---


def _prompts(**parameters: object) -> dict[str, str]:
    made: Task = knowno(subset="bank77", hint="no_hint", **parameters)  # type: ignore[arg-type]
    return {str(sample.id): str(sample.input) for sample in made.dataset}


def _shows_definitions(prompt: str) -> bool:
    return "Definitions:" in prompt


def test_hard_utterances_show_definitions_unless_all_or_none_are_to() -> None:
    shown = {id: _shows_definitions(text) for id, text in _prompts().items()}
    assert shown == {id: id.startswith("hlib") for id in shown}
    assert all(map(_shows_definitions, _prompts(definitions=True).values()))
    assert not any(map(_shows_definitions, _prompts(definitions=False).values()))
    with pytest.raises(SelectionError, match="definition"):
        knowno(subset="mctest", definitions=True)


@pytest.mark.parametrize("template", ["appendix", "generic"])
def test_only_offered_intents_are_defined_each_once(template: str) -> None:
    for id, prompt in _prompts(tier="hard", items=6, template=template).items():
        gold = next(i.gold_text for i in UTTERANCES["hard"] if id.startswith(i.id))
        assert f"{gold}: " not in prompt
        for name in DEFINITIONS:
            assert prompt.count(f"{name}: ") == (name != gold)


def test_a_rewritten_label_is_defined_under_its_new_name() -> None:
    prompt = next(iter(_prompts(tier="hard", items=1, delimiter="-").values()))
    assert "loan-period-length: " in prompt or "pay-a-fine: " in prompt
    assert "_" not in prompt


def test_a_users_records_may_define_their_intents_each_in_one_way(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(
        "text,label_text,definition\nIt is late,late,It has not come.\nIt is wet,damaged,\n"
        "Where is it,late,\n"
    )
    prompt = str(next(iter(knowno(str(path), definitions=True).dataset)).input)
    assert "late: It has not come." in prompt
    assert not _shows_definitions(str(knowno(str(path)).dataset[0].input))
    path.write_text("text,label_text,definition\na,x,one\nb,x,two\nc,y,three\n")
    with pytest.raises(ValueError, match="defined in two ways"):
        load(str(path))
