"""Hard scenarios: what their texts say is what their labels say, by a solver of another kind.

The tests' own reader takes each text apart into statements about named parts, in whatever order
they stand, and finds every part by elimination in a system of linear equations. It knows nothing
of how a scenario was drawn, and never sees an equation.
"""

import re
from fractions import Fraction

import pytest

from askew.papers.mathcomp.arithmetic import evaluate
from askew.papers.mathcomp.framings import label_of
from askew_authoring.mathcomp.generator import generate

# What one of a unit is worth in the unit that a text is summed up in.
_UNITS = {
    "cents": Fraction(1, 100), "hours": 60, "minutes": 1, "kilometers": 1000, "meters": 1,
    "kilograms": 1000, "grams": 1,
}  # fmt: skip
_AMOUNT = r"(?P<amount>\$?[\d,.]*\d(?: [a-z]+)?)"
_SHARE = r"(?P<share>[\d.]+%|[a-z]+-[a-z]+)"
_LISTED = re.compile(r"(?P<n>\d+) (?P<what>.+?) (?:at|of) (?P<each>\$?[\d.]+(?: [a-z]+)?) each")
_OF = r"(?P<of>.+?)(?: together)?"
_TOTAL = "(?:total (?:for|time for|distance of)|time that went into|distance of)"
_ALL = "(?:time that went into|total length of|weight of all)"
_SHARES = [
    re.compile(rf"The (?P<it>.+?) (?:came to|took) {_SHARE} of the {_TOTAL} {_OF}"),
    re.compile(
        rf"The (?P<it>.+?) came to {_SHARE} of what {_OF.replace(' together', ' cost together')}"
    ),
    re.compile(rf"The (?P<it>.+?) weighed {_SHARE} as much as (?:all )?{_OF}"),
    re.compile(rf"The bill for the (?P<it>.+?) was {_SHARE} of the bill for {_OF}"),
    re.compile(
        rf"All the (?P<it>.+?) together (?:took|measured|came to) {_SHARE} of the {_ALL} {_OF}"
    ),
]
_DOES = re.compile(
    r"\{[AB]\} (?:paid for|spent time on|ran|hiked|carried|bought|drove along|drove|rode) "
)
_ALONE = [
    re.compile(rf"(?P<it>The .+?) (?:came to|took|weighed|was) {_AMOUNT}(?: long)?"),
    re.compile(rf"{_AMOUNT} (?:was spent on|went into) (?P<it>the .+)"),
    re.compile(rf"The scale showed {_AMOUNT} for (?P<it>the .+)"),
]
_TAKEN = re.compile(rf"A voucher took {_AMOUNT} off \{{[AB]\}}'s total")
_BESIDE = re.compile(r"A friend of \{[AB]\}'s |\{[AB]\}'s [a-z ]+ (?:was|were|had|held|showed) ")
_NAMED = ("third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth")
_COUNTED = {"two": 2, "three": 3, "four": 4, "five": 5, "seven": 7}


def amount(said: str) -> Fraction:
    if said.startswith("$"):
        return Fraction(said[1:].replace(",", ""))
    number, unit = said.split(" ")
    return Fraction(number.replace(",", "")) * _UNITS[unit]


def share(said: str) -> Fraction:
    if said.endswith("%"):
        return Fraction(said[:-1]) / 100
    of, part = said.split("-")
    return Fraction(_COUNTED[of], _NAMED.index(part.removesuffix("s")) + 3)


def total_of(text: str) -> Fraction:
    """The total that a text tells, from its words alone."""
    opening, *sentences = re.split(r"(?<=[a-z\d}])\.(?: |$)", text)
    listing = _DOES.sub("", opening, count=1)
    parts = [p.removeprefix("and ") for p in re.split(r", (?:and )?", listing)]
    fixed: dict[str, Fraction] = {}
    shares: dict[str, tuple[Fraction, list[str]]] = {}
    taken = Fraction(0)
    names = []
    for part in parts:
        counted = _LISTED.fullmatch(part)
        names.append(counted["what"] if counted else part.removeprefix("the "))
        if counted:
            fixed[counted["what"]] = int(counted["n"]) * amount(counted["each"])
    for sentence in filter(None, sentences):
        if found := next((m for p in _SHARES if (m := p.fullmatch(sentence))), None):
            of = [w.strip().removeprefix("the ") for w in found["of"].split(" and the ")]
            shares[found["it"]] = share(found["share"]), of
        elif found := _TAKEN.fullmatch(sentence):
            taken = amount(found["amount"])
        elif _BESIDE.match(sentence):
            continue
        elif found := next((m for p in _ALONE if (m := p.fullmatch(sentence))), None):
            name = found["it"][0].lower() + found["it"][1:]
            fixed[name.removeprefix("the ")] = amount(found["amount"])
        else:
            raise AssertionError(sentence)
    values = solved(names, fixed, shares)
    return sum(values, Fraction(0)) - taken


def solved(names, fixed, shares) -> list[Fraction]:
    """Every part, by Gauss-Jordan elimination: x = value, or x - share * (y + z) = 0."""
    assert set(names) == set(fixed) | set(shares), (names, fixed, shares)
    rows = []
    for name in names:
        row = [Fraction(other == name) for other in names]
        if name in shares:
            by, of = shares[name]
            for other in of:
                row[names.index(other)] -= by
        rows.append([*row, fixed.get(name, Fraction(0))])
    for column in range(len(names)):
        pivot = next(r for r in range(column, len(rows)) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r, row in enumerate(rows):
            if r != column and row[column]:
                rows[r] = [a - row[column] * b for a, b in zip(row, rows[column], strict=True)]
    return [row[-1] for row in rows]


@pytest.fixture(scope="module")
def many():
    return generate(1200, seed=31, difficulty="hard")


@pytest.mark.whole
def test_texts_and_equations_give_the_label_by_a_close_margin(many):
    for s in many:
        told, worked = (total_of(s.sentence1), total_of(s.sentence2)), (
            evaluate(s.equation1), evaluate(s.equation2)
        )  # fmt: skip
        assert label_of(*told) == label_of(*worked) == s.label, s
        # The text is summed up in the smaller unit, the equation in the larger one.
        assert told[0] * worked[1] == told[1] * worked[0]
        assert abs(worked[0] - worked[1]) < Fraction(2, 100) * max(worked)


@pytest.mark.whole
def test_every_total_takes_six_to_eight_operations(many):
    """Counted as somebody works them out who finds each part once, and adds the parts."""
    for text in (text for s in many for text in (s.sentence1, s.sentence2)):
        products = len(re.findall(r" each\b", text))
        shares = len(re.findall(rf"(?:%|-(?:{'|'.join(_NAMED)})s) (?:of|as much as) ", text))
        sums_within, listed = text.count(" together."), text.partition(". ")[0].count(",") + 1
        operations = products + shares + sums_within + listed - 1 + ("A voucher" in text)
        assert 6 <= operations <= 8, text


def test_hard_texts_chain_shares_mix_measures_and_add_a_distractor(many):
    texts = [t for s in many for t in (s.sentence1, s.sentence2)]
    unit = r"\d (cents|hours|minutes|kilometers|meters|kilograms|grams)\b|\$"
    assert sum(len({*re.findall(unit, t)}) > 1 for t in texts) > len(texts) / 2
    assert len(texts) / 2 < sum("A friend of " in t for t in texts) < len(texts) * 0.7
    chained = 0
    for text in texts:
        sentences = re.split(r"\. ?", text)
        told = {m["it"]: m["of"] for p in _SHARES for s in sentences if (m := p.fullmatch(s))}
        chained += any(it in of for it in told for of in told.values())
    assert chained > len(texts) / 4


def test_the_same_seed_gives_the_same_and_none_comes_twice(many):
    assert generate(40, 4, "hard") == generate(40, 4, "hard")
    assert len({(s.sentence1, s.sentence2) for s in many}) == len(many)
    assert not {s.sentence1 for s in generate(200, 5, "hard")} & {s.sentence1 for s in many}
