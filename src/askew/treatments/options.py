"""Treatments of a sample's options: another order, none of them right, two more of them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from os.path import isfile
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Target

from askew.files import given_path
from askew.parameters import EVERYTHING, SelectionError, check_int, parse_list, quote
from askew.reading import phrases
from askew.reading.names import LETTERS
from askew.reading.none import denies
from askew.treatments.base import WORDS, Arm, Case, Place, Treatment, folded, texts_of

_OTHERS = re.compile(WORDS["choices"]["speaks_of_others"], re.IGNORECASE)
_SAYS_NONE = re.compile(WORDS["choices"]["says_none"], re.IGNORECASE)
_LABELS = phrases("labels")
# A letter and what may stand between it and its option: "A) ", "**(A)**: ".
_LABEL, _LONGEST_LABEL = re.compile(r"(?<![0-9A-Za-z])([A-Za-z])[^0-9A-Za-z]{1,6}$"), 7
_WORD = re.compile(r"[0-9A-Za-z]")
# Of options, for one that becomes "none of the others"; of other orders.
_LEAST, _MOST = 3, 100
# How arms are called whose options are rotated; with plain, each option is once in each place.
ROTATION = "rotation-"


def right_options(sample: Sample) -> list[int]:
    """Places of the right options, by the letters of the target; none where it has others."""
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    letters = [target.strip().upper() for target in targets]
    valid = [*LETTERS[: len(sample.choices or [])]]
    return [*map(valid.index, letters)] if {*letters} <= {*valid} else []


def why_no_choices(sample: Sample, least: int = 2) -> str:
    """Why a sample is not asked with options that treatments can change; empty where it is."""
    options = [*map(folded, sample.choices or ())]
    problems = {
        "the sample has no choices": not options,
        f"the sample has fewer than {least} options": len(options) < least,
        f"the sample has more than {len(LETTERS)} options": len(options) > len(LETTERS),
        "an option is empty": "" in options,
        "two of its options are alike": len({*options}) < len(options),
        "the target names no option by letter": not right_options(sample),
    }
    return next((problem for problem, holds in problems.items() if holds), "")


def replacement_problem(sample: Sample, least: int = 2) -> str:
    """Why one of its options can't become "none of the others"; empty where it can."""
    if why := why_no_choices(sample, least):
        return why
    if len(right_options(sample)) > 1:
        return "the sample has several correct options"
    options = sample.choices or []
    if any(_SAYS_NONE.search(option) or denies(option) for option in options):
        return "an option already means that none is correct"
    return why_others(options)


def why_others(options: Sequence[str]) -> str:
    """Why options can't change their places or their neighbours; empty where they can."""
    speaking = next((o for o in options if _OTHERS.search(o)), None)
    return "" if speaking is None else f"an option refers to others: {speaking:.40}"


def shows(messages: Sequence[ChatMessage], options: Sequence[object]) -> bool:
    """Whether these options stand in what is sent, each behind its letter, one after the other."""
    text_sent, at = folded(texts_of(messages)), 0
    for letter, option in zip(LETTERS, options, strict=False):
        text = folded(option)
        found = text_sent.find(text, at + 2)
        while found >= 0 and not _is_labelled(text_sent, at, found, letter, text):
            found = text_sent.find(text, found + 1)
        if found < 0:
            return False
        at = found + len(text)
    return bool(options)


def _is_labelled(text_sent: str, at: int, found: int, letter: str, text: str) -> bool:
    """Whether an option's text stands whole behind its letter; compiles no pattern of it."""
    if _WORD.match(text_sent, found + len(text)):
        return False
    label = _LABEL.search(text_sent, max(at, found - _LONGEST_LABEL), found)
    return label is not None and label[1].upper() == letter


class OptionTreatment(Treatment):
    """A treatment of a sample's options."""

    place: Place = "sample"

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return shows(messages, case.values.get("options", ()))


class _NoneOfThem(OptionTreatment):
    """Some option's text becomes a statement that none of the others is right."""

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        changed = list(sample.choices or [])
        changed[case.values["none_at"]] = self.words["option"]
        return sample.model_copy(update={"choices": changed}, deep=True)

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        """Whether all options are sent, in whatever order, one of them the changed one."""
        text_sent = folded(texts_of(messages))
        options = [*map(folded, case.values.get("options", ()))]
        return bool(options) and all(option in text_sent for option in options)


class Absent(_NoneOfThem):
    """The right option's text becomes that statement; without choices, where the input has it."""

    name = "absent"
    parameters: Mapping[str, Any] = {"absent_options": ""}
    by_default = True

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        wanted = given["absent_options"]
        return [self.arm() if wanted == "" else self.arm(options=_named_options(wanted))]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        if sample.choices or not arm.given:
            return replacement_problem(sample)
        options, given = arm.given["options"], sample.input
        text = given if isinstance(given, str) else texts_of(given)
        found = Counter(_wholes(options).findall(text))
        if (right := Target(sample.target).text.strip()) not in options:
            return "the target is none of absent_options"
        if found[right] != 1:
            return "the input does not hold the correct option exactly once"
        return "" if len(found) == len(options) else "the input lacks one of absent_options"

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        if sample.choices or not case.arm.given:
            return {"none_at": right_options(sample)[0]}
        return {"removed": Target(sample.target).text.strip()}

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        if (removed := case.values.get("removed")) is None:
            return super().apply_to_sample(sample, case)
        statement, whole = self.words["option"], _wholes(case.arm.given["options"])

        def changed(text: str) -> str:
            return whole.sub(lambda m: statement if m[0] == removed else m[0], text)

        treated = sample.model_copy(update={"target": statement}, deep=True)
        if isinstance(treated.input, str):
            treated.input = changed(treated.input)
            return treated
        for message in treated.input:
            if (text := changed(message.text)) != message.text:
                message.text = text
        return treated

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        if (removed := case.values.get("removed")) is None:
            return super().reached_model(messages, case)
        options = case.arm.given["options"]
        text_sent = texts_of([m for m in messages if m.role != "assistant"])
        left = {*options} - {removed}
        return self.words["option"] in text_sent and {*_wholes(options).findall(text_sent)} == left


def _named_options(given: object) -> list[str]:
    """The options that the user names, with commas or as lines of a file, for tasks without any."""
    options, told = parse_list(given), f"absent_options={quote(given, 120)}"
    if len(options) == 1 and isfile(path := given_path(options[0])):
        try:
            lines = map(str.strip, path.read_text("utf-8").splitlines())
        except (OSError, UnicodeError) as error:
            raise SelectionError(f"{told}: can't be read ({type(error).__name__})") from None
        options = [*filter(None, lines)]
    if len({*options}) < max(2, len(options)):
        raise SelectionError(f"{told}: give several different options, or a file of them by line")
    if any(_SAYS_NONE.search(option) or denies(option) for option in options):
        raise SelectionError(f"{told}: an option already means that none is correct")
    return options


def _wholes(options: Sequence[str]) -> re.Pattern[str]:
    """A pattern of options as whole words, the longest first."""
    longest = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    return re.compile(f"{_LABELS['begins'].pattern}(?:{longest})(?![^\\W_]|[_-][^\\W_])")


class NoneOffer(_NoneOfThem):
    """One wrong option's text becomes that statement."""

    name = "none_offered"

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        return replacement_problem(sample, _LEAST)

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        right = right_options(sample)
        wrong = [i for i in range(len(sample.choices or [])) if i not in right]
        return {"none_at": case.rng().choice(wrong)}


class Order(OptionTreatment):
    """Options shuffled, never as they were, or in all rotations; each order is an arm."""

    name = "order"
    parameters: Mapping[str, Any] = {"orders": 1}
    by_default = True

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        if given["orders"] == EVERYTHING:
            places = range(1, len(LETTERS))
            return [self.arm(f"{ROTATION}{i}", rotation=i, optional=i > 1) for i in places]
        n = check_int("orders", given["orders"], most=_MOST)
        return [self.arm(str(i + 1) if n > 1 else "") for i in range(n)]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        if why := why_no_choices(sample) or why_others(sample.choices or []):
            return why
        few = arm.given.get("rotation", 1) >= len(sample.choices or [])
        return "the sample has fewer options than rotations" if few else ""

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        unchanged, rng = [*range(len(sample.choices or []))], case.rng()
        by = case.arm.given.get("rotation", 0)
        shown = unchanged[by:] + unchanged[:by]
        while shown == unchanged:
            rng.shuffle(shown)
        return {"shown": shown}

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        shown, options = case.values["shown"], sample.choices or []
        letters = [LETTERS[shown.index(place)] for place in right_options(sample)]
        target = letters[0] if isinstance(sample.target, str) else letters
        changed = {"choices": [options[i] for i in shown], "target": target}
        return sample.model_copy(update=changed, deep=True)


class Options(OptionTreatment):
    """Two more options: that all above are right, and that all above are wrong."""

    name = "options"

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        if len(sample.choices or []) + 2 > len(LETTERS):
            return f"the sample has more than {len(LETTERS) - 2} options"
        return why_no_choices(sample) or why_others(sample.choices or [])

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        more = [*(sample.choices or []), self.words["right"], self.words["wrong"]]
        return sample.model_copy(update={"choices": more}, deep=True)


TREATMENTS = (Absent(), NoneOffer(), Order(), Options())
