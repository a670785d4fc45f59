"""A chapter from `chapter.yaml` beside a paper: `headlines`, `sections` of blocks, and `units`.

What YAML can't say stands in the paper's `chapter.py`, or the part that its `code` names:
`extend_evidence(evidence)`, `published_rows(printed, observations)`, `label(evidence, at)`,
`headlines(evidence)`, and functions that blocks and columns call. Without both a paper gets its
declared headlines and all numbers.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from askew.files import fill_text, yaml_of
from askew.logs.tables import NOT_STOPPED, STOPPED
from askew.report import blocks as page
from askew.report.charts import figure
from askew.report.estimates import Estimate, Model, Verdict, verdict_for
from askew.report.evidence import Entry, Evidence, Place, TableGroup
from askew.report.flips import flip_list, with_transcripts
from askew.schema import NOT_APPLICABLE
from askew.stats.intervals import ROUNDING
from askew.untrusted import one_line

_WORDS = yaml_of("askew.report", "report.yaml")
Fall = tuple[Estimate, float, Callable[[], str]]
"""A number, how far it is from what it should be, and the words for it, if they are told."""


def chapter(evidence: Evidence) -> page.Chapter:
    """All that the report says about the evidence's task."""
    paper, code = evidence.paper, evidence.code
    if hasattr(code, "extend_evidence"):
        evidence = code.extend_evidence(evidence)
    found = code.headlines(evidence) if hasattr(code, "headlines") else _headlines(evidence)
    return page.Chapter(
        id=paper.task, short=paper.name, title=paper.name, question=paper.question,
        reference=paper.citation, headlines=tuple(_asked_how(h, evidence) for h in found),
        sections=[*_sections(evidence)],
    )  # fmt: skip


def _headlines(evidence: Evidence) -> Iterator[page.Headline]:
    """The headlines of each model; those that the paper declares where its chapter has none."""
    paper, known = evidence.paper, set(evidence.rows["metric"])
    plain = [{"metric": m, "said": ""} for m in paper.headlines if m in known]
    for model in evidence.models:
        for entry in evidence.told.get("headlines", plain):
            names = [entry["metric"]] if isinstance(entry["metric"], str) else entry["metric"]
            valued = (n for n in names if not evidence.estimate(n, model).missing)
            metric = next(valued, names[0])
            found, declared = evidence.estimate(metric, model), paper.metric(metric)
            if entry.get("optional") and found.missing:
                continue
            made = headline(evidence, model, metric, "")
            if made.verdict and "finding" in entry:
                falls = _falls(evidence, model, entry["finding"])
                made = replace(made, finding=worst(falls, made.verdict))
            sentence = f"{declared.meaning.capitalize() or declared.label}, over all subsets."
            if found.missing:
                sentence = f"Undefined: {found.why}."
            elif entry["said"]:
                sentence = page.fill(
                    entry["said"], number=partial(evidence.estimate, model=model), found=found,
                    of=made.verdict, label=declared.label,
                    fewest=partial(_fewest, evidence, model),
                )  # fmt: skip
            yield replace(made, sentence=sentence)


def _fewest(evidence: Evidence, model: Model, name: str, level: str) -> int:
    values = evidence.values(level)
    return min((evidence.estimate(name, model, **{level: v}).n_items for v in values), default=0)


def _falls(evidence: Evidence, model: Model, entry: Entry) -> Iterator[Fall]:
    """How far (`size`) each number is from what it should be or one `against` it, in words."""
    other = entry.get("against", {})
    for metric in entry["metrics"]:
        for place in evidence.places({"by": [], **entry, "metric": metric}):
            at = {**place.at, **other.get("at", {})}
            found = evidence.estimate(metric, model, **place.at)
            before = evidence.estimate(other.get("metric", metric), model, **at)
            words: dict[str, Any] = {
                "found": found, "metric": evidence.paper.metric(metric), "place": place,
                "label": lambda level, at=place.at: evidence.label(level, at[level]),
                "n": found.n_items, "before": before,
            }  # fmt: skip
            size = float(page.fill(entry["size"], **words))
            yield found, size, partial(page.fill, entry["said"], **words)


def worst(found: Iterable[Fall], of: Verdict) -> str:
    """The largest of numbers with their size, in a sentence.

    Nothing where no bend is shown on the whole, or on too few items.
    """
    some = [one for one in found if of.detected and one[1] > ROUNDING and not one[0].few]
    return max(some, key=lambda one: one[1])[2]() if some else ""


def headline(
    evidence: Evidence,
    model: Model,
    metric: str,
    sentence: str,
    of: Verdict | None = None,
    screen: Mapping[str, str] | None = None,
    **other: Any,
) -> page.Headline:
    """A model's number over everything that was asked, as its metric is declared.

    The number that the paper looks for a bend with gets its verdict: `of` if that is not the one
    over all. `screen` has words for the chapter's sentence in the summary; `other` fields of the
    headline differ from the declaration.
    """
    declared = evidence.paper.metric(metric)
    fields: dict[str, Any] = {
        "task": evidence.task, "title": evidence.paper.name, "model": model, "metric": metric,
        "label": declared.label or metric.replace("_", " "),
        "estimate": evidence.estimate(metric, model), "sentence": sentence,
    }  # fmt: skip
    made = page.Headline(**fields | other)
    bend, found = evidence.paper.bend, made.estimate
    if not bend or bend.metric != metric:
        return made
    template = "" if found.missing else evidence.told.get("screen", "")
    return replace(
        made, verdict=of or verdict_of(evidence, model, found),
        null_text=found.without_effect(declared),
        detected_finding=page.fill(template, **{"found": found, **(screen or {})}),
    )  # fmt: skip


def verdict_of(
    evidence: Evidence,
    model: Model,
    found: Estimate,
    base: Estimate | None = None,
    together: int = 1,
    **at: str,
) -> Verdict:
    """What may be said of a number that the paper looks for a bend with, at a place `at`.

    `base` is the rate that it is taken off, as declared where it is not given, `together` of how
    many such numbers the clearest will be picked.
    """
    bend = evidence.paper.bend
    assert bend, f"{evidence.task} declares no bend"
    if base is None and bend.base:
        base = evidence.estimate(bend.base, model, **bend.base_at)
    verdict = verdict_for(found, evidence.paper.metric(bend.metric), base, together)
    return replace(verdict, there=evidence.there(bend.metric, model, at))


def _asked_how(found: page.Headline, evidence: Evidence) -> page.Headline:
    """The headline of a model that was asked otherwise, or only so long, says how."""
    sentences, of = [found.sentence], found.estimate
    if of.lost:
        ends = [of.unit.write(value) for value in (of.lost_wrong, of.lost_right)]
        sentences.append(_WORDS["lost"].format(lost=of.lost, wrong=ends[0], right=ends[1]))
    if found.model.apart:
        how = found.model.apart.partition(" ")[2]
        sentences.append(f"Settings differ from the other models: {how}.")
    if evidence.losses is not None:
        lost = evidence.losses[evidence.losses["model"] == found.model.label]
        stopped = lost.loc[lost["what"].isin((STOPPED, NOT_STOPPED)), "why"]
        sentences += [f"{why[:1].upper()}{why[1:]}." for why in dict.fromkeys(stopped)]
    return replace(found, sentence=" ".join(sentences))


def _with_marks(block: page.Block, apart: Mapping[str, str]) -> page.Block:
    """A table or figure that says what the marks at its models' names mean."""
    if isinstance(block, page.Table):
        names = " ".join(n for g in block.groups for n in (g.title, *(r.head for r in g.rows)))
        used = {mark: why for mark, why in apart.items() if mark in names}
        return replace(block, notes={**block.notes, **used})
    if isinstance(block, page.Figure):
        sentences = (block.reading, *(f"{mark} {why}." for mark, why in apart.items()))
        return replace(block, reading=" ".join(sentences))
    return block


def _sections(evidence: Evidence) -> Iterator[page.Section]:
    """The sections of which something can be shown."""
    for entry in evidence.told.get("sections") or _all_numbers(evidence):
        for own, at, words in _expand(evidence, entry):
            if "if" in entry and not getattr(own.code, entry["if"])(own):
                continue
            blocks = [
                b for block in entry.get("blocks", ()) for b in _blocks(own, block, at, words)
            ]
            if not blocks:
                continue
            data = tuple(own.data)
            named = {"shape": "", "what": "questions", "otherwise": "", **entry.get("compare", {})}
            values = {
                **words,
                "data": data,
                "comparability": page.fill(_WORDS["comparability"], data=data, **named),
                "ways": {f.name: ", ".join(map(f.label, f.conditions)) for f in own.paper.factors},
            }
            paragraphs = [page.fill(one, **values) for one in entry.get("said", ())]
            if "add" in entry:
                paragraphs += getattr(own.code, entry["add"])(own)
            paragraphs += [b.rule for b in blocks if isinstance(b, page.Flips)]
            id, title = (page.fill(entry[name], **values) for name in ("id", "title"))
            yield page.Section(id, title, [*filter(None, paragraphs)], blocks)


def _expand(
    evidence: Evidence, entry: Entry
) -> Iterator[tuple[Evidence, dict[str, str], dict[str, Any]]]:
    """What a section or block is made from: once, or for `each` value of a level by itself."""
    level = entry.get("each")
    if level is None:
        yield evidence, {}, {}
    elif level in evidence.levels:
        for value in evidence.chosen(level, entry):
            own = evidence.narrowed(level, value)
            named = own.words({level: value})
            title = named[:1].upper() + named[1:]
            slug = evidence.slug(level, value)
            values = {"value": value, "label": named, "title": title, "slug": slug}
            yield own, {level: value}, values


def _blocks(
    evidence: Evidence, entry: Entry, at: Mapping[str, str], words: Mapping[str, Any]
) -> Iterator[page.Block]:
    for own, more, text in _expand(evidence, entry):
        where = own.where(entry.get("where", {}))
        slug = "-".join(own.slug(n, v) for n, v in where.items() if v)
        values = {**words, **text, "where": own.words(where), "where_slug": slug}
        kind = next(k for k in ("table", "figure", "flips", "call") if k in entry)
        texts = {k: page.fill(v, **values) for k, v in entry.items() if isinstance(v, str)}
        block = {**entry, **texts}
        made: page.Block | None
        if kind == "call":
            made = getattr(own.code, block["call"])(own)
        elif kind == "flips":
            made = flip_list(own, block)
            made = with_transcripts(made) if made and own.transcripts else made
        else:
            made = (table if kind == "table" else figure)(own, block, block[kind], {**at, **more})
        if made is not None:
            yield _with_marks(made, evidence.apart)


def _all_numbers(evidence: Evidence) -> Sequence[Entry]:
    """One section with every number that was measured, a table a metric."""
    shown, levels = _WORDS["all_numbers"], [*evidence.levels]
    tables = []
    for number, name in enumerate(dict.fromkeys(map(str, evidence.rows["metric"]))):
        label, unit = evidence.paper.metric(name).label or name, evidence.unit(name).name
        values = {"id": f"{evidence.task}-metric-{number}", "metric": name, "levels": levels,
                  "head": ", ".join(levels), "caption": one_line(label),
                  "unit": unit or "value"}  # fmt: skip
        tables.append(fill_text(shown["table"], values))
    return [{**shown, "id": f"{evidence.task}-numbers", "blocks": tables}]


# Tables

_MARKS = "abcdefghijklmnopqrstuvwxyz"


def table(evidence: Evidence, block: Entry, id: str, at: Mapping[str, str]) -> page.Table | None:
    """A table as a chapter's YAML declares it; None where nothing of it was asked.

    A column is a metric, the number of `items` of one, a `count` of observations, a `rank` by a
    metric, or what the chapter's code makes of a row (`call`); a metric's cell may get a `mark`
    from there. Behind a metric that noise moves one way stand its noise-corrected values.
    """
    if not (parts := evidence.cuts(block, at)):
        return None
    notes: dict[str, str] = {}
    groups, every = [], []
    for part in parts:
        rows, slug = [], part.group.slug
        for row in part.rows:
            every.append([_cell(evidence, part, row, of, notes) for of in part.columns])
            rows.append(page.Row(row.title, every[-1], row.kind))
        groups.append(
            page.Group(rows, _title(evidence, part.group), f"{id}-{slug}" if slug else "")
        )
    columns = [_column(evidence, column) for column in parts[0].columns]
    for i in reversed(range(len(columns))):
        found = [cells[i].estimate for cells in every]
        if any(of and of.corrected != NOT_APPLICABLE for of in found):
            columns.insert(i + 1, page.Column("Corrected", "noise-corrected"))
            for cells, of in zip(every, found, strict=True):
                cells.insert(i + 1, page.Cell(of.corrected if of else NOT_APPLICABLE))
    used = {cell.mark for cells in every for cell in cells}
    marks = {mark: text for mark, text in block.get("marks", {}).items() if mark in used}
    printed = any(row.kind == "published" for part in parts for row in part.rows)
    sources = (block.get("published_source", "") if printed else "", block.get("source", ""))
    return page.Table(
        id=id, caption=block["caption"], head=block.get("head", "Model"), groups=groups,
        columns=columns, notes={**marks, **{mark: text for text, mark in notes.items()}},
        source=" ".join(filter(None, sources)),
    )  # fmt: skip


def _title(evidence: Evidence, group: Place) -> str:
    """A group's heading: a model's says what a badge says beside a row, a metric's its meaning."""
    if "label" in group.told or not group.told.get("metric") or group.told.get("by"):
        return group.marked
    return ": ".join(filter(None, (group.title, evidence.paper.metric(group.metric).meaning)))


def _column(evidence: Evidence, column: Place) -> page.Column:
    entry, meaning = column.told, column.told.get("meaning", "")
    if "items" in entry:
        return page.Column("Items", meaning)
    # Of several columns with one number, each has the name of its place.
    if entry.get("by") or not column.metric:
        return page.Column(column.title, meaning, entry.get("numeric", "call" not in entry))
    declared = evidence.paper.metric(column.metric)
    label = entry.get("label") or declared.label or column.metric.replace("_", " ")
    meaning = meaning or ("" if "label" in entry or "meaning" in entry else declared.meaning)
    return page.Column(label[:1].upper() + label[1:], meaning)


def _cell(
    evidence: Evidence, part: TableGroup, row: Place, column: Place, notes: dict[str, str]
) -> page.Cell:
    place, entry = row + column, column.told
    if "items" in entry:
        return _items(evidence, row, column, part.columns)
    if "count" in entry:
        return page.Cell(f"{evidence.count(row.model, {**row.at, **entry['count']}):,}")
    if "rank" in entry:
        return _rank(evidence, part, row, column)
    if "call" in entry:
        cell: page.Cell = getattr(evidence.code, entry["call"])(evidence, place)
        return cell
    found, printed = evidence.number(place), place.kind == "published"
    if printed and found.missing:
        return page.Cell(NOT_APPLICABLE)
    mark = ""
    if printed and (note := evidence.note(place)):
        mark = notes.setdefault(note, _MARKS[len(notes) % len(_MARKS)])
    elif "mark" in entry and not printed:
        mark = getattr(evidence.code, entry["mark"])(evidence, place)
    return page.Cell(estimate=found, mark=mark, levels={} if printed else place.at)


def _items(evidence: Evidence, row: Place, column: Place, columns: Sequence[Place]) -> page.Cell:
    """How many items a row rests on: those of one metric, or of all beside it."""
    if row.kind == "published":
        return page.Cell(NOT_APPLICABLE)
    items = [replace(column, metric=column.told["items"])] if column.told["items"] else columns
    found = [evidence.number(row + of) for of in items if of.is_number or of.metric]
    numbers = {
        f"{e.n_items}{f' ({e.n_dropped} of {e.dropped_of} dropped)' if e.n_dropped else ''}": e
        for e in found
    }
    if len(numbers) > 2:
        least, *_, most = sorted(numbers, key=lambda text: numbers[text].n_items)
        return page.Cell(f"{least} to {most}")
    return page.Cell(", ".join(numbers))


def _rank(evidence: Evidence, part: TableGroup, row: Place, column: Place) -> page.Cell:
    """A number's place from the highest; ties share one, a model asked otherwise has none."""
    apart = {model.label for model in evidence.models if model.apart}
    own, *others = (
        evidence.number(replace(of + column, metric=column.told["rank"])).value
        for of in (row, *part.rows)
        if of.model not in apart or of is row
    )
    if math.isnan(own) or row.model in apart:
        return page.Cell(NOT_APPLICABLE)
    ties = "=" if others.count(own) > 1 else ""
    return page.Cell(f"{1 + sum(other > own for other in others)}{ties}")
