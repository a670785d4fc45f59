"""The words by which a reply says Yes or No, and those that only look like it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

YesOrNo = Literal["Yes", "No"]

MEANINGS: Mapping[str, YesOrNo] = {
    "yes": "Yes",
    "yeah": "Yes",
    "yep": "Yes",
    "yup": "Yes",
    "no": "No",
    "nope": "No",
    "nah": "No",
}
EITHER = "|".join(MEANINGS)
TOKEN = re.compile(rf"(?<![\w-])(?<!\w')(?:{EITHER})(?!\w|'\w)", re.IGNORECASE)
# The options as the prompt words them, repeated by the reply: no answer.
ECHO = re.compile(
    r"(?<![\w'])[\"'(\[]?(?:yes[\"']?\s{0,3}(?:/|\||\bor\b|, ?or\b)\s{0,3}[\"']?no"
    r"|no[\"']?\s{0,3}(?:/|\||\bor\b|, ?or\b)\s{0,3}[\"']?yes)[\"')\]]?(?![\w'])"
    r"(?:[- ]questions?|[- ]answers?)?",
    re.IGNORECASE,
)
BOTH = re.compile(
    r"(?<![\w'])(?:yes\s{0,3}(?:and|&|\+)\s{0,3}no|no\s{0,3}(?:and|&|\+)\s{0,3}yes)(?![\w'])",
    re.IGNORECASE,
)
# Ends before the answer it announces; what follows must be a Yes or No to count.
ANNOUNCED = re.compile(
    r"\b(?:answer|conclusion|verdict|response|reply|decision|judgment|judgement|result|choice)"
    r"(?: (?:here|to (?:the|this|your) question|to this|then|therefore)){0,2}"
    r"(?:[\"'*_]{0,3}[ \t]{0,3}(?:is|was|would be|must be|should be|has to be|remains)"
    r"(?: (?:therefore|thus|then|clearly|simply|a|an|still)){0,2}"
    r"|[\"'*_)\]]{0,4}[ \t]{0,3}[:=])"
    r"|\b(?:it(?:'s| is)|that(?:'s| is)) (?:an? )(?:clear |definite |firm |simple )?"
    r"|\b(?:i|i'd|i'll|we|let's|i would|i will|must|have to)"
    r"(?: (?:would|will|have to|must|can|therefore|still)){0,2}"
    r" (?:say|answer|choose|pick|select|go with|respond|reply|lean(?: towards?)?|conclude|vote)"
    r"(?: (?:with|a|that the answer is))?"
    r"|\\boxed[ \t]{0,3}\{(?:\\text(?:bf|rm)?\{)?",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?:not|never|n't|cannot)(?: [a-z]+)?\s*$|n't\s*$", re.IGNORECASE)
LEAD = re.compile(r"[\s\"'\[({<>|:=\-\u2013\u2014.,\u2192\u2022\u2705\u274c\u2714\u2718\ufe0f]*")
NUMBERED = re.compile(r"(?:\(?\d{1,2}[.)]|[a-z]\))\s+", re.IGNORECASE)
# Words that may stand between the beginning of a sentence and its Yes or No.
OPENING = re.compile(
    r"(?:(?:so|well|hmm|oh|ok|okay|sure|certainly|then|thus|therefore|hence|overall|indeed|ultimately"
    r"|honestly|frankly|probably|absolutely|definitely|clearly|most likely|likely|simply|actually"
    r"|in short|in conclusion|to conclude|in summary|to sum up|ah|um|right|sorry|to be clear"
    r"|short answer|final answer|my answer)[\s,.!:;\-\u2013\u2014]{1,3}){1,3}",
    re.IGNORECASE,
)
# What may follow a bare No: anything else makes it a word of a sentence ("no error was found").
AFTER_NO = re.compile(
    r"\s+(?:it|he|she|they|we|you|i|this|that|these|those|there|the|its|his|her|their|because"
    r"|since|as|for|due|based|according|given|although|though|but|not|in|on|at|by|per|under|from"
    r"|when|while|if|sir|actually|definitely|absolutely|certainly|sorry|explanation|reason"
    r"|reasoning|however|is the answer|would be|to the question|here|no|nope)\b"
    r"(?! (?:longer|more|less|fewer)\b)",
    re.IGNORECASE,
)
NOT_AN_ANSWER = re.compile(r"[,\s]+(?:doubt|problem|wonder|question about)\b", re.IGNORECASE)
# A name or a number's label: {"Yes": false}, "Yes: 0.2".
NAMES_A_VALUE = re.compile(r"\s*[\"']\s*:|\s*[:=]\s*[\d.]")
MARKUP = re.compile(r"</?[a-z]{1,12}>", re.IGNORECASE)
SO = re.compile(r"\b(?:so|then|thus|hence|therefore)\s+$", re.IGNORECASE)
ANSWER_IS = re.compile(r"\banswer\b[^\n]{0,300} is\s*[:\"']{0,3}\s*$", re.IGNORECASE)
CLAUSE_END = ".,;:!?)]}\"'\n\u2013\u2014("
CLAUSE_START = "\n.,;:!?([{\"'-\u2013\u2014>"
REVISES = re.compile(
    r"\b(?:wait|actually|on second thoughts?|on reflection|reconsider(?:ing)?|correction"
    r"|let me (?:re|correct|double|check)|i (?:was|made|misread)|scratch that|however, upon)\b",
    re.IGNORECASE,
)
DECLINES = re.compile(
    r"[\s,.;:!\-\u2013\u2014]*(?:(?:i'm|i am) (?:sorry|afraid)[\s,.]*(?:but )?(?:that )?)?"
    r"i (?:can(?:'t|not| not)|won't|will not|am unable to|'m unable to|refuse to|decline to) "
    r"(?:help|assist|answer|comply|choose|provide|do that|respond|engage|discuss)\b",
    re.IGNORECASE,
)
# Yes and No in other languages: known only to say why there is no answer.
FOREIGN = re.compile(
    "ja|nein|oui|non|s\xed|si|sim|n\xe3o|da|net|\u0434\u0430|\u043d\u0435\u0442|nej"
    "|tak|nie|\u662f|\u4e0d\u662f|\u5426|\u306f\u3044|\u3044\u3044\u3048|\ub124"
    "|\uc544\ub2c8\uc694|ano|ne|evet|hay\u0131r|kyll\xe4|ei|\u03bd\u03b1\u03b9"
    "|\u03cc\u03c7\u03b9|\u0646\u0639\u0645|\u0644\u0627|nee|doch"
)
FIRST_WORD = re.compile(r"[^\W\d_]+")
