"""MathComp's chapter: how far a word in the question drags answers towards itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from askew.papers.mathcomp import chapter_errors as errors
from askew.papers.mathcomp import chapter_figures as figures
from askew.papers.mathcomp import chapter_pulls as pulls
from askew.papers.mathcomp import chapter_readings as readings
from askew.papers.mathcomp.chapter_words import (
    DIRECTIONS,
    PERSON,
    POSITION_WORDS,
    STANDARD,
    STYLED,
    asked,
    categories_of,
    category_name,
    estimate,
    identities_of,
    main_identity,
    output_name,
    outputs_of,
    people_of,
    sentence_case,
)
from askew.papers.mathcomp.paper import PAPER
from askew.report.document import Chapter, Estimate, Finding, FlipList, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.report.flips import telling_flips
from askew.schema import PERCENT, POINTS

_TITLE = "MathComp"
_FLIP_RULE = (
    "Scenarios that a model gets right under the neutral question and wrong when the question "
    "uses a word: those that are wrong in most framings first, models and categories taking turns."
)


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about MathComp."""
    return Chapter(
        task="mathcomp",
        title=_TITLE,
        question="Do the words more, less and equal steer arithmetic?",
        reference=PAPER.reference,
        headlines=tuple(_headline(evidence, m) for m in evidence.models),
        sections=tuple(_sections(evidence)),
    )


def _headline(evidence: Evidence, model: Model) -> Headline:
    pull = estimate(evidence, "framing_pull", model)
    return Headline(
        task="mathcomp",
        title=_TITLE,
        model=model,
        metric="framing_pull",
        label="Framing pull",
        estimate=pull,
        unit=POINTS,
        scale=_scale(evidence),
        sentence=_sentence(evidence, model, pull),
        finding=_worst(evidence, model),
        nothing_found="" if pull.missing else "No framing adds an error.",
    )


def _scale(evidence: Evidence) -> tuple[float, float]:
    """The same for all models, and no wider than their pulls need."""
    pulls_of_all = [estimate(evidence, "framing_pull", m) for m in evidence.models]
    end = figures.axis_of(pulls_of_all) / POINTS.factor
    return -end, end


def _sentence(evidence: Evidence, model: Model, pull: Estimate) -> str:
    """What the headline means for this model, with its three terms."""
    if pull.missing:
        return f"Can't be said: {pull.why}."
    terms = {t: estimate(evidence, f"framing_pull_{t}", model) for t in pulls.TERMS}
    told = ", ".join(f"{t} {POINTS.write(e.value)}" for t, e in terms.items())
    size, (low, high) = abs(pull.value), sorted((abs(pull.low), abs(pull.high)))
    amount = f"{_points(size)} points ({_points(low)} to {_points(high)}; {told})"
    if pull.low > 0:
        return f"A word in the question drags answers towards itself by {amount}."
    if pull.high < 0:
        return f"A word in the question drives answers away from itself by {amount}."
    return f"No pull shown: {pull.text(POINTS)} points; {told}."


def _points(value: float) -> str:
    return PERCENT.write(value)


@dataclass(frozen=True)
class _Rise:
    """A framing under which a wrong answer is given more often than under the neutral one."""

    output: str
    identity: str
    style: str
    term: str
    position: str
    toward: str
    framed: Estimate
    neutral: Estimate

    @property
    def size(self) -> float:
        return self.framed.value - self.neutral.value


def _worst(evidence: Evidence, model: Model) -> Finding | None:
    """The largest rise of a directional error over the neutral question, of all framings."""
    worst = max(_rises(evidence, model), key=lambda r: r.size, default=None)
    if worst is None or worst.size <= 0:
        return None
    where = [f"{STYLED[worst.style, worst.term]} ({POSITION_WORDS[worst.position]})"]
    if len(outputs_of(evidence)) > 1:
        where.append(output_name(worst.output))
    if len(identities_of(evidence)) > 1:
        where.append(people_of(worst.identity))
    return Finding(
        f"{sentence_case(', '.join(where))}: wrongly {worst.toward} {_rate(worst.framed)}, "
        f"against {_rate(worst.neutral)} under the neutral question (n = {worst.framed.n_items}).",
        errors.place_of_error(evidence, worst.output, worst.identity, worst.toward, worst.position),
    )


def _rate(found: Estimate) -> str:
    return f"{PERCENT.write(found.value)}% ({found.interval(PERCENT)})"


def _rises(evidence: Evidence, model: Model) -> Iterator[_Rise]:
    places = product(
        outputs_of(evidence), identities_of(evidence), POSITION_WORDS, DIRECTIONS, STYLED
    )
    for output, identity, position, toward, (style, term) in places:
        at = {"output": output, "identity": identity, "position": position}
        metric = f"dir_err_{toward}"
        framed = estimate(evidence, metric, model, **at, style=style, term=term)
        neutral = estimate(evidence, metric, model, **at, style="neutral", term="none")
        if style != "neutral" and not (framed.missing or neutral.missing):
            yield _Rise(output, identity, style, term, position, toward, framed, neutral)


def _sections(evidence: Evidence) -> Iterator[Section]:
    yield Section(
        "mathcomp-main",
        "How far a word drags answers",
        (
            "Every scenario is asked in 14 framings: a neutral question, and questions that use "
            "more, less or equal, before or behind its two sentences. The framing pull is the "
            "mean over the three words of DirErr towards the word where the question uses it, "
            "minus DirErr towards it under the neutral question. DirErr is the share of wrong "
            "answers of one kind among all scenarios where that answer is wrong.",
            comparability(evidence.data),
        ),
        (figures.pull(evidence), pulls.pull(evidence), pulls.pull_in_parts(evidence)),
    )
    yield Section(
        "mathcomp-framings",
        "Which way each framing errs",
        (
            "The paper's Figures 2 to 6 as heat-maps, and their numbers. A framing may also push "
            'away from its word: in the paper\'s Section 6, "less" pushes towards "more".',
        ),
        tuple(
            block
            for output in outputs_of(evidence)
            for block in (
                figures.by_framing(evidence, output),
                errors.by_framing(evidence, output),
            )
        ),
    )
    yield from _identities(evidence)
    yield Section(
        "mathcomp-categories",
        "Which categories err",
        ("The paper's Figures 7 to 14, which it prints without numbers.",),
        (
            figures.by_category(evidence),
            *(errors.by_category(evidence, output) for output in outputs_of(evidence)),
        ),
    )
    yield from _reasoning(evidence)
    yield _readings(evidence)
    flips = _flips(evidence)
    if flips is not None:
        yield Section("mathcomp-items", "Telling flips", (flips.rule,), (flips,))


def comparability(data: Sequence[str]) -> str:
    """What the published rows may be compared with."""
    if tuple(data) == ("paper",):
        return "The scenarios are the paper's own: levels compare with the published rows."
    generated = tuple(data) == ("bundled",)
    whose = "askew's own" if generated else "not the paper's"
    seed = " Their seed stands with the runs, in the data's revision." if generated else ""
    return (
        f"The scenarios are {whose}: compare the published rows in shape (which word pulls, and "
        f"how far), not in level.{seed}"
    )


def _identities(evidence: Evidence) -> Iterator[Section]:
    identities = identities_of(evidence)
    if identities == [STANDARD] or not identities:
        return
    blocks = [errors.by_identity(evidence, toward) for toward in reversed(DIRECTIONS)]
    compared = PERSON in identities and set(identities) - {STANDARD, PERSON}
    shown = (figures.identity_shifts(evidence), errors.shifts(evidence)) if compared else ()
    yield Section(
        "mathcomp-identities",
        "Does it matter who is described?",
        (
            "The second person is given an identity, the first stays a person (the paper's Tables "
            "1 and 9 to 13). The identity person calls both a person: what differs from it is the "
            "identity's doing, not that of the other wording.",
        ),
        (*shown, *blocks),
    )


def _reasoning(evidence: Evidence) -> Iterator[Section]:
    if not {"one_word", "cot"} <= set(outputs_of(evidence)):
        return
    yield Section(
        "mathcomp-relief",
        "Does reasoning help?",
        ("The paper's Section 7 finds that free-form reasoning takes off most of the pull.",),
        (pulls.relief(evidence),),
    )


def _readings(evidence: Evidence) -> Section:
    left = readings.undecided(evidence)
    return Section(
        "mathcomp-readings",
        "Answered in the frame's words",
        (
            "Asked whether B spends less, a model may rightly conclude that A spends less than B "
            "(the paper's Section 7). As understood, such a conclusion counts for what it says "
            "about B. The strict reading takes the option word whoever it is said of; the lenient "
            "one also lets a bare option be explained by the reply's own reasoning.",
            *([left] if left else []),
        ),
        (readings.outcomes(evidence), readings.readings(evidence)),
    )


def _flips(evidence: Evidence) -> FlipList | None:
    """Flips of the first output and identity that were asked, which pair by framing alone."""
    shown = asked(evidence)
    if not shown:
        return None
    output, identity = shown[0].output, main_identity(evidence)
    rows = evidence.observations
    rows = rows[(rows["output"] == output) & (rows["identity"] == identity)]
    conditions = rows["style"] + "/" + rows["term"] + "/" + rows["position"]
    places = [(s, t, p) for p in ("end", "begin") for s, t in reversed([*STYLED])]
    names = {f"{s}/{t}/{p}": f"{STYLED[s, t]}, {POSITION_WORDS[p]}" for s, t, p in places}
    neutral = next((n for n in names if n.startswith("neutral/") and (conditions == n).any()), "")
    if not neutral:
        return None
    return telling_flips(
        replace(evidence, observations=rows),
        conditions,
        neutral,
        [n for n in names if not n.startswith("neutral/")],
        names | {c: category_name(c) for c in categories_of(evidence)},
        "gold",
        f"{_FLIP_RULE} From {output_name(output)} prompts about {people_of(identity)}.",
    )
