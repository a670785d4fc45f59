"""Output formats: how each is asked for, read, written and missed.

A new format is given to `register_format`, which lets it prove itself on its own example. The
built-in fifteen come from one study, "the paper". Of a multiple choice the whole reply counts, or
its tagged part (chain of thought); wrapped answers may stand anywhere. This reproduces the paper's
Table 6 from the authors' replies; like their check, it lets any text pass as a list of one line.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import yaml

from askew.files import toml_of
from askew.parameters import choose
from askew.reading import phrases
from askew.reading.literals import LiteralError, read_json, read_python, read_yaml, strip_fence
from askew.reading.names import LETTERS
from askew.reading.reply import fold, in_english, plain, refuses, unify_characters

_SAYS = phrases("formats")
Kind = Literal["letter", "option", "text", "ranking", "keyphrases", "entities"]
Prompting = Literal["zs", "cot"]
# Categories whose chain-of-thought answer stands between answer tags.
TAGGED_CATEGORIES = ("mcq", "list", "mapping")
OPENING_TAG, CLOSING_TAG = "<ANSWER>", "</ANSWER>"
# "Wrap your final answer by <ANSWER> and </ANSWER>", where a reply says it again.
_BETWEEN_TAGS_ASKED_FOR = "and"
# A letter in a wrapper is any of these, whatever is offered.
_WRAPPED_LETTERS = LETTERS[:8]
Value = str | list[int] | list[str] | dict[str, list[str]]


@dataclass(frozen=True)
class ExpectedAnswer:
    """The answer a question expects: its type, and what bounds it."""

    # An option's letter or its text, any text, a ranking (0 or 1 for each document), keyphrases in
    # any order, or entities (names under each of the keys).
    kind: Kind
    choices: tuple[str, ...] = ()  # the options on offer, where they are known
    keys: tuple[str, ...] = ()  # of a mapping
    n_elements: int = 0  # how many a ranking has
    prompting: Prompting = "zs"  # nothing but the answer, or "cot": step by step first


@dataclass(frozen=True)
class FormatReading:
    """What a reply says, or what a format takes out of a text."""

    value: Any  # as it is written, at last fit to be scored; None where there is none
    format_ok: bool  # whether the marks, and at last the answer's type, are as they should be
    why: str  # what was or was not found
    tolerated: str = ""  # a departure from the format that is let pass, if any
    typed: bool = False  # whether elements carry their own type, as literals do; else all are texts


def nothing(why: str) -> FormatReading:
    return FormatReading(None, False, why)


class Example(NamedTuple):
    """An answer and how the format writes it."""

    asked: ExpectedAnswer
    value: Value


@dataclass(frozen=True)
class Format(ABC):
    """One way of writing an answer.

    An object of a subclass, given to `register_format`, is a format that can be asked for, read,
    scored, demonstrated and simulated.
    """

    name: str  # how it is selected; letters, digits and underscores
    meaning: str  # what it looks like, in a few words
    instruction: str = ""  # the sentence that asks for it, unless `instruct` says another
    category: ClassVar[str]  # "mcq", "wrapping", "list" or "mapping": which questions ask for it
    example: ClassVar[Example]  # an answer that can be written in it

    def instruct(self, expected: ExpectedAnswer) -> str:
        """The sentence that asks for the format."""
        return self.instruction

    @abstractmethod
    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        """The answer that a text holds in this format; a `LiteralError` says why there is none."""

    def write(self, value: Any) -> str:
        """An answer in this format."""
        return str(value)

    @abstractmethod
    def spoil(self, value: Any) -> str:
        """The answer as a model writes it that misses the format: nothing can be extracted."""


def read(reply: str, fmt: Format, expected: ExpectedAnswer) -> FormatReading:
    """Read a reply, without its reasoning block, in the format it was asked for."""
    tagged = expected.prompting == "cot" and fmt.category in TAGGED_CATEGORIES
    part = tag_content(reply) if tagged else FormatReading(reply, True, "")
    if part.value is None:
        return nothing(part.why)
    try:
        found = fmt.extract(part.value, expected)
    except LiteralError as error:
        return nothing(str(error))
    if found.value is None:
        return nothing(found.why)
    value, wrong = _parse_typed(found, expected)
    tolerated = "; ".join(filter(None, (part.tolerated, found.tolerated)))
    why = "; ".join(filter(None, (found.why, wrong)))
    return FormatReading(value, found.format_ok and not wrong, why, tolerated)


def tag_content(text: str) -> FormatReading:
    """The text between the first pair of <ANSWER> tags; both tags have to be there."""
    _, opening, rest = text.partition(OPENING_TAG)
    if not opening or CLOSING_TAG not in text:
        return nothing(f"no {OPENING_TAG} with a {CLOSING_TAG}")
    inside, closing, _ = rest.partition(CLOSING_TAG)
    if not closing:
        return FormatReading(None, True, "both tags, but nothing between them")
    quoted = inside.strip() == _BETWEEN_TAGS_ASKED_FOR
    tolerated = "the first tags are those of the instruction" if quoted else ""
    return FormatReading(inside, True, "between the tags", tolerated)


def _parse_typed(found: FormatReading, expected: ExpectedAnswer) -> tuple[Value | None, str]:
    """The value as its type, and what is wrong with it, if anything."""
    value: Any = found.value
    match expected.kind:
        case "letter":
            letter = value.strip().upper()
            ok = len(letter) == 1 and letter in _WRAPPED_LETTERS
            return letter, "" if ok else "not a letter"
        case "ranking":
            # A mark is a number in a literal, a digit in a text.
            kind: Any = int | float if found.typed else str
            if not all(isinstance(e, kind) and e in (0, 1, "0", "1") for e in value):
                return None, "not all elements are 0 or 1"
            marks, n = [int(element) for element in value], expected.n_elements
            return marks, "" if len(marks) == n else f"{len(marks)} elements for {n} documents"
        case "keyphrases":
            if not all(isinstance(element, str) for element in value):
                return None, "not all elements are text"
            filled = [phrase for element in value if (phrase := element.strip())]
            if len(filled) == 1 and refuses(filled[0]):
                return None, "declines to answer"
            return filled or None, "" if len(filled) == len(value) else "an element is empty"
        case "entities" if not all(isinstance(n, str) for names in value.values() for n in names):
            return None, "not all names are text"
    return value, ""


CATEGORIES = ("mcq", "wrapping", "list", "mapping")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

FORMATS: dict[str, Format] = {}
"""Every format by name: the paper's, and what was registered so far."""


def register_format(fmt: Format) -> Format:
    """Add a format of a new name; from then on it can be asked for, read, scored and simulated."""
    if problem := _problem_of(fmt):
        raise ValueError(f"format {fmt.name!r} can't be registered: {problem}")
    FORMATS[fmt.name] = fmt
    return fmt


def _problem_of(fmt: Format) -> str:
    if not _NAME.fullmatch(fmt.name):
        return "a name has lower-case letters, digits and underscores, and begins with a letter"
    if fmt.category not in CATEGORIES:
        return f"its category {fmt.category!r} is none of {', '.join(CATEGORIES)}"
    if FORMATS.get(fmt.name, fmt) != fmt:
        return "another format has this name"
    expected, value = fmt.example.asked, fmt.example.value
    own = read(fmt.write(value), fmt, expected)
    if not own.format_ok or own.value != value:
        return f"it can't read its own example {fmt.write(value)!r}: {own.why}"
    if read(fmt.spoil(value), fmt, expected).format_ok:
        return f"it is followed by what should miss it, {fmt.spoil(value)!r}"
    return ""


def get_format(name: str) -> Format:
    """The format of a name; an unknown one is refused with the list."""
    return FORMATS[choose("format", name, tuple(FORMATS))[0]]


SEPARATOR = "<SEP>"
_WORDS: Mapping[str, Mapping[str, str]] = toml_of(__package__, "formats.toml")
_PHRASE = "So the answer is: "
# Table 1 prints the placeholder's line with brackets.
PLACEHOLDER_TABLE_1 = (
    f'Wrap your final answer by filling in the placeholder below: "{_PHRASE}[placeholder]"'
)
# The paper's questions have four options; a letter of those counts even where two are offered.
_LETTERS_EXPECTED = 4
# More elements than any answer has; what is longer is not a list that answers.
MAX_ELEMENTS = 10_000
# A dressed letter is short; a longer text is not one, and is not searched for one.
_MAX_DRESSED = 60
_COLOURS = ("red", "green", "blue")


def sentence_of(elements: Sequence[object]) -> str:
    """Elements in a sentence, for writing that misses a format."""
    *most, last = map(str, elements or ["nothing"])
    return f"{', '.join(most)} and {last}" if most else last


def _plain_words(text: str) -> str:
    """A short text in plain English words, without LaTeX and emphasis."""
    return plain(" ".join(in_english(_SAYS["latex"].sub("", unify_characters(text))).split()))


class Letter(Format):
    """The letter of an option and nothing else."""

    category = "mcq"
    example = Example(ExpectedAnswer("letter", choices=_COLOURS), "B")

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        body = text.strip()
        is_short = len(body) <= _MAX_DRESSED
        match = _SAYS["dressed"].fullmatch(_plain_words(body)) if is_short else None
        if match is None:
            return nothing("the text is not a letter alone")
        letter = match["letter"].upper()
        allowed = LETTERS[: max(_LETTERS_EXPECTED, len(expected.choices))]
        ok = letter in allowed
        why = "a letter alone" if ok else f"{letter} is not one of {allowed[0]} to {allowed[-1]}"
        return FormatReading(letter, ok, why)

    def spoil(self, value: str) -> str:
        return f"I would go for the option with the letter {value}, all things considered."


class OptionText(Format):
    """The text of an option without its letter."""

    category = "mcq"
    example = Example(ExpectedAnswer("option", choices=_COLOURS), "green")

    def instruct(self, expected: ExpectedAnswer) -> str:
        contrast = " without any textual description" if expected.prompting == "zs" else ""
        return self.instruction + contrast

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        """The option that the text is; case, outer quotes and end marks do not count."""
        # No longer than an option can be, marks around it included.
        longest = 40 + 2 * max((len(option) for option in expected.choices), default=0)
        texts = {fold(text), fold(_plain_words(text))} if len(text) <= longest else set()
        for option in expected.choices:
            if fold(option) and fold(option) in texts:
                return FormatReading(option, True, "the text of an option")
        if not expected.choices and text.strip():
            # Replies that come without their options can only be compared with the target.
            return FormatReading(text.strip(), True, "a text; the options are not known")
        return nothing("the text is not one of the options")

    def spoil(self, value: str) -> str:
        return f"Of the options, {value} seems to fit best."


@dataclass(frozen=True)
class Pair(Format):
    """The answer between an opening and a closing mark on one line, exactly once.

    Where there are several, the first is the answer and the format is not followed.
    """

    opening: str = ""
    closing: str = ""
    category = "wrapping"
    example = Example(ExpectedAnswer("letter", choices=_COLOURS), "B")

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        between = re.compile(f"{re.escape(self.opening)}(.*?){re.escape(self.closing)}")
        # Behind a line's last closing mark nothing is searched: any reply takes linear time.
        lines = (line[: line.rfind(self.closing) + len(self.closing)] for line in text.split("\n"))
        found = [inside for line in lines for inside in between.findall(line)]
        marks = f"{self.opening}...{self.closing}"
        if not found:
            return nothing(f"no {marks}")
        several = len(found) > 1
        return FormatReading(found[0], not several, f"{'several' if several else 'one'} {marks}")

    def write(self, value: str) -> str:
        return f"{self.opening}{value}{self.closing}"

    def spoil(self, value: str) -> str:
        return f"The answer would be {value}"


class Tags(Pair):
    """The answer in <ANSWER> tags; what follows the first pair does not count."""

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        return tag_content(text)


class Placeholder(Pair):
    """The answer behind a fixed phrase, up to a closing brace or the end of the reply."""

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        _, phrase, behind = text.partition(_PHRASE)
        if not phrase:
            return nothing(f"no {_PHRASE!r}")
        # The braces, brackets or quotes that the instruction shows around the placeholder.
        filled = behind.partition("}")[0].strip().strip("{}[]'\"").strip()
        return FormatReading(filled, True, "behind the phrase")


class Quoting(Pair):
    """The answer in triple quotes, single or double ones, exactly one pair on one line.

    The answer is the first pair, also where it spans lines; then the format is not followed.
    """

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        first = _SAYS["quoted"].search(text)
        if first is None:
            return nothing("no triple quotes")
        n_on_lines = sum(len(_SAYS["quoted"].findall(line)) for line in text.split("\n"))
        number = "several pairs" if n_on_lines else "no pair"
        ok = n_on_lines == 1
        why = "one pair of triple quotes" if ok else f"{number} of triple quotes on a line"
        return FormatReading(str(first[first.lastgroup or 0]), ok, why)


class List(Format):
    """What all lists share; what an element may be is checked after extraction."""

    category = "list"
    example = Example(ExpectedAnswer("keyphrases"), ["tidal energy", "salt marsh"])
    begins, joins = "", "\n"  # what stands before each element, and between two

    def instruct(self, expected: ExpectedAnswer) -> str:
        noun = "binary list" if expected.kind == "ranking" else "list"
        return self.instruction.format(list=noun)

    def write(self, value: Sequence[object]) -> str:
        return self.joins.join(f"{self.begins}{element}" for element in value)

    def spoil(self, value: Sequence[object]) -> str:
        return f"The list has {sentence_of(value)}."


def _elements(elements: Sequence[str], why: str, tolerated: str = "") -> FormatReading:
    if not 0 < len(elements) <= MAX_ELEMENTS:
        return nothing(f"more than {MAX_ELEMENTS:,} elements" if elements else f"no {why}")
    return FormatReading([e.strip() for e in elements], True, f"{len(elements)} {why}", tolerated)


class PythonList(List):
    """A literal list, alone or in a code block."""

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        value = read_python(strip_fence(text))
        if not (isinstance(value, list) and value):
            return nothing("an empty list" if value == [] else "a literal, but not a list")
        return FormatReading(value, True, f"a list of {len(value)}", typed=True)

    def write(self, value: Sequence[object]) -> str:
        return repr(list(value))


class Bullets(List):
    """Lines that begin with a hyphen; asterisks are let pass, other lines don't count."""

    begins = "- "

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        lines = [line.strip() for line in text.split("\n")]
        bullets = [line for line in lines if line[:2] in ("- ", "* ", "-", "*")]
        stars = sum(line.startswith("*") for line in bullets)
        tolerated = f"{stars} bullets are asterisks" if stars else ""
        return _elements([b[1:] for b in bullets], "bullet points", tolerated)


class SeparatedFormat(List):
    """Elements with <SEP> between them; lines in their place are let pass, as one element."""

    joins = f" {SEPARATOR} "

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        lines = len(text.strip().split("\n"))
        loose = SEPARATOR not in text and lines > 1
        tolerated = f"{lines} lines without {SEPARATOR}" if loose else ""
        return _elements(text.split(SEPARATOR) if text.strip() else [], "elements", tolerated)

    def spoil(self, value: Sequence[object]) -> str:
        # Any text is a list of one here: what misses the format is a skeleton nobody filled in.
        return self.joins.join([""] * (len(value) + 1)).strip()


class Lines(List):
    """One element a line; numbering and a leading hyphen are dropped, blank lines don't count."""

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        lines = filter(None, (line.strip() for line in text.split("\n")))
        return _elements([_SAYS["numbering"].sub("", line, count=1) for line in lines], "lines")

    def spoil(self, value: Sequence[object]) -> str:
        return "\n".join(f"{i}." for i in range(1, len(value) + 1)) or "1."


@dataclass(frozen=True)
class Names(Format):
    """JSON or YAML, alone or in a code block: the required keys, and a list under each."""

    as_json: bool = False
    category = "mapping"
    example = Example(
        ExpectedAnswer("entities", keys=("Task", "Method")),
        {"Task": ["tide prediction"], "Method": ["harmonic analysis", "TideNet"]},
    )

    def instruct(self, expected: ExpectedAnswer) -> str:
        if not self.as_json:
            skeleton = "\n".join(f"{key}: [...]" for key in expected.keys)
            return self.instruction.format(skeleton=skeleton)
        n, joins = len(expected.keys), " and " if len(expected.keys) == 2 else ", "
        quoted = [f"'{key}'" for key in expected.keys]
        keys = f"the key{'s' * (n > 1)} {'are ' * (n > 2)}{joins.join(quoted)}"
        kinds = joins.join(f"{key.lower()} name entities" for key in expected.keys)
        keys += f"{' and value as' if n == 1 else ', and value is'} a list of {kinds}"
        skeleton = ", ".join(f"{key}: [...]" for key in quoted)
        return self.instruction.format(keys=keys, skeleton=skeleton)

    def extract(self, text: str, expected: ExpectedAnswer) -> FormatReading:
        value = (_json_or_python if self.as_json else read_yaml)(strip_fence(text))
        if not isinstance(value, dict):
            return nothing("read, but not a mapping")
        if missing := ", ".join(key for key in expected.keys if key not in value):
            return nothing(f"a mapping without {missing}")
        if scalar := ", ".join(key for key in expected.keys if not isinstance(value[key], list)):
            return nothing(f"no list under {scalar}")
        kept = {key: value[key] for key in expected.keys}
        return FormatReading(kept, True, "all keys with lists", typed=True)

    def write(self, value: Mapping[str, Sequence[str]]) -> str:
        if self.as_json:
            return json.dumps(value, ensure_ascii=False)
        lists = {key: list(names) for key, names in value.items()}
        width = float("inf")
        dumped: str = yaml.safe_dump(lists, sort_keys=False, allow_unicode=True, width=width)
        return dumped.rstrip("\n")

    def spoil(self, value: Mapping[str, Sequence[str]]) -> str:
        return "; ".join(f"{key} = {sentence_of(names)}" for key, names in value.items()) + "."


def _json_or_python(text: str) -> Any:
    """A JSON object or a Python dictionary."""
    try:
        return read_json(text)
    except LiteralError as as_json:
        try:
            return read_python(text)
        except LiteralError as as_python:
            raise LiteralError(f"{as_json}; {as_python}") from None


_MARKS: Mapping[str, tuple[str | bool, ...]] = {
    "bolding": ("**", "**"), "italicizing": ("*", "*"), "brackets": ("[[", "]]"),
    "parentheses": ("((", "))"), "special_character": (OPENING_TAG, CLOSING_TAG),
    "placeholder": (_PHRASE + "{{", "}}"), "quoting": ('"""', '"""'), "json": (True,),
}  # fmt: skip
_KINDS: Mapping[str, Callable[..., Format]] = {
    "char": Letter, "text": OptionText, "special_character": Tags, "placeholder": Placeholder,
    "quoting": Quoting, "python": PythonList, "bullet": Bullets, "separator": SeparatedFormat,
    "newline": Lines, "json": Names, "yaml": Names,
}  # fmt: skip
FORMATS |= {
    name: _KINDS.get(name, Pair)(name, *words.values(), *_MARKS.get(name, ()))
    for name, words in _WORDS.items()
}
PAPER_FORMATS: tuple[str, ...] = tuple(FORMATS)
"""The paper's fifteen, in its order."""
