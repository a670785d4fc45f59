"""Equations of LaTeX sources with the text around them, and why others are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.papers.knowno.items import clip_after, clip_before
from askew.schema import clean_id
from askew.sources.loading import digest
from askew.sources.records import RecordsError
from askew_authoring.knowno.equations import bare, left_side

# As many words as the paper keeps on each side (Section 3.2), and the fewest that are asked about.
WORDS, FEWEST_WORDS = 1_000, 100
_LONGEST, _SHORTEST = 600, 8
_SIZE_LIMIT = 16 * 1024 * 1024
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_OPENINGS = {
    r"\begin{equation}": r"\end{equation}",
    r"\begin{equation*}": r"\end{equation*}",
    r"\begin{displaymath}": r"\end{displaymath}",
    r"\[": r"\]",
    "$$": "$$",
}
_OPENING = re.compile(r"\\begin\{(?:equation\*?|displaymath)\}|(?<!\\)\\\[|(?<!\\)\$\$")
_LABEL = re.compile(r"\\label\{[^{}]{0,200}\}|\\nonumber(?![a-z])|\\notag(?![a-z])")
_ENDS = (r"\begin{thebibliography}", r"\bibliography{", r"\printbibliography", r"\end{document}")


@dataclass(frozen=True)
class Found:
    """An equation that can be asked about, with all that stands before and after it."""

    id: str
    gold: str
    before: str
    after: str

    def context(self, words: int = WORDS) -> tuple[str, str]:
        """So many words before and after it, cut at sentence ends."""
        return clip_before(self.before, words), clip_after(self.after, words)


def equations(paths: Sequence[str | Path]) -> tuple[list[Found], Counter[str]]:
    """The equations of LaTeX files, and by reason how many were left out."""
    found: dict[str, Found] = {}
    out: Counter[str] = Counter()
    for path in map(Path, paths):
        for each in _of_text(_body(path), clean_id(path.stem)):
            if isinstance(each, str):
                out[each] += 1
            elif each.id in found:
                out["occurs more than once"] += 1
            else:
                found[each.id] = each
    return list(found.values()), out


def _body(path: Path) -> str:
    """What a reader sees: without preamble, comments and references."""
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise RecordsError(f"{path} is larger than {_SIZE_LIMIT:,} bytes: no LaTeX source")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordsError(f"{path} is not UTF-8 ({error.reason}); save it so") from error
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}") from error
    text = _COMMENT.sub("", text)
    _, begins, rest = text.partition(r"\begin{document}")
    text = rest if begins else text
    return text[: min((at for end in _ENDS if (at := text.find(end)) >= 0), default=len(text))]


def _of_text(text: str, name: str) -> Iterator[Found | str]:
    """Each equation of a text, or why it can't be asked about."""
    place = 0
    while opening := _OPENING.search(text, place):
        start = opening.end()
        end = text.find(_OPENINGS[opening[0]], start)
        if end < 0:
            return
        place = end + len(_OPENINGS[opening[0]])
        gold = " ".join(_LABEL.sub(" ", text[start:end]).split()).rstrip(" .,;")
        before, after = text[: opening.start()].rstrip(), text[place:].lstrip(" .,;\n")
        yield _unfit(gold, before, after) or Found(
            f"{name}-{digest(bare(gold))}", gold, before, after
        )


def _unfit(gold: str, before: str, after: str) -> str:
    """Why an equation can't be asked about; empty where it can."""
    if "\\\\" in gold or "\\begin" in gold:
        return "has several lines"
    if not left_side(gold) or not gold.partition("=")[2].strip():
        return "has no two sides"
    if not _SHORTEST <= len(gold) <= _LONGEST:
        return f"is not from {_SHORTEST} to {_LONGEST} characters long"
    if min(len(before.split()), len(after.split())) < FEWEST_WORDS:
        return f"has fewer than {FEWEST_WORDS} words on a side"
    if bare(gold) in bare(clip_before(before, WORDS) + " " + clip_after(after, WORDS)):
        return "stands in the text around it as well"
    return ""
