"""bend's headlines: each treatment's effect, and the most flips, against re-runs and rewordings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from askew.bend.numbers import versions_of
from askew.bend.paper import PLAIN, REPEAT, REWORDINGS, UNKNOWN_TARGET
from askew.files import yaml_of
from askew.report.blocks import Headline, fill
from askew.report.chapters import headline
from askew.report.estimates import Estimate, Model, Verdict, verdict_for
from askew.report.evidence import Evidence

_WORDS = yaml_of(__package__, "chapter.yaml")["words"]
_FLOORS: Mapping[str, str] = _WORDS["floors"]
_EFFECT, _BEYOND = "effect", "effect_beyond_rewording"


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """A line a treatment; the wordings of one are told together."""
    arms = _arms(evidence)
    for model in evidence.models:
        own = [arm for arm in arms if ("effect", model.label, arm) in _known(evidence)]
        judged = [arm for arm in own if arms[arm] not in UNKNOWN_TARGET]
        yield from (_effect(evidence, model, arm, arms[arm], len(judged)) for arm in judged)
        yield from _flips(evidence, model, own)
        yield from _preferences(evidence, model)
        if not judged:
            found = evidence.estimate("worst_effect", model)
            yield headline(evidence, model, "worst_effect", f"Undefined: {found.why}.")


def _arms(evidence: Evidence) -> dict[str, str]:
    """The arms that have a line, with their treatments."""
    rows = evidence.observations.drop_duplicates("arm")
    found = dict(zip(rows["arm"].map(str), rows["treatment"].map(str), strict=True))
    for stem, versions in versions_of(found).items():
        found = {stem if arm == versions[0] else arm: of for arm, of in found.items()}
        found = {arm: of for arm, of in found.items() if arm not in versions}
    return {arm: of for arm, of in found.items() if arm not in (PLAIN, REPEAT)}


def _known(evidence: Evidence) -> set[tuple[str, str, str]]:
    rows = evidence.rows[["metric", "model", "arm"]].astype(str)
    return set(rows.itertuples(index=False, name=None))


def _effect(evidence: Evidence, model: Model, arm: str, treatment: str, together: int) -> Headline:
    declared, at = evidence.paper.metric(_EFFECT), {"arm": arm}
    found, plain = (
        evidence.estimate(_EFFECT, model, **at), evidence.estimate("score", model, arm=PLAIN),
    )  # fmt: skip
    floor = evidence.estimate(_BEYOND, model, **at)
    is_asked = _BEYOND in evidence.asked and treatment not in REWORDINGS
    of = verdict_for(found, declared, plain, together)
    if is_asked:
        of = beyond(of, found, {"beyond_rewording": floor}, evidence, together)
    words = {
        "found": found, "label": evidence.label("arm", arm),
        "plain": plain.written, "missing": found.why,
        "beyond": floor if is_asked and not floor.missing else "",
    }  # fmt: skip
    return headline(
        evidence, model, _EFFECT, fill(_WORDS["effect"], **words), estimate=found,
        label=f"{declared.label}, {evidence.label('arm', arm)}", verdict=of,
        null_text=found.without_effect(declared),
        detected_finding=fill(_WORDS["effect_detected"], **words) if of.p_value >= 0 else "",
    )  # fmt: skip


def beyond(
    of: Verdict, found: Estimate, floors: Mapping[str, Estimate], evidence: Evidence, together: int
) -> Verdict:
    """The verdict on a number that must lie beyond each floor, by the largest p-value of all."""
    for name, floor in floors.items():
        other = verdict_for(floor, evidence.paper.metric(name), None, together)
        p_value = 1.0 if floor.value * found.value < 0 else other.p_value
        is_shown = other.detected and p_value < 1
        if of.detected and not is_shown:
            why = other.reason if floor.missing or floor.few else _WORDS["not_beyond"]
            of = Verdict("inconclusive", why.format(floor=_FLOORS[name]), p_value=of.p_value)
        # Without a test against the floor there is none of the effect.
        of = replace(of, p_value=max(of.p_value, p_value) if p_value >= 0 else p_value)
    return of


def _flips(evidence: Evidence, model: Model, arms: Sequence[str]) -> Iterator[Headline]:
    """The most flips of an arm beyond rewordings, or beyond re-runs, tested against both."""
    for name in _FLOORS:
        every = {arm: evidence.estimate(name, model, arm=arm) for arm in arms}
        if by := {arm: found for arm, found in every.items() if not found.missing}:
            break
    else:
        return
    arm = max(by, key=lambda one: by[one].value)
    declared = evidence.paper.metric(name)
    others = {
        other: found for other in _FLOORS
        if other != name and not (found := evidence.estimate(other, model, arm=arm)).missing
    }  # fmt: skip
    of = beyond(verdict_for(by[arm], declared, None, len(by)), by[arm], others, evidence, len(by))
    words = {"found": by[arm], "label": evidence.label("arm", arm),
             "noise": evidence.estimate("noise", model),
             "floors": [_FLOORS[one] for one in (name, *others)]}  # fmt: skip
    sentence, detected = (fill(_WORDS[one], **words) for one in ("flips", "flips_detected"))
    yield headline(evidence, model, declared.name, sentence, estimate=by[arm], beside=True,
                   verdict=of, detected_finding=detected)  # fmt: skip


def _preferences(evidence: Evidence, model: Model) -> Iterator[Headline]:
    """How much more often the option or tool that stands first is chosen, where that was asked."""
    for name, words in _WORDS["first"].items():
        found = evidence.estimate(name, model, arm=words["arm"])
        if found.missing:
            continue
        declared = evidence.paper.metric(name)
        words = {**words, "found": found}
        yield headline(
            evidence, model, name, fill(_WORDS["preference"], **words), estimate=found,
            beside=True, verdict=verdict_for(found, declared),
            detected_finding=fill(_WORDS["preference_detected"], **words),
        )  # fmt: skip
