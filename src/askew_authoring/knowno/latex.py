"""Equations in LaTeX: those of sources with the text around them, and what tells two apart."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.papers.knowno.items import clip_after, clip_before
from askew.schema import clean_id
from askew.sources.records import RecordsError
from askew.untrusted import digest

# As many words as the paper keeps on each side (Section 3.2), and the fewest that are asked about.
WORDS, FEWEST_WORDS = 1_000, 100
_LONGEST, _SHORTEST = 600, 8
_SIZE_LIMIT = 16 * 1024 * 1024
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_OPENING = re.compile(
    r"\\begin\{(?P<named>equation\*?|displaymath)\}|(?<!\\)(?P<bracket>\\\[)|(?<!\\)\$\$"
)
_LABEL = re.compile(r"\\label\{[^{}]{0,200}\}|\\nonumber(?![a-z])|\\notag(?![a-z])")
_END = re.compile(
    r"\\begin\{thebibliography\}|\\(?:bibliography\{|printbibliography|end\{document\})"
)
# What changes how an equation is set, and not what it says.
_SETTING = re.compile(
    r"\\(?:left|right|[Bb]igg?[lr]?|displaystyle|textstyle|nonumber|notag|quad|qquad)(?![A-Za-z])"
    r"|\\label\{[^{}]{0,200}\}|\\[,;:! ]|[~\s]|&"
)
_ONE_IN_BRACES = re.compile(r"\{([A-Za-z0-9])\}")


def bare(equation: str) -> str:
    """An equation without spacing, sizes, labels and its closing mark, to compare by."""
    text = _ONE_IN_BRACES.sub(r"\1", _SETTING.sub("", equation))
    return text.rstrip(".,;")


def left_side(equation: str) -> str:
    """What stands in front of the first equals sign; empty where there is none."""
    left, equals, _ = equation.partition("=")
    return left.strip() if equals else ""


def oddities(options: Sequence[str], gold: int, context: str) -> Iterator[tuple[str, str]]:
    """What is odd about the options of an equation's question: each with its kind."""
    written = [bare(option) for option in options]
    for i, text in enumerate(written):
        if i != gold and text == written[gold]:
            what = f"{options[i]!r:.80} is the right one but for how it is written"
            yield "same equation twice", what
        elif i != gold and text in written[:i]:
            yield "same equation twice", f"{options[i]!r:.80} stands there in another writing"
    if written[gold] and written[gold] in bare(context):
        yield "equation in its context", "the right equation stands in the text around it"


@dataclass(frozen=True)
class FoundEquation:
    """An equation that can be asked about, with all that stands before and after it."""

    id: str
    gold: str
    before: str
    after: str

    def context(self, words: int = WORDS) -> tuple[str, str]:
        """So many words before and after it, cut at sentence ends."""
        return clip_before(self.before, words), clip_after(self.after, words)


def equations(paths: Sequence[str | Path]) -> tuple[list[FoundEquation], Counter[str]]:
    """The equations of LaTeX files, and by reason how many were left out."""
    found: dict[str, FoundEquation] = {}
    out: Counter[str] = Counter()
    for path in map(Path, paths):
        for each in _of_text(_body(path), clean_id(path.stem)):
            why = _unfit(each) or ("occurs more than once" if each.id in found else "")
            if why:
                out[why] += 1
            else:
                found[each.id] = each
    return list(found.values()), out


def _body(path: Path) -> str:
    """What a reader sees: without preamble, comments and references."""
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise RecordsError(f"{path} exceeds {_SIZE_LIMIT:,} bytes, the limit for a source")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordsError(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}") from error
    text = _COMMENT.sub("", text)
    _, begins, rest = text.partition(r"\begin{document}")
    return _END.split(rest if begins else text)[0]


def _of_text(text: str, name: str) -> Iterator[FoundEquation]:
    place = 0
    while opening := _OPENING.search(text, place):
        named = opening["named"]
        ending = rf"\end{{{named}}}" if named else r"\]" if opening["bracket"] else "$$"
        start, end = opening.end(), text.find(ending, opening.end())
        if end < 0:
            return
        place = end + len(ending)
        gold = " ".join(_LABEL.sub(" ", text[start:end]).split()).rstrip(" .,;")
        before, after = text[: opening.start()].rstrip(), text[place:].lstrip(" .,;\n")
        yield FoundEquation(f"{name}-{digest(bare(gold))}", gold, before, after)


def _unfit(each: FoundEquation) -> str:
    """Why an equation can't be asked about; empty where it can."""
    gold = each.gold
    if "\\\\" in gold or "\\begin" in gold:
        return "has several lines"
    if not left_side(gold) or not gold.partition("=")[2].strip():
        return "has no two sides"
    if not _SHORTEST <= len(gold) <= _LONGEST:
        return f"is not from {_SHORTEST} to {_LONGEST} characters long"
    if min(len(each.before.split()), len(each.after.split())) < FEWEST_WORDS:
        return f"has fewer than {FEWEST_WORDS} words on a side"
    return (
        "stands in the text around it as well"
        if bare(gold) in bare(" ".join(each.context()))
        else ""
    )
