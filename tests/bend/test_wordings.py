"""Harmless rewordings: what they change, what they keep, and that they reach the model."""

import re

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from askew.bend import bend
from askew.bend.chapter import arm_table
from askew.bend.numbers import CAUSES
from askew.parameters import SelectionError
from askew.report.study import Study
from askew.scoring.outcome import missing_in_words
from askew.treatments import treatments
from askew.treatments.design import arms_of, plan_samples
from askew.treatments.dialogue import extract_answer
from askew.treatments.wordings import LAYOUTS, lay_out, what_is_lost
from tests.bend.recorded import asked, of_choices, of_words, scores, why_not
from tests.cases import cases, cases_of

TEXT, KEPT = cases_of(__file__, "TEXT"), cases_of(__file__, "KEPT")


def versions(text=TEXT, n=6, **more):
    sample = Sample(id="q", input=text, **{"target": "harbour", **more})
    plan = plan_samples([sample], arms_of(["typos"], {"typos": n}), 0)
    return [b.sample.input for b in plan.samples[1:]], plan


def test_typing_errors_are_seeded_and_leave_code_numbers_names_and_options_alone():
    found, _ = versions()
    assert len({*found}) == 6
    assert found == versions()[0]
    for text in found:
        assert text != TEXT
        assert all(part in text for part in KEPT)
        changed = sum(a != b for a, b in zip(text.split(), TEXT.split(), strict=True))
        assert 1 <= changed <= 3


@cases("text", "kept")
def test_typing_errors_spare_code_paths_formulas_and_number_words(text, kept):
    for found in versions(text)[0]:
        assert all(part in found for part in kept)
        assert found != text


def test_words_of_options_have_no_errors_and_a_question_without_others_is_refused():
    _, plan = versions("green violets", 1, target="A", choices=["green", "violets"])
    assert [why for _, why in plan.refused] == ["no word of its question may have an error"]
    assert len(versions("acgt" * 20_000, 1)[0]) == 1  # a long word, in no time


PROMPT = "Pick one.\n\nWhich?\n\nA) red\nB) a long\nC) blue"


@cases("layout", "expected")
def test_a_layout_changes_marks_spacing_or_place_and_no_word(layout, expected):
    options = ["red", "a long", "blue"]
    found = lay_out(PROMPT, layout, "Which?", options)
    assert found == expected
    assert sorted(re.findall(r"\w+", found)) == sorted(re.findall(r"\w+", PROMPT))
    assert lay_out("No options here.", layout, "Which?", options) == "No options here."
    assert lay_out(PROMPT, layout, "Which?", ["red", "other", "green"]) == PROMPT


@cases("after", "lost")
def test_a_paraphrase_keeps_numbers_names_and_options(after, lost):
    before = "Pick one of 3 lamps of Anna:\nA) red\nB) blue"
    assert what_is_lost(before, after) == lost


@cases("given", "said")
def test_wordings_that_change_nothing_are_refused(given, said):
    with pytest.raises(SelectionError, match=said):
        arms_of(["wording"], given)


def test_a_table_of_changes_is_one_wording_and_several_tables_are_several():
    one = arms_of(["wording"], {"wording": {"old": "new"}})
    assert [arm.name for arm in one] == ["plain", "wording"]
    two = arms_of(["wording"], {"wording": {"a": {"x": "y"}, "b": {"x": "z"}}})
    assert [arm.name for arm in two] == ["plain", "wording-a", "wording-b"]


def prompts(sent):
    return [call["messages"][-1]["content"] for call in sent]


@pytest.mark.whole
def test_rewordings_reach_the_model_and_change_nothing_else():
    """Also in a second epoch, which has prompts of its own."""
    log, sent = asked(bend(of_choices(1), "typos,layout,wording"), epochs=2)
    arms = ("plain", *(f"layout-{name}" for name in LAYOUTS), "wording-1", "wording-2")
    # "Which is 0?" has no word that may have an error.
    assert {*scores(log)} == {f"q0/{arm}" for arm in arms}
    assert not why_not(log)
    assert len({*prompts(sent)}) == len(prompts(sent)) / 2 == len(arms)
    assert all("ANSWER: $LETTER" in text for text in prompts(sent))


@pytest.mark.whole
def test_a_prompt_without_a_known_instruction_is_left_out_with_its_reason():
    log, _ = asked(bend(of_words(1), "wording"))
    assert set(why_not(log)) == {"w0/wording-1", "w0/wording-2"}
    assert all("wording=FILE" in why for why in why_not(log).values())


def paraphraser(reword):
    def answer(messages, tools, choice, config):
        text = messages[-1].text.split("-----\n")[1].rstrip("\n")
        output = ModelOutput.from_content("paraphraser", reword(text))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return {"paraphraser": get_model("mockllm/paraphraser", custom_outputs=answer)}


@pytest.mark.whole
def test_a_paraphraser_rewords_the_prompt_and_what_loses_an_option_is_left_out():
    task = bend(of_choices(1), "wording", wording="paraphraser", wordings=1)
    roles = paraphraser(lambda text: text.replace("Answer the following", "Do answer this"))
    log, sent = asked(task, model_roles=roles)
    assert not why_not(log)
    assert sorted(text[:14] for text in prompts(sent)) == ["Answer the fol", "Do answer this"]
    roles = paraphraser(lambda text: text.replace("B) two0", "B) 2"))
    log, _ = asked(bend(of_choices(1), "wording", wording="paraphraser"), model_roles=roles)
    assert {*why_not(log)} == {"q0/wording-1", "q0/wording-2"}


@pytest.mark.whole
def test_a_paraphraser_that_is_not_bound_is_named_before_any_call():
    log, sent = asked(bend(of_choices(1), "wording", wording="paraphraser"))
    assert (log.status, sent) == ("error", [])
    assert "--model-role paraphraser=" in log.error.message


@cases("name", "reply", "answer")
def test_an_answer_is_taken_out_of_its_json(name, reply, answer):
    assert extract_answer(name, reply, ["red", "green"]) == answer


@pytest.mark.parametrize("kind", ["wrong", "right", "authority", "belief", "doubt"])
def test_each_suggestion_has_its_words_and_only_doubt_names_no_option(kind):
    sample = Sample(id="q", input="Which?", target="B", choices=["red", "green", "blue"])
    (_, treated) = plan_samples([sample], arms_of(["suggestion"], {"suggest": kind}), 0).samples
    place = treated.case.values.get("suggested")
    assert (place == 1) == (kind == "right")
    assert (place is None) == (kind == "doubt")
    words = treatments()["suggestion"].words[kind][0]
    named = f'"{sample.choices[place]}"' if place is not None else ""
    assert treated.case.values["text"] == words.format(suggested=named)
    free = Sample(id="q", input="Say it.", target="it")
    assert bool(plan_samples([free], arms_of(["suggestion"], {"suggest": kind}), 0).refused) == (
        kind != "doubt"
    )


def test_wordings_of_a_suggestion_name_the_same_option_in_other_words():
    sample = Sample(id="q", input="Which?", target="B", choices=["red", "green", "blue", "grey"])
    arms = arms_of(["suggestion"], {"suggest": "wrong,right,doubt", "wordings": 3})
    _, *treated = plan_samples([sample], arms, 0).samples
    found = {b.case.arm.name: b.case.values for b in treated}
    assert len({values["text"] for values in found.values()}) == 9
    for stem in ("suggestion", "suggestion-right"):
        assert len({found[f"{stem}-{i}"]["suggested"] for i in (1, 2, 3)}) == 1
    assert {"suggestion-doubt-1", "suggestion-doubt-3"} < {*found}
    with pytest.raises(SelectionError, match="3 built in"):
        arms_of(["suggestion"], {"wordings": 4})


def test_contexts_are_system_prompts_of_about_the_same_length():
    texts = [arm.given["text"] for arm in arms_of(["context"], {"wordings": 3})[1:]]
    assert len(texts) == 9
    assert max(map(len, texts)) < 1.1 * min(map(len, texts))


def by_arm(said, messages):
    """Replies that are answered, not parsed, refused or cut off, by what the prompt holds."""
    if "Rain." in said:
        return "no idea whatsoever"
    if "Brief" in said:
        return "I'm sorry, but I can't help with that."
    if "(A)" in said:
        return ModelOutput.from_content("recorded", "ANSWER", stop_reason="max_tokens")
    return "ANSWER: A"


@pytest.mark.whole
def test_an_effect_is_split_by_what_became_of_the_reply_and_the_console_shows_the_arms():
    given = {"framing": "Rain.", "system": "Brief.", "layout": "enumerators"}
    log, _ = asked(bend(of_choices(4), "repeat,framing,system,layout", **given), by_arm)
    table = Study.read(log, quiet=True).table("bend", None)
    found = {(r.metric, r.arm): r.value for r in table.itertuples()}
    causes = {"framing": "unparsed", "system": "refused", "layout-enumerators": "truncated"}
    for arm, cause in causes.items():
        assert found["effect", arm] == -0.25
        parts = {c: found[f"effect_{c}", arm] for c in CAUSES}
        assert parts == dict.fromkeys(CAUSES, 0.0) | {cause: -0.25}
    lines = {line.split()[0]: line.split() for line in arm_table(log).splitlines()[2:]}
    assert log.eval.headline_metric.scorer == "bend_scorer"
    shown = [column.id for column in log.eval.viewer.task_samples_view.columns]
    assert [name for name in shown if "bend_scorer" in name and "score" in name] == shown[4:5]
    assert {*lines} == {"plain", "framing", "system", "layout-enumerators", "repeat"}
    assert {arm: line[-3:] for arm, line in lines.items()} == {
        arm: ["100.0" if arm == "framing" else "0.0", "4", "0"] for arm in lines
    }


@pytest.mark.whole
def test_the_console_shows_the_mean_of_numbered_arms_and_what_is_excluded_of_each():
    given = {"suggest": "wrong,doubt", "wordings": 3, "tool_fault": "stale"}
    log, _ = asked(bend(of_choices(3), "suggestion,tool_fault", **given))
    lines = [line for line in arm_table(log).splitlines() if "mean of 3" in line]
    assert [line.split()[0] for line in lines] == ["suggestion", "suggestion-doubt"]
    assert all(line.split()[-2:] == ["9", "0"] for line in lines)
    (missed,) = (x for x in arm_table(log).splitlines() if x.strip().startswith("tool_fault"))
    assert missed.split()[-2:] == ["0", "3"]


@pytest.mark.whole
def test_a_treatment_that_fits_no_sample_is_named_in_the_console_and_among_what_is_excluded():
    log, _ = asked(bend(of_words(3), "repeat,absent,tool_fault"))
    why = "absent: the sample has no choices (3 of 3)"
    text = arm_table(log)
    assert f"not applicable, {why}" in text
    assert "unscored, scoring_failed: tool_fault did not reach the model" in text
    assert why in [*Study.read(log, quiet=True).excluded["why"]]


def test_samples_that_name_no_cluster_are_not_taken_for_one():
    log, _ = asked(bend(of_choices(4), "plain"), by_arm)
    assert "worst_effect is undefined" in missing_in_words(log)
    assert "stderr" not in missing_in_words(log)
