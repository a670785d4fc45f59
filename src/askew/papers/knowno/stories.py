"""Stories from a seed: who takes which thing where, and a question about one of the things.

What happens is drawn, told, and followed forward. Of four things with four different answers one
is asked for by lot: neither the story nor the options say which, whatever somebody goes by.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from askew.files import toml_of
from askew.sources.levels import listed

_WORDS: Mapping[str, Any] = toml_of(__package__, "words.toml")["story"]
_OPTIONS = 4
# From when on it may end, and when at last, as shares of a level's number of events.
_LENGTHS = (0.7, 1.8)
# Minutes from one event to the next, and when the first one may be.
_GAPS, _MORNING = (2, 12), (8 * 60, 10 * 60)
# How many events a part has that is told out of order.
_PART = (3, 6)
# What is shown, the options, and which of them is right.
Question = tuple[Mapping[str, str], tuple[str, ...], int]
# What happens: the words that its text is filled with, and what is where after it.
Event = tuple[dict[str, str], dict[str, str]]
# By answer, the things that it holds of, each with the place that it is asked about.
Answers = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Plot:
    """What stories of a level are made of, as difficulty.toml has it."""

    people: int
    things: int
    places: int
    events: int
    kinds: str
    asks: str
    turns: int
    boxes: int = 0
    time: str = ""


def story(of: Plot, ask: str, rng: Random) -> Question:
    """A story with a question about it."""
    while True:
        tale = _Tale(of, rng)
        # It goes on until some question fits.
        first, last = (round(of.events * share) for share in _LENGTHS)
        while len(tale.times) < last:
            tale.happen()
            if len(tale.times) >= first and (found := tale.answers(ask)):
                question, options, right = tale.question(ask, found)
                text = f"{tale.beginning}\n\n{tale.told()}"
                return {"story": text, "question": question}, tuple(options), right


class _Tale:
    """Who and what there is, what happens in sentences with their times, and what is where.

    A person is at a place, a thing with either or in a box (`at`). Of each thing, `stays` are its
    places before and after each event, `turns` after which events anything about where it is had
    changed, and `hands` after which of them who had it.
    """

    def __init__(self, of: Plot, rng: Random) -> None:
        self.of, self.rng, self.kinds = of, rng, of.kinds.split()
        setting = rng.choice(_WORDS["settings"])
        self.people = rng.sample(_WORDS["names"], of.people)
        self.things = rng.sample(setting["things"], of.things)
        self.boxes = rng.sample(_WORDS["boxes"], of.boxes)
        self.places = rng.sample(setting["places"], of.places)
        self.opening = setting["opening"].format(people=listed(self.people))
        # Things lie at one place, or are in people's hands; who goes about begins anywhere.
        here = self.places[:1]
        lying = of.kinds in ("bring", "move")
        things = here * of.things if lying else rng.choices(self.people, k=of.things)
        around = self.places if "go" in of.kinds else here
        self.at = {x: rng.choice(around) for x in (*self.people, *self.boxes)}
        self.at |= dict(zip(self.things, things, strict=True))
        self.minute = rng.randint(*_MORNING)
        self.beginning = f"{self.opening} {self._beginning()}".strip()
        self.sentences: list[str] = []
        self.times: list[int] = []
        self.stays = {thing: [self.place_of(thing)] for thing in self.things}
        self.turns: dict[str, list[int]] = {thing: [] for thing in self.things}
        self.hands: dict[str, list[int]] = {thing: [] for thing in self.things}

    def place_of(self, thing: str) -> str:
        while thing in self.at:
            thing = self.at[thing]
        return thing

    def holder_of(self, thing: str) -> str:
        """Who carries it, openly or in a box; nobody where it lies about."""
        while thing not in self.people and thing in self.at:
            thing = self.at[thing]
        return thing if thing in self.people else ""

    def held_by(self, person: str) -> list[str]:
        return [x for x in (*self.things, *self.boxes) if self.at[x] == person]

    def happen(self) -> None:
        """One event more."""
        event = None
        while not event:
            kind = self.rng.choice(self.kinds)
            with suppress(IndexError):  # nobody can do that, or with nothing
                event = self._event(kind)
        words, moved = event
        self.minute += self.rng.randint(*_GAPS)
        self.sentences.append(self.rng.choice(_WORDS["tells"][kind]).format(**words))
        self.times.append(self.minute)
        for thing in self.things:
            link = thing
            while link not in moved and link in self.at:
                link = self.at[link]
            if link in moved:
                self.turns[thing].append(len(self.times))
                if link not in self.people:
                    self.hands[thing].append(len(self.times))
        self.at |= moved
        for thing, stays in self.stays.items():
            stays.append(self.place_of(thing))

    def _event(self, kind: str) -> Event:
        """What happens of a kind; an IndexError where there is nobody or nothing to choose."""
        at, choice = self.at, self.rng.choice
        if kind in ("bring", "move"):
            thing = self.things[len(self.times) % len(self.things)]
            free = [place for place in self.places if place not in at.values()]
            b = choice(free or [place for place in self.places if place != at[thing]])
            return {"p": choice(self.people), "o": thing, "a": at[thing], "b": b}, {thing: b}
        if kind in ("go", "pick", "unpack", "swap"):
            thing, person = "", choice(self.people)
        else:
            # Of what somebody has; no box goes into another.
            boxes = self.boxes if kind == "pack" else ()
            held = [(x, p) for x, p in at.items() if p in self.people and x not in boxes]
            thing, person = choice(held)
        here = at[person]
        elsewhere = [place for place in self.places if place != here]
        beside = [p for p in self.people if p != person and at[p] == here]
        near = [box for box in self.boxes if at[box] in (person, here)]
        match kind:
            case "go":
                # Often to somebody else, so that people meet.
                met = [at[p] for p in self.people if at[p] != here and self.rng.random() < 0.3]
                b = choice(met or elsewhere)
                return {"p": person, "b": b}, {person: b}
            case "give" | "offer":
                other = choice(beside)
                words = {"p": person, "q": other, "o": thing}
                return words, {thing: other} if kind == "give" else {}
            case "pick":
                thing = choice([x for x in (*self.things, *self.boxes) if at[x] == here])
                return {"p": person, "o": thing}, {thing: person}
            case "drop":
                return {"p": person, "o": thing}, {thing: here}
            case "pack":
                box = choice(near)
                return {"p": person, "o": thing, "x": box}, {thing: box}
            case "unpack":
                thing = choice([x for x in self.things if at[x] in near])
                return {"p": person, "o": thing, "x": at[thing]}, {thing: person}
            case "swap":
                mine = self.held_by(person)
                other = choice([p for p in beside if self.held_by(p)] if mine else [])
                moved = dict.fromkeys(mine, other) | dict.fromkeys(self.held_by(other), person)
                return {"p": person, "q": other}, moved
        # A plan, which comes to nothing.
        return {"p": person, "o": thing, "b": choice(elsewhere)}, {}

    def answers(self, ask: str) -> Answers | None:
        """What can be asked after the last event; nothing where no four answers differ."""
        found: Answers = {}
        if ask == "when":
            for thing, turns in self.turns.items():
                stays = self.stays[thing]
                came = [i for i in turns if stays[i] != stays[i - 1]]
                for i in came:
                    once = [stays[j] for j in (0, *came)].count(stays[i]) == 1
                    if once and turns.index(i) + 1 >= self.of.turns:
                        found.setdefault(_clock(self.times[i - 1]), []).append((thing, stays[i]))
        else:
            # Who had it changes about half as often.
            changes, least, answer = self.turns, self.of.turns, self.place_of
            if ask == "who":
                changes, least, answer = self.hands, (self.of.turns + 1) // 2, self.holder_of
            for thing in self.things:
                if len(changes[thing]) >= least and (own := answer(thing)):
                    found.setdefault(own, []).append((thing, ""))
        return found if len(found) >= _OPTIONS else None

    def question(self, ask: str, found: Answers) -> tuple[str, list[str], int]:
        """A question, its options and the right one; more happens after what it asks of a time."""
        rng, at = self.rng, _WORDS["asks"]["end"]
        if self.of.time and ask != "when":
            end = len(self.times)
            for _ in range(rng.randint(1, self.of.events // 3)):
                self.happen()
            at = f"at {_clock(rng.randint(self.times[end - 1] + 1, self.times[end] - 1))}"
        options = rng.sample(list(found), _OPTIONS)
        things = [rng.choice(found[option]) for option in options]
        right = rng.randrange(_OPTIONS)
        thing, place = things[right]
        form = _WORDS["asks"]["packed" if ask == "who" and self.boxes else ask]
        phrased = [f"In the {option}" for option in options] if ask == "where" else options
        return form.format(o=thing, b=place, at=at), phrased, right

    def _beginning(self) -> str:
        """Where everything is before the first event."""
        if self.of.kinds == "bring":
            return ""
        if self.of.kinds == "move":
            things = listed([f"the {thing}" for thing in self.things])
            return str(_WORDS["first_places"].format(things=things, start=self.places[0]))
        stays = "go" not in self.of.kinds
        texts = [_WORDS["stays"].format(a=self.places[0])] if stays else []
        for person in self.people:
            held = listed([f"the {thing}" for thing in self.held_by(person)])
            form = _WORDS[("has" if stays else "is") + ("" if held else "_nothing")]
            texts.append(form.format(p=person, a=self.at[person], held=held))
        texts += [_WORDS["box"].format(x=box, a=self.at[box]) for box in self.boxes]
        return f"{_WORDS['first']} {' '.join(texts)}"

    def told(self) -> str:
        """All sentences in paragraphs, with their times; those of some levels in no order."""
        rng, how = self.rng, self.of.time
        wrong = [*zip(rng.sample(self.places, 2), rng.sample(range(3, 13), 2), strict=True)]
        paragraphs, lead, number = list[str](), "", 0
        if how == "wrong":
            (one, m), (two, k) = wrong
            lead = _WORDS["clocks"].format(one=one, m=m, two=two, k=k)
        while number < len(self.times):
            first, number = number, min(number + rng.randint(*_PART), len(self.times))
            texts = []
            for i in range(first, number):
                time, text = self.times[i], self.sentences[i]
                if not how:
                    texts.append(rng.choice(_WORDS["then"]) * (i > 0) + text)
                elif how != "clock" and i > (first if how != "later" else 0):
                    minutes = _WORDS["minutes"][time - self.times[i - 1]]
                    texts.append(f"{minutes} minutes later {text}")
                elif how == "wrong" and rng.random() < 0.7:
                    at = rng.randrange(2)
                    place, by = wrong[at]
                    shown = _clock(time - by if at else time + by)
                    texts.append(_WORDS["shown"].format(place=place, at=shown, text=text))
                else:
                    texts.append(f"At {_clock(time)} {text}")
            paragraphs.append(" ".join(texts))
        if how in ("parts", "wrong"):
            rng.shuffle(paragraphs)
            lead = f"{lead} {_WORDS['out_of_order']}".strip()
        return "\n\n".join([lead, *paragraphs] if lead else paragraphs)


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"
