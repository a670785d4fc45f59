"""The scorer: two judgements a reply, in both readings, and why a reply has no answer."""

import json

import pytest

from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.scorer import format_bias_scorer, published_marks, rightness
from tests.cases import cases
from tests.scoring.direct import score_of

OPTIONS = ("red", "green", "blue", "grey")


def meta(kind="text", name="bolding", **more):
    told = {"keys": "Task,Metric", "prompting": "zs", **more}
    return FormatBiasMeta(
        task="format_bias", item="i", cluster="i", subset="gsm8k", category="wrapping", format=name,
        demos=0, repeat=1, kind=kind, **told,
    )  # fmt: skip


def score(reply, about=None, target="150", **options):
    about = about or meta()
    return score_of(
        format_bias_scorer(**options), reply, about.as_metadata(), choices=OPTIONS,
        target=target if isinstance(target, str) else json.dumps(target),
    )  # fmt: skip


def scored(reply, name="bolding", target="150", kind="text", stop="stop", **options):
    n_elements = len(target) if isinstance(target, list) else 0
    return score((reply, stop), meta(kind, name, n_elements=n_elements), target, **options)


def test_the_first_of_several_matches_scores_though_the_format_is_missed():
    reply = "**150** or **151**"
    assert scored(reply).value == {"format_ok": 0.0, "score": 1.0}
    assert scored(reply, extraction="strict").value == {"format_ok": 0.0, "score": 0.0}
    assert scored("**150**", extraction="strict").value == {"format_ok": 1.0, "score": 1.0}


@cases("reply", "stop", "outcome")
def test_why_there_is_an_answer_or_none(reply, stop, outcome):
    score = scored(reply, stop=stop)
    assert score.metadata["outcome"] == outcome
    assert score.value["score"] == float(outcome == "ok")


def test_a_repeated_instruction_passes_by_default_and_fails_if_strict():
    said = "So I wrap the final answer by <ANSWER> and </ANSWER>.\n<ANSWER>1875</ANSWER>"
    default = scored(said, "special_character", "1875", "text")
    assert (default.answer, default.value["format_ok"]) == ("and", 1.0)
    strict = scored(said, "special_character", "1875", "text", extraction="strict")
    assert strict.value == {"format_ok": 0.0, "score": 0.0}
    plain = scored("<ANSWER>1875</ANSWER>", "special_character", "1875", "text")
    assert "tolerated" not in plain.metadata


def test_the_authors_map_takes_the_reply_for_the_truth():
    flattering = scored(str([1] * 9), "python", [0] * 8 + [1], "ranking")
    assert flattering.metadata["map_as_published"] == 1.0
    assert flattering.value["score"] < 1.0
    unread = scored("none of them", "python", [0, 0, 1], "ranking")
    assert unread.metadata["map_as_published"] == 0.0
    assert "map_as_published" not in scored("**1**").metadata


@cases("reply", "name", "follows")
def test_the_authors_take_a_ranking_of_any_length_and_nothing_around_it(reply, name, follows):
    found = scored(reply, name, [0, 1, 0], "ranking")
    assert found.metadata["format_ok_as_published"] == follows
    assert found.value["format_ok"] == 0
    assert (found.metadata["map_as_published"] > 0) == bool(follows)


@cases("reply", "name", "marks")
def test_the_authors_need_no_closing_tag_around_a_ranking(reply, name, marks):
    reasoned = meta("ranking", name, n_elements=3, prompting="cot")
    assert published_marks(f"Step by step: {reply}", reasoned) == marks
    assert published_marks(reply, meta("ranking", name, n_elements=3)) is None


RANKING, PHRASES = meta("ranking", "python", n_elements=3), meta("keyphrases", "bullet")


@cases("kind", "value", "target", "right")
def test_every_kind_of_answer_by_the_papers_measure(kind, value, target, right):
    about = meta(kind)
    assert rightness(value, target, about) == pytest.approx(right)
    assert rightness(value, target, about, credit="exact") == pytest.approx(right)
    assert rightness(None, target, about) == 0


def test_ties_in_a_ranking_are_ordered_by_the_item():
    def at(item):
        about = RANKING.model_copy(update={"item": item})
        return rightness([1, 1, 1, 0], "[0, 1, 0, 1]", about)

    assert [at("i"), at("j"), at("i")] == pytest.approx([5 / 12, 1 / 2, 5 / 12])


@cases("kind", "accepted", "value", "target", "by_declared", "exact", "contained")
def test_credit_by_what_is_declared(kind, accepted, value, target, by_declared, exact, contained):
    about = meta(kind) if accepted is None else meta(kind, accepted=json.dumps(accepted))
    wanted = {"declared": by_declared, "exact": exact, "contained": contained}
    found = {credit: rightness(value, target, about, credit=credit) for credit in wanted}
    assert found == pytest.approx(wanted)


def test_case_of_phrases_counts_unless_the_scorer_folds_it():
    for casefold, right in ((False, 0), (True, 1)):
        assert rightness(["Tide"], '["tide"]', meta("keyphrases"), casefold) == right
        found = score("- Tide", PHRASES, ["tide"], casefold=casefold)
        assert found.value == {"format_ok": 1.0, "score": right}
    assert score("- Tide", PHRASES, ["tide"]).value["score"] == 0
