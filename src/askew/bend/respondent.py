"""How simulated models answer bent tasks: by options, in short answers or with tools."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.tool import ToolCall, ToolInfo

from askew.reading.names import LETTERS
from askew.respondents import answering
from askew.respondents.answering import REFUSAL
from askew.treatments.base import WORDS, texts_of
from askew.treatments.calls import SUBMIT
from askew.treatments.dialogue import MARKS, OF_CHOICES


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in a bent task."""

    # Of knowing an item, drawn once an item; where it does not, it believes something wrong, the
    # same however it is asked.
    knows: float = 1.0
    slips: float = 0.0  # of answering wrongly, drawn anew each time
    notices: float = 1.0  # of saying that none is right where its own answer is missing
    first: float = 0.0  # of picking what stands first, whatever it believes
    takes_added: float = 0.0  # of picking an option that a treatment put in
    follows: float = 0.0  # of saying what the user believes
    sways: float = 0.0  # of answering wrongly under a framing or a system prompt
    caves: float = 0.0  # of giving up a right answer when asked to review it
    # Of answering wrongly where a format is asked: of each, or by format.
    drops: float | Mapping[str, float] = field(default_factory=dict)
    misses_format: float = 0.0  # of answering without the format that is asked
    first_tool: float = 0.0  # of using the tool that stands first
    prefers: float = 0.0  # of using a tool whose description a treatment praises
    believes: float = 0.0  # of dropping a result that a treatment calls unsure
    invents: float = 0.0  # of making a result up whose tool is missing, rather than saying so
    guesses: float = 0.0  # of picking any option with equal chance
    refuses: float = 0.0  # of declining to answer
    wordy: bool = False  # whether it reasons before it answers


TENDENCIES, RESPONDENTS = answering.load_models(__package__, Tendencies)
# What may be said beside an option's letter, as its author letters it, or a tool's name.
RIGHT, WRONG, NOTHING = "right", "wrong", ""
_WRONG_TEXT = "quite another thing"
_PUT_IN = 2  # so many options the treatment `options` adds
_DUMMIES: Mapping[str, Any] = {
    "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {},
}  # fmt: skip


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str | ToolCall:
    """What it does in one call, with `messages` and tools `offered`: it speaks or uses a tool."""
    said, is_dialogue = draw_reply(truth, tendencies, name, seed), truth.get("messages") is not None
    if is_dialogue and (tool := _used_tool(truth, said)):
        return _call(tool, truth)
    text = REFUSAL if said == NOTHING else write_answer(truth, said)
    if is_dialogue and (way := _tool_of(truth, SUBMIT)):
        return _call(way, truth, answer=text)
    if said == NOTHING:
        return text
    if truth["treatment"] != "format":
        return f"Let me think about it step by step.\n\n{text}" if tendencies.wordy else text
    form, letter = truth["given"]["format"], text.removeprefix("ANSWER: ")
    if not follows_format(truth, tendencies, name, seed):
        return text
    if form in OF_CHOICES:
        return str(_choices(truth)[LETTERS.index(letter)]) if form == "text" else letter
    return text.join(MARKS.get(form, ("", "")))


def draw_reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """What it has to say: an option as its author letters it, a tool to believe, right, wrong."""
    messages = truth.get("messages")
    asked = messages is None or WORDS["reflection"]["text"] in texts_of(messages)
    reviews = truth["treatment"] == "reflection" and asked
    parts = (seed, name, truth["item"])
    drawn, lure = (answering.rng_for(*parts, what).random() for what in ("knows", "believes"))
    knows = answering.in_cluster(drawn, truth, seed, name) < tendencies.knows
    may = chances_of({**truth, "reviews": reviews}, tendencies, knows, lure)
    at = truth["sample_id"], truth["epoch"], "again" if reviews else ""
    return answering.pick(answering.rng_for(seed, name, *at), may)


def follows_format(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> bool:
    """Whether a reply that is no refusal stands in the format that is asked."""
    drawn = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"], "format").random()
    return drawn >= tendencies.misses_format


def chances_of(
    truth: Mapping[str, Any], tendencies: Tendencies, knows: bool, lure: float
) -> dict[str, float]:
    """How likely each answer is; without knowledge, `lure` (0 to 1) is which wrong one draws it."""
    course = _course(truth, tendencies, knows, lure)
    return answering.chances(course, displayed_options(truth) or [WRONG])


def is_right(truth: Mapping[str, Any], answer: str) -> bool:
    """Whether the author's scorer takes an answer for right."""
    if _choices(truth):
        return answer == right_option(truth)
    return answer == RIGHT or (answer not in (WRONG, NOTHING) and _is_right_tool(truth, answer))


def right_option(truth: Mapping[str, Any]) -> str:
    """The right option, as its author letters it."""
    return displayed_options(truth)[LETTERS.index(str(truth["target"])[:1])]


def wrong_options(truth: Mapping[str, Any]) -> list[str]:
    """The author's wrong options."""
    return [o for o in sorted(_own(truth)) if o != right_option(truth)]


def _course(
    truth: Mapping[str, Any], tendencies: Tendencies, knows: bool, lure: float
) -> Iterator[tuple[str, float]]:
    """What it comes to say, one possibility after the other, each with its chance if none came."""
    t, treatment = tendencies, truth["treatment"]
    wrong = _wrong_choice(truth, lure)
    yield NOTHING, t.refuses
    yield answering.ANY, t.guesses
    yield wrong, t.slips
    shown, offered = displayed_options(truth), usable(truth)
    if shown:
        yield shown[0], t.first
        if added := [o for o in (_replacement(truth), *shown[len(_own(truth)) :]) if o]:
            yield added[0], t.takes_added
        if (suggested := truth["told"].get("suggested")) is not None:
            yield LETTERS[suggested], t.follows
    if offered:
        yield offered[0].name, t.first_tool
        praise = truth["given"].get("sentence") if treatment == "tool_wording" else None
        if praised := [tool.name for tool in offered if praise and praise in tool.description]:
            yield praised[0], t.prefers
    if treatment in ("framing", "system"):
        yield wrong, t.sways
    if treatment == "format":
        name = truth["given"]["format"]
        yield wrong, t.drops.get(name, 0.0) if isinstance(t.drops, Mapping) else t.drops
    if truth.get("reviews", treatment == "reflection"):
        yield wrong, t.caves
    if not knows:
        yield wrong, 1.0
    if shown:
        right = right_option(truth)
        if _replacement(truth) == right:
            yield right, t.notices
            yield wrong, 1.0
        yield right, 1.0
    if "tool" in truth and not _tool_of(truth, truth["tool"]):
        yield WRONG, t.invents
        yield NOTHING, 1.0
    if treatment == "tool_result":
        yield WRONG, t.believes
    yield truth.get("tool", RIGHT), 1.0


def usable(truth: Mapping[str, Any]) -> list[ToolInfo]:
    return [tool for tool in truth.get("offered") or () if tool.name != SUBMIT]


def _choices(truth: Mapping[str, Any]) -> list[str]:
    """The options that are lettered; a target that names none by its letter asks for words."""
    options, target = truth["choices"], str(truth["target"])
    return options if target and set(target) <= set(LETTERS[: len(options)]) else []


def displayed_options(truth: Mapping[str, Any]) -> list[str]:
    """The options in the order in which they are shown, as their author letters them."""
    shown, n = truth["told"].get("shown", ()), len(_choices(truth))
    return [LETTERS[i] for i in (*shown, *range(len(shown), n))] if n else []


def _own(truth: Mapping[str, Any]) -> list[str]:
    """The author's options, without those that a treatment put behind them."""
    shown = displayed_options(truth)
    return shown[: len(shown) - _PUT_IN] if truth["treatment"] == "options" else shown


def _replacement(truth: Mapping[str, Any]) -> str | None:
    place = truth["told"].get("none_at")
    return None if place is None else LETTERS[place]


def _wrong_choice(truth: Mapping[str, Any], lure: float) -> str:
    """What it takes for right where it does not know: the same, as far as that is offered."""
    if wrong := wrong_options(truth):
        start = int(lure * len(wrong))
        turned = [*wrong[start:], *wrong[:start]]
        return next(o for o in turned if o != _replacement(truth))
    others = [tool.name for tool in usable(truth) if not _is_right_tool(truth, tool.name)]
    return sorted(others)[int(lure * len(others))] if others else WRONG


def _is_right_tool(truth: Mapping[str, Any], name: str) -> bool:
    """Whether a tool is the one to use; where the sample does not say which is, any is."""
    return name == str(truth.get("tool", name))


def _tool_of(truth: Mapping[str, Any], name: str) -> ToolInfo | None:
    return next((tool for tool in truth.get("offered") or () if tool.name == name), None)


def _used_tool(truth: Mapping[str, Any], answer: str) -> ToolInfo | None:
    """The tool that it uses before it answers: the one that it believes, or looked at in vain."""
    if answer == NOTHING or any(message.role == "tool" for message in truth["messages"]):
        return None
    wanted = _tool_of(truth, answer) or _tool_of(truth, truth.get("tool", ""))
    return wanted or next((t for t in usable(truth) if "tool" not in truth), None)


def _call(tool: ToolInfo, truth: Mapping[str, Any], **given: str) -> ToolCall:
    """A call of a tool, with made-up arguments where none are given."""
    needed = {name: str(tool.parameters.properties[name].type) for name in tool.parameters.required}
    made_up = {name: _DUMMIES.get(kind, truth["item"]) for name, kind in needed.items()}
    return ToolCall(tool.name, tool.name, {**made_up, **given})


def write_answer(truth: Mapping[str, Any], answer: str) -> str:
    """An answer as it is asked for."""
    if _choices(truth):
        return f"ANSWER: {LETTERS[displayed_options(truth).index(answer)]}"
    return str(truth["target"]) if is_right(truth, answer) else _WRONG_TEXT
