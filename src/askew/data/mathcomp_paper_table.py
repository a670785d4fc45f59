"""What reading all 300 items of the paper's file by hand has found, by item number.

The rule: a question is left out only where it is wrong, that is where its label
does not follow from its two sentences. An item whose equation is wrong but whose
label is right stays in, with the equation as it should be; `mathcomp_paper` checks
that the corrected totals have the published label.

The numbers are those of the file at the pinned revision (see `mathcomp_paper`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Correction:
    """The two equations as the sentences have them, and what is wrong with the published ones."""

    equation1: str
    equation2: str
    reason: str


EXCLUDED: dict[int, str] = {
    10: "the second equation has 16 where the sentence has 6; by the sentences the totals differ",
    24: "the first equation leaves out the credit of 15; with it both totals are 115",
    79: "a spreadsheet made a date of 5-2-6; the true totals are -3 and -7, so less, not more",
    129: "the totals are 152 and 174.80, so more, not less",
    165: "the first sentence counts films but gives no length, so it has no total",
    169: "the parts of a six-hour visit are added to the whole; six hours against ten is more",
    196: "the quantity is time, and the times are equal; the equations count words instead",
    200: "the second sentence does not say how many episodes, so it has no total",
    204: "two days of the second sentence are each defined by the other, so it has no total",
    289: "a break on a day without studying is subtracted; nine hours against eight is less",
}

_SIGN_LOST = "a multiplication sign got lost"
_REST = "rest or break is counted or subtracted"

CORRECTED: dict[int, Correction] = {
    14: Correction("5*12-2*12", "7", "what was used is counted, not what remains"),
    16: Correction("45 + 30", "60 + 15", _REST),
    80: Correction("(3*15)-10+5", "60 - 60 + (2*17.50)", "a 25 that is nowhere in the sentence"),
    90: Correction("(10*3.50) + 5", "(8*4) + 7", _SIGN_LOST),
    126: Correction("(125*8) + (40*4)", "750 + 65", "compressing is counted as downloading"),
    130: Correction("125*3", "(50*3) + (100*2)", "what was sold or kept is added to what was paid"),
    191: Correction("3 + (3/2) + (2*3)", "2 + (3/4*2) + (3*2)", _SIGN_LOST),
    193: Correction("2*90 + 3*(90/2) + 1*(2*90)", "3*60 + 9*(60/3) + 1*(3*60/3)", _SIGN_LOST),
    199: Correction(
        "5 + (2 * 5) + (2/3 * 5)", "5 + (2/3 * 5) + (2 * (2/3 * 5))", "a rounded number"
    ),
    212: Correction("(24 + 32) * 0.8", "45 + (2*8) + 5", "a 16 that is nowhere in the sentence"),
    213: Correction("230 + 45 - 75", "(120*2) + 40 + 20", "an 80 that is nowhere in the sentence"),
    215: Correction("(15*6) + 12 - 10", "75 + 25 + 12", "2 where the sentence has 12"),
    242: Correction("250 + 175", "300 + 125", "income is added, but the task is spending"),
    250: Correction("(18 + 24) - (42*0.15)", "42", "a free gift is subtracted from the price"),
    264: Correction("3 + (2*3) + ((2*3)/2)", "2 + (4*2) + ((4*2)/2)", _SIGN_LOST),
    273: Correction("(10*1.2) + (5*1.2)", "(8*1.5) + (6*1.5)", "deleting is counted as a refund"),
    283: Correction("45 + 30 + 60", "120 + 15", _REST),
}

# Kept: the published reading is defensible, and another one is too.
OPEN_READINGS: dict[int, str] = {
    11: "a deleted page is not subtracted while a revised one is added",
    13: "slices are compared with portions",
    27: "a drive to lunch is not counted as commuting; counted, the totals are equal",
    29: "a break is not counted as class; counted, the totals are equal",
    99: "the altitude at the end is compared, not a distance traveled",
    110: "the second mention of roses can correct the first or add to it",
    157: "prices can be for a day or for all days; the label is the same",
    222: "a distance can be half as long or half as long again; the label is the same",
    245: "the first subscription has no stated length; a full year of it would cost more",
    256: "a price for tickets can be for a week or for both; the label is the same",
}
