"""KnowNo from end to end on simulated models: prompts, order, scores, selections, versions."""

import json
from statistics import fmean

import pytest
import yaml

from askew.papers.knowno.items import load
from askew.papers.knowno.paper import ABLATION, ALARMS, CORE_HINTS, HITS, WITHOUT_GOLD
from askew.papers.knowno.tasks import knowno, shown_options
from askew.reading.none import NONE_OF_THEM
from askew.solvers.chain import planned_dialogue
from tests.conftest import metric_values

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


def test_every_way_to_say_none_is_asked_with_and_without_the_right_option():
    assert HITS.keys() == ALARMS.keys() == {"option", "instruction"}
    assert set(HITS.values()) | set(ALARMS.values()) < set(CORE_HINTS)


def test_options_are_lettered_anew_after_removal(first_items):
    text = prompt(first_items["mctest"]["no_hint"])
    assert [line[:2] for line in text.partition("Options:\n")[2].split("\n")[:3]] == [
        "A:", "B:", "C:",
    ]  # fmt: skip


def test_conditions_of_an_item_share_the_order_of_options(first_items):
    for asked in first_items.values():
        gold = asked["with_gold"].metadata["gold"]
        without = [o for o in asked["with_gold"].choices if o != gold]
        assert without == asked["no_hint"].choices


def test_orders_shuffle_differently_and_are_part_of_the_id():
    asked = list(samples(orders=3, items=3, hint="with_gold"))
    one = [s for s in asked if s.metadata["item"] == asked[0].metadata["item"]]
    assert [s.id.rsplit("/", 1)[1] for s in one] == ["0", "1", "2"]
    every = samples(orders=3, items=40, hint="with_gold", subset="mctest")
    assert len({tuple(s.choices) for s in every}) > 40


def test_options_are_shuffled_anew_for_each_item_order_and_seed():
    def places(order=0, **parameters):
        asked = samples(subset="mctest", hint="with_gold", orders=2, **parameters)
        kept = [s for s in asked if s.metadata["order"] == order]
        return {s.metadata["item"]: s.choices.index(s.metadata["gold"]) for s in kept}

    first = places()
    assert first == places()
    assert set(first.values()) == {0, 1, 2, 3}
    for other in (places(order=1), places(seed=1)):
        moved = sum(other[item] != place for item, place in first.items())
        assert moved > len(first) / 2


def test_the_ablation_replaces_one_wrong_option_and_keeps_the_gold():
    for sample in samples(ablation=True, subset="mctest", items=8):
        if sample.metadata["hint"] == "with_gold_plus_none":
            assert sample.metadata["gold"] in sample.choices
            assert sample.choices.count(NONE_OF_THEM) == 1
            assert len(sample.choices) == 4


def test_any_limit_covers_every_subset_and_completes_whole_items():
    first = samples()[:42]
    assert {s.metadata["subset"] for s in first} == set(SUBSETS)
    items = {}
    for sample in first:
        items.setdefault(sample.metadata["item"], set()).add(sample.metadata["hint"])
    assert all(hints == set(CORE_HINTS) for hints in items.values())


def test_items_are_a_seeded_choice_spread_over_subsets():
    chosen, again, other = (
        {s.metadata["item"] for s in samples(items=9, seed=seed)} for seed in (1, 1, 2)
    )
    assert chosen == again != other
    assert len(chosen) == 9
    kinds = [s.metadata["subset"] for s in samples(items=9, seed=1, hint="no_hint")]
    assert {kinds.count(s) for s in SUBSETS} == {3}


def test_the_delimiter_probe_shows_no_underscore():
    for hyphen in ("-", yaml.safe_load("-")):
        sample = samples(subset="bank77", delimiter=hyphen, items=1, hint="no_hint")[0]
        assert not any("_" in option for option in sample.choices)
        assert any("-" in option for option in sample.choices)


def test_the_generic_template_is_table_2_for_every_subset():
    for sample in samples(template="generic", items=3, hint="with_gold"):
        text = prompt(sample)
        assert text.startswith(
            "Instruction: For the following input and options, please return the correct option(s)."
        )
        assert "\nInput: " in text


def test_equation_contexts_are_clipped_at_sentence_ends():
    whole = samples(subset="equinfer", items=1, hint="no_hint")[0]
    clipped = samples(subset="equinfer", items=1, hint="no_hint", context_words=40)[0]
    assert len(clipped.input) < len(whole.input)
    after = clipped.input.partition('Context after:\n"')[2].partition('"\n\nEquation')[0]
    assert after.rstrip()[-1] in ".!?"
    assert 40 <= len(after.split()) < 110


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hint": "with_luck"}, "valid: all, with_gold, hint_as_option"),
        ({"subset": "mctest,squad"}, "valid: all, mctest, bank77, equinfer"),
        ({"data": "questions.jsonl"}, "askew data template knowno"),
        ({"items": 0}, "items=0: give a whole number of at least 1"),
        ({"orders": 0}, "orders=0: give a whole number from 1 to 1,000"),
        ({"template": "mine"}, "give appendix or generic"),
        ({"settings": "hot"}, "give default or paper"),
        ({"delimiter": "x"}, "a mark such as"),
        ({"context_words": 0}, "context_words=.*: give a whole number from 1 to 100,000"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        knowno(**parameters)


def test_settings_are_temperature_zero_and_the_papers_on_request():
    default, paper = knowno(items=1).config, knowno(items=1, settings="paper").config
    assert (default.temperature, default.top_p, default.max_tokens) == (0.0, None, None)
    assert (paper.temperature, paper.top_p, paper.max_tokens) == (0.0, 0.9, 1_000)


@pytest.mark.parametrize("subset", SUBSETS)
def test_the_oracle_is_right_everywhere(run, subset):
    log = run(knowno(subset=subset, items=6, ablation=True))
    values = metric_values(log)
    assert values["omni_accuracy"] == 1.0
    assert values["ablation_change"] == 0.0


def test_chatty_is_right_whatever_it_wraps_its_answers_in(run):
    log = run(knowno(items=24), model="respondent/chatty")
    wrong = [
        (s.id, s.output.completion)
        for s in log.samples
        if s.scores["knowno_scorer"].value["correct"] == 0
    ]
    assert wrong == []


def test_who_says_none_whenever_it_may_passes_the_old_measure_and_not_the_new(run):
    denier, typical = (
        metric_values(run(knowno(metrics="all", items=30), model=f"respondent/{name}"))
        for name in ("denier", "typical")
    )
    # Right with the right option, and under two hints of three without it.
    assert denier["omni_accuracy"] == pytest.approx((1 + 2 / 3) / 2)
    assert denier["omni_accuracy"] > typical["omni_accuracy"] + 0.1
    assert denier["discernment"] == 0.0
    assert denier["false_none"] == 1.0
    assert typical["discernment"] > 0.3


def test_the_same_numbers_by_a_short_independent_calculation(run):
    log = run(knowno(items=6), model="respondent/typical", epochs=2)
    right = {}
    for s in log.samples:
        key = (s.metadata["subset"], s.metadata["hint"])
        right.setdefault(key, []).append(s.scores["knowno_scorer"].value["correct"])
    omni = fmean(
        (
            fmean(right[subset, "with_gold"])
            + fmean(fmean(right[subset, hint]) for hint in WITHOUT_GOLD)
        )
        / 2
        for subset in SUBSETS
    )
    assert metric_values(log)["omni_accuracy"] == pytest.approx(omni, abs=1e-12)
    assert log.results.headline.metric == "omni_accuracy"


def test_respondents_say_the_same_for_the_same_seed(run):
    replies = [
        [s.output.completion for s in sorted(log.samples, key=lambda s: s.id)]
        for log in (run(knowno(items=3), model="respondent/typical", max_samples=n) for n in (1, 8))
    ]
    assert replies[0] == replies[1]
    other = run(knowno(items=3), model="respondent/typical", model_args={"seed": 1})
    assert [s.output.completion for s in sorted(other.samples, key=lambda s: s.id)] != replies[0]


def test_the_version_changes_with_the_questions_and_not_without(tmp_path):
    record = {
        "id": "a", "question": "Which is a fruit?", "options": ["plum", "brick"],
        "gold_option": "plum",
    }  # fmt: skip
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(record) + "\n")
    first = knowno(data=str(path))
    assert knowno(data=str(path)).version == first.version
    path.write_text(json.dumps({**record, "question": "Which is a vegetable?"}) + "\n")
    assert knowno(data=str(path)).version != first.version
    assert first.metadata["data"] == "file"


def test_a_users_classifier_runs_with_its_own_labels(run, tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text(
        "id,text,label_text\nt1,My parcel is late,late_parcel\nt2,Charged twice!,double_charge\n"
        't3,"Box arrived, broken",damaged\n'
    )
    log = run(knowno(data=str(path)))
    assert len(log.samples) == 18
    assert metric_values(log)["omni_accuracy"] == 1.0


def test_the_judge_must_be_bound_and_decides_what_rules_cannot(run):
    log = run(knowno(items=3, judge=True, hint="no_hint"), fail_on_error=False)
    assert all("--model-role grader=" in s.error.message for s in log.samples)
    judged = run(
        knowno(subset="mctest", items=10, judge=True, hint="no_hint"),
        model_roles={"grader": "respondent/oracle"},
    )
    assert metric_values(judged)["no_hint"] == 1.0


def test_several_lengths_ask_every_equation_in_each_and_all_else_once():
    asked = samples(items=9, context_words="40,20", hint="no_hint")
    lengths = {}
    for s in asked:
        lengths.setdefault(s.metadata["item"], []).append(s.metadata.get("context_length"))
    by_subset = {s.metadata["item"]: s.metadata["subset"] for s in asked}
    assert {by_subset[i]: tuple(n) for i, n in lengths.items()} == {
        "mctest": (None,), "bank77": (None,), "equinfer": (20, 40),
    }  # fmt: skip
    equation = [s for s in asked if s.metadata.get("context_length")][:2]
    assert [s.id.split("/", 1)[1] for s in equation] == ["no_hint/0/20-words", "no_hint/0/40-words"]
    assert equation[0].choices == equation[1].choices
    for length, s in zip((20, 40), equation, strict=True):
        (alone,) = (
            o for o in samples(items=9, context_words=length, hint="no_hint")
            if o.metadata["item"] == s.metadata["item"]
        )  # fmt: skip
        assert alone.input == s.input
        assert alone.id == f"{s.metadata['item']}/no_hint/0"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"context_words": "100,x"}, "context_words='x': give a whole number"),
        ({"context_words": "100,0"}, "context_words=0: give a whole number"),
        ({"context_words": list(range(1, 60))}, "at most 50 lengths"),
        ({"context_words": "10,20", "subset": "mctest"}, "several lengths are for equations"),
    ],
)
def test_lengths_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        knowno(**parameters)


def test_which_option_gives_way_to_none_is_drawn_anew_for_each_item_order_and_seed():
    items = [item for item in load("bundled", "mctest").items if len(item.options) == 4]

    def given_up(seed, order):
        shown = [shown_options(item, ABLATION, seed, order) for item in items]
        return [
            next(o for o in item.options if o not in options)
            for item, options in zip(items, shown, strict=True)
        ]

    first = given_up(0, 0)
    assert first == given_up(0, 0)
    for seed, order in ((0, 1), (1, 0)):
        moved = sum(a != b for a, b in zip(first, given_up(seed, order), strict=True))
        # Of three wrong options another one is drawn two times in three.
        assert 0.4 < moved / len(items) < 0.9
    places = [item.options.index(o) for item, o in zip(items, first, strict=True)]
    assert len(set(places)) == 4
