"""What Instruction Boundary's chapter.yaml can't say: families, settings, and the worst of them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from askew.files import toml_of, yaml_of
from askew.papers.instruction_boundary import paper
from askew.papers.instruction_boundary.paper import DISTANCE, SETTINGS, VANILLA, SettingVariant
from askew.report.blocks import Cell, Headline, fill
from askew.report.chapters import Fall, headline, verdict_of, worst
from askew.report.estimates import Estimate
from askew.report.evidence import OVERALL, Evidence, Place
from askew.schema import NOT_APPLICABLE

_WORDS = yaml_of(__package__, "chapter.yaml")["words"]
_FAMILIES: Mapping[str, paper.QuestionFamily] = {str(f): of for f, of in paper.FAMILIES.items()}


def label(evidence: Evidence, at: Mapping[str, str]) -> str:
    """Values of levels in words: setting and variant make one condition."""
    told = []
    for level, value in at.items():
        if level == "setting":
            told.append(SettingVariant(value, at.get("variant", "")).name)
        elif level != "variant" or "setting" not in at:
            known = _FAMILIES.get(value) if level == "family" else None
            told.append(known.label if known else evidence.label(level, value))
    return ": ".join(told)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """RS under vanilla and what the worst setting costs; of choice where nothing was judged."""
    families = evidence.values("family")
    family = "judging" if "judging" in families or not families else "choice"
    prefix, suffix = ("", "") if family == "judging" else (f"{family}_", f", {family}")
    at: dict[str, str] = {"family": family} if families else {}
    for model in evidence.models:
        # The authors' reading is there to compare levels, and bends them.
        if _all(evidence.of(model), "reading", "published"):
            none = Estimate(math.nan, reason="read by the authors' rules")
            yield headline(evidence, model, "rs_vanilla", _WORDS["read_by_theirs"], estimate=none)
            continue
        plain, cost = (evidence.estimate(m, model, **at) for m in ("rs_vanilla", "boundary_cost"))
        cost = replace(cost, unit=DISTANCE)
        of = verdict_of(evidence, model, cost, plain, 1, **at)
        place = Place(at=at, model=model.label, kind=model.kind)
        low = _lowest(evidence, place)
        lowest = label(evidence, low.at) if low else ""
        ends = [evidence.number(p) for p in (_plain(low), low)] if low else []
        costs = {f: evidence.estimate("boundary_cost", model, family=f) for f in families}
        words = {
            "found": cost, "ends": ends, "lowest": lowest,
            "others": [
                {"label": _FAMILIES[f].label, "cost": theirs}
                for f, theirs in costs.items()
                if f != family and not theirs.missing
            ],
        }  # fmt: skip
        heads = [
            headline(
                evidence, model, "rs_vanilla", _rates(evidence, place),
                label=f"RS under vanilla{suffix}", estimate=plain,
            ),
            headline(
                evidence, model, "boundary_cost",
                fill(_WORDS["missing" if cost.missing else "cost"], **words), of,
                finding=worst([_fall(evidence, place, low)], of) if low else "",
                screen={"lowest": lowest.partition(": ")[2]}, label=f"Boundary cost{suffix}",
                estimate=cost,
            ),
        ]  # fmt: skip
        yield from (replace(one, metric=prefix + one.metric) for one in heads)


def _all(observations: pd.DataFrame, column: str, value: str) -> bool:
    """Whether all choice questions have a value; what is not said of them is another."""
    if column not in observations:
        return False
    choice = observations.loc[observations["family"] == "choice", column]
    return len(choice) > 0 and bool((choice == value).all())


def _rates(evidence: Evidence, place: Place) -> str:
    """What the model gets right under vanilla, family by family."""
    texts = []
    for family in evidence.values("family"):
        at = {"family": family, "setting": VANILLA, "variant": ""}
        rates = {
            name: evidence.number(replace(place, metric=name, at=at))
            for name in _FAMILIES[family].rates
        }
        why = next((found.why for found in rates.values() if found.missing), "")
        texts.append(fill(_WORDS[family], why=why, **rates))
    return " ".join(texts) or "Undefined: no question was run."


def _lowest(evidence: Evidence, place: Place) -> Place | None:
    """The condition with the lowest RS on the same items, where it is lower than vanilla's."""
    printed = place.kind == "published"
    scored = replace(place, metric="rs" if printed else "rs_paired")
    rows = evidence.printed if printed else evidence.rows
    if "family" not in place.at:
        return None
    rows = rows[(rows["metric"] == scored.metric) & (rows["family"] == place.at["family"])]
    rows = rows[~rows["setting"].isin((VANILLA, OVERALL)) & (rows["subset"] == OVERALL)]
    places = [
        replace(scored, at={**place.at, "setting": str(s), "variant": str(v)})
        for s, v in rows[["setting", "variant"]].drop_duplicates().itertuples(index=False)
    ]
    before = evidence.number(_plain(scored)).value
    lower = [p for p in places if evidence.number(p).value < before]
    return min(lower, key=lambda p: evidence.number(p).value, default=None)


def _plain(place: Place) -> Place:
    return replace(place, at={**place.at, "setting": VANILLA, "variant": ""})


def _fall(evidence: Evidence, place: Place, low: Place) -> Fall:
    """The largest fall of RS from vanilla in a family."""
    before, after = (evidence.number(p) for p in (_plain(low), low))
    of = {"label": label(evidence, low.at), "before": before, "after": after, "n": after.n_items}
    return after, before.value - after.value, partial(fill, _WORDS["fall"], **of)


def worst_setting(evidence: Evidence, place: Place) -> Cell:
    """The setting with the lowest RS."""
    if _is_partial(evidence, place):
        return Cell(NOT_APPLICABLE)
    if (found := _lowest(evidence, place)) is None:
        return Cell("none is lower")
    if place.kind == "published":
        return Cell(SETTINGS[found.at["setting"]].label)
    return Cell(SettingVariant(found.at["setting"], found.at["variant"]).name)


def worst_score(evidence: Evidence, place: Place) -> Cell:
    """RS there, on the items that the cost is of."""
    if (found := _lowest(evidence, place)) is None or _is_partial(evidence, place):
        return Cell(NOT_APPLICABLE)
    return Cell(estimate=evidence.number(found), levels=found.at)


def _is_partial(evidence: Evidence, place: Place) -> bool:
    """Whether not all that was printed stands beside what was asked."""
    cost = replace(place, metric="boundary_cost")
    return place.kind == "published" and evidence.number(cost).missing


def wording(evidence: Evidence) -> list[str]:
    """What the published rows may be compared with where the questions are the paper's."""
    if tuple(evidence.data) != ("paper",):
        return []
    rows = evidence.observations
    if not _all(rows, "wording", "authors"):
        return [_WORDS["own_words"].format(some=" of some models" * ("wording" in rows))]
    return [_WORDS["their_reading" if _all(rows, "reading", "published") else "their_words"]]


# Settings of choice in which our prompts change something else than the authors' do.
_OTHER_HERE = ("multi_turn", "few_shot", "prompt_polishing")
_NOTES = toml_of(__package__, "published/notes.toml")


def published_rows(printed: pd.DataFrame, observations: pd.DataFrame) -> pd.DataFrame:
    """The printed numbers that mean what was asked.

    Where only askew's prompts were, choice has none in settings that change something else, and
    no cost of the worst of them; beside both wordings these are marked.
    """
    wording = observations["wording"] if "wording" in observations else pd.Series(dtype=object)
    other = printed["setting"].isin(_OTHER_HERE) | (printed["metric"] == "boundary_cost")
    other &= printed["family"] == "choice"
    if not (wording == "authors").any():
        return printed[~other]
    if not wording.isna().any():
        return printed
    notes = (printed["note"] + " " + _NOTES["their_words"]).str.strip()
    return printed.assign(note=printed["note"].mask(other, notes))
