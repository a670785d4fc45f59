"""Live numbers of a paper that is made up for it: which, in which order, and of what."""

from inspect_ai.scorer import SampleScore, Score

from askew.scoring.outcome import observations_of


def test_observations_are_the_scored_samples_with_what_they_and_their_scores_say():
    known = SampleScore(
        score=Score(value={"correct": 1.0}, answer="B", metadata={"epoch": 2, "outcome": "empty"}),
        sample_metadata={"item": "i", "tier": "hard"},
    )
    bare = SampleScore(score=Score(value={"item": "k", "correct": 0.0}, answer="C"))
    left = SampleScore(score=Score(value=1.0), sample_metadata={"item": "j"})
    assert observations_of([known, left, bare]).to_dict("records") == [
        {"item": "i", "tier": "hard", "correct": 1.0, "epoch": 2, "outcome": "empty",
         "answer": "B"},
        {"item": "k", "tier": "", "correct": 0.0, "epoch": 1, "outcome": "ok", "answer": "C"},
    ]  # fmt: skip
    assert observations_of([left]).empty
