"""What our own questions promise, so that nothing but format moves their scores: each checked.

Lines are read as they are written, because a reader of records mends what a check should see.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from askew.papers.format_bias.paper import ENTITY_KEYS
from askew.papers.mathcomp.arithmetic import EquationError, read_equation
from askew.reading.letters import LETTERS
from askew.schema import Finding
from askew.sources.tiers import CORE, HARD

Line = Mapping[str, Any]
Lines = Sequence[Line]
ByKind = Mapping[str, Lines]
Promises = Mapping[str, bool]
"""What is promised, and whether it is kept."""
# Any of these in a question would let an extractor find the question's own text.
_FORMAT_MARKS = ("*", "[", "]", "((", "))", '"""', "'''", "```", "<", ">", "{", "}", "\n", "\t")
_RUN = 8
_STEM = "is the following sentence plausible"
# By tier, how large is what a line holds.
_SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    CORE: {
        "steps": (2, 8), "passage": (90, 160), "context": (4, 4), "abstract": (90, 150),
        "truth": (5, 9), "paper": (100, 170),
    },
    HARD: {
        "steps": (4, 12), "passage": (130, 200), "context": (8, 8), "abstract": (60, 110),
        "truth": (4, 9), "paper": (60, 110),
    },
}  # fmt: skip
_PLAUSIBLE = re.compile(r'Is the following sentence plausible\? "[A-Z][^"]+\."')
_CATCH_ALL = re.compile(r"\b(all|none|both) of\b|\b(the above|other answers)\b")
_CAMEL_CASE = re.compile(r"\b[A-Z][a-z]+[A-Z]\w*(?:-\d+)?")


def read_bundle(folder: Path) -> tuple[dict[str, list[Line]], dict[str, list[Line]]]:
    """The lines of each file of questions, and the demonstrations of each kind."""

    def lines(name: str) -> list[Line]:
        text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    demos: dict[str, list[Line]] = {kind: [] for kind in FIELDS}
    for demo in lines("demos"):
        demos.setdefault(demo.get("kind", ""), []).append(demo)
    return {kind: lines(kind) for kind in FIELDS}, demos


def read_hard(folder: Path) -> dict[str, list[Line]]:
    """The lines of each file of hard questions."""
    texts = {k: (folder / f"{k}_{HARD}.jsonl").read_text(encoding="utf-8") for k in FIELDS}
    return {kind: [json.loads(line) for line in text.splitlines()] for kind, text in texts.items()}


def broken_promises(
    items: ByKind, demos: ByKind, hard: ByKind | None = None
) -> Iterator[Finding]:  # fmt: skip
    """What breaks a promise: a demonstration has to be as sound as an item.

    Args:
        items: questions by file.
        demos: demonstrations by the file whose questions they stand before.
        hard: hard questions by the file beside which they stand.
    """
    hard = hard or {kind: [] for kind in FIELDS}
    for kind in demos.keys() - FIELDS.keys():
        yield from (Finding(d["id"], "kind", f"{kind!r} is no kind") for d in demos[kind])
    every = [line for lines in (items, demos, hard) for line in chain(*lines.values())]
    yield from _once(every, "id", lambda line: str(line["id"]))
    yield from _ids(items, "number", "{kind}-{number:02d}")
    yield from _ids(demos, "demonstration", "demo-{kind}-{number}-[a-z0-9-]+")
    yield from _ids(hard, "hard question", "{kind}-hard-{number:02d}")
    yield from _shared_runs(items, demos)
    yield from _shared_runs(hard, demos)
    for kind, (_, check, balance) in _FILES.items():
        yield from _once([*items[kind], *hard[kind], *demos[kind]], "repeat", _main_text)
        of_demo = FIELDS[kind] | {"kind"}
        for lines, fields in (
            (items[kind], FIELDS[kind]), (hard[kind], FIELDS[kind]), (demos[kind], of_demo)
        ):  # fmt: skip
            for line in lines:
                if odd := (set(line) - {"tier"}) ^ fields:
                    yield Finding(line["id"], "fields", f"missing or not known: {sorted(odd)}")
                yield from (Finding(line["id"], "format mark", told) for told in _marked(line))
                if set(line) >= FIELDS[kind]:
                    yield from _unkept(line["id"], kind, check(line))
        if balance:
            yield from _unkept(f"{kind}.jsonl", "balance", balance(items[kind]))
            if hard[kind]:
                yield from _unkept(f"{kind}_hard.jsonl", "balance", balance(hard[kind]))
    titles = [
        {"id": r["id"], "question": title}
        for r in (*items["ranking"], *hard["ranking"], *demos["ranking"])
        for title in (r["query"], *(d["title"] for d in r["documents"]))
    ]
    yield from _once(titles, "repeat", lambda line: str(line["question"]))


def _unkept(item: str, kind: str, promises: Promises) -> Iterator[Finding]:
    broken = (promise for promise, kept in promises.items() if not kept)
    return (Finding(item, kind, f"not so: {promise}") for promise in broken)


def _ids(by_kind: ByKind, what: str, pattern: str) -> Iterator[Finding]:
    for kind, lines in by_kind.items():
        for number, line in enumerate(lines, start=1):
            if not re.fullmatch(pattern.format(kind=kind, number=number), line["id"]):
                yield Finding(line["id"], "id", f"is {kind} {what} {number}")


def _once(lines: Lines, kind: str, text: Callable[[Line], str]) -> Iterator[Finding]:
    seen: dict[str, Line] = {}
    for line in lines:
        first = seen.setdefault(_normalized(text(line)), line)
        if first is not line:
            yield Finding(line["id"], kind, f"the same as {first['id']}: {text(line)[:60]}")


def _shared_runs(items: ByKind, demos: ByKind) -> Iterator[Finding]:
    """Demonstrations that give a passage of an item away."""
    tested = {run for line in chain.from_iterable(items.values()) for run in _runs(line)}
    for line in chain.from_iterable(demos.values()):
        shared = [run for run in _runs(line) if run in tested]
        if shared:
            yield Finding(line["id"], "shared passage", " ".join(shared[0]))


def _runs(line: Line) -> Iterator[tuple[str, ...]]:
    for text in _strings(list(line.values())):
        words = _normalized(text).removeprefix(_STEM).split()
        yield from (tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1))


def _marked(line: Line) -> Iterator[str]:
    # Asterisks and brackets have no place outside `work`.
    for text in _strings([value for name, value in line.items() if name != "work"]):
        if not text or text != text.strip():
            yield f"an empty text, or one with space around it: {text!r}"
        marks = [mark for mark in _FORMAT_MARKS if mark in text]
        if marks:
            yield f"{marks} in {text[:60]!r}"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for element in value.values() if isinstance(value, dict) else value:
            yield from _strings(element)


def _main_text(line: Line) -> str:
    """The text that tells one line from another."""
    first = (line.get(name) for name in ("passage", "text", "query", "question"))
    return str(next(filter(None, first), ""))


def _normalized(text: str) -> str:
    return " ".join(re.sub(r"\W", " ", text.casefold()).split())


def _has(phrase: str, text: str) -> bool:
    """Whether a phrase occurs in a text as whole words."""
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None


def _words(text: str) -> int:
    return len(text.split())


def _tier(line: Line) -> str:
    return str(line.get("tier", CORE))


def _sized(what: str, of: str, line: Line, number: int) -> Promises:
    least, most = _SIZES[_tier(line)][what]
    return {f"a {what} of {least} to {most} {of}": least <= number <= most}


def _apart(texts: Sequence[str]) -> bool:
    """Whether none of the texts hides in another."""
    folded = [text.casefold() for text in texts]
    return not any(one in other or other in one for one, other in combinations(folded, 2))


def _mcq(line: Line) -> Promises:
    choices = [choice.casefold() for choice in line["choices"]]
    return {
        "four choices": len(choices) == 4,
        "the answer is one of their letters": line["answer"] in tuple(LETTERS[:4]),
        "no choice hides in another": _apart(choices),
        "no choice is a letter": not any(re.fullmatch(r"[a-z]", c) for c in choices),
        "no choice speaks of the others": not any(map(_CATCH_ALL.search, choices)),
    }


def _bbh(line: Line) -> Promises:
    return {
        "the choices are yes and no": sorted(line["choices"]) == ["no", "yes"],
        "the answer is A or B": line["answer"] in ("A", "B"),
        "one sentence is asked about": bool(_PLAUSIBLE.fullmatch(line["question"])),
    }


def _arithmetic(line: Line) -> Promises:
    work, answer = str(line["work"]), str(line["answer"])
    try:
        made = read_equation(work)
    except EquationError:
        return {f"the working {work[:60]!r} is a calculation": False}
    least, most = _SIZES[_tier(line)]["steps"]
    in_question = _has(answer, line["question"].replace(",", ""))
    plain = bool(re.fullmatch(r"0|[1-9]\d*|\d+\.\d*[1-9]", answer))
    return {
        "the answer is a plain number": plain,
        "the working equals the answer": plain and made.value == Fraction(answer),
        f"{least} to {most} steps": least < len(made.operands) <= most + 1,
        "the question does not print the answer": _tier(line) == HARD or not in_question,
    }


def _reading(line: Line) -> Promises:
    passage, question, answer = line["passage"], line["question"], line["answer"]
    return {
        **_sized("passage", "words", line, _words(passage)),
        "an answer of one to six words": 1 <= _words(answer) <= 6,
        "the passage has the answer": _has(answer, passage),
        "the question has not": not _has(answer.casefold(), question.casefold()),
        "the question ends in a question mark": question.endswith("?"),
    }


def _multihop(line: Line) -> Promises:
    paragraphs, question, answer = line["paragraphs"], line["question"], line["answer"]
    number = len({p["title"] for p in paragraphs})
    holders = {p["title"] for p in paragraphs if _has(answer, p["text"])}
    return {
        **_sized("context", "paragraphs", line, number),
        "titled paragraphs": number == len(paragraphs)
        and all(set(p) == {"title", "text"} for p in paragraphs),
        "paragraphs of 20 to 70 words": all(20 <= _words(p["text"]) <= 70 for p in paragraphs),
        "some paragraph has the answer": bool(holders),
        "an answer of one to six words": 1 <= _words(answer) <= 6,
        "the question ends in a question mark": question.endswith("?"),
        "a second paragraph is needed": _needs_second(question, answer, paragraphs, holders),
    }


def _needs_second(question: str, answer: str, paragraphs: Lines, holders: set[str]) -> bool:
    """Whether the paragraph with the answer is not the one that the question points at."""
    named = {p["title"] for p in paragraphs if p["title"] in question}
    if _has(answer, question):  # which of two things ...?
        return len(named) >= 2 and answer in named and " or " in question
    if answer in {p["title"] for p in paragraphs}:  # who of those behind two things ...?
        return answer not in named
    if len(holders) == 2:  # what do two things have in common?
        return holders == named
    return len(holders) == 1 and not holders & named


def _ranking(line: Line) -> Promises:
    marks = [document["relevant"] for document in line["documents"]]
    return {
        "eight to ten documents": 8 <= len(marks) <= 10,
        "three to five are relevant": set(marks) == {0, 1} and 3 <= sum(marks) <= 5,
        "they are mixed": sorted(marks) not in (marks, marks[::-1]),
    }


def _keyphrases(line: Line) -> Promises:
    text, phrases, free = line["text"], line["keyphrases"], line["optional"]
    return {
        **_sized("abstract", "words", line, _words(text)),
        **_sized("truth", "phrases", line, len(phrases)),
        "no phrase hides in another": _apart(phrases),
        **{f"the text has {phrase!r}": _has(phrase, text) for phrase in phrases},
        **{f"the text has {phrase!r}, which may be given": _has(phrase, text) for phrase in free},
        "no phrase is both": not set(phrases) & set(free),
        **{
            f"one spelling of {phrase!r}": _spelled_once(phrase, text)
            for phrase in phrases
            if _tier(line) != HARD
        },
    }


def _spelled_once(phrase: str, text: str) -> bool:
    """A second case, a plural or a singular would be a second right answer."""
    other_case = text.casefold().count(phrase.casefold()) - text.count(phrase)
    singular = phrase.endswith("s") and _has(phrase.removesuffix("s"), text)
    return not (other_case or singular or _has(phrase + "s", text))


def _extraction(line: Line) -> Promises:
    text = line["text"]
    names = [name for key in ENTITY_KEYS for name in line[key]]
    least = {"Task": 1} if _tier(line) == HARD else {"Task": 1, "Method": 1}
    return {
        **_sized("paper", "words", line, _words(text)),
        "at most three names a key, and a task and a method": all(
            least.get(key, 0) <= len(line[key]) <= 3 for key in ENTITY_KEYS
        ),
        "the text has every name": all(_has(name, text) for name in names),
        "no name hides in another": _apart(names),
        # Names in CamelCase are a method's or a material's, so none may be left out.
        "every name in the text is given": set(_CAMEL_CASE.findall(text)) <= set(names),
    }


def _mcq_balance(lines: Lines) -> Promises:
    subjects = Counter(line["subject"] for line in lines)
    letters = [line["answer"] for line in lines]
    counts = {letters.count(letter) for letter in LETTERS[:4]}
    repeats = [
        sum(one == later for one, later in zip(letters, letters[lag:], strict=False))
        / max(1, len(letters) - lag)
        for lag in range(1, 12)
    ]
    extremes = Counter(_extreme(line) for line in lines)
    return {
        "eleven subjects or more, at most four questions each": len(subjects) >= 11
        and max(subjects.values()) <= 4,
        "each letter is right equally often": len(counts) == 1,
        "no letter is right three times in a row": all(
            len(set(letters[i : i + 3])) > 1 for i in range(len(letters) - 2)
        ),
        "right letters follow no period": max(repeats) < 0.45,
        "length does not give the right choice away": max(extremes["longest"], extremes["shortest"])
        <= len(lines) * 0.35,
    }


def _extreme(line: Line) -> str:
    """Whether the right choice is the longest or the shortest of all."""
    lengths = [len(choice) for choice in line["choices"]]
    right = lengths.pop(LETTERS.index(line["answer"]))
    return "longest" if right > max(lengths) else "shortest" if right < min(lengths) else ""


def _bbh_balance(lines: Lines) -> Promises:
    letters = "".join(line["answer"] for line in lines)
    yes = [line["choices"][LETTERS.index(line["answer"])] == "yes" for line in lines]
    first = [line["choices"][0] == "yes" for line in lines]
    return {
        "half of the sentences are plausible": 2 * sum(yes) == len(lines),
        "A is right half of the time": letters.count("A") == letters.count("B"),
        "yes stands first half of the time": 2 * sum(first) == len(lines),
        "in no visible order": not re.search(r"A{4}|B{4}|(AB){4}|(BA){4}", letters),
    }


def _extraction_balance(lines: Lines) -> Promises:
    lacking = {key: sum(not line[key] for line in lines) for key in ("Material", "Metric")}
    several = {key: sum(len(line[key]) >= 2 for line in lines) for key in ENTITY_KEYS}
    either = sum(not line["Material"] or not line["Metric"] for line in lines)
    return {
        "some texts lack a material, some a metric": either >= len(lines) // 10
        and min(lacking.values()) > 0,
        "some texts have several names of each kind": min(several.values()) >= 2,
    }


# By file: the fields of its lines, what each line promises, and what all of them do together.
_Balance = Callable[[Lines], Promises] | None
_FILES: Mapping[str, tuple[str, Callable[[Line], Promises], _Balance]] = {
    "mcq": ("id subject question choices answer", _mcq, _mcq_balance),
    "bbh": ("id question choices answer", _bbh, _bbh_balance),
    "arithmetic": ("id question answer aliases work", _arithmetic, None),
    "reading": ("id passage question answer aliases", _reading, None),
    "multihop": ("id paragraphs question answer aliases", _multihop, None),
    "ranking": ("id query documents", _ranking, None),
    "keyphrases": ("id text keyphrases optional", _keyphrases, None),
    "extraction": (f"id text {' '.join(ENTITY_KEYS)}", _extraction, _extraction_balance),
}
FIELDS = {kind: frozenset(fields.split()) for kind, (fields, *_) in _FILES.items()}
