"""Stories from a seed: who takes which thing where, and a question about one of the things.

What happens is drawn, told, and followed forward. Of four things with four different answers one
is asked for by lot: neither the story nor the options say which, whatever somebody goes by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class World:
    """Who and what there is, and where: a person at a place, a thing with either or in a box."""

    people: Sequence[str]
    things: Sequence[str]
    boxes: Sequence[str]
    places: Sequence[str]
    at: dict[str, str] = field(default_factory=dict)

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


# What happens: the words that its text is filled with, and what is where after it.
Event = tuple[dict[str, str], dict[str, str]]


def _move(world: World, rng: Random, number: int) -> Event | None:
    thing = world.things[number % len(world.things)]
    a = world.at[thing]
    free = [place for place in world.places if place not in world.at.values()]
    b = rng.choice(free or [place for place in world.places if place != a])
    return {"p": rng.choice(world.people), "o": thing, "a": a, "b": b}, {thing: b}


def _go(world: World, rng: Random, number: int) -> Event | None:
    person = rng.choice(world.people)
    here = world.at[person]
    # Often to somebody else, so that people meet.
    met = [world.at[p] for p in world.people if world.at[p] != here and rng.random() < 0.3]
    b = rng.choice(met or [place for place in world.places if place != here])
    return {"p": person, "b": b}, {person: b}


def _of_holder(world: World, rng: Random, but: Sequence[str] = ()) -> tuple[str, str] | None:
    """A thing in somebody's hands, and who that is."""
    held = [(x, p) for x, p in world.at.items() if p in world.people and x not in but]
    return rng.choice(held) if held else None


def _beside(world: World, person: str) -> list[str]:
    return [p for p in world.people if p != person and world.at[p] == world.at[person]]


def _give(world: World, rng: Random, number: int) -> Event | None:
    if not (held := _of_holder(world, rng)) or not (others := _beside(world, held[1])):
        return None
    thing, person = held
    other = rng.choice(others)
    return {"p": person, "q": other, "o": thing}, {thing: other}


def _pick(world: World, rng: Random, number: int) -> Event | None:
    person = rng.choice(world.people)
    lying = [x for x in (*world.things, *world.boxes) if world.at[x] == world.at[person]]
    if not lying:
        return None
    thing = rng.choice(lying)
    return {"p": person, "o": thing}, {thing: person}


def _drop(world: World, rng: Random, number: int) -> Event | None:
    if not (held := _of_holder(world, rng)):
        return None
    thing, person = held
    return {"p": person, "o": thing}, {thing: world.at[person]}


def _pack(world: World, rng: Random, number: int) -> Event | None:
    if not (held := _of_holder(world, rng, world.boxes)):
        return None
    thing, person = held
    near = [box for box in world.boxes if world.at[box] in (person, world.at[person])]
    if not near:
        return None
    box = rng.choice(near)
    return {"p": person, "o": thing, "x": box}, {thing: box}


def _unpack(world: World, rng: Random, number: int) -> Event | None:
    person = rng.choice(world.people)
    near = (person, world.at[person])
    packed = [x for x in world.things if world.at.get(world.at[x]) in near and
              world.at[x] in world.boxes]  # fmt: skip
    if not packed:
        return None
    thing = rng.choice(packed)
    return {"p": person, "o": thing, "x": world.at[thing]}, {thing: person}


def _swap(world: World, rng: Random, number: int) -> Event | None:
    person = rng.choice(world.people)
    others = [p for p in _beside(world, person) if world.held_by(p)]
    mine = world.held_by(person)
    if not mine or not others:
        return None
    other = rng.choice(others)
    moved = dict.fromkeys(mine, other) | dict.fromkeys(world.held_by(other), person)
    return {"p": person, "q": other}, moved


def _plan(world: World, rng: Random, number: int) -> Event | None:
    if not (held := _of_holder(world, rng)):
        return None
    thing, person = held
    elsewhere = [place for place in world.places if place != world.at[person]]
    return {"p": person, "o": thing, "b": rng.choice(elsewhere)}, {}


def _offer(world: World, rng: Random, number: int) -> Event | None:
    given = _give(world, rng, number)
    return (given[0], {}) if given else None


_HAPPENS: Mapping[str, Callable[[World, Random, int], Event | None]] = {
    "bring": _move, "move": _move, "go": _go, "give": _give, "pick": _pick, "drop": _drop,
    "pack": _pack, "unpack": _unpack, "swap": _swap, "plan": _plan, "offer": _offer,
}  # fmt: skip


class _Course:
    """What happens, in sentences with their times, and where everything is before and after each.

    Of each thing, `places` are where it is, `turns` after which events anything about where it is
    had changed, and `hands` after which of them who had it.
    """

    def __init__(self, world: World, kinds: Sequence[str], minute: int) -> None:
        self.world, self.kinds, self.minute = world, kinds, minute
        self.sentences: list[str] = []
        self.times: list[int] = []
        self.places = {thing: [world.place_of(thing)] for thing in world.things}
        self.turns: dict[str, list[int]] = {thing: [] for thing in world.things}
        self.hands: dict[str, list[int]] = {thing: [] for thing in world.things}

    def happen(self, rng: Random) -> None:
        """One event more."""
        world, event = self.world, None
        while not event:
            kind = rng.choice(self.kinds)
            event = _HAPPENS[kind](world, rng, len(self.times))
        words, moved = event
        self.minute += rng.randint(*_GAPS)
        self.sentences.append(rng.choice(_WORDS["tells"][kind]).format(**words))
        self.times.append(self.minute)
        for thing in world.things:
            link = thing
            while link not in moved and link in world.at:
                link = world.at[link]
            if link in moved:
                self.turns[thing].append(len(self.times))
                if link not in world.people:
                    self.hands[thing].append(len(self.times))
        world.at |= moved
        for thing, places in self.places.items():
            places.append(world.place_of(thing))


def story(of: Plot, ask: str, rng: Random) -> tuple[str, str, list[str], int]:
    """A story, a question about it, four options and which of them is right."""
    while True:
        setting = rng.choice(_WORDS["settings"])
        world = World(
            rng.sample(_WORDS["names"], of.people), rng.sample(setting["things"], of.things),
            rng.sample(_WORDS["boxes"], of.boxes), rng.sample(setting["places"], of.places),
        )  # fmt: skip
        start = _start(world, of, rng)
        world.at = dict(start)
        course = _Course(world, of.kinds.split(), rng.randint(*_MORNING))
        # It goes on until some question fits.
        first, last = (round(of.events * share) for share in _LENGTHS)
        while len(course.times) < last:
            course.happen(rng)
            if len(course.times) >= first and (found := _answers(world, of, course, ask)):
                question = _question(of, course, ask, found, rng)
                opening = setting["opening"].format(people=listed(world.people))
                told = _told(world, of, course, rng)
                beginning = f"{opening} {_beginning(world, of, start)}".strip()
                return f"{beginning}\n\n{told}", *question


def _start(world: World, of: Plot, rng: Random) -> dict[str, str]:
    """Things lie at one place, or are in people's hands; who goes about begins anywhere."""
    here = world.places[0]
    lying = of.kinds in ("bring", "move")
    hands = [here] * of.things if lying else rng.choices(world.people, k=of.things)
    around = world.places if "go" in of.kinds else [here]
    things = dict(zip(world.things, hands, strict=True))
    return {x: rng.choice(around) for x in (*world.people, *world.boxes)} | things


# By answer, the things that it holds of, each with the place that it is asked about.
Answers = dict[str, list[tuple[str, str]]]


def _answers(world: World, of: Plot, course: _Course, ask: str) -> Answers | None:
    """What can be asked after the last event; nothing where no four answers differ."""
    found: Answers = {}
    if ask == "when":
        for thing, turns in course.turns.items():
            places = course.places[thing]
            came = [i for i in turns if places[i] != places[i - 1]]
            for i in came:
                once = [places[j] for j in (0, *came)].count(places[i]) == 1
                if once and turns.index(i) + 1 >= of.turns:
                    found.setdefault(_clock(course.times[i - 1]), []).append((thing, places[i]))
    else:
        # Who had it changes about half as often.
        changes, least, answer = course.turns, of.turns, world.place_of
        if ask == "who":
            changes, least, answer = course.hands, (of.turns + 1) // 2, world.holder_of
        for thing in world.things:
            if len(changes[thing]) >= least and (own := answer(thing)):
                found.setdefault(own, []).append((thing, ""))
    return found if len(found) >= _OPTIONS else None


def _question(
    of: Plot, course: _Course, ask: str, found: Answers, rng: Random
) -> tuple[str, list[str], int]:
    """A question, its options and the right one; more happens after what is asked of a time."""
    at = _WORDS["asks"]["end"]
    if of.time and ask != "when":
        end = len(course.times)
        for _ in range(rng.randint(1, of.events // 3)):
            course.happen(rng)
        at = f"at {_clock(rng.randint(course.times[end - 1] + 1, course.times[end] - 1))}"
    options = rng.sample(list(found), _OPTIONS)
    things = [rng.choice(found[option]) for option in options]
    right = rng.randrange(_OPTIONS)
    thing, place = things[right]
    form = _WORDS["asks"]["packed" if ask == "who" and course.world.boxes else ask]
    phrased = [f"In the {option}" for option in options] if ask == "where" else options
    return form.format(o=thing, b=place, at=at), phrased, right


# --- How it is told ------------------------------------------------------------------------------


def _beginning(world: World, of: Plot, start: Mapping[str, str]) -> str:
    if of.kinds == "bring":
        return ""
    if of.kinds == "move":
        things = listed([f"the {thing}" for thing in world.things])
        return str(_WORDS["first_places"].format(things=things, start=world.places[0]))
    world.at = dict(start)
    stays = "go" not in of.kinds
    texts = [_WORDS["stays"].format(a=world.places[0])] if stays else []
    for person in world.people:
        held = listed([f"the {thing}" for thing in world.held_by(person)])
        form = _WORDS[("has" if stays else "is") + ("" if held else "_nothing")]
        texts.append(form.format(p=person, a=start[person], held=held))
    texts += [_WORDS["box"].format(x=box, a=start[box]) for box in world.boxes]
    return f"{_WORDS['first']} {' '.join(texts)}"


def _told(world: World, of: Plot, course: _Course, rng: Random) -> str:
    """All sentences in paragraphs, with their times; those of some levels in no order."""
    wrong = [*zip(rng.sample(world.places, 2), rng.sample(range(3, 13), 2), strict=True)]
    paragraphs, lead, number = list[str](), "", 0
    if of.time == "wrong":
        (one, m), (two, k) = wrong
        lead = _WORDS["clocks"].format(one=one, m=m, two=two, k=k)
    while number < len(course.times):
        first, number = number, min(number + rng.randint(*_PART), len(course.times))
        texts = []
        for i in range(first, number):
            time, text = course.times[i], course.sentences[i]
            if not of.time:
                texts.append(rng.choice(_WORDS["then"]) * (i > 0) + text)
            elif of.time != "clock" and i > (first if of.time != "later" else 0):
                texts.append(
                    f"{_WORDS['minutes'][time - course.times[i - 1]]} minutes later {text}"
                )
            elif of.time == "wrong" and rng.random() < 0.7:
                at = rng.randrange(2)
                place, by = wrong[at]
                shown = _clock(time - by if at else time + by)
                texts.append(_WORDS["shown"].format(place=place, at=shown, text=text))
            else:
                texts.append(f"At {_clock(time)} {text}")
        paragraphs.append(" ".join(texts))
    if of.time in ("parts", "wrong"):
        rng.shuffle(paragraphs)
        lead = f"{lead} {_WORDS['out_of_order']}".strip()
    return "\n\n".join([lead, *paragraphs] if lead else paragraphs)


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"
