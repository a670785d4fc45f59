"""What a reply settles on, of a closed set of answers: one policy for letters, texts and labels.

The last explicit commitment counts. Reading goes from the strongest sign to the weakest: a bare
answer, an announced one, verdicts on all, the reply's head, its last line, a statement that none
fits, a refusal, one answer named anywhere. What is repeated, ruled out or supposed counts nowhere.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from askew.reading import phrases, reply
from askew.reading.names import (
    LETTER,
    LETTERS,
    NAME,
    SIGNS,
    OptionNames,
    compose_accents,
    index_of,
    is_math,
)
from askew.reading.none import denials, denies_all, is_none, none_position, starts_with_none
from askew.reading.verdicts import Verdicts, survey_end, verdicts
from askew.schema import Outcome

_SAYS = phrases("engine")
_SIGN = re.compile(f"[{SIGNS}]")
_SEGMENT, _SUBJECT, _SHORT, _GAP = 2_000, 200, 10, 40
# More words than these are no answer; more names and rows say nothing new.
_MOST_WORDS, _MOST = 12, 400


@dataclass(frozen=True)
class Choice:
    """What a reply settles on."""

    outcome: Outcome  # whether an answer was read, or why none was
    chosen: int | None = None  # index of the offered option that is chosen
    letter: str = ""  # what the reply wrote with its answer, offered or not
    # An answer in the reply's own words. Beside `chosen` the letter is an offered one but the words
    # behind it are not its option's ("C. Rick").
    text: str = ""
    gave_removed: bool = False  # the answer's text is the removed option
    # The reply says that none fits, or chooses an option that says so; `text` is then the answer
    # that it gives all the same.
    said_none: bool = False
    # False where the reading holds only if the reply is whole: in a reply that was cut, a lone
    # mention or a last line settles nothing.
    settled: bool = True
    why: str = ""  # how it was read


SAYS_NONE = Choice("ok", said_none=True, why="says that none fits")


def torn(why: str) -> Choice:
    return Choice("ambiguous", why=why)


def _if_read(choice: Choice | None) -> Choice | None:
    return None if choice is None or choice.outcome == "unparsed" else choice


class Reader:
    """One reply, with signs for names, against one closed set of them."""

    announces = reply.CHOICE
    leads_in = _SAYS["lead_in"]
    least_verdicts = 1
    excluded = False

    def __init__(self, text: str, names: OptionNames) -> None:
        self.names = names
        self.n_offered = names.n_offered
        self.said: dict[str, str] = {}
        self.whole = names.marked(compose_accents(text), self.said)
        self.body = reply.blank_matches(self.whole, _SAYS["fork"])

    def read(self) -> Choice:
        whole = self.bare(_SAYS["answer_label"].sub("", self.body, count=1))
        answer = whole or self._closing() or self._is_option_row()
        if answer is not None:
            return answer
        kept = self._drop_excluded()
        found = self._verdicts(kept)
        self.excluded = kept != self.body
        self.body = self._without_listing(kept)
        if found is None and not reply.has_words(_SAYS["name"].sub("x", self.body)):
            if not reply.has_words(_SAYS["name"].sub("x", kept)):
                return Choice("unparsed", why="only rules options out")
            return torn("goes through the options and settles on none")
        beyond = _SAYS["two_letters"].match(self.restore(self.body)) if self.body != kept else None
        if beyond is not None and "".join(beyond.groups()) in LETTERS[self.n_offered :]:
            return torn("goes through more letters than were offered")
        return self.settle(found)

    def settle(self, found: Choice | None = None) -> Choice:
        """The last commitment, beside the one that a list of verdicts comes to."""
        self.denials = list(denials(self.body))
        self.announcements = reply.announcements(self.body, self.announces)
        weak = [one for one in self.announcements if one.weak]
        strong = [one for one in self.announcements if not one.weak]
        stated = self._last_announcement(strong) or found or self._at_an_end()
        stated = stated or self._last_announcement(weak)
        if stated is not None:
            return self._beside_head(stated)
        if self.denials:
            return self._weigh(replace(SAYS_NONE, settled=False))
        if reply.refuses(self.body):
            return Choice("refused", why="the reply declines to answer")
        if not NAME.search(self.body) and denies_all(self.body):
            return replace(SAYS_NONE, settled=False)
        return self._only_option()

    def beside(self, listing: Verdicts, listed: Choice) -> Choice:
        """An answer before or after a list of verdicts, unless the list comes to another one."""
        whole = self.body
        for self.body in (listing.after(whole), whole[: listing.start], whole[listing.end :]):
            given = self.settle()
            if given.outcome == "ok" and given.settled:
                is_open = not listing.accepted and listed.outcome != "ok"
                if is_open or given.chosen == listed.chosen:
                    return given
                return torn("gives an answer and a list of verdicts that differ")
        return listed

    def restore(self, text: str) -> str:
        """A piece of the text as it was written."""
        return _SIGN.sub(lambda m: self.said.get(m[0], " "), text).strip()

    def named(self, name: re.Match[str]) -> Choice:
        """The option of a name; a letter beside the text of another leaves both open."""
        letter, text = index_of(name, "letter"), index_of(name, "text")
        if text is None:
            return self._by_letter(index_of(name, "alone") or 0)
        written = "" if letter is None else LETTERS[letter]
        shared = text >= len(self.names.written)
        if letter is not None and (shared or letter in self.names.same(text)):
            text = letter
        elif shared:
            return torn("gives the text of several options")
        elif letter is not None and letter < self.n_offered > text:
            return torn(f"gives {written}, and words of another option")
        if text == self.n_offered:
            why, own = "gives the text of the removed option", self.names.written[text]
            return Choice("ok", letter=written, text=own, gave_removed=True, why=why)
        none = is_none(self.names.written[text])
        why = "gives the text of an option"
        return Choice("ok", chosen=text, letter=written, said_none=none, why=why)

    def _by_letter(self, index: int, words: str = "") -> Choice:
        """A letter; words behind it count as new unless they are its option's."""
        letter = LETTERS[index]
        if index >= self.n_offered:
            if words:
                return Choice("ok", letter=letter, text=words, why="gives a new letter and text")
            return Choice("unparsed", letter=letter, why=f"the letter {letter} is not offered")
        both = words.casefold(), self.names.keys[index]
        named, meant = (set(re.findall(r"\w+", text)) for text in both)
        text = "" if 2 * len(named & meant) >= min(len(named), len(meant)) else words
        why = f"gives the letter {letter}" + (", with words of its own" if text else "")
        none = is_none(self.names.written[index])
        return Choice("ok", chosen=index, letter=letter, text=text, said_none=none, why=why)

    def bare(self, text: str) -> Choice | None:
        """The answer that a piece of text is, and nothing else."""
        name = NAME.match(text, reply.match_end(_SAYS["lead"], text, 0))
        if name is None or _SAYS["closes"].fullmatch(text, name.end()) is None:
            return None
        return _if_read(self.named(name))

    def opening(self, text: str) -> Choice | None:
        """The answer that a piece opens with, behind marks and words that lead to it."""
        text = text[:_SEGMENT].strip()
        lead = reply.match_end(_SAYS["lead"], text, 0)
        for start in dict.fromkeys((lead, reply.match_end(self.leads_in, text, lead))):
            name = NAME.match(text, reply.match_end(_SAYS["lead"], text, start))
            if name and (answer := self._opening(text, name)):
                return answer
            if starts_with_none(self.restore(text[start:])):
                return SAYS_NONE
        return SAYS_NONE if starts_with_none(text) else None

    def _opening(self, text: str, name: re.Match[str]) -> Choice | None:
        """What a name at the head of a text says, by what stands behind it."""
        answer, at = self.named(name), name.end()
        joined = _SAYS["joins"].match(text, at)
        other = NAME.match(text, joined.end()) if joined is not None else None
        if other is not None and self.named(other).chosen != answer.chosen:
            return torn("gives several options")
        rest = text[at:]
        tight = name["text"] and answer.chosen is not None and self.names.tight[answer.chosen]
        stops = tight or _SAYS["stops"].match(rest)
        if name["letter"] is None and name["text"] is not None:
            return answer if stops else None
        line, _, _ = rest.partition("\n")
        words = line[reply.match_end(_SAYS["labels"], line, 0) :]
        if _SAYS["ruled_out"].search(_SAYS["cause"].split(words, maxsplit=1)[0]):
            return None
        if name["alone"] and _SAYS["told_of"].match(text, name.start()):
            return None
        if name["text"] is not None:
            own = answer.chosen is not None and answer.chosen == index_of(name, "letter")
            told = _SAYS["subject_of"].match(rest) or _SAYS["cause"].match(rest.lstrip())
            if own or stops or told:
                return answer
        line = text[name.start() + 1 :].partition("\n")[0]
        return self._behind_letter(ord(name.group()[0]) & 0xFFF, line, name["letter"] is not None)

    def _behind_letter(self, index: int, line: str, label: bool) -> Choice | None:
        """What a letter and the words behind it say ("C: see the second line")."""
        letter, words = LETTERS[index], line[reply.match_end(_SAYS["labels"], line, 0) :].strip()
        label |= len(words) < len(line.strip())
        if is_none(words) or starts_with_none(words):
            return replace(SAYS_NONE, letter=letter)
        about = self._about(words) if label else None
        if about is not None:
            together = NAME.match(chr(LETTER + index) + about.group("text"))
            return self.named(together) if together else None
        own = self.restore(words) if label else ""
        alike = self.names.alike(own)
        if alike and index < self.n_offered and index not in alike:
            if self.n_offered not in alike:
                return torn(f"gives {letter}, and words of another option")
            return Choice("ok", letter=letter, text=own, why="gives words of its own")
        own = "" if _SAYS["remark"].match(own) else own_answer(own)
        answer = self._by_letter(index, own)
        alone = not _SAYS["closes"].sub("", line, count=1)
        return answer if answer.outcome == "ok" or alone else None

    def _about(self, words: str) -> re.Match[str] | None:
        """The one option that a sentence says ("It was Rick")."""
        clause = _SAYS["cause"].split(words, maxsplit=1)[0]
        found = [m for m in NAME.finditer(clause) if m["text"]]
        if len(found) != 1 or not _SAYS["predicate"].search(clause[: found[0].start() + 1]):
            return None
        return found[0] if _SAYS["closes"].fullmatch(clause, found[0].end()) else None

    def subject(self, before: str) -> Choice | None:
        """What "... is the correct answer" says it of, given what stands before it."""
        found = _SAYS["subject"].search(before.rpartition("\n")[2])
        name = NAME.match(found["name"]) if found else None
        return _if_read(self.named(name)) if name else None

    def _closing(self) -> Choice | None:
        """The answer that a line below a list of several options is, and nothing else."""
        line = survey_end(self.body, self._item)
        answer = self.bare(line) or (SAYS_NONE if line and starts_with_none(line) else None)
        return None if answer is None else replace(answer, settled=False)

    def _item(self, item: str) -> int | None:
        name = NAME.match(item)
        return ord(name.group()[-1]) & 0xFFF if name else None

    def _row(self, text: str, at: int, joins: re.Pattern[str]) -> tuple[list[int], int]:
        """The options that stand in a row from a place on, and where it ends."""
        row: list[int] = []
        end = at
        while len(row) < _MOST and (name := _SAYS["in_row"].match(text, at)) is not None:
            first, end = ord(name["name"][-1]) & 0xFFF, name.end()
            upto = _SAYS["range"].match(text, end)
            if upto and first < (last := ord(upto["last"]) & 0xFFF) < self.n_offered:
                row += range(first, last)
                first, end = last, upto.end()
            row.append(first)
            at = reply.match_end(joins, text, end)
            if at == end:
                break
        return row, end

    def _is_option_row(self) -> Choice | None:
        """Nothing but a row of different options."""
        row, rest = self._several_options(reply.match_end(_SAYS["all_of"], self.body, 0))
        alone = row and not reply.has_words(rest)
        return torn(f"gives {len(row)} options and settles on none") if alone else None

    def _several_options(self, at: int) -> tuple[list[int], str]:
        """The different options that stand in a row, if several do, and what stands behind it."""
        start = reply.match_end(_SAYS["listed"], self.body, at)
        row, end = self._row(self.body, start, _SAYS["listed"])
        return row if 1 < len(row) == len(set(row)) else [], self.body[end:]

    def _are_all(self, named: Sequence[int]) -> bool:
        offered = {i for i in range(self.n_offered) if not is_none(self.names.written[i])}
        return offered <= set(named)

    def _drop_excluded(self) -> str:
        """The text with options ruled out in a row said as "none of the options", or not at all."""
        text = self.body
        for kind in ("none_of", "contrast", "all_wrong"):
            text = _SAYS[kind].sub(partial(self._exclusions, kind), text)
        return text

    def _exclusions(self, kind: str, match: re.Match[str]) -> str:
        row, _ = self._row(match["row"], 0, _SAYS["joined"])
        beside = match.groupdict().get("beside")
        if len(set(row)) < 2:
            return match.group()
        if self._are_all(row) and not beside:
            correct = " is correct" if kind == "all_wrong" else ""
            return f" none of the options{correct}{match['rest']}"
        return ""

    def _verdicts(self, text: str) -> Choice | None:
        """The one option that a list of verdicts marks as right; none where all are wrong."""
        text = _SAYS["begins_line"].sub("\n", _SAYS["dress"].sub(" ", text))
        text = _SAYS["dressed"].sub(r"\1 ", text)
        text = _SAYS["twice"].sub(r"\1", _SAYS["is_verdict"].sub(r"\1 ", text))
        listing = verdicts(text, _SAYS["name"].pattern, self.least_verdicts)
        if listing is None:
            return None
        right, wrong = ([n for n, mark in listing.of.items() if mark is of] for of in (True, False))
        if len(right) > 1:
            return torn(f"marks {len(right)} options as right")
        for marked in filter(None, map(NAME.match, right)):
            return replace(self.named(marked), letter="", why="marks one option as right")
        by_text = all(ord(name[0]) < LETTER for name in listing.of)
        if by_text and not (right or wrong or reply.has_words(text[: listing.start])):
            return torn("goes through several and settles on none") if len(listing.of) > 1 else None
        all_wrong = wrong and self._are_all([ord(name[-1]) & 0xFFF for name in wrong])
        if all_wrong and not _SAYS["open"].search(text):
            return replace(SAYS_NONE, why="marks every option as wrong")
        return None

    def _without_listing(self, text: str) -> str:
        """The text without lists that go through the options ("A. Bob / B. James / ...")."""
        items = [m for m, _ in zip(_SAYS["item"].finditer(text), range(_MOST), strict=False)]
        kept = [a for a in reply.announcements(text, self.announces) if not a.doubtful]
        answers = {m.start() for m in items if self._is_announcement(m, text, kept)}
        for item, following in pairwise(items):
            # "The answer is C: Rick or D: Ann."
            between = text[item.end("name") : following.start()]
            if item.start() in answers and len(between) < _GAP and following["line"] is None:
                answers.add(following.start())
        parts, at = [], 0
        offered = [m for m in items if ord(m["name"][0]) & 0xFFF < self.n_offered]
        for run in _runs([m for m in offered if m.start() not in answers]):
            for item, behind in zip(run, [*run[1:], None], strict=True):
                end = item.end("rest" if item["line"] is not None else "name")
                stops = [a.start for a in kept if item.start() < a.start]
                parts.append(text[at : item.start()])
                at = min([end, *stops, *([behind.start()] if behind else [])])
        return "".join([*parts, text[at:]]).strip() if at else text

    def _is_announcement(
        self, item: re.Match[str], text: str, found: Sequence[reply.Announcement]
    ) -> bool:
        places = (
            (item.end("name"), one.start) if one.by_subject else (one.end, item.start())
            for one in found
        )
        return any(0 <= b - a < _GAP and not reply.has_words(text[a:b]) for a, b in places)

    def _last_announcement(self, found: Sequence[reply.Announcement]) -> Choice | None:
        """What the last announcement announces; "the closest is B" yields to a removed answer."""
        closest = None
        for one in reversed(found):
            # Where none fits, "if I had to choose" says which is closest.
            if one.doubtful and not (one.near and self.denials):
                continue
            choice = self._behind(one)
            if choice is None or (closest is not None and not choice.gave_removed):
                continue
            near = one.near or (one.conceded and bool(self.denials))
            choice = self._weigh(choice, one.start, near)
            if closest is not None or not (near and choice.chosen is not None):
                return choice
            closest = choice
        return closest

    def _behind(self, one: reply.Announcement) -> Choice | None:
        before = self.body[max(0, one.start - _SUBJECT) : one.start]
        if one.by_subject:
            return self.subject(before)
        segment = self.body[one.end : one.end + _SEGMENT]
        choice = _if_read(self.opening(segment))
        if choice is None and one.of_answer:
            # "C is the correct answer: the note says so."
            called = _SAYS["called"].search(before)
            choice = self.subject(before[: called.start()]) if called else None
            return choice or self._new(segment)
        return choice

    def _new(self, segment: str) -> Choice | None:
        """An announced answer in the reply's own words."""
        line = reply.first_line(segment)
        new = own_answer(self.restore(line[reply.match_end(_SAYS["lead"], line, 0) :]))
        if not new or self._evades(new) or _SAYS["where"].match(new):
            return None
        return Choice("ok", text=new, why="announces an answer not offered")

    def _beside_head(self, stated: Choice) -> Choice:
        """What is announced, unless the reply has just given another option, and says no more."""
        first, _, below = self.body.partition("\n")
        head = self.bare(first) if below else None
        later = [a for a in self.announcements if a.end > len(first) and not a.by_subject]
        if head is None or head.chosen in (None, stated.chosen) or not (later and stated.letter):
            return stated
        between = below[: max(0, later[0].start - len(first) - 1)]
        if NAME.search(between) or not reply.LEADS_ON.fullmatch(between):
            return stated
        return torn("gives an option, and announces another")

    def _at_an_end(self) -> Choice | None:
        """The answer that the reply opens with, or that its last line or sentence is."""
        row, rest = self._several_options(0)
        several = row and not reply.first_line(f".{rest}").strip(" .!_")
        head = torn("lists several options") if several else self.opening(self.body)
        first = reply.first_line(self.body)
        if is_none(first) and len(first.split()) <= 3:
            return SAYS_NONE
        # Denying words at the head, or several letters, may still come to an answer.
        if head is not None and head.outcome == "ok" and (head.letter or not head.said_none):
            return self._weigh(head)
        for end_of in self._ends():
            # After a denial, only a line that is nothing but an answer takes it back.
            last = _if_read(self.opening(end_of)) if head is None else self.bare(end_of)
            if last is not None:
                above = self.bare(reply.last_line(self.body.rstrip().rpartition("\n")[0]))
                if above is not None and above.chosen != last.chosen:
                    return torn("ends with several answers")
                return self._weigh(replace(last, settled=False), len(self.body))
        return None if head is None else self._weigh(head)

    def _ends(self) -> Iterator[str]:
        """The last line, the last sentence, and what is concluded in its last words."""
        line = reply.last_line(self.body)
        if line != self.body:
            yield line
        sentence = line.rpartition(". ")[2]
        if sentence != line:
            yield sentence
        for concluded in list(_SAYS["concludes"].finditer(line))[-1:]:
            yield line[concluded.end() :]

    def _weigh(self, choice: Choice, at: int = 0, near: bool = False) -> Choice:
        """An answer given at a place, weighed against the statements that none fits."""
        if choice.outcome != "ok" or not (self.denials or choice.said_none):
            return choice
        if choice.said_none or choice.chosen is None:
            gave = choice.gave_removed or self._mentions_removed()
            return replace(choice, said_none=True, gave_removed=gave)
        own = self.names.written[choice.chosen]
        denied = near or any(d.firm and d.start >= at for d in self.denials)
        if not denied or none_position(own) >= 0:
            return choice
        why, gave = "says that none fits, yet gives one", self._mentions_removed()
        return replace(SAYS_NONE, text=choice.text or own, gave_removed=gave, why=why)

    def _mentions_removed(self) -> bool:
        """Whether a reply that says none names the removed option as well."""
        # "None of the options but Rick" names it; "the correct answer (Rick) is not listed" too.
        found = any(index_of(m, "text") == self.n_offered for m in NAME.finditer(self.body))
        return found and len(self.names.written) > self.n_offered

    def _only_option(self) -> Choice:
        """The one option that a reply without a stated answer names, or its own short answer."""
        affirmed, ruled_out = self._mentions()
        if len(affirmed) > 1:
            return torn(f"names {len(affirmed)} options and settles on none")
        for name in affirmed.values():
            answer = self.named(name)
            return replace(answer, settled=False, why="names one option only")
        vague = [a for a in self.announcements if a.of_answer and not a.by_subject]
        line = reply.first_line(self.restore(self.body[vague[-1].end if vague else 0 :]))
        new = own_answer(line)
        if new and line[-1] not in ":?" and not self._evades(new) and not ruled_out:
            return Choice("ok", text=new, settled=False, why="gives an answer not offered")
        return Choice("unparsed", why="no option is named")

    def _mentions(self) -> tuple[dict[int, re.Match[str]], bool]:
        """The options that the text names, and whether others are only ruled out."""
        affirmed: dict[int, re.Match[str]] = {}
        ruled_out = False
        short = len(self.body.split()) <= _SHORT
        for mention, _ in zip(_SAYS["mention"].finditer(self.body), range(_MOST), strict=False):
            name = NAME.match(mention["name"])
            if name is None or (not short and _SAYS["everyday_sign"].match(mention["name"])):
                continue
            if short and self._is_conjunction(mention):
                continue
            split = _SAYS["clause_end"].split
            before = split(self.body[max(0, mention.start() - 100) : mention.start()])[-1]
            after = split(self.body[mention.end() : mention.end() + 80], maxsplit=1)[0]
            if _SAYS["denies"].search(f"{before} \0 {after}"):
                ruled_out = True
            elif self.named(name).outcome != "unparsed":
                affirmed.setdefault(ord(name.group()[-1]) & 0xFFF, name)
        return affirmed, ruled_out or self.excluded

    def _is_conjunction(self, name: re.Match[str]) -> bool:
        """Whether a short text is a list of things of which the option is only one."""
        before, after = self.body[: name.start()], self.body[name.end() :]
        if _SAYS["beside_name"].search(f"{before[-12:]}\0{after[:12]}"):
            return False
        if not before.strip("\"'( ") and _SAYS["joined_after"].match(after):
            return True
        ends = not reply.has_words(after)
        return ends and _SAYS["joined_before"].search(before[-12:]) is not None

    def _evades(self, text: str) -> bool:
        """Whether words give no answer of their own: they evade, or are about a lettered option."""
        if _SAYS["evasion"].match(text):
            return True
        if is_math(text) or (len(text.split()) < 3 and ":" not in text):
            return False
        lone = _SAYS["lone_letter"].finditer(text)
        return any(LETTERS.index(match["letter"]) < self.n_offered for match in lone)


def own_answer(line: str) -> str:
    """The short answer at the head of a line, without what explains it; "" if there is none."""
    text = _SAYS["explains"].split(line.strip(" *_`\"'"), maxsplit=1)[0].rstrip(" *_`\"'.,;:!")
    if len(text.split()) > _MOST_WORDS or _SAYS["reason"].match(text):
        return ""
    # A lone letter of another alphabet is no answer.
    return text if text.isdigit() or sum(map(str.isalnum, text)) > 1 else ""


def _runs(items: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Neighbouring items in the order of their letters, where they are plainly a list."""
    run: list[re.Match[str]] = []
    for item in [*items, None]:
        if item is not None and run and item["name"][0] > run[-1]["name"][0]:
            run.append(item)
            continue
        each_line = all(i["line"] is not None for i in run)
        is_list = sum(len(i["name"]) > 1 for i in run) > 1 or each_line
        first = len(run) > 1 and ord(run[0]["name"][0]) & 0xFFF == 0
        # Items that are nothing but options are a list as well.
        bare = all(len(i["name"]) > 1 and not reply.has_words(i["rest"]) for i in run)
        if len(run) > 1 and ((first and is_list) or bare):
            yield run
        run = [] if item is None else [item]
