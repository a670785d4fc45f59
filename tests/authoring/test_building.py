"""Review sheets: a spreadsheet computes nothing of what a model wrote, and all of it comes back."""

import asyncio
import csv
import re
from dataclasses import dataclass
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from askew_authoring import building
from askew_authoring.building import (
    WRITTEN,
    ReviewRow,
    largest_remainder,
    question_writing,
    read_sheet,
    write_sheet,
)
from tests.cases import cases


@dataclass(frozen=True)
class Row(ReviewRow):
    text: str
    accept: str = ""
    id: str = ""

    @staticmethod
    def record(rows):
        return {"texts": [row.text for row in rows]}


def there_and_back(path, *texts):
    write_sheet(path, Row, [Row(text) for text in texts])
    return [row.text for row in read_sheet(path, Row)]


FORMULAS = (
    "=1+1", "+cmd|x", "-a", "@SUM(1)", "\uff1d1+1", "\uff0ba", "\uff0da", "\uff20x", " =1", "\t=1",
    "\n@x", "\u3000=1", "\u00a0=1", "\r=1",
)  # fmt: skip
HIDDEN = ("safe\u202egnirts", "a\u2066b\u2069", "zero\u200bwidth", "\ufeff=1", "soft\u00adhyphen")
PLAIN = ("-3", "'-3", "'=1", "''=1", "'\x0b=1", "it's", "' quoted", "⟨U+0041⟩", "a\nb", "")


def test_a_spreadsheet_computes_nothing_shows_what_can_not_be_seen_and_gives_it_back(tmp_path):
    path, texts = tmp_path / "sheet.csv", (*FORMULAS, *HIDDEN, *PLAIN)
    assert there_and_back(path, *texts) == [text.replace("\r", "\n") for text in texts]
    with path.open(encoding="utf-8", newline="") as lines:
        cells = [row[0] for row in csv.reader(lines)][1:]
    assert not [c for c in cells if re.match(r"\s*[=+@\uff1d\uff0b\uff0d\uff20]|\s*-(?!3)", c)]
    assert not [c for c in cells if re.search("[\u202e\u2066\u2069\u200b\ufeff\u00ad]", c)]


def test_a_sheet_of_before_is_read_as_it_was_meant(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("text,accept,id\n'-3,,\n'=1,,\n'\tx,,\n", encoding="utf-8")
    assert [row.text for row in read_sheet(path, Row)] == ["-3", "=1", "\tx"]


@given(st.text(st.sampled_from("'=+-@ \t\n1a\u200b\u202e\uff1d\x0b\x00"), max_size=6))
def test_any_text_comes_back(tmp_path_factory, text):
    assert there_and_back(tmp_path_factory.mktemp("sheet") / "sheet.csv", text) == [text]


@given(
    st.integers(0, 2_000),
    st.dictionaries(st.text(max_size=3), st.floats(0.1, 50), min_size=1, max_size=9),
)
def test_shares_add_up_and_follow_the_ratios(number, ratios):
    shares = largest_remainder(number, ratios)
    assert sum(shares.values()) == number
    total = sum(ratios.values())
    for name, share in shares.items():
        assert abs(share - number * ratios[name] / total) < 1 + 1e-6


@cases("number", "ratios", "shares")
def test_what_is_left_over_goes_to_the_largest_remainders(number, ratios, shares):
    named = dict(zip("abc", ratios, strict=True))
    assert [*largest_remainder(number, named).values()] == shares


def test_a_builder_writes_into_its_sample_by_the_paper_s_own_rules(monkeypatch):
    async def write(state, prompts):
        return {"said": prompts["write"].format(**state.metadata)}

    monkeypatch.setattr(building, "builder_of", lambda paper: SimpleNamespace(write=write))
    state = SimpleNamespace(metadata={"of": "bees"})
    asyncio.run(question_writing("knowno", {"write": "Ask of {of}."})(state, None))
    assert state.metadata[WRITTEN] == {"said": "Ask of bees."}
