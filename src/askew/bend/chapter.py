"""bend's headlines, each against re-runs and rewordings, and the console's line an arm."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import click
from inspect_ai.hooks import Hooks, RunEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.util import display_type

from askew.bend.control import PLANS
from askew.bend.numbers import versions_of
from askew.bend.paper import PAPER, PLAIN, REPEAT, REWORDINGS, UNKNOWN_TARGET
from askew.files import yaml_of
from askew.logs.tables import UNFIT
from askew.report.blocks import Document, Headline, Part, Section, fill, make_table
from askew.report.chapters import headline
from askew.report.estimates import Estimate, Model, Verdict, verdict_for
from askew.report.evidence import Evidence
from askew.report.render import terminal_text, terminal_width
from askew.report.study import Study
from askew.schema import PERCENT, POINTS
from askew.untrusted import one_line

_WORDS = yaml_of(__package__, "chapter.yaml")["words"]
_FLOORS: Mapping[str, str] = _WORDS["floors"]
_EFFECT, _BEYOND = "effect", "effect_beyond_rewording"


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """A line a treatment; the wordings of one are told together."""
    arms, rows = _arms(evidence), evidence.rows[["metric", "model", "arm"]].astype(str)
    known = {*rows.itertuples(index=False, name=None)}
    for model in evidence.models:
        own = [arm for arm in arms if ("effect", model.label, arm) in known]
        judged = [arm for arm in own if arms[arm] not in UNKNOWN_TARGET]
        yield from (_effect(evidence, model, arm, arms[arm], len(judged)) for arm in judged)
        yield from _flips(evidence, model, own)
        yield from _preferences(evidence, model)
        if not judged:
            found = evidence.estimate("worst_effect", model)
            yield headline(evidence, model, "worst_effect", f"Undefined: {found.why}.")


def _arms(evidence: Evidence) -> dict[str, str]:
    """The arms that have a line, with their treatments; numbered versions of one are one."""
    rows = evidence.observations.drop_duplicates("arm")
    found = dict(zip(rows["arm"].map(str), rows["treatment"].map(str), strict=True))
    stems = {arm: stem for stem, own in versions_of(found).items() for arm in own}
    lines = {stems.get(arm, arm): of for arm, of in found.items()}
    return {arm: of for arm, of in lines.items() if arm not in (PLAIN, REPEAT)}


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


# --- what the console shows at the end of a run ---


def arm_table(log: EvalLog | str) -> str:
    """A line an arm, the mean of its numbered versions; then what fits or reaches no sample."""
    header = read_eval_log(log, header_only=True) if isinstance(log, str) else log
    study = Study.read(log, quiet=True)
    if PAPER.task not in study.by_task:
        return ""
    rows, table = study.by_task[PAPER.task], study.table(PAPER.task)
    table = table[(table["subset"] == "all") & (table["model"] != "all")]
    found = {(r["metric"], r["arm"]): r for r in table.to_dict("records")}
    asked = Counter(str(n).rpartition("/")[2] for n in header.eval.dataset.sample_ids or ())
    scored, epochs = Counter(rows["arm"].map(str)), header.eval.config.epochs or 1
    versions = versions_of(asked)
    of_version = {arm: stem for stem, own in versions.items() for arm in own}

    def percent(metric: str, arm: str) -> str:
        return PERCENT.write(found[metric, arm]["value"]) if (metric, arm) in found else ""

    lines = []
    for arm in dict.fromkeys(of_version.get(arm, arm) for arm in asked):
        own = versions.get(arm, (arm,))
        n, row = sum(scored[one] for one in own), found.get(("effect", arm))
        of = Estimate(row["value"], row["low"], row["high"], unit=POINTS) if row else None
        effect = f"{of.written}{of.interval and f' ({of.interval})'}" if of else ""
        lines.append({"cells": {
            "arm": one_line(arm) + (f" (mean of {len(own)})" if len(own) > 1 else ""),
            "score, %": percent("score", arm),
            "effect, points (95% CI)": effect,
            "flips, %": percent("flips", arm),
            "not parsed, %": percent("unparsed", arm),
            "samples": str(n),
            "excluded": str(max(0, sum(asked[one] for one in own) * epochs - n)),
        }})  # fmt: skip
    subset = one_line(str(rows["subset"].iloc[0]))
    block = make_table({"caption": "{{ subset }}"}, lines, "arms", subset=subset)
    part = Part("arms", "", [Section("", "", (), [block])])
    text = terminal_text(Document("", "", [part], dict), terminal_width())
    absent = study.excluded[study.excluded["what"].isin([UNFIT, "unscored"])]
    return "\n".join([text.rstrip(), *(f"{row.what}, {row.why}" for row in absent.itertuples())])


class BendRuns(Hooks):
    """Keeps runs' settings for control logs, and prints the arms of whole runs if a display is."""

    async def on_task_start(self, data: TaskStart) -> None:
        if "control" in (data.spec.metadata or {}):
            PLANS[data.eval_id] = data.plan

    async def on_run_end(self, data: RunEnd) -> None:
        for log in data.logs if display_type() != "none" else ():
            paper = (log.eval.metadata or {}).get("paper")
            is_whole = paper == PAPER.task and log.status == "success"
            if is_whole and (text := arm_table(log.location or log)):
                click.echo(f"\n{text}\n")


@cache
def follow_runs() -> None:
    """Let Inspect know of it, once."""
    hooks(name="bend_summary", description="Shows the arms of a bent task.")(BendRuns)
