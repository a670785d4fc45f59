"""KnowNo from end to end on simulated models: prompts, order, scores, selections, versions."""

import pytest

from askew.papers.knowno.items import clip_after, clip_before
from askew.papers.knowno.paper import ALARMS, PROMPTS, WITHOUT_GOLD
from askew.papers.knowno.tasks import knowno
from askew.parameters import SelectionError
from askew.reading.none import NONE_OF_THEM
from askew.solvers.chain import planned_dialogue
from tests.cases import cases

SUBSETS = ("mctest", "bank77", "equinfer")


def samples(**parameters):
    return list(knowno(**parameters).dataset)


def prompt(sample):
    return "\n".join(text for _, text in planned_dialogue(sample))


def by_hint(item_samples):
    return {s.metadata["hint"]: s for s in item_samples}


@pytest.fixture(scope="module")
def first_items():
    """The samples of the first item of each subset, by hint."""
    found = {}
    for sample in samples():
        first = found.setdefault(sample.metadata["subset"], [])
        if not first or first[0].metadata["item"] == sample.metadata["item"]:
            first.append(sample)
    return {subset: by_hint(group) for subset, group in found.items()}


@pytest.mark.whole
@pytest.mark.parametrize("subset", SUBSETS)
def test_the_gold_option_is_gone_from_every_list_without_it(first_items, subset):
    asked = first_items[subset]
    gold = asked["with_gold"].metadata["gold"]
    assert gold in asked["with_gold"].choices
    for hint in ALARMS.values():
        assert gold in asked[hint].choices
    for hint in WITHOUT_GOLD:
        assert gold not in asked[hint].choices
        options = prompt(asked[hint]).partition("ptions:")[2]
        assert gold not in options.replace(",", "\n").split("\n")


@pytest.mark.parametrize("subset", SUBSETS)
def test_only_the_hint_differs_between_the_prompts_of_an_item(first_items, subset):
    asked = {hint: prompt(sample) for hint, sample in first_items[subset].items()}
    assert NONE_OF_THEM not in asked["with_gold"]
    assert NONE_OF_THEM not in asked["no_hint"]
    hint = ', or return "none-of-them" if you believe none of the options is correct'
    assert asked["hint_in_instruction"].replace(hint, "") == asked["no_hint"]
    assert asked["with_gold_hinted"].replace(hint, "") == asked["with_gold"]
    offered = first_items[subset]["hint_as_option"].choices
    without = first_items[subset]["no_hint"].choices
    assert [o for o in offered if o != NONE_OF_THEM] == without != offered
    assert all(text.endswith("Your answer:") for text in asked.values())


def test_the_place_of_none_varies_by_item_and_seed_and_is_last_in_the_paper():
    def places(**parameters):
        asked = samples(subset="mctest", hint="hint_as_option", **parameters)
        return [s.choices.index(NONE_OF_THEM) for s in asked]

    found = places()
    assert set(found) == {0, 1, 2, 3}
    assert max(found.count(place) for place in range(4)) < 0.45 * len(found)
    assert found == places(none_place="varies") != places(seed=1)
    assert set(places(none_place="last")) == {3}
    versions = {knowno(none_place=place, items=1).version for place in ("varies", "last")}
    assert len(versions) == 2
    with pytest.raises(ValueError, match="none_place='first': give varies or last"):
        knowno(none_place="first")


def test_equation_contexts_are_clipped_to_the_words_and_their_sentence():
    text = "One two. Three four five. Six seven. Eight."
    assert clip_after(text, 3) == clip_after(text, 5) == "One two. Three four five."
    assert clip_before(text, 2) == clip_before(text, 3) == "Six seven. Eight."
    assert clip_after(text, 8) == clip_before(text, 8) == text

    def shown(words):
        [asked] = samples(subset="equinfer", items=1, hint="no_hint", context_words=words)
        before, after = asked.input.split('"\n\nContext after:\n"')
        return before.removeprefix('Context before:\n"'), after.partition('"\n\nEquation')[0]

    before, after = shown(1_000)
    for words in range(5, 60, 9):
        clipped = shown(words)
        assert clipped == (clip_before(before, words), clip_after(after, words))


OWN = "text,label_text\nMy card is lost,card\nThe app stops,bug\nMore {options},bug\nIt rains,\n"


@pytest.fixture
def tickets(tmp_path):
    """A file of tickets, of which the last fits no label."""
    (tmp_path / "tickets.csv").write_text(OWN)
    return str(tmp_path / "tickets.csv")


def test_a_set_of_ones_own_has_the_name_of_its_file_or_of_its_records(tickets, tmp_path):
    asked = samples(data=tickets)
    assert {s.metadata["subset"] for s in asked} == {"tickets"}
    assert asked[0].id == "tickets-0001/with_gold/0"
    named = tmp_path / "all.csv"
    named.write_text(OWN.replace("text,", "subset,text,").replace("\nM", "\ndesk,M"))
    named.write_text(named.read_text().replace("\nThe", "\n,The").replace("\nIt", "\n,It"))
    assert {s.metadata["subset"] for s in samples(data=str(named))} == {"desk", "own"}
    mixed = tmp_path / "mixed.jsonl"
    question = '{"question": "Capital?", "options": ["Lima", "Quito"], "gold_option": "Lima"}'
    labelled = '{"text": "My card", "label_text": "card"}\n{"text": "My app", "label_text": "bug"}'
    mixed.write_text(f"{question}\n{labelled}")
    found = {s.metadata["subset"] for s in samples(data=str(mixed))}
    assert found == {"mixed-story", "mixed-intent"}


def test_an_item_that_fits_no_label_runs_with_all_labels_and_none_is_right(tickets):
    asked = by_hint(s for s in samples(data=tickets) if s.metadata["item"] == "tickets-0004")
    assert set(asked) == set(WITHOUT_GOLD)
    for hint, s in asked.items():
        assert s.target == NONE_OF_THEM
        assert {*s.choices} - {NONE_OF_THEM} == {"card", "bug"}
        assert (NONE_OF_THEM in s.choices) == (hint == "hint_as_option")
    assert len(asked) + 3 * 6 == len(samples(data=tickets))


@cases("rows", "why")
def test_labels_that_leave_nothing_to_choose_are_refused(rows, why, tmp_path):
    (tmp_path / "t.csv").write_text(f"text,label_text\n{rows}\n")
    with pytest.raises(ValueError, match=why):
        knowno(data=str(tmp_path / "t.csv"))


def test_a_prompt_of_ones_own_takes_the_place_of_the_papers(tickets, tmp_path):
    own = tmp_path / "own.txt"
    own.write_text('Give {{label}} as {"label": ...}{or_none}.\n{option_lines}\n> {utterance}\n')
    asked = by_hint(
        s for s in samples(data=tickets, template=str(own)) if s.metadata["item"] == "tickets-0003"
    )
    labels = "\n".join(asked["with_gold"].choices)
    rest = f".\n{labels}\n> More {{options}}"
    assert prompt(asked["with_gold"]) == 'Give {label} as {"label": ...}' + rest
    hint = PROMPTS["none_hint"]
    assert prompt(asked["with_gold_hinted"]) == f'Give {{label}} as {{"label": ...}}{hint}{rest}'
    versions = {knowno(data=tickets, template=t).version for t in ("appendix", str(own))}
    own.write_text(own.read_text() + "!")
    assert len(versions | {knowno(data=tickets, template=str(own)).version}) == 3


@cases("text", "why")
def test_a_prompt_without_a_place_or_with_an_unknown_one_is_refused(text, why, tickets, tmp_path):
    own = tmp_path / "own.txt"
    if text is not None:
        own.write_text(text)
    with pytest.raises(SelectionError, match=why):
        knowno(data=tickets, template=str(own))
