"""What a task asks of each role, counted by hand, and what that costs."""

import math
from types import SimpleNamespace

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelCost

from askew.decide import plan as workload_module
from askew.decide.plan import Assumptions, Load, price_of, tier_precisions, workload
from askew.stats.p_values import ClusterDifference, detectable_difference

# Four characters a token, nine tokens beside the answer, a hundred where it reasons.
TAKEN = Assumptions(4.0, 9, 100, 600, 3, 0.5)


def sample(text="x" * 401, target="yes", **metadata):
    return Sample(input=text, target=target, id="a", metadata=metadata)


def loads(*samples, task="knowno", parameters=None, **options):
    return workload(task, samples, parameters or {}, TAKEN, **options)


def test_tokens_are_characters_by_four_rounded_up():
    assert [TAKEN.tokens(n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_a_question_is_read_with_its_marks_and_answered_once():
    # 401 characters are 101 tokens; the answer's three characters are one.
    assert loads(sample()) == {"model": Load(1, 101 + 3, 9 + 1)}
    assert loads(sample(), sample("y" * 4)) == {"model": Load(2, 104 + 4, 20)}
    assert loads() == {"model": Load()}


def test_a_second_turn_counts_all_earlier_tokens_as_input():
    twice = sample("x" * 8, reflection="y" * 40)
    # Both replies reason: 110 tokens each.
    first = 2 + 3
    assert loads(twice) == {"model": Load(2, first + (first + 110 + 10 + 3), 220)}


def test_reasoning_prompts_have_longer_replies():
    reasoned = sample("x" * 8, prompting="cot")
    assert loads(reasoned, task="format_bias") == {"model": Load(1, 5, 110)}
    assert loads(sample("x" * 8, prompting="zs"), task="format_bias") == {"model": Load(1, 5, 10)}


BEHIND, ALONE = ({"parameters": {"parser": p}} for p in ("rules_then_grader", "grader"))


def test_a_grader_reads_its_question_the_reply_and_the_answer():
    worded = sample(hint="with_gold", judge_question="q" * 30)
    # 30 characters, ten tokens of four, three characters: 73 are 19 tokens; half of the replies.
    found = loads(worded, worded, **BEHIND)
    assert found == {"model": Load(2, 2 * 104, 20), "grader": Load(1, 19, 9)}
    # Without words of its own it is asked in 700 characters: 743 are 186 tokens.
    plain = sample(hint="with_gold")
    assert loads(plain, plain, **BEHIND)["grader"] == Load(1, 186, 9)
    assert loads(plain, plain, **ALONE)["grader"] == Load(2, 372, 18)
    assert "grader" not in loads(worded, worded)
    # Of half of the new answers it is also asked what they mean.
    new = sample(hint="no_hint")
    assert loads(new, new, **BEHIND)["grader"] == Load(2, 372, 18)
    assert loads(new, new, **ALONE)["grader"] == Load(3, 558, 27)


def test_a_grader_reads_only_letters_and_options():
    closed, text = sample(kind="letter"), sample(kind="text")
    assert loads(closed, closed, text, task="format_bias", **ALONE)["grader"].calls == 2
    assert list(loads(text, task="format_bias", **ALONE)) == ["model"]


def test_a_question_that_is_polished_is_read_and_written_again():
    polished = sample("x" * 10, setting="prompt_polishing", variant="model")
    other = sample([ChatMessageUser(content="x" * 20)], setting="prompt_polishing", variant="model")
    found = loads(polished, other, sample(setting="vanilla"), task="instruction_boundary")
    # 710 and 720 characters are read, 10 and 20 written.
    assert found["polisher"] == Load(2, 178 + 180, 3 + 5)
    assert list(found) == ["model", "polisher"]


# --- Prices --------------------------------------------------------------------------------------

PRICE = ModelCost(input=2.0, output=10.0, input_cache_write=0.0, input_cache_read=0.0)


def test_a_price_is_the_user_s_then_inspect_s_then_unknown(monkeypatch):
    known = {"a/b": SimpleNamespace(cost=PRICE, reasoning=True),
             "c/d": SimpleNamespace(cost=None, reasoning=False),
             "e/f": SimpleNamespace(cost=PRICE, reasoning=None)}  # fmt: skip
    monkeypatch.setattr(workload_module, "get_model_info", known.get)
    own = PRICE.model_copy(update={"input": 1.0})
    assert price_of("a/b", {"a/b": own}) == (own, "your table")
    assert price_of("a/b", {"x/y": own}) == (PRICE, "Inspect's data")
    assert price_of("c/d", {}) == (None, "no price known")
    assert price_of("g/h", {}) == (None, "no price known")
    assert price_of("", {}) == (None, "no model named")


def items(n, subset="s", each=1, **metadata):
    """So many questions, some of them on one text."""
    about = ({"subset": subset, "item": i, "cluster": i // each, **metadata} for i in range(n))
    return [Sample(input="?", metadata=meta) for meta in about]


def shows(units, rate, level=0.95):
    """Two independent mistakes vary twice as much as one; units lie one apart at most."""
    unit = ClusterDifference(math.sqrt(2 * rate * (1 - rate)), 1.0, share=rate)
    return pytest.approx(detectable_difference(units, unit, 1 - level))


def test_a_tier_counts_its_questions_and_texts_set_by_set():
    samples = [
        *items(400, tier="hard", each=2), *items(400, tier="core"), *items(30, "t", tier="hard"),
        # The same question in another condition, and questions without a tier.
        *items(30, "t", tier="hard"), *items(5), Sample(input="?"),
    ]  # fmt: skip
    found = [tuple(one.values()) for one in tier_precisions(samples, 0.95)]
    assert found == [
        ("core", 400, 400, shows(400, 0.97), shows(400, 0.7), False),
        ("hard", 430, 230, shows(230, 0.97), shows(230, 0.7), False),
    ]

    assert not [*tier_precisions(items(9), 0.95)]
