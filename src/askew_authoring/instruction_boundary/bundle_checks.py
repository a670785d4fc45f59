"""What our own choice questions promise: each checked.

They come in matched triples, one of each form, so nothing beside the facts may tell how many
options are right: not the length, the opening, the words or the place of an option.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from statistics import mean
from typing import Any

from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    PAPER,
)
from askew.papers.instruction_boundary.questions import phrases
from askew.schema import Finding
from askew.sources.loading import bundled
from askew.sources.records import read_records
from askew.sources.tiers import CORE, HARD, hard_beside

RawQuestion = Mapping[str, Any]
_FORMS = FAMILIES["choice"].forms
_SHOTS = 3
_SAYS = phrases("bundled", flags=0)
_GUESSED = 0.45


@dataclass(frozen=True)
class Layout:
    """What all questions of a tier have in common."""

    options: int
    passage_words: tuple[int, int]
    least: int  # questions of a form
    least_of_ten: int
    topics_of_three: bool = True  # three triples a topic, one of them with a passage

    def right(self, form: str) -> tuple[int, ...]:
        """How many options may be right."""
        several = tuple(range(2, self.options + 1))
        return {"single": (1,), "none": (0,), "multiple": several}[form]


LAYOUTS: Mapping[str, Layout] = {
    CORE: Layout(4, (40, 80), 34, 34),
    HARD: Layout(6, (60, 280), 36, 20, topics_of_three=False),
}


@dataclass(frozen=True)
class BundledQuestions:
    """The bundled choice questions of a tier as their files hold them."""

    choice: Sequence[RawQuestion]
    ten: Sequence[RawQuestion]
    shots: Sequence[RawQuestion]
    polished: Sequence[RawQuestion]
    tier: str = CORE

    @property
    def layout(self) -> Layout:
        return LAYOUTS[self.tier]

    @property
    def tested(self) -> list[RawQuestion]:
        return [*self.choice, *self.ten]

    @property
    def every(self) -> list[RawQuestion]:
        return [*self.tested, *self.shots]

    @property
    def rewrites(self) -> dict[str, str]:
        return {row["id"]: row["question"] for row in self.polished}

    def of(self, form: str) -> list[RawQuestion]:
        return [row for row in self.choice if row["form"] == form]


def bundled_questions(tier: str = CORE) -> BundledQuestions:
    """Our own choice questions of a tier as their files hold them."""
    names = ("choice", "miscellany", "fewshot", "polished")
    paths = [bundled(PAPER.home, f"{name}.jsonl") for name in names]
    files = [[path] if tier == CORE else hard_beside(path) for path in paths]
    choice, ten, shots, polished = (
        [row for file in of for row in read_records(file, dict)] for of in files
    )
    return BundledQuestions(choice, ten, shots, polished, tier)


def find_in_bundled(asked: BundledQuestions) -> Iterator[Finding]:
    """Every finding, by question or by file."""
    for row in asked.every:
        # Examples are core ones, whatever they are shown with.
        yield from (Finding(row["id"], kind, why) for kind, why in _of_question(row, asked.layout))
    for row in asked.tested:
        rewrite = asked.rewrites.get(row["id"], "")
        yield from (Finding(row["id"], "rewrite", why) for why in _of_rewrite(row, rewrite))
    found = [*_of_files(asked), *_of_places(asked), *_of_forms(asked), *_of_words(asked)]
    yield from (Finding(f"choice {asked.tier}", kind, why) for kind, why in found)


def _of_question(row: RawQuestion, layout: Layout) -> Iterator[tuple[str, str]]:
    options, form = row["options"], row.get("form")
    if len(options) != (layout.options if form else 10):
        yield "number of options", f"has {len(options)} options"
    if len(row["gold"]) not in layout.right(form or "single") or (
        form and f"{form}-" not in row["id"]
    ):
        yield "form", f"{len(row['gold'])} right options, where its form and its id say others"
    if row["gold"] != sorted(set(row["gold"]) & set(range(len(options)))):
        yield "form", "its right options are no ascending indexes"
    lower = [option.lower() for option in options]
    for left, right in permutations(lower, 2):
        if left in right:
            yield "option", f"{left!r:.60} stands in another option"
    for option in options:
        if option != option.strip() or not option or re.search(r"\d", option):
            yield "option", f"{option!r:.60}: digits in a reply must be option numbers"
        if _SAYS["of_others"].search(option):
            yield "option", f"{option!r:.60} speaks of other options"
    gone = row.get("missing_gold", "").lower()
    if bool(gone) != (form == "none") or any(gone in o or o in gone for o in lower if gone):
        yield "right option gone", "a none question, and no other, names one, and does not offer it"
    if not _SAYS["opening"].match(row["question"]) or not row["question"].endswith("?"):
        yield "question", "its opening does not fit any number of right options"
    if word := _SAYS["tells"].search(row["question"] + " " + row["passage"]):
        yield "question", f"{word[0]!r} tells how many options are right"
    if row["passage"]:
        yield from _of_passage(row, layout)


def _of_passage(row: RawQuestion, layout: Layout) -> Iterator[tuple[str, str]]:
    low, high = layout.passage_words
    if not low <= len(row["passage"].split()) <= high:
        yield "passage", f"has not {low} to {high} words"
    told = {"the", *_words(row["passage"])}
    for option in row["options"]:
        if any(not told & {word, f"{word}s"} for word in _words(option)):
            yield "passage", f"says nothing of {option!r:.60}"


def _of_rewrite(row: RawQuestion, rewrite: str) -> Iterator[str]:
    if not rewrite:
        yield "is not there"
        return
    if len(rewrite) < 1.25 * len(row["question"]):
        yield "is not longer than the question"
    if rewrite[-1] not in ".?" or not re.search(r"\bwhich of\b", rewrite):
        yield "does not ask which of the options"
    if word := _SAYS["tells"].search(rewrite):
        yield f"{word[0]!r} tells how many options are right"
    for name in re.findall(r"\d+|\b[A-Z][\w-]*|\"\w+\"", row["question"])[1:]:
        if name not in rewrite:
            yield f"lost {name!r}"


def _of_files(asked: BundledQuestions) -> Iterator[tuple[str, str]]:
    sizes = {len(asked.of(form)) for form in _FORMS}
    least, of_ten = asked.layout.least, asked.layout.least_of_ten
    if len(sizes) > 1 or min(sizes) < least or len(asked.ten) < of_ten:
        yield "size", f"each form has {least} questions or more and as many, ten options {of_ten}"
    texts: Mapping[str, Callable[[RawQuestion], str]] = {
        "id": lambda row: str(row["id"]),
        "question": (lambda row: str(row["question"])) if asked.tier == CORE else _asked_text,
    }
    for what, text in texts.items():
        if len({text(row).lower() for row in asked.every}) < len(asked.every):
            yield "repeat", f"a {what} repeats"
    wanted = dict.fromkeys(_FORMS, _SHOTS) if asked.tier == CORE else {}
    if Counter(row["form"] for row in asked.shots) != wanted:
        yield "examples", f"there are not {_SHOTS} of each form"
    tested = {frozenset(row["options"]) for row in asked.tested}
    if not tested.isdisjoint(frozenset(row["options"]) for row in asked.shots):
        yield "examples", "one of them is asked"
    rewrites = asked.rewrites
    known = {row["id"] for row in asked.tested}
    if set(rewrites) - known or len(set(rewrites.values())) < len(rewrites):
        yield "rewrites", "one is of no question, or two are the same"


def _asked_text(row: RawQuestion) -> str:
    """What a hard question asks; those of a triple may differ in their particulars alone."""
    return "\n".join((row["passage"], row["question"], *sorted(row["options"])))


def _of_places(asked: BundledQuestions) -> Iterator[tuple[str, str]]:
    """Right options stand in every place equally often; their length does not tell them."""
    single, several, ten = asked.of("single"), asked.of("multiple"), asked.ten
    most = asked.layout.options
    for name, rows, size in (
        ("single", single, most),
        ("multiple", several, most),
        ("ten", ten, 10),
    ):
        places = [place for row in rows for place in row["gold"]]
        counts = [places.count(place) for place in range(size)]
        if max(counts) - min(counts) > 1:
            yield "position of the right option", f"{name}: places are taken {counts} times"
    seen = Counter(tuple(row["gold"]) for row in several)
    for size in asked.layout.right("multiple"):
        sets = [seen[s] for s in combinations(range(most), size)]
        if not any(sets) or max(sets) - min(sets) > 1:
            told = f"multiple: sets of {size} places occur {sorted(sets)} times"
            yield "position of the right option", told
    for extreme, name, rows in (
        (max, "single", single),
        (min, "single", single),
        (max, "ten", ten),
    ):
        hits = mean(_hit(row, extreme) for row in rows) - mean(1 / len(r["options"]) for r in rows)
        if hits > 0.12:
            yield "length of the right option", f"{name}: guessing by length finds it"


def _hit(row: RawQuestion, extreme: Callable[[list[int]], int]) -> float:
    """The chance that guessing one of the longest, or shortest, options finds the right one."""
    lengths = [len(option) for option in row["options"]]
    ends = [i for i, length in enumerate(lengths) if length == extreme(lengths)]
    return any(right in ends for right in row["gold"]) / len(ends)


def _of_forms(asked: BundledQuestions) -> Iterator[tuple[str, str]]:
    """Topics, passages, lengths and openings are shared out equally over the forms."""
    topics = [Counter(_part(row, 2) for row in asked.of(form)) for form in _FORMS]
    told = [Counter(_part(r, 2) for r in asked.of(form) if r["passage"]) for form in _FORMS]
    shared = topics.count(topics[0]) == told.count(told[0]) == len(_FORMS)
    thirds = set(topics[0].values()) == {3} and told[0] == dict.fromkeys(topics[0], 1)
    if not shared or (asked.layout.topics_of_three and not thirds):
        yield "topics", "forms don't share topics and passages equally"
    measures: Mapping[str, Callable[[RawQuestion], float]] = {
        "question": lambda row: len(row["question"]),
        "options": lambda row: mean(map(len, row["options"])),
        "rewrite": lambda row: len(asked.rewrites.get(row["id"], "")),
        "passage": lambda row: len(row["passage"].split()),
    }
    for name, measure in measures.items():
        means = [mean(map(measure, asked.of(form))) for form in _FORMS]
        if max(means) > 1.15 * min(means):
            yield "lengths", f"{name}: forms differ by more than 15%"
    for width in (3, 5):
        shares = [
            Counter(" ".join(_words(row["question"])[:width]) for row in asked.of(form))
            for form in _FORMS
        ]
        for opening in sorted(set().union(*shares)):
            counts = [share[opening] for share in shares]
            if max(counts) - min(counts) > 2:
                yield "openings", f"{opening!r} opens {counts} questions of the forms"


def _of_words(asked: BundledQuestions) -> Iterator[tuple[str, str]]:
    views: Mapping[str, Callable[[RawQuestion], list[str]]] = {
        "question": lambda row: _words(row["question"]),
        "rewrite": lambda row: _words(asked.rewrites.get(row["id"], "")),
        "passage": lambda row: _words(row["passage"]),
        "options": lambda row: [word for option in row["options"] for word in _words(option)],
    }
    for name, view in views.items():
        share = _guessed_share([row for row in asked.choice if view(row)], view)
        if share > _GUESSED:
            yield "words", f"{name}: its words give the form away in {share:.0%} of the questions"


def _guessed_share(rows: Sequence[RawQuestion], view: Callable[[RawQuestion], list[str]]) -> float:
    """Share of forms that a bag-of-words guesser gets right.

    It learns from all other triples: the three questions of a triple share a number and a frame,
    so learning from two of them would always steer it away from the third.
    """
    vocabulary = len({word for row in rows for word in view(row)})
    # What each triple adds to the bags is taken off again for its own questions.
    bags = {form: Counter[str]() for form in _FORMS}
    triples: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        bags[row["form"]].update(set(view(row)))
        triples[_part(row, 1), row["form"]].update(set(view(row)))
    hits = 0
    for row in rows:
        scores = {}
        for form, bag in bags.items():
            own = triples[_part(row, 1), form]
            total = bag.total() - own.total() + vocabulary
            scores[form] = sum(math.log((bag[w] - own[w] + 1) / total) for w in set(view(row)))
        hits += max(scores, key=lambda form: scores[form]) == row["form"]
    return hits / len(rows)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _part(row: RawQuestion, number: int) -> str:
    """A part of an id such as choice-07-harbours: its triple, or its topic."""
    return str(row["id"].removeprefix("hard-").split("-")[number])
