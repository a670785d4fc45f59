"""Generated scenarios keep their promises: proportions, exactness, plain English."""

import hashlib
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.mathcomp.arithmetic import evaluate, numbers_in
from askew.papers.mathcomp.generator import (
    PAPER_TOPICS,
    REVISION,
    Scenario,
    apportion,
    generate,
    topic_counts,
)
from askew.papers.mathcomp.paper import CATEGORIES, LABELS
from askew.papers.mathcomp.patterns import FACTORS, SCALE, all_patterns, read_domain, read_form
from tests.growth import ratio
from tests.repeated import times

# Tables 2 to 5 of the paper.
CATEGORY_COUNTS = {"Dining": 34, "Education": 35, "Entertainment": 30, "Health & Fitness": 40,
                   "Home & Living": 32, "Personal Care": 18, "Shopping": 27, "Technology": 29,
                   "Transportation": 29, "Travel": 26}  # fmt: skip
QUANTITY_COUNTS = {"distance": 62, "money": 137, "others": 28, "time": 60, "weight": 13}
LABEL_COUNTS = {"equal": 94, "less": 119, "more": 87}

BANNED = re.compile(
    r"\b(more|less|equal|equally|fewer|same|most|least|he|she|him|her|his|hers)\b", re.IGNORECASE
)
NUMBER_WORD = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten|dozen|twice|double|triple|half"
    r"|thirds?|quarters?|fifths?|both|couple|pair of [0-9])\b"
)


@pytest.fixture(scope="module")
def many() -> list[Scenario]:
    return generate(3000, seed=20)


def sentences(scenarios: list[Scenario]) -> list[str]:
    return [sentence for s in scenarios for sentence in (s.sentence1, s.sentence2)]


@pytest.mark.parametrize("seed", [0, 1, 7, -3, 10**12])
def test_three_hundred_have_the_counts_of_the_papers_tables(seed: int) -> None:
    scenarios = generate(300, seed=seed)
    assert Counter(s.category for s in scenarios) == CATEGORY_COUNTS
    assert Counter(s.quantity for s in scenarios) == QUANTITY_COUNTS
    assert Counter(s.label for s in scenarios) == LABEL_COUNTS
    assert Counter(s.verbal for s in scenarios) == {False: 158, True: 142}
    assert Counter((s.category, s.quantity) for s in scenarios) == PAPER_TOPICS


def test_the_same_seed_gives_the_same_scenarios_and_another_seed_others() -> None:
    assert generate(60, seed=4) == generate(60, seed=4)
    texts = {s.sentence1 for s in generate(60, seed=4)}
    assert not texts & {s.sentence1 for s in generate(60, seed=5)}


def test_ids_name_the_seed_and_are_safe_in_paths() -> None:
    scenarios = generate(12, seed=7)
    assert [s.id for s in scenarios][:2] == ["s7-0001", "s7-0002"]
    assert not any(set(s.id) & set(",:*?[/ ") for s in scenarios)
    assert len({s.id for s in scenarios}) == 12


def test_no_scenario_comes_twice(many: list[Scenario]) -> None:
    assert len({(s.sentence1, s.sentence2) for s in many}) == len(many)


def test_categories_take_turns_so_that_a_prefix_covers_them() -> None:
    assert {s.category for s in generate(300, seed=1)[:10]} == set(CATEGORIES)


def test_the_label_is_what_the_equations_say(many: list[Scenario]) -> None:
    for scenario in many:
        first, second = evaluate(scenario.equation1), evaluate(scenario.equation2)
        expected = "equal" if first == second else "more" if second > first else "less"
        assert scenario.label == expected, scenario


def test_every_person_has_something_to_compute(many: list[Scenario]) -> None:
    for scenario in many:
        for equation in (scenario.equation1, scenario.equation2):
            assert re.search(r"[+\-\u00d7/]", equation), scenario


def test_numbers_are_told_in_words_where_and_only_where_the_flag_says(
    many: list[Scenario],
) -> None:
    for scenario in many:
        told = f"{scenario.sentence1} {scenario.sentence2}"
        assert bool(numbers_in(told).words) == scenario.verbal, scenario
        assert bool(NUMBER_WORD.search(told)) == scenario.verbal, scenario


def test_no_sentence_has_a_word_that_steers_or_a_gender(many: list[Scenario]) -> None:
    assert [sentence for sentence in sentences(many) if BANNED.search(sentence)] == []


def test_each_sentence_names_its_person_first_and_only(many: list[Scenario]) -> None:
    for scenario in many:
        assert scenario.sentence1.startswith("{A} ")
        assert scenario.sentence2.startswith("{B} ")
        for sentence in (scenario.sentence1, scenario.sentence2):
            assert sentence.count("{") == 1
            assert sentence.endswith(".")
            assert not re.search(r"[<>|}]|\(n\)|  | ,| \.", sentence[3:])


def test_articles_fit_the_number_that_follows(many: list[Scenario]) -> None:
    for sentence in sentences(many):
        for article, number in re.findall(r"\b(an?) \$?(\d+)", sentence):
            vowel = number[0] == "8" or number in ("11", "18")
            assert (article == "an") == vowel, sentence
        assert not re.search(r"\ba [aeio]", sentence), sentence


def test_units_in_the_plural_never_count_one(many: list[Scenario]) -> None:
    assert [s for s in sentences(many) if re.search(r"(?<![\d.,$])1 [a-z]+s\b", s)] == []


def test_money_has_no_cents_or_two(many: list[Scenario]) -> None:
    for sentence in sentences(many):
        for amount in re.findall(r"\$(\d[\d,.]*\d|\d)", sentence):
            assert re.fullmatch(r"\d{1,3}(,\d{3})*(\.\d\d)?", amount), sentence


def test_every_part_of_a_total_is_sensible_for_its_quantity(many: list[Scenario]) -> None:
    for scenario in many:
        cents = evaluate(scenario.equation1) * 100
        assert evaluate(scenario.equation1) > 0
        assert scenario.quantity != "money" or cents.denominator == 1, scenario
    counted = {"pages", "slices", "cups", "problems", "words", "points", "days"}
    for sentence in sentences(many):
        for number, unit in re.findall(r"(\d+\.\d+) ([a-z]+)", sentence):
            assert unit not in counted, f"{number} {unit}: {sentence}"


def test_hours_fit_into_the_days_that_are_named(many: list[Scenario]) -> None:
    for sentence in sentences(many):
        for hours in re.findall(r"(\d+(?:\.\d+)?) hours", sentence):
            assert Fraction(hours) < 16, sentence


def test_pairs_ask_for_arithmetic(many: list[Scenario]) -> None:
    for scenario in many:
        first, second = evaluate(scenario.equation1), evaluate(scenario.equation2)
        larger, apart = max(first, second), abs(first - second)
        assert apart == 0 or Fraction(4, 100) * larger <= apart <= Fraction(45, 100) * larger
        one, other = (numbers_in(s).digits for s in (scenario.sentence1, scenario.sentence2))
        assert len(set(one) & set(other)) <= 1, scenario


def test_the_two_sentences_are_told_differently(many: list[Scenario]) -> None:
    for scenario in many:
        one, other = (
            re.sub(r"[\d.,$]+|\{.\}", "", s) for s in (scenario.sentence1, scenario.sentence2)
        )
        assert one != other, scenario


def test_there_are_patterns_enough_and_every_cell_of_the_paper_has_one() -> None:
    patterns = all_patterns()
    assert len(patterns) >= 60
    assert len({pattern.key for pattern in patterns}) == len(patterns)
    assert {(p.category, p.quantity) for p in patterns} == set(PAPER_TOPICS)
    assert all(len(p.arabic) >= 2 and len(p.verbal) >= 2 for p in patterns)


@pytest.mark.whole
def test_every_pattern_gives_every_label_in_both_formats() -> None:
    wanted = {(p.task, label, verbal) for p in all_patterns() for label in LABELS
              for verbal in (True, False)}  # fmt: skip
    found: set[tuple[str, str, bool]] = set()
    for seed in range(12):
        found |= {(s.task, s.label, s.verbal) for s in generate(900, seed)}
    assert len(wanted - found) <= len(wanted) // 50, sorted(wanted - found)


def test_domain_ranges_leave_out_one_and_keep_their_ends() -> None:
    assert [value / SCALE for value in read_domain("0.5..2/0.5")] == [0.5, 1.5, 2]
    assert [value / SCALE for value in read_domain("10%,15%")] == [0.1, 0.15]
    with pytest.raises(ValueError, match="is empty"):
        read_domain("5..2")
    with pytest.raises(ValueError, match="finer"):
        read_domain("0.0001..2")


def test_a_form_whose_total_forgets_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="don't share: y"):
        read_form("{P} ran {x} miles and {y} miles.", "x + x")
    with pytest.raises(ValueError, match="needs an operation"):
        read_form("{P} ran {x} miles.", "x")
    with pytest.raises(ValueError, match="never closed"):
        read_form("{P} ran {x miles.", "x + x")


def test_a_total_is_a_sum_of_products() -> None:
    form = read_form("{P} paid ${x}, {m of} that, and took {p}% off {y}.", "x + m*x - p*(x + y)")
    drawn = {"x": 10 * SCALE, "m": SCALE // 2, "p": SCALE // 10, "y": 30 * SCALE}
    assert sum(term.value(drawn) for term in form.terms) == (10 + 5 - 4) * SCALE**FACTORS


@given(
    st.dictionaries(st.sampled_from(CATEGORIES), st.integers(0, 50), min_size=1),
    st.integers(0, 400),
)
def test_apportionment_is_whole_and_within_one_of_the_share(
    weights: dict[str, int], n: int
) -> None:
    if not any(weights.values()):
        weights["Dining"] = 1
    counts = apportion(weights, n)
    total = sum(weights.values())
    assert sum(counts.values()) == n
    assert all(abs(counts[k] - Fraction(n * w, total)) < 1 for k, w in weights.items())


@given(st.integers(0, 1200))
@settings(max_examples=times(25), deadline=None)
def test_every_size_has_the_papers_proportions(n: int) -> None:
    counts = topic_counts(n)
    for side, told in enumerate((CATEGORY_COUNTS, QUANTITY_COUNTS)):
        weights: Counter[str] = Counter()
        for topic, count in PAPER_TOPICS.items():
            weights[topic[side]] += count
        assert weights == told
        found: Counter[str] = Counter()
        for topic, count in counts.items():
            found[topic[side]] += count
        assert found == Counter({k: v for k, v in apportion(weights, n).items() if v})


def test_ten_times_as_many_are_about_ten_times_the_work() -> None:
    generate(50, seed=1)  # reads the patterns
    assert ratio(lambda: generate(1_000, seed=8), lambda: generate(100, seed=8)) < 13


def test_small_sizes_work() -> None:
    assert generate(0) == []
    assert [len(generate(n, seed=3)) for n in range(1, 25)] == list(range(1, 25))


def test_a_negative_number_of_scenarios_is_refused() -> None:
    with pytest.raises(ValueError, match="not -1"):
        generate(-1)


def test_a_seed_means_the_same_scenarios_until_the_revision_is_raised() -> None:
    both = [*generate(300, 1), *generate(300, 1, "hard")]
    told = "\n".join(f"{s.id} {s.sentence1} {s.sentence2} {s.label}" for s in both)
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    assert {REVISION: digest} == {"6": "cf4202f0a33916ca"}
