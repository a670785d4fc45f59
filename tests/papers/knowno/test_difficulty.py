"""Stories and equations with a dial: exact at every level, and nothing gives the answer away."""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from askew.papers.knowno.generator import LEVELS, generate
from askew.papers.knowno.items import KnowNoItem
from askew_authoring.baselines import Choice, of_choices

N = 60


@pytest.fixture(scope="module")
def at_levels() -> dict[int, list[KnowNoItem]]:
    return {level: generate([level], 2 * N, seed=5).items for level in LEVELS}


def of_kind(items: list[KnowNoItem], kind: str) -> list[KnowNoItem]:
    return [item for item in items if item.kind == kind]


# --- a second solver of stories: it reads the text, and goes back from the question ---

NUMBERS = (
    *("two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "eleven", "twelve"),
)
AT = re.compile(
    r"(?:At (\d+):(\d+) |When the clock in the (?P<clock>[\w ]+) showed (\d+):(\d+), |"
    r"(?P<later>\w+) minutes later |Then |After that )?(?P<what>.*)"
)
THING, NAME = r"the (?P<o>[\w -]+?)", r"(?P<p>[A-Z]\w+)"
HAPPENS = {name: re.compile(pattern) for name, pattern in {
    "swap": rf"{NAME} and (?P<q>\w+) swapped everything that they were carrying",
    "nothing": r".* (?:but did not|but stayed|did not want it)",
    "move": rf"{NAME} took {THING}(?: from the [\w ]+)? to the (?P<b>[\w ]+)",
    "go": rf"{NAME} (?:went|walked) to the (?P<b>[\w ]+)",
    "give": rf"{NAME} (?:gave|handed) {THING} to (?P<q>\w+)",
    "pick": rf"(?:{NAME} picked up {THING}|(?P<p2>\w+) took the (?P<o2>[\w -]+?) out of the .*)",
    "drop": rf"{NAME} put down {THING}",
    "pack": rf"{NAME} put {THING} into the (?P<b>\w+)",
}.items()}  # fmt: skip


class Story:
    """What a story says happened and when, and where everything was in the beginning."""

    def __init__(self, text: str) -> None:
        first, *parts = text.split("\n\n")
        self.start: dict[str, str] = {}
        begin = first.partition("In the beginning ")[2]
        lot = re.match(r"(.*) were in the ([\w ]+)\.$", begin)
        together = re.match(r"all of them were in the ([\w ]+)\.", begin)
        for thing in re.findall(r"the ([\w -]+?)(?:,| and|$)", lot[1]) if lot else ():
            self.start[thing] = lot[2]
        for sentence in begin.rstrip(".").split(". "):
            if found := re.match(r"The (\w+) stood in the ([\w ]+), empty", sentence):
                self.start[found[1]] = found[2]
            elif found := re.match(r"(\w+) (?:had|was in the ([\w ]+) with) (.*)", sentence):
                self.start[found[1]] = found[2] or together[1]
                for thing in re.findall(r"the ([\w -]+?)(?=,| and |$)", found[3]):
                    self.start[thing] = found[1]
        self.ahead: dict[str, int] = {}
        if parts[0].startswith("The clock"):
            one, two = re.findall(r"the? (?:clock|one) in the ([\w ]+) was (\d+)", parts[0], re.I)
            self.ahead = {one[0]: int(one[1]), two[0]: -int(two[1])}
        self.events: list[tuple[int, str, dict[str, str]]] = []
        now = 0
        for part in parts:
            for sentence in part.rstrip(".").split(". "):
                if re.match(r"The clock|Times without|Several people", sentence):
                    continue
                found = AT.fullmatch(sentence)
                hour, minute = found[1] or found[4], found[2] or found[5]
                if hour:
                    now = 60 * int(hour) + int(minute) - self.ahead.get(found["clock"] or "", 0)
                else:
                    later = found["later"]
                    now += NUMBERS.index(later.casefold()) + 2 if later else 1
                fits = ((kind, p.fullmatch(found["what"])) for kind, p in HAPPENS.items())
                kind, words = next((kind, m.groupdict()) for kind, m in fits if m)
                self.events.append((now, kind, {k[0]: v for k, v in words.items() if v}))
        self.events.sort(key=lambda event: event[0])
        assert len({time for time, *_ in self.events}) == len(self.events)

    def link(self, what: str, at: int) -> str:
        """What a thing is in or with, or where a person is, just after a time."""
        for time, kind, words in reversed(self.events):
            if time > at or kind == "nothing":
                continue
            if kind == "swap":
                before = self.link(what, time - 1) if what not in (words["p"], words["q"]) else ""
                if before in (words["p"], words["q"]):
                    return words["q"] if before == words["p"] else words["p"]
            elif kind == "go" and words["p"] == what:
                return words["b"]
            elif words.get("o") == what:
                if kind == "drop":
                    return self.link(words["p"], time)
                return words[{"move": "b", "pack": "b", "give": "q", "pick": "p"}[kind]]
        return self.start[what]

    def place(self, what: str, at: int) -> str:
        what = self.link(what, at)
        while what in self.start:
            what = self.link(what, at)
        return what

    def holder(self, what: str, at: int) -> str:
        while not what[0].isupper():
            what = self.link(what, at)
        return what

    def answer(self, question: str) -> str:
        if found := re.fullmatch(r"At what time did the (.+) come to the (.+)\?", question):
            came = [
                time for time, *_ in self.events
                if self.place(found[1], time) == found[2] != self.place(found[1], time - 1)
            ]  # fmt: skip
            assert len(came) == 1
            return f"{came[0] // 60}:{came[0] % 60:02}"
        found = re.fullmatch(
            r"(Where was|Who had|Who was carrying) the (.+?) (?:in the end|at (\d+):(\d+))"
            r"(?:, in their hands or packed in something)?\?", question,
        )  # fmt: skip
        at = 60 * int(found[3]) + int(found[4]) if found[3] else self.events[-1][0]
        if found[1] == "Where was":
            return f"In the {self.place(found[2], at)}"
        return self.holder(found[2], at)


@pytest.mark.parametrize("level", LEVELS)
def test_going_back_from_the_question_comes_to_the_correct_option(level, at_levels):
    for item in of_kind(at_levels[level], "story"):
        found = Story(item.context["story"]).answer(item.context["question"])
        assert found == item.gold_text, item
        assert len(set(item.options)) == 4


# --- a second solver of equations: numbers for letters, quantities as sentences tell them ---

SAYS: list[tuple[str, Callable[..., Fraction]]] = [
    (r"exceeds the (\w+) by P", lambda x, p: x + p),
    (r"falls short of the (\w+) by P", lambda x, p: x - p),
    (r"is P times the (\w+)", lambda p, x: p * x),
    (r"is the (\w+) divided by P", lambda x, p: x / p),
    (r"is the share P of the (\w+)", lambda p, x: p * x),
    (r"is what remains of the (\w+) when the share P of it is taken off", lambda x, p: x - p * x),
    (r"is the (\w+) raised by the share P of itself", lambda x, p: x + p * x),
    (r"is so large that the (\w+) is the share P of it", lambda x, p: x / p),
    (r"is the sum of the (\w+) and the (\w+)", lambda x, z: x + z),
    (r"is by how much the (\w+) exceeds the (\w+)", lambda x, z: x - z),
    (r"is the product of the (\w+) and the (\w+)", lambda x, z: x * z),
    (r"is the ratio of the (\w+) to the (\w+)", lambda x, z: x / z),
    (r"is an average in which the (\w+) has the weight P and the (\w+) the rest",
     lambda x, p, z: p * x + (1 - p) * z),
    (r"is made up of the share P of the (\w+) and the whole (\w+)", lambda p, x, z: p * x + z),
    (r"is made up of the whole (\w+) and the share P of the (\w+)", lambda x, p, z: x + p * z),
    (r"is P", lambda p: p),
]  # fmt: skip


@cache
def value_of(letter: str) -> Fraction:
    rng = Random(letter)
    return Fraction(rng.randint(100_001, 899_999), 10**6 if letter.startswith("\\") else 10**5)


def solved(text: str) -> Fraction:
    """What is asked for, from the sentences that tell the quantities."""
    told = dict(re.findall(r"The (\w+) ((?:exceeds|falls|is) [^.]*)\.", text))

    @cache
    def value(name: str) -> Fraction:
        for pattern, made in SAYS:
            if found := re.fullmatch(pattern.replace("P", r"\$([^$]+)\$"), told[name]):
                known = [value(g) if g in told else value_of(g) for g in found.groups()]
                return made(*known)
        raise AssertionError(told[name])

    return value(re.search(r", the (\w+) \$\w\$ (?:reads|is then)", text)[1])


def evaluated(latex: str) -> Fraction:
    """The value of an equation's right side."""
    tokens = re.findall(r"\\frac|\\left\(|\\right\)|\\[a-z]+|[a-z]|\d|[-+(){}]", latex)
    code = ""
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        known = token not in (r"\frac", r"\left(", r"\right)") and token[-1].isalpha()
        sign = {r"\frac": "", r"\left(": "(", r"\right)": ")", "{": "(", "}": ")"}.get(token, token)
        code += f"value_of({token!r})" if known else sign
        ends = known or token in (r"\right)", ")", "}", "1")
        if token == "}" and after == "{":
            code += "/"
        elif ends and after not in ("", "+", "-", ")", "}", r"\right)"):
            code += "*"
    return eval(code, {"value_of": value_of})


@pytest.mark.parametrize("level", LEVELS)
def test_numbers_put_into_the_passage_fit_the_correct_equation_alone(level, at_levels):
    for item in of_kind(at_levels[level], "equation"):
        found = solved(" ".join(item.context.values()))
        values = [evaluated(option.partition("=")[2]) for option in item.options]
        assert [i for i, value in enumerate(values) if value == found] == [item.gold], item
        assert len(set(values)) == 4


# --- nothing gives the answer away ---


def by_mention(text: str, options: tuple[str, ...]) -> dict[str, int]:
    """What somebody picks who reads no question: by where and how often a story has an option."""
    names = [option.removeprefix("In the ") for option in options]
    at = [[m.start() for m in re.finditer(rf"\b{re.escape(name)}\b", text)] for name in names]
    cues = {
        "first mention": [min(own, default=0) for own in at],
        "last mention": [max(own, default=0) for own in at],
        "frequency": [len(own) for own in at],
        "number": [int(n.replace(":", "")) if n[0].isdigit() else 0 for n in names],
    }
    return {f"{pick.__name__} of {name}": pick(range(4), key=of.__getitem__)
            for name, of in cues.items() for pick in (min, max)}  # fmt: skip


@pytest.mark.parametrize("kind", ["story", "equation"])
@pytest.mark.parametrize("level", LEVELS)
def test_guessers_who_skip_the_question_stay_within_chance(level, kind, at_levels):
    items = of_kind(at_levels[level], kind)
    texts = ["\n".join(item.context.values()) for item in items]
    found = of_choices([
        Choice(item.id, text, item.options, item.gold, formula=kind == "equation")
        for item, text in zip(items, texts, strict=True)
    ])  # fmt: skip
    # 24 guessers at each level: a quarter, and three and a half standard errors more.
    most = N / 4 + 3.5 * (N * 3 / 16) ** 0.5
    hits = Counter({each.name: each.value for each in found})
    for item, text in zip(items, texts, strict=True):
        for name, pick in by_mention(text, item.options).items():
            hits[name] += pick == item.gold
    assert [name for name, n in hits.items() if n > most] == []


# --- what is asked ---
