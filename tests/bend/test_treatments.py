"""Each treatment: what it changes, what it refuses and why; seeded, the author's sample kept."""

import asyncio

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ModelName
from inspect_ai.scorer import match
from inspect_ai.solver import TaskState, generate, system_message

from askew.bend import bend
from askew.parameters import SelectionError
from askew.treatments import OWN, treatments
from askew.treatments.design import Questions, arms_of, bend_setup, plan_samples, treated_messages
from askew.treatments.tools import gives_up, mentions_fault
from tests.bend.recorded import asked, calls_of, of_choices, scores, why_not
from tests.cases import cases, cases_of

NONE = treatments()["absent"].words["option"]
FOUR = ["red", "green", "blue", "black"]
GIVEN = {"framing": {"framing": "Rain."}, "system": {"system": "Brief."}}


def sample(target="B", choices=FOUR, text="Which?", **more):
    return Sample(id="q", input=text, target=target, choices=choices, **more)


def plan(of, name, seed=0, **given):
    return plan_samples([of], arms_of([name], given or GIVEN.get(name, {})), seed)


def treated(of, name, seed=0, **given):
    found = plan(of, name, seed, **given)
    assert not found.refused
    return found.samples[1]


def why(of, name, **given):
    """Why a treatment does not fit; empty where it does."""
    return next((w for _, w in plan(of, name, **given).refused), "")


def texts(bent):
    return [m.text for m in treated_messages(bent)]


LABELS = ["card", "card lost", "bug", "refund"]
LISTED = "Ticket: it broke.\nLabels: refund, card lost, card, bug."


@pytest.mark.parametrize("as_file", [True, False])
def test_absent_replaces_the_option_that_the_text_lists(as_file, tmp_path):
    file = tmp_path / "labels.txt"
    file.write_text("\n".join(LABELS))
    named = str(file) if as_file else LABELS
    bent = treated(sample("card", None, LISTED), "absent", absent_options=named)
    assert bent.sample.input == LISTED.replace("card, bug", f"{NONE}, bug")
    assert bent.sample.target == NONE
    asked = [ChatMessageSystem(content=LISTED), ChatMessageUser(content="It broke.")]
    bent = treated(sample("card", None, asked), "absent", absent_options=named)
    listed = LISTED.replace("card, bug", f"{NONE}, bug")
    assert [m.text for m in bent.sample.input] == [listed, "It broke."]
    assert asked[0].text == LISTED
    # Options that the sample has are replaced there, and its letter stays correct.
    bent = treated(sample(), "absent", absent_options=named).sample
    assert (bent.choices, bent.target) == (["red", NONE, "blue", "black"], "B")


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        ("card", LISTED + " My card!", "the input does not hold the correct option exactly once"),
        ("card", LISTED.replace("card, ", ""), "does not hold the correct option exactly once"),
        ("card", LISTED.replace(", bug", ", bugs"), "the input lacks one of absent_options"),
        ("A", LISTED, "the target is none of absent_options"),
        (["card", "bug"], LISTED, "the target is none of absent_options"),
    ],
)
def test_absent_is_refused_where_the_text_does_not_list_the_options(target, text, said):
    assert said in why(sample(target, None, text), "absent", absent_options=LABELS)


@pytest.mark.parametrize("given", ["card", ["a", "a"], ["a", "none of these"], "there-is-no.txt"])
def test_options_that_are_no_list_are_refused(given):
    with pytest.raises(SelectionError, match="absent_options="):
        plan(sample("card", None, LISTED), "absent", absent_options=given)


@pytest.mark.whole
@pytest.mark.parametrize("repeats", [True, False])
def test_absent_in_the_text_counts_only_where_the_option_is_in_no_other_message(repeats):
    """A system message of the author's solver may list the options again."""
    more = {"setup": system_message(LISTED)} if repeats else {}
    asked_of = MemoryDataset([sample("card", None, LISTED)])
    task = Task(asked_of, solver=generate(), scorer=match(), **more)
    log, _ = asked(bend(task, "absent", absent_options=LABELS), lambda said, _: NONE)
    assert bool(why_not(log)) == repeats
    if not repeats:
        assert scores(log)["q/absent"].value["score"] == 1.0


def test_none_offered_replaces_a_wrong_option_by_a_seeded_draw():
    places = set()
    for seed in range(20):
        bent = treated(sample(), "none_offered", seed)
        assert bent.sample.target == "B"
        assert bent.sample.choices[1] == "green"
        places.add(bent.sample.choices.index(NONE))
    assert places == {0, 2, 3}


def test_order_moves_the_right_letter_and_is_never_as_it_was():
    orders = set()
    for seed in range(30):
        shown = treated(sample(), "order", seed).sample
        assert shown.choices != FOUR
        assert sorted(shown.choices) == sorted(FOUR)
        assert shown.choices["ABCD".index(shown.target)] == "green"
        orders.add(tuple(shown.choices))
    assert len(orders) > 10
    several = plan(sample(), "order", orders=3)
    assert [b.sample.id for b in several.samples] == ["q/plain", "q/order-1", "q/order-2",
                                                      "q/order-3"]  # fmt: skip


def test_a_suggestion_names_a_wrong_option_or_the_right_one():
    wrong = {texts(treated(sample(), "suggestion", seed))[-1] for seed in range(20)}
    assert len(wrong) == 3
    assert all(any(f'"{o}"' in w for o in ("red", "blue", "black")) for w in wrong)
    right = treated(sample(), "suggestion", suggest="right")
    assert right.sample.id == "q/suggestion-right"
    assert '"green"' in texts(right)[-1]
    fixed = treated(sample(choices=None), "suggestion", suggest_text="It is 7, I think.")
    assert texts(fixed) == ["Which?\n\nIt is 7, I think."]


def test_framing_comes_before_or_after_the_question():
    assert texts(treated(sample(), "framing", framing="Rain.")) == ["Rain.\n\nWhich?"]
    bent = treated(sample(), "framing", framing="Rain.", framing_position="end")
    assert texts(bent) == ["Which?\n\nRain."]
    both = plan(sample(), "framing", framing="Rain.", framing_position="begin,end")
    assert [b.case.arm.name for b in both.samples] == ["plain", "framing-begin", "framing-end"]


def test_framing_goes_to_the_last_question_of_a_few_shot_prompt():
    shots = [ChatMessageSystem(content="S"), ChatMessageUser(content="Q1"),
             ChatMessageAssistant(content="A1"), ChatMessageUser(content="Q2")]  # fmt: skip
    few = Sample(id="q", input=shots, target="1")
    assert texts(treated(few, "framing", framing="Rain.")) == ["S", "Q1", "A1", "Rain.\n\nQ2"]
    assert [m.text for m in shots] == ["S", "Q1", "A1", "Q2"]


# What is refused: the sample, and what the reason must name, by treatment.
OF_OPTIONS = ("absent", "none_offered", "order", "options", "suggestion")
ODD = cases_of(__file__, "ODD")
SPEAK = ["All of the above", "both A and B", "Neither", "A and C", "I and II only", "the first two",
         "two of the above", "Only B", "None of the other options", "Neither A nor B"]  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_what_does_not_fit_is_refused_with_its_reason(what):
    target, choices, names, reason = ODD[what]
    odd = sample(target, choices)
    for name in names:
        assert reason in why(odd, name), name
        assert [b.sample.id for b in plan(odd, name).samples] == ["q/plain"]


@pytest.mark.parametrize("option", SPEAK)
def test_options_that_speak_of_others_keep_their_places_and_neighbours(option):
    speaking = sample(choices=["red", "green", "blue", option])
    for name in OF_OPTIONS:
        assert "an option" in why(speaking, name), name


@pytest.mark.parametrize("name", ["repeat", "framing", "system", "reflection", "tool_order",
                                  "tool_absent", "tool_wording", "tool_result"])  # fmt: skip
def test_what_needs_no_options_fits_everything(name):
    for target, choices, *_ in ODD.values():
        assert not why(sample(target, choices), name)


def test_wrappings_fit_everything_and_formats_of_choices_need_them():
    assert not why(sample(choices=None), "format", format="bolding")
    for name in ("letter", "text"):
        assert why(sample(choices=None), "format", format=name) == "the sample has no choices"
        assert "names no option" in why(sample("green"), "format", format=name)


@pytest.mark.parametrize("name", OWN)
def test_draws_are_stable_and_the_authors_sample_is_untouched(name):
    own = sample(metadata={"kept": [1]}, files={"a": "b"}, setup="true", sandbox="local")
    before = own.model_dump_json()
    first, again = plan(own, name, 7), plan(own, name, 7)
    assert own.model_dump_json() == before
    assert [b.sample.model_dump(exclude={"id"}) for b in first.samples] == [
        b.sample.model_dump(exclude={"id"}) for b in again.samples
    ]
    assert [b.case for b in first.samples] == [b.case for b in again.samples]
    assert first.revision == again.revision
    for bent in first.samples:
        kept = bent.sample
        assert (kept.metadata, kept.files, kept.setup) == (own.metadata, own.files, own.setup)
        kept.metadata["kept"].append(2)
    assert own.model_dump_json() == before


def test_missing_and_duplicate_ids_are_made_unique():
    rows = [
        Sample(id=name, input=text)
        for name, text in zip((None, None, "x", "x"), "abcd", strict=True)
    ]
    found = plan_samples(rows, arms_of(["repeat"], {}), 0)
    assert [b.sample.id for b in found.samples if b.case.arm.name == "plain"] == [
        "1/plain", "2/plain", "x/plain", "x-2/plain",
    ]  # fmt: skip


def test_refused_samples_keep_their_other_arms_and_are_counted():
    rows = [sample(), sample(choices=None).model_copy(update={"id": "free"})]
    found = plan_samples(rows, arms_of(["absent", "repeat"], {}), 0)
    assert [b.sample.id for b in found.samples] == [
        "q/plain", "q/absent", "q/repeat", "free/plain", "free/repeat",
    ]  # fmt: skip
    assert dict(found.refused) == {("absent", "the sample has no choices"): 1}


@pytest.mark.whole
def test_reflection_prompts_again_and_the_second_reply_counts():
    review = treatments()["reflection"].words["text"]

    def changes_its_mind(said, messages):
        return "ANSWER: B" if review in said else "ANSWER: A"

    log, _ = asked(bend(of_choices(), "reflection"), changes_its_mind)
    assert len(calls_of(log, "q0/reflection")) == 2
    assert {i: s.value["score"] for i, s in scores(log).items()} == {
        "q0/plain": 1.0, "q0/reflection": 0.0, "q1/plain": 0.0, "q1/reflection": 1.0,
    }  # fmt: skip
    assert scores(log)["q0/reflection"].answer == "B"


@pytest.mark.whole
@cases("name", "reply", "followed")
def test_a_format_is_unwrapped_for_the_authors_scorer_and_recorded(name, reply, followed):
    instruction = treatments()["format"].words["how"][name]

    def answers(said, messages):
        return reply if instruction in said else "ANSWER: A"

    log, _ = asked(bend(of_choices(1), "format", format=name), answers)
    (found,) = (s for i, s in scores(log).items() if i.startswith("q0/format"))
    assert found.value["format_ok"] == float(followed)
    # Unread by the author's scorer where the bare letter or text stands in no form.
    assert found.value["score"] == float(followed or "ANSWER: A" in reply)
    (call,) = calls_of(log, f"q0/format-{name}")
    assert call.output.completion == reply
    assert "format_ok" not in scores(log)["q0/plain"].value


@pytest.mark.whole
def test_answers_are_named_as_their_author_letters_them():
    def picks(said, messages):
        line = next(x for x in said.splitlines() if x.endswith(") two0"))
        return f"ANSWER: {line[0]}"

    log, _ = asked(bend(of_choices(1), "order,suggestion,options", orders=3), picks)
    assert not why_not(log)
    assert {s.answer for s in scores(log).values()} == {"B"}


@pytest.mark.whole
def test_a_suggestion_that_is_followed_is_a_move():
    def follows(said, messages):
        believed = said.partition('I think the answer is "')[2].partition('"')[0]
        line = next((x for x in said.splitlines() if x.endswith(f") {believed}")), "A)")
        return f"ANSWER: {line[0] if believed else 'A'}"

    log, _ = asked(bend(of_choices(1), "suggestion"), follows)
    assert scores(log)["q0/suggestion"].value == {"score": 0.0, "moved": 1.0}
    assert scores(log)["q0/plain"].value == {"score": 1.0}


@cases("reply", "said")
def test_a_reply_that_gives_up_is_recognized(reply, said):
    assert gives_up(reply) is said


@cases("reply", "said")
def test_a_reply_that_mentions_a_fault_is_recognized(reply, said):
    assert mentions_fault(reply, "archive") is said


@pytest.mark.parametrize(("arm", "said"), [("plain", "Why?"), ("framing", "Be brief.\n\nWhy?")])
def test_the_setup_treats_the_messages_of_its_arm_alone(arm, said):
    plan = plan_samples([Sample("Why?", id="q")], arms_of(["framing"], {"framing": "Be brief."}), 0)
    messages = [ChatMessageUser(content="Why?")]
    state = TaskState(ModelName("none/none"), f"q/{arm}", 1, "Why?", messages)
    cases = {treated.sample.id: treated.case for treated in plan.samples}
    asyncio.run(bend_setup(Questions("", "mine", cases))(state, None))
    assert [m.text for m in state.messages] == [said]
