"""Questions in the words of the authors' scripts, which differ from the paper's Appendix E."""

from dataclasses import replace

from askew.files import toml_of
from askew.papers.format_bias.items import FormatItem
from askew.papers.format_bias.paper import LEVELS, PAPER
from askew.parameters import SelectionError
from askew.reading.formats import PAPER_FORMATS, ExpectedAnswer, Format

WORDS = toml_of(PAPER.home, "authors.toml")
_EASY = LEVELS["scirex_easy"]


def as_read(item: FormatItem) -> FormatItem:
    """The item as the scripts read replies to it: the easy level has a key in small letters."""
    if tuple(item.entities) != _EASY:
        return item
    return replace(item, entities={key.lower(): names for key, names in item.entities.items()})


def ask(
    item: FormatItem, laid_out: str, fmt: Format, expected: ExpectedAnswer, repeat: int
) -> tuple[str, str]:
    """The question, and the instruction behind it, of an item in one of the paper's formats."""
    words, way = WORDS.get(fmt.category, {}), expected.prompting
    if fmt.name not in PAPER_FORMATS:
        raise SelectionError(f"format={fmt.name}: not in the authors' scripts")
    if fmt.category == "list":
        python, own = fmt.name == "python", words[item.kind]
        question = own["question"].format(
            **item.context, documents=list(item.documents), binary="binary " if python else ""
        )
        sentence = own["python_cot" if python and way == "cot" else way]
        sentence = sentence.format(how=words["how"][fmt.name], wrap_list=WORDS["wrap_list"])
    elif fmt.category == "mapping":
        own = words.get(str(len(expected.keys)), {}).get(fmt.name)
        if own is None:
            raise SelectionError(f"{item.id}: wording=authors needs one, two or four keys")
        how = own["how"] if way == "cot" else ""
        question = words["question"].format(kinds=own["kinds"], how=how, **item.context)
        sentence = own.get(way, own["zs"])
        if way == "cot":
            sentence += WORDS["wrap_answer"] + ("\n" if fmt.name == "json" else "")
    else:
        question = f"{words[expected.kind][way]}\n{laid_out}\n"
        sentence = WORDS["sentences"].get(fmt.name, fmt.instruct(expected))
        if fmt.category == "mcq":
            sentence = WORDS["wrap_answer"] if way == "cot" else ""
    sentence = sentence if repeat == 1 else f"{sentence} " * repeat
    asks = question.rstrip("\n")
    return asks, question[len(asks) :] + sentence if sentence else ""
