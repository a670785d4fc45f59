"""Task phrases of the paper's file that don't fit its question template, with the fixes.

The template asks for an amount of the studied quantity that a person *spends on*
the task. Every row says which task phrase breaks that sentence, what is asked
instead, and why. Pairs that are not listed follow the rules of `phrase_for`.
"""

from askew.papers.mathcomp.phrases import Phrase, PhraseFix, covers, does, phrase_for, spends

ARTICLE = "the noun lacks its article or its plural"
TWICE = "spending money on paying, or covering a distance, says it twice"
UNIT = "the task names the unit, which can't be covered"
VERB = "the quantity isn't spent: the sentences say what is done with it"
NOUN = "the quantity is no noun, or one that 'less' doesn't fit"
SPELLING = "misspelt in the file"


def _money(task: str, rest: str, reason: str) -> PhraseFix:
    return PhraseFix(task, "money", spends("money", rest), reason)


def _time(task: str, rest: str, reason: str) -> PhraseFix:
    return PhraseFix(task, "time", spends("time", rest), reason)


def _distance(task: str, rest: str, reason: str) -> PhraseFix:
    return PhraseFix(task, "distance", covers(rest), reason)


def _own(task: str, quantity: str, phrase: Phrase, reason: str) -> PhraseFix:
    return PhraseFix(task, quantity, phrase, reason)


FIXES: tuple[PhraseFix, ...] = (
    # Money
    _money("attending concert", "on attending a concert", ARTICLE),
    _money("buying computer setup", "on buying a computer setup", ARTICLE),
    _money("buying entertainment system", "on buying an entertainment system", ARTICLE),
    _money("buying laptop", "on buying a laptop", ARTICLE),
    _money("buying personal care", "on personal care", ARTICLE),
    _money("buying phone and accessories", "on buying a phone and accessories", ARTICLE),
    _money("buying restaurant meal", "on buying a restaurant meal", ARTICLE),
    _money("buying shirt", "on buying shirts", ARTICLE),
    _money("buying tablet and accessories", "on buying a tablet and accessories", ARTICLE),
    _money("concert experience", "on a concert experience", ARTICLE),
    _money("dining at restaurant", "on dining at a restaurant", ARTICLE),
    _money("dining on restaurant meal", "on a restaurant meal", ARTICLE),
    _money("maintaining car", "on maintaining a car", ARTICLE),
    _money("paying education expenses", "on education expenses", TWICE),
    _money("paying for housing costs", "on housing costs", TWICE),
    _money("paying for housing expenses", "on housing expenses", TWICE),
    _money("paying for living expenses", "on living expenses", TWICE),
    _money("paying for subscriptions", "on subscriptions", TWICE),
    _money("paying for transportation", "on transportation", TWICE),
    _money("paying for transportation and food", "on transportation and food", TWICE),
    _money("paying household bills", "on household bills", TWICE),
    _money("paying housing expenses", "on housing expenses", TWICE),
    _money("paying monthly expenses", "on monthly expenses", TWICE),
    _money("paying travel expenses", "on travel expenses", TWICE),
    _money("spending money", "on the rental property", TWICE),
    _own(
        "earning from investments",
        "money",
        Phrase("money", "earn", "earns", "from investments"),
        VERB,
    ),
    _own("investing money", "money", Phrase("money", "invest", "invests"), VERB),
    _own("making financial investments", "money", Phrase("money", "invest", "invests"), VERB),
    _own("managing savings", "money", Phrase("money", "save", "saves"), VERB),
    _own("saving money", "money", Phrase("money", "save", "saves"), VERB),
    # Time
    _time("in-class activties", "on in-class activities", SPELLING),
    _time("sleeping per week", "on sleeping each week", ARTICLE),
    _time("spending time", "on these activities", TWICE),
    _time("traveling days", "on traveling", UNIT),
    _time("typing words over time", "on typing words", TWICE),
    _own(
        "having time remaining on product coverage",
        "time",
        Phrase("time", "have", "has", "remaining on product coverage"),
        VERB,
    ),
    # Distance
    _distance("building property fences", "with property fences", VERB),
    _distance("covering distance in daily activities", "in daily activities", TWICE),
    _distance("covering distance on foot", "on foot", TWICE),
    _distance("covering distances during exercise", "during exercise", TWICE),
    _distance("driving distances", "while driving", UNIT),
    _distance("driving miles", "while driving", UNIT),
    _distance("driving miles on vacation", "while driving on vacation", UNIT),
    _distance("hiking distance", "while hiking", UNIT),
    _distance("hiking distances", "while hiking", UNIT),
    _distance("hiking miles", "while hiking", UNIT),
    _distance("installing carpet", "with carpet", VERB),
    _distance("jogging miles", "while jogging", UNIT),
    _distance("road trip", "on a road trip", ARTICLE),
    _distance("running distance", "while running", UNIT),
    _distance("running distances during the week", "while running during the week", UNIT),
    _distance("running miles", "while running", UNIT),
    _distance("running miles in seasons", "while running through the seasons", UNIT),
    _distance("running miles per week", "while running in a week", UNIT),
    _distance("traveling distance", "while traveling", TWICE),
    _distance("traveling distance daily", "in daily travel", TWICE),
    _distance("traveling distance for work", "while traveling for work", TWICE),
    _distance("traveling distances", "while traveling", TWICE),
    _distance(
        "traveling kilometers using different transportation",
        "by different means of transportation",
        UNIT,
    ),
    _distance("traveling miles in a month", "while traveling in a month", UNIT),
    _distance("traveling miles on business trips", "while traveling on business trips", UNIT),
    _distance("traveling to destination", "while traveling to a destination", ARTICLE),
    _distance("traveling using different modes", "by different modes of travel", ARTICLE),
    _distance("walking distances", "while walking", UNIT),
    _distance("walking miles", "while walking", UNIT),
    _distance("walking miles during the day", "while walking during the day", UNIT),
    _distance("walking steps", "while walking", UNIT),
    _own("mapping trails", "distance", Phrase("distance", "map", "maps", "on trails"), VERB),
    _own(
        "measuring property features",
        "distance",
        Phrase("distance", "measure", "measures", "around a property"),
        VERB,
    ),
    _own(
        "measuring racing tracks",
        "distance",
        Phrase("distance", "measure", "measures", "on racing tracks"),
        VERB,
    ),
    _own(
        "tracking satellite movements",
        "distance",
        Phrase("altitude", "record", "records", "for a satellite in the end"),
        VERB,
    ),
    # Weight
    _own("baking different recipes", "weight", Phrase("flour", "use", "uses", "in baking"), VERB),
    _own(
        "carrying school supplies",
        "weight",
        Phrase("weight", "carry", "carries", "in school supplies"),
        VERB,
    ),
    _own(
        "comparing family weights",
        "weight",
        Phrase("weight", "find", "finds", "in the family altogether"),
        VERB,
    ),
    _own("consuming fruit", "weight", Phrase("fruit", "eat", "eats", "by weight"), VERB),
    _own("experiencing weight changes", "weight", Phrase("weight", "gain", "gains"), VERB),
    _own("lifting pounds", "weight", Phrase("weight", "lift", "lifts"), VERB),
    _own("lifting weights", "weight", Phrase("weight", "lift", "lifts", "in all sets"), VERB),
    _own(
        "lifting weights during workout",
        "weight",
        Phrase("weight", "lift", "lifts", "during a workout"),
        VERB,
    ),
    _own(
        "performing weight training",
        "weight",
        Phrase("weight", "lift", "lifts", "in weight training"),
        VERB,
    ),
    _own("picking pounds of fruit", "weight", Phrase("fruit", "pick", "picks", "by weight"), VERB),
    _own(
        "using grams of skincare products",
        "weight",
        Phrase("skincare product", "use", "uses", "by weight"),
        VERB,
    ),
    # Others
    _own("buying apples", "others", does("apple buying"), NOUN),
    _own("buying shirts", "others", does("shirt buying"), NOUN),
    _own("collecting seashells", "others", does("seashell collecting"), NOUN),
    _own("consuming calories", "others", Phrase("food energy", "consume", "consumes"), NOUN),
    _own(
        "consuming calories in meals",
        "others",
        Phrase("food energy", "consume", "consumes", "in meals"),
        NOUN,
    ),
    _own("downloading content", "others", Phrase("content", "download", "downloads"), NOUN),
    _own(
        "downloading digital content",
        "others",
        Phrase("digital content", "download", "downloads"),
        NOUN,
    ),
    _own("earning points in games", "others", does("scoring", "in games"), NOUN),
    _own(
        "having food portions remaining", "others", Phrase("food", "have", "has", "remaining"), NOUN
    ),
    _own("ordering pizzas", "others", Phrase("pizza", "order", "orders"), NOUN),
    _own("performing fitness activities", "others", does("exercise"), NOUN),
    _own("planting flowers", "others", does("flower planting"), NOUN),
    _own("planting trees", "others", does("tree planting"), NOUN),
    _own(
        "producing written content",
        "others",
        Phrase("written content", "produce", "produces"),
        NOUN,
    ),
    _own("reading book chapters", "others", does("reading", "in chapters"), NOUN),
    _own("reading chapters", "others", does("reading", "in chapters"), NOUN),
    _own("reading pages", "others", does("reading", "in pages"), NOUN),
    _own("reading pages over three days", "others", does("reading", "over three days"), NOUN),
    _own("typing words", "others", does("typing", "in words"), NOUN),
    _own("using gallons of water", "others", Phrase("water", "use", "uses"), NOUN),
    _own("using skincare products", "others", Phrase("skincare product", "use", "uses"), NOUN),
)

_PHRASES = {(fix.task, fix.quantity): fix.phrase for fix in FIXES}


def paper_phrase(task: str, quantity: str) -> Phrase:
    """The words for a task of the paper's file."""
    return phrase_for(task, quantity, _PHRASES)
