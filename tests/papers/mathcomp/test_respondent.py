"""MathComp's voices: every tendency shows in the replies, and only where it should."""

import dataclasses

import pytest

from askew.papers.mathcomp import respondent
from askew.papers.mathcomp.framings import FRAMINGS
from askew.papers.mathcomp.items import load
from askew.papers.mathcomp.paper import OUTPUTS
from askew.papers.mathcomp.reading import read_comparison

ITEMS = load("bundled").items[::8]


def truths(output="one_word", identity="standard", framings=FRAMINGS):
    for item in ITEMS:
        for f in framings:
            yield {
                "item": item.id, "epoch": 1, "gold": item.label, "output": output,
                "identity": identity, "style": f.style, "term": f.term, "position": f.position,
                "person_a": "Alex", "person_b": "Sam",
                "sample_id": f"{item.id}/{f.style}/{f.term}/{f.position}/{output}/{identity}",
            }  # fmt: skip


def readings(name, truths, **changes):
    tendencies = dataclasses.replace(respondent.TENDENCIES[name], **changes)
    for truth in truths:
        reply = respondent.reply(truth, tendencies, name, 0)
        yield truth, read_comparison(reply, truth["person_a"], truth["person_b"])


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags)


@pytest.mark.whole
@pytest.mark.parametrize("output", ["cot", "cot_json"])
def test_a_conclusion_uses_the_frames_words_only_if_they_fit(output):
    asked = [t for t in truths(output) if t["term"] in ("more", "less") and t["gold"] != "equal"]
    framed = []
    for truth, reading in readings("oracle", asked, frames_words=1.0):
        fits = truth["term"] != truth["gold"]
        framed.append(fits)
        assert (reading.outcome == "frames_words") == fits
        assert reading.lenient == truth["gold"]
        assert reading.strict == (truth["term"] if fits else truth["gold"])
    assert 0 < share(framed) < 1


@pytest.mark.whole
@pytest.mark.parametrize("output", OUTPUTS)
def test_what_is_expected_of_each_reading_is_what_is_read(output):
    planted = dataclasses.replace(respondent.TENDENCIES["oracle"], frames_words=1.0)
    found = [(t["gold"], r) for t, r in readings("oracle", truths(output), frames_words=1.0)]
    expected = {e.metric: e.value for e in respondent.expected([*truths(output)], planted)}
    assert expected["accuracy"] == pytest.approx(share(r.answer == y for y, r in found))
    assert expected["accuracy_strict"] == pytest.approx(share(r.strict == y for y, r in found))
    assert expected["accuracy_lenient"] == pytest.approx(share(r.lenient == y for y, r in found))
    apart = share(r.strict != r.lenient for _, r in found)
    assert expected["frames_words_rate"] == pytest.approx(apart)
    assert (apart > 0) == OUTPUTS[output].reasons
