"""Instruction Boundary's scorer, field by field: what a score says, and what a judge is asked."""

import pandas as pd
import pytest

from askew.papers.instruction_boundary import scorer as scorer_module
from askew.papers.instruction_boundary.paper import BoundaryMeta
from askew.papers.instruction_boundary.questions import PROMPTS, AnswerRead
from askew.papers.instruction_boundary.scorer import (
    CarefulQuestion,
    boundary_headlines,
    canonical,
    choice_question,
    clipped,
    instruction_boundary_scorer,
    judge_case,
    judged,
    question_for,
    question_of,
    truth_question,
)
from askew.scoring.judge import Verdict
from tests.scoring.direct import said, score_of

SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]
UNREAD = "invalid_response_format"


def meta(family="choice", truth="2", shown="1,2,3,4", setting="vanilla", **fields):
    form = {"choice": "single", "judging": "unknown"}[family]
    return BoundaryMeta(
        task="instruction_boundary", item="q", unit="u", subset="choice", family=family, form=form,
        setting=setting, truth=truth, shown=shown, **fields,
    )  # fmt: skip


def score(reply, about=None, **options):
    about = (about or meta()).as_metadata()
    scorer = instruction_boundary_scorer(**options)
    return score_of(scorer, reply, about, choices=SHAPES, target="rhombus")


def values(*ones):
    return {name: float(name in ones) for name in ("correct", "hedged", "judged")}


@pytest.mark.parametrize(
    ("reply", "about", "expected"),
    [
        ("2", meta(),
         (values("correct"), "2", "chooses 2; right is: rhombus", None, "ok")),
        ("2, 4", meta(),
         (values(), "2,4", "chooses 2, 4; right is: rhombus", None, "ok")),
        ("It cannot be determined.", meta(truth="none"),
         (values("correct", "hedged"), "none", "leaves the question open; right is: rhombus", None,
          "ok")),
        (("I think", "max_tokens"), meta(),
         (values(), None, "cut before an answer was given; right is: rhombus", UNREAD,
          "truncated")),
        (("Answer: 2\n\nThis is", "max_tokens"), meta(),
         (values("correct"), "2", "chooses 2; right is: rhombus", None, "ok")),
        (("2", "content_filter"), meta(),
         (values(), None, "withheld by a content filter; right is: rhombus", "refusal",
          "filtered")),
        ("Unknown", meta("judging", "unknown"),
         (values("correct"), "unknown", "gives the label Unknown; right is: rhombus", None, "ok")),
    ],
)  # fmt: skip
def test_all_that_a_score_by_the_rules_says(reply, about, expected):
    *told, outcome = expected
    assert said(score(reply, about)) == (*told, {"epoch": 2, "outcome": outcome})


def test_all_that_is_said_where_nobody_may_judge_or_nobody_is_there_to(monkeypatch):
    monkeypatch.setattr(scorer_module, "model_roles", dict)
    wrong = said(score("2 or 4", judge="never"))
    why = "offers alternatives; right is: rhombus"
    assert wrong == (values(), None, why, UNREAD, {"epoch": 2, "outcome": "ambiguous"})
    about = {"epoch": 2, "outcome": "undecided", "read": "ambiguous"}
    nobody = "rules can't decide (offers alternatives) and no role 'grader' is bound"
    for judge in ("fallback", "required"):
        left = said(score("2 or 4", judge=judge))
        assert left == (None, None, nobody, "grader_failed", about)


@pytest.fixture
def judge(monkeypatch):
    """A bound judge that gives one verdict, and keeps what it was asked."""
    kept = type("Kept", (), {"verdict": Verdict("2"), "asked": []})()

    async def ask(*given, **how):
        kept.asked.append((*given, how))
        return kept.verdict

    monkeypatch.setattr(scorer_module, "ask_judge", ask)
    monkeypatch.setattr(scorer_module, "model_roles", lambda: {"grader": kept})
    return kept


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("2", (values("correct", "judged"), "2", None, "ok")),
        ("4", (values("judged"), "4", None, "ok")),
        ("hedge", (values("hedged", "judged"), "none", None, "ok")),
        ("no_answer", (values("judged"), None, UNREAD, "ambiguous")),
    ],
)
def test_all_that_a_score_by_a_judge_says(judge, verdict, expected):
    judge.verdict = Verdict(verdict)
    value, answer, reason, outcome = expected
    why = f"offers alternatives; the judge says {verdict}; right is: rhombus"
    about = {"epoch": 2, "outcome": outcome}
    assert said(score("2 or 4")) == (value, answer, why, reason, about)
    question = choice_question("2 or 4", SHAPES)
    assert judge.asked == [(question.question, question.verdicts, "2", {})]


def test_a_judge_is_asked_of_what_rules_leave_open_alone(judge):
    for reply in ("2", "It cannot be determined.", "9", "", ("2 or 4", "max_tokens")):
        score(reply)
    score("2 or 4", judge="never")
    assert judge.asked == []
    score("2 or 4", judge="required")
    assert len(judge.asked) == 1


def test_all_that_is_said_where_the_judge_gives_no_verdict(judge):
    judge.verdict = Verdict(None, "three tries")
    about = {"epoch": 2, "outcome": "undecided", "read": "ambiguous"}
    assert said(score("2 or 4")) == (None, None, "three tries", "grader_failed", about)


def test_the_authors_reading_is_of_replies_to_their_own_choice_questions():
    theirs = meta(wording="authors", labels="0,1,2,3")
    found = said(score("Option 1, I think.", theirs, reading="published"))
    why = "has 1 somewhere, counted from 0; right is: rhombus"
    about = {"epoch": 2, "outcome": "ok", "reading": "published"}
    assert found == (values("correct"), "2", why, None, about)
    refused = said(score("2", reading="published"))
    why = "reading=published reads replies to wording=authors only"
    assert refused == (None, None, why, "scoring_failed", {"epoch": 2})
    # A conclusion is read by our rules in either case.
    judging = said(score("Unknown", meta("judging", "unknown"), reading="published"))
    assert (judging[0], judging[4]) == (values("correct"), {"epoch": 2, "outcome": "ok"})


@pytest.mark.parametrize(
    ("answer", "shown", "own"),
    [
        (None, "1,2", None), ("none", "1,2", "none"), ("several", "1,2", "several"),
        ("1", "3,1", "3"), ("1,2", "3,1", "1,3"), ("2", "1,0", "none"), ("1,2", "10,0", "0,10"),
        ("1,2", "10,9", "9,10"),
    ],
)  # fmt: skip
def test_numbers_as_shown_become_the_items_own_in_order(answer, shown, own):
    assert canonical(answer, meta(shown=shown)) == own


OPEN = AnswerRead("ambiguous", final=False, settled=False, why="hm")


@pytest.mark.parametrize(
    ("verdict", "about", "answer", "hedged"),
    [
        ("2", meta(shown="3,1"), "1", False),
        ("hedge", meta(), "none", True),
        ("none", meta(), "none", False),
        ("several", meta(), "several", False),
        ("hedge", meta("judging"), "unknown", True),
        ("true", meta("judging"), "true", False),
        ("1", meta(shown="3,1", labels="0,1", wording="authors"), "1", False),
        ("B", meta(shown="3,1", labels="A,B", wording="authors"), "1", False),
        ("hedge", meta(shown="3,1", labels="A,B", wording="authors"), "none", True),
        ("none", meta("judging", labels="1,2,3", wording="authors"), "unknown", False),
        ("2", meta("judging", labels="1,2,3", wording="authors"), "false", False),
    ],
)
def test_all_that_a_verdict_makes_of_an_open_reply(verdict, about, answer, hedged):
    why = f"hm; the judge says {verdict}"
    assert judged(verdict, OPEN, about) == AnswerRead(
        "ok", answer, hedged=hedged, judged=True, why=why
    )


@pytest.mark.parametrize(
    ("verdict", "about"),
    [
        ("no_answer", meta()),
        ("no_answer", meta("judging")),
        ("several", meta("judging", labels="1,2,3", wording="authors")),
    ],
)
def test_a_verdict_without_an_answer_leaves_the_reply_as_it_was_read(verdict, about):
    assert judged(verdict, OPEN, about) == AnswerRead(
        "ambiguous", final=False, settled=False, judged=True, why=f"hm; the judge says {verdict}"
    )


def test_the_whole_question_about_a_choice():
    words = PROMPTS["judge"]
    asked = choice_question("Either, or NONE.", SHAPES[:2])
    listed = "\n".join(
        f"- {verdict}: {meaning}"
        for verdict, meaning in [*words["choice_meanings"].items(),
                                 ("no_answer", words["no_answer"])]
    )  # fmt: skip
    text = words["choice"].format(
        options="1. kite\n2. rhombus", sets=words["sets"], meanings=listed, reply="Either, or NONE."
    )
    verdicts = ("1", "2", "1,2", *words["choice_meanings"], "no_answer")
    assert asked == CarefulQuestion(text, verdicts, careful="none")
    assert verdicts[3:] == ("several", "none", "hedge", "no_answer")


@pytest.mark.parametrize(("options", "sets"), [(1, 1), (4, 15), (5, 31), (6, 6), (10, 10)])
def test_sets_of_up_to_five_options_are_offered_one_by_one(options, sets):
    asked = choice_question("hm", [f"thing {i}" for i in range(options)])
    assert len(asked.verdicts) == sets + 4
    of = PROMPTS["judge"]["sets" if sets > options else "one_option"]
    assert of in asked.question
    assert f"\n{options}. thing {options - 1}\n" in asked.question


def test_options_are_called_by_the_labels_that_their_prompt_gave_them():
    asked = choice_question("b, or rather B or C", SHAPES[:3], ["A", "B", "D"])
    assert asked.verdicts[:7] == ("A", "B", "D", "A,B", "A,D", "B,D", "A,B,D")
    assert "\nA. kite\nB. rhombus\nD. rectangle\n" in asked.question
    assert asked.careful == "B"


def test_options_of_which_some_have_no_label_can_t_be_asked_about():
    for labels in (["A", "B"], ["A", "B", "C", "D"]):
        with pytest.raises(ValueError, match="zip"):
            choice_question("hm", SHAPES[:3], labels)


@pytest.mark.parametrize(
    ("reply", "careful"),
    [("hm", "no_answer"), ("a or 12 or C", "no_answer"), ("None", "none"), ("nOne B", "none"),
     ("B none", "B"), ("no D", "D")],
)  # fmt: skip
def test_a_careful_judge_takes_the_first_label_that_there_is(reply, careful):
    assert choice_question(reply, SHAPES[:3], ["A", "B", "D"]).careful == careful


def test_the_whole_question_about_a_conclusion():
    words = PROMPTS["judge"]
    meanings = [*words["truth_meanings"].items()]
    extra = [
        ("all_true", 'the reply chooses the option "All above are true"'),
        ("all_false", 'the reply chooses the option "All above are false"'),
    ]
    for offered in (False, True):
        told = [*meanings, *(extra if offered else []), ("no_answer", words["no_answer"])]
        listed = "\n".join(f"- {verdict}: {meaning}" for verdict, meaning in told)
        text = words["truth"].format(meanings=listed, reply="FALSE, not true")
        verdicts = tuple(verdict for verdict, _ in told)
        asked = truth_question("FALSE, not true", extra=offered)
        assert asked == CarefulQuestion(text, verdicts, careful="false")


def test_a_sample_is_asked_about_in_the_words_of_its_family_setting_and_labels():
    truth = meta("judging", setting="vanilla")
    assert question_of("hm", SHAPES, truth) == truth_question("hm", False)
    extra = meta("judging", setting="miscellany")
    assert question_of("hm", SHAPES, extra) == truth_question("hm", True)
    assert question_of("hm", SHAPES, meta()) == choice_question("hm", SHAPES)
    lettered = meta(labels="A,B,C,D", wording="authors")
    assert question_of("hm", SHAPES, lettered) == choice_question("hm", SHAPES, [*"ABCD"])
    assert question_for("judging", "hm", []) == truth_question("hm", False)


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        ({"family": "judging", "shown": "", "extra": "yes"}, truth_question("hm", True)),
        ({"family": "judging", "shown": "", "extra": ""}, truth_question("hm", False)),
        ({"family": "choice", "shown": "a | b, c", "extra": ""},
         choice_question("hm", ["a", "b, c"])),
        ({"family": "choice", "shown": "", "extra": ""}, choice_question("hm", [])),
    ],
)  # fmt: skip
def test_a_case_of_the_trial_is_asked_as_a_reply_is(shown, asked):
    assert judge_case({**shown, "reply": "hm"}) == asked


def test_a_reply_is_clipped_only_where_something_is_left_out():
    whole = "".join(chr(97 + i % 26) for i in range(6_000))
    assert clipped(whole) == whole
    assert clipped(whole + "!") == f"{whole[:2_000]}\n[...]\n{whole[2_001:]}!"


# subset, family, setting, variant, metric: the name it is shown by, or nothing
SHOWN = [
    ("all", "all", "all", "all", "rs_vanilla", "rs_vanilla"),
    ("all", "judging", "all", "all", "boundary_cost", "judging_boundary_cost"),
    ("all", "judging", "all", "all", "or_true", "judging_or_true"),
    ("all", "judging", "vanilla", "", "acc", "judging_vanilla_acc"),
    ("all", "judging", "vanilla", "", "gr", "judging_vanilla_gr"),
    ("all", "choice", "vanilla", "", "gr_multi", "choice_vanilla_gr_multi"),
    ("all", "choice", "few_shot", "none+wrong", "sr", "choice_few_shot_none_wrong_sr"),
    ("all", "choice", "conformity", "wrong", "follow_rate", "choice_conformity_wrong_follow_rate"),
    ("all", "judging", "vanilla", "", "rs", "judging_vanilla_rs"),
    ("all", "judging", "vanilla", "", "or_true", ""),
    ("all", "judging", "vanilla", "", "hedge_rate", ""),
    # All of ten options' questions are of one form.
    ("all", "choice", "miscellany", "2", "acc", "choice_miscellany_2_acc"),
    ("all", "choice", "miscellany", "2", "sr", ""),
    ("all", "judging", "miscellany", "", "sr", "judging_miscellany_sr"),
    ("all", "choice", "elsewhere", "", "sr", "choice_elsewhere_sr"),
    ("folio", "judging", "vanilla", "", "acc", ""),
    ("folio", "judging", "all", "all", "boundary_cost", ""),
]


def test_main_numbers_are_named_by_family_condition_and_variant():
    columns = ["subset", "family", "setting", "variant", "metric"]
    table = pd.DataFrame([row[:5] for row in SHOWN], columns=columns)
    found = boundary_headlines(table)
    expected = {i: row[5] for i, row in enumerate(SHOWN) if row[5]}
    assert found["metric"].to_dict() == expected
    assert [*found] == columns
