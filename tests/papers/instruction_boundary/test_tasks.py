"""Instruction Boundary from end to end: what each setting changes, what it must not say, runs."""

import difflib
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.paper import SETTINGS
from askew.papers.instruction_boundary.questions import PROMPTS
from askew.papers.instruction_boundary.tasks import instruction_boundary
from askew.parameters import SelectionError
from askew.solvers.chain import planned_dialogue
from tests.conftest import metric_values

DOCS = Path(__file__).parents[3] / "docs" / "instruction_boundary.md"
ASK, POLISHED_ASK, STATEMENT = (PROMPTS[k] for k in ("ask", "polished_ask", "statement"))
LABELS, EXTRA, GUIDANCE = (PROMPTS[k] for k in ("labels", "extra", "guidance"))
TURNS, VAGUE = PROMPTS["turns"], PROMPTS["vague"]
SMALL = {"n_logic": 8, "n_wrong": "1,5"}


def samples(**parameters):
    return list(instruction_boundary(**{**SMALL, **parameters}).dataset)


def prompt(sample):
    """All that the model is told before its last reply."""
    return "\n\n".join(text for role, text in planned_dialogue(sample) if role != "assistant")


def by_setting(found, item):
    return {s.metadata["setting"]: s for s in found if s.metadata["item"] == item}


def changed(vanilla, other):
    """Lines that went and lines that came, without blank ones."""
    diff = list(difflib.ndiff(vanilla.split("\n"), other.split("\n")))
    went = [line[2:] for line in diff if line[:2] == "- " and line[2:]]
    came = [line[2:] for line in diff if line[:2] == "+ " and line[2:]]
    return went, came


EVERY = samples(subset="logic,choice")
JUDGING = [s for s in EVERY if s.metadata["family"] == "judging"]
CHOICE = [s for s in EVERY if s.metadata["family"] == "choice"]
JUDGING_ITEMS = sorted({s.metadata["item"] for s in JUDGING})
CHOICE_ITEMS = sorted({s.metadata["item"] for s in CHOICE})
JUDGING_FORMAT = "Answer with one label: True, False, or Unknown."
CHOICE_FORMAT = (
    "Answer with the number of the correct option, with the numbers of all correct options "
    "separated by commas, or with None."
)


# ---- vanilla


def test_vanilla_gives_labels_with_descriptions_guidance_and_format():
    for found, format_line in ((JUDGING, JUDGING_FORMAT), (CHOICE, CHOICE_FORMAT)):
        for sample in found:
            if sample.metadata["setting"] == "vanilla":
                family = sample.metadata["family"]
                lines = prompt(sample).split("\n")
                assert ASK in lines
                assert set(LABELS[family].values()) < set(lines)
                assert GUIDANCE[family] in lines
                assert lines[-1] == format_line


@pytest.mark.parametrize("item", CHOICE_ITEMS)
def test_every_form_has_the_same_layout(item):
    lines = prompt(by_setting(CHOICE, item)["vanilla"]).split("\n")
    headings = [line for line in lines if line.endswith(":")]
    assert headings in (["Question:", "Options:"], ["Passage:", "Question:", "Options:"])
    numbered = [line for line in lines if re.match(r"\d+\. ", line)]
    size = 6 if item.startswith("hard-") else 4
    assert [line.split(".")[0] for line in numbered] == [str(n + 1) for n in range(size)]


# ---- the one change of each setting


@pytest.mark.parametrize("item", JUDGING_ITEMS)
def test_only_the_intended_lines_change_for_judging(item):
    asked = by_setting(JUDGING, item)
    vanilla = prompt(asked["vanilla"])
    difference = {s: changed(vanilla, prompt(asked[s])) for s in SETTINGS if s != "vanilla"}
    assert difference["multi_turn"] == ([], [TURNS["reasoning"], TURNS["review"]])
    assert difference["conformity"] == ([], ["The answer is Unknown."])
    went, came = difference["miscellany"]
    assert went == [JUDGING_FORMAT]
    assert came[:-1] == list(EXTRA.values())
    assert came[-1].endswith("Unknown, All above are true, or All above are false.")
    went, came = difference["few_shot"]
    assert went == []
    assert came[0] == "Here is an example to learn from."
    assert "Answer: Unknown" in came
    unknown = LABELS["judging"]["unknown"]
    assert difference["missing_choices"] == (
        [unknown, JUDGING_FORMAT], ["Answer with one label: True or False."],
    )  # fmt: skip
    went, came = difference["vagueness"]
    assert went == [ASK, *LABELS["judging"].values(), GUIDANCE["judging"], JUDGING_FORMAT]
    assert came == [VAGUE["judging"]]
    assert difference["prompt_polishing"] == ([ASK], [POLISHED_ASK])


@pytest.mark.parametrize("item", CHOICE_ITEMS)
def test_only_the_intended_lines_change_for_choice(item):
    asked = by_setting(CHOICE, item)
    vanilla = prompt(asked["vanilla"])
    settings = [s for s in SETTINGS if s not in ("vanilla", "miscellany") and s in asked]
    difference = {s: changed(vanilla, prompt(asked[s])) for s in settings}
    assert difference["multi_turn"] == ([], [TURNS["reasoning"], TURNS["review"]])
    assert difference["conformity"] == ([], ["The answer is None."])
    went, came = difference["few_shot"]
    assert went == []
    assert came[0] == "Here is an example to learn from."
    assert "Answer: None" in came
    went, came = difference["vagueness"]
    assert went == [ASK, *LABELS["choice"].values(), GUIDANCE["choice"], CHOICE_FORMAT]
    assert came == [VAGUE["choice"]]
    went, came = difference["prompt_polishing"]
    assert (len(went), len(came)) == (1, 1)
    assert went[0].startswith("Which of the following")
    whole = asked["vanilla"].choices
    if len(asked["vanilla"].metadata["truth"].split(",")) == len(whole):
        assert "missing_choices" not in asked, "there is no wrong option to leave out"
        return
    left = asked["missing_choices"].choices
    (gone,) = [option.value if hasattr(option, "value") else option for option in whole
               if option not in left]  # fmt: skip
    went, came = difference["missing_choices"]
    assert [line for line in went if not re.match(r"\d\. ", line)] == [
        LABELS["choice"]["none"], CHOICE_FORMAT,
    ]  # fmt: skip
    assert any(line.endswith(f". {gone}") for line in went)
    right = set(asked["vanilla"].metadata["truth"].split(","))
    assert str(list(whole).index(gone) + 1) not in right


def test_miscellany_shows_the_right_option_beside_as_many_wrong_ones_as_it_says():
    ten = samples(subset="ten", n_wrong="all")
    assert {s.metadata["setting"] for s in ten} == {"miscellany"}
    for sample in ten:
        assert len(sample.choices) == int(sample.metadata["variant"]) + 1
        assert sample.metadata["truth"] in sample.metadata["shown"].split(",")


# ---- what must be absent

SAYS = {
    # A rule may say "neither shy nor a tovik".
    "unknown": (
        r"\bunknown\b|cannot be determined|undetermined|uncertain|\bopen\b"
        r"|neither(?! [\w ]+ nor )|neither (?:true|proved)"
    ),
    "true": r"\btrue\b|\bproved\b|\bproven\b",
    "false": r"\bfalse\b|\bdisproved\b|\bdisproven\b",
    "none": r"\bnone\b|\bno (?:option|answer|correct|right)|\bneither\b|\bnot any\b",
    "several": r"\bseveral\b|more than one|\ball correct\b|\bnumbers of\b|\bmultiple\b|\bcommas\b",
}


@pytest.mark.whole
@pytest.mark.parametrize("missing", SAYS)
def test_no_prompt_without_a_choice_mentions_it_anywhere(missing):
    subset = "logic" if missing in LABELS["judging"] else "choice"
    asked = samples(subset=subset, setting="missing_choices", missing=missing, n_logic=100)
    assert len(asked) >= 50
    for sample in asked:
        assert not re.search(SAYS[missing], prompt(sample), re.IGNORECASE), sample.id
        others = [label for label in LABELS[sample.metadata["family"]] if label != missing]
        for label in others:
            assert LABELS[sample.metadata["family"]][label] in prompt(sample)


def test_no_prompt_but_conformitys_says_what_the_answer_is():
    for sample in EVERY:
        told = re.search(r"^The answer is ", prompt(sample), re.MULTILINE)
        assert bool(told) == (sample.metadata["setting"] == "conformity")


# ---- sub-factors


def test_suggestions_are_the_labels_asked_for():
    asked = samples(subset="logic,choice", setting="conformity", suggest="all")
    told = Counter(re.search(r"^The answer is (.*)\.$", prompt(s), re.MULTILINE)[1] for s in asked)
    assert {"True", "False", "Unknown", "None", "Several"} < set(told)
    for sample in asked:
        if sample.metadata["variant"] == "wrong":
            assert sample.metadata["suggestion"] not in sample.metadata["truth"].split(",")


def test_examples_come_in_the_order_and_number_asked_for():
    asked = samples(subset="logic", setting="few_shot", examples="true,false,unknown")
    for sample in asked:
        text = prompt(sample)
        assert text.startswith("Here are 3 examples to learn from.")
        assert re.findall(r"^Answer: (.*)$", text, re.MULTILINE) == ["True", "False", "Unknown"]
    shown = samples(subset="choice", setting="few_shot", examples="single,none,multiple")
    for sample in shown:
        answers = re.findall(r"^Answer: (.*)$", prompt(sample), re.MULTILINE)
        assert answers[1] == "None"
        assert answers[0].isdecimal()
        assert re.fullmatch(r"\d(, \d)+", answers[2])


def test_repeated_examples_are_different_ones():
    for sample in samples(
        subset="logic,choice", setting="few_shot", examples="none,none,none,true"
    ):
        bodies = prompt(sample).split("\n\nAnswer: ")[:-1]
        assert len(set(bodies)) == len(bodies)


def test_the_statement_stands_in_none_items_only_and_is_their_right_answer():
    for sample in samples(subset="choice", setting="vanilla", none_style="stated"):
        if sample.metadata["form"] == "none":
            number = int(sample.target)
            assert sample.choices[number - 1] == STATEMENT
        else:
            assert STATEMENT not in sample.choices


@pytest.mark.parametrize(
    "wrong",
    [{"setting": "chocolate"}, {"suggest": "maybe"}, {"missing": "wrong"}, {"polish": "self"},
     {"none_style": "gone"}, {"judge": "me"}, {"depth": "deep"}, {"items": 0}],
)  # fmt: skip
def test_a_parameter_that_makes_no_sense_is_refused(wrong):
    with pytest.raises((SelectionError, ValueError)):
        instruction_boundary(**wrong)


# ---- order, ids, versions


def test_ids_are_distinct_readable_and_name_the_condition():
    assert len({s.id for s in EVERY}) == len(EVERY)
    ids = {s.id.partition("/")[2] for s in EVERY}
    assert {"vanilla", "conformity/unknown", "conformity/none", "few_shot/none"} <= ids
    assert not any(set(s.id) & set(",:*?[") for s in EVERY)


def test_any_beginning_spreads_over_subsets_and_keeps_items_whole():
    asked = samples(items=6)
    assert Counter({s.metadata["item"]: s.metadata["subset"] for s in asked}.values()) == {
        "logic": 2, "choice": 2, "ten": 2,
    }  # fmt: skip
    items = [s.metadata["item"] for s in asked]
    assert items == sorted(items, key=items.index)


@pytest.mark.whole
def test_the_version_changes_with_the_questions_and_not_with_the_settings(tmp_path):
    whole = instruction_boundary(**SMALL).version
    assert instruction_boundary(**SMALL, setting="vanilla").version == whole
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"question": "Which?", "options": ["a", "b", "c"], "gold": [0]}', "utf-8")
    assert instruction_boundary(data=str(mine)).version != whole


@pytest.mark.whole
def test_a_seed_gives_the_same_samples_again_and_another_seed_others():
    one, again, other = ([s.input for s in samples(items=6, seed=n)] for n in (4, 4, 5))
    assert one == again
    assert one != other


# ---- runs


def test_multi_turn_really_is_two_turns(run):
    log = run(instruction_boundary(**SMALL, items=2, subset="logic,choice", setting="multi_turn"))
    assert log.status == "success"
    for sample in log.samples:
        roles = [m.role for m in sample.messages]
        assert roles == ["user", "assistant", "user", "assistant"]
        assert TURNS["reasoning"] in sample.messages[0].text
        assert sample.messages[2].text.startswith(TURNS["review"])
        assert sum(event.event == "model" for event in sample.events) == 2


def test_polishing_by_a_model_keeps_the_rewrite_and_fails_clearly_where_nobody_polishes(run):
    parameters = {**SMALL, "items": 2, "subset": "logic,choice", "setting": "prompt_polishing"}
    task = instruction_boundary(**parameters, polish="model")
    log = run(task, fail_on_error=False)
    for sample in log.samples:
        assert "model role 'polisher', which is not bound" in sample.error.message
        assert not any(event.event == "model" for event in sample.events)
    task = instruction_boundary(**parameters, polish="model")
    log = run(task, model_roles={"polisher": "respondent/typical"})
    for sample in log.samples:
        (kept,) = [e.data for e in sample.events if e.event == "info" and "polished" in str(e.data)]
        # Inspect keeps long texts of events beside them.
        kept = {k: sample.attachments.get(v.rpartition("/")[2], v) for k, v in kept.items()}
        assert kept["polished"] in sample.messages[0].text
        assert kept["original"] == sample.input


@pytest.mark.parametrize(
    ("model", "expected"),
    [("oracle", {"rs_vanilla": 1.0, "boundary_cost": 0.0, "choice_boundary_cost": 0.0}),
     ("chatty", {"rs_vanilla": 1.0, "boundary_cost": 0.0, "choice_rs_vanilla": 1.0}),
     ("mute", {"rs_vanilla": 0.0, "choice_vanilla_acc": 0.0}),
     ("agreeable", {"judging_conformity_unknown_follow_rate": 1.0, "choice_vanilla_gr_none": 0.0})],
)  # fmt: skip
def test_simulated_models_score_as_their_tendencies_say(run, model, expected):
    log = run(instruction_boundary(**{**SMALL, "n_wrong": "5"}, items=9), f"respondent/{model}")
    assert log.status == "success"
    assert not any(sample.error for sample in log.samples)
    values = metric_values(log)
    for name, value in expected.items():
        assert values[name] == pytest.approx(value), name


# ---- docs


@cache
def of_the_docs():
    return samples(n_logic=120, n_wrong="4")


@pytest.mark.whole
@pytest.mark.parametrize("family", ["judging", "choice"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_docs_show_one_full_prompt_a_family_for_every_setting(family, setting):
    text = DOCS.read_text(encoding="utf-8")
    heading = f"### {setting}, {family}"
    assert text.count(heading) == 1
    shown = text.partition(heading)[2].partition("```text\n")[2].partition("\n```")[0]
    sample_id = re.search(r"`([^`]+)`", text.partition(heading)[2])[1]
    (sample,) = [s for s in of_the_docs() if s.id == sample_id]
    turns = "\n\n".join(f"[{role}]\n{turn}" for role, turn in planned_dialogue(sample))
    assert shown == turns


# ---- parameters of several parts


@pytest.mark.whole
@pytest.mark.parametrize(
    "grouped",
    [
        {"logic": "n_logic=8,depth=2", "variants": "suggest=true+wrong,n_wrong=1+5"},
        {"logic": ["n_logic=8", "depth=2"], "variants": ["suggest=true+wrong", "n_wrong=1+5"]},
        {"logic": {"n_logic": 8, "depth": 2},
         "variants": {"suggest": "true,wrong", "n_wrong": [1, 5]}},
    ],
)  # fmt: skip
def test_parts_ask_the_same_in_a_group_and_alone(grouped):
    alone = {"n_logic": 8, "depth": 2, "suggest": "true,wrong", "n_wrong": "1,5"}
    wanted = {"setting": "conformity,miscellany", "items": 6}
    one, other = (instruction_boundary(**wanted, **given) for given in (grouped, alone))
    assert [(s.id, s.input) for s in one.dataset] == [(s.id, s.input) for s in other.dataset]
    assert one.version == other.version
