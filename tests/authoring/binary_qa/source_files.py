"""Small files in the formats of the data sets that a Binary QA set is built from; all invented."""

import csv
import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from askew.sources.pinned import Source

_TEXTS = pa.list_(pa.string())
BOOLQ = pa.schema({"question": pa.string(), "answer": pa.bool_(), "passage": pa.string()})
HOTPOTQA = pa.schema({
    **dict.fromkeys(("id", "question", "answer", "type", "level"), pa.string()),
    "context": pa.struct({"title": _TEXTS, "sentences": pa.list_(_TEXTS)}),
})  # fmt: skip
DROP = pa.schema({
    **dict.fromkeys(("query_id", "passage", "question"), pa.string()),
    "answers_spans": pa.struct({"spans": _TEXTS, "types": _TEXTS}),
})  # fmt: skip
MQM = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")


def parquet(path: Path, schema: pa.Schema, rows: list[dict]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def table(path: Path, columns: tuple[str, ...], rows: list[tuple], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines, delimiter=delimiter, lineterminator="\n").writerows([columns, *rows])
    return path


def boolq_row(i: int) -> dict:
    passage = f"Ferry {i} crosses the sound. In winter it {'rests' if i % 2 else 'sails'}."
    question = f"does the ferry {i} sail in winter"
    return {"question": question, "answer": i % 2 == 0, "passage": passage}


def hotpotqa_row(i: int, **other: str) -> dict:
    mill = [f"Mill {i} stands on the Ash.", " It still grinds."]
    weir = [f"Weir {i} lies in the {'Tindle' if i % 2 else 'Ash'}."]
    return {
        "id": f"{i:024x}",
        "question": f"Are Mill {i} and Weir {i} on the same river?",
        "answer": "no" if i % 2 else "yes",
        "type": "comparison",
        "level": ("easy", "medium", "hard")[i // 2 % 3],
        "context": {
            "title": [f"Mill {i}", f"Weir {i}", f"Inn {i}"],
            "sentences": [mill, weir, ["An inn."]],
        },
        **other,
    }


def drop_row(i: int, spans: list[str] | None = None, types: list[str] | None = None) -> dict:
    told = {"spans": spans or [str(10 + i)], "types": types or ["number"] * len(spans or [1])}
    return {
        "query_id": f"query-{i}",
        "passage": f"At fair {i} there were {10 + i} stalls and {3 + i} carts.",
        "question": f"How many stalls were there at fair {i}?",
        "answers_spans": told,
    }


def mqm_rows(i: int) -> list[tuple]:
    """Three raters of one segment: an error found by all where `i` is even, by nobody else."""
    source = f"The {i} lamps were lit at dusk."
    target = f"Die {i} Lampen wurden in der Dämmerung angezündet."
    shared = ("Nord-7", "lamps.1", "1", str(i))
    if i % 2:
        return [(*shared, f"rater{r}", source, target, "No-error", "No-error") for r in (1, 2, 3)]
    error, marked = ("Accuracy/Mistranslation", "Major"), target.replace("Lampen", "<v>Lampen</v>")
    return [
        (*shared, "rater1", source, marked, *error),
        (*shared, "rater1", source, target.replace("Die", "<v>Die</v>"), *error),
        (*shared, "rater2", source, marked, "Fluency/Grammar", "Minor"),
        (*shared, "rater3", source, marked, *error),
    ]


def commonsense_row(i: int) -> tuple:
    deed = "kept the purse" if i % 2 else "returned the purse"
    return (i % 2, f"I found purse {i} on the tram and {deed}.", True, False)


def justice_row(i: int) -> tuple:
    why = "she had won the race" if i % 2 else "her hat was blue"
    return (i % 2, f"I gave Ada {i} the cup because {why}.")


def write_all(folder: Path, n: int = 40) -> dict[str, tuple[Path, ...]]:
    """Files of all five data sets, by data set."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = [*range(n)], [*range(n, 2 * n)]
    deeds = [commonsense_row(i) for i in first]
    columns = ("label", "input", "is_short", "edited")
    return {
        "boolq": (parquet(folder / "boolq.parquet", BOOLQ, [*map(boolq_row, first)]),),
        "hotpotqa": (
            parquet(folder / "h0.parquet", HOTPOTQA, [*map(hotpotqa_row, first)]),
            parquet(folder / "h1.parquet", HOTPOTQA, [*map(hotpotqa_row, second)]),
        ),
        "drop": (parquet(folder / "drop.parquet", DROP, [*map(drop_row, first)]),),
        "mqm": (table(folder / "mqm.tsv", MQM, [r for i in first for r in mqm_rows(i)], "\t"),),
        "ethics": (
            table(folder / "commonsense.csv", columns, deeds),
            table(folder / "justice.csv", ("label", "scenario"), [*map(justice_row, first)]),
        ),
    }


def pinned(files: dict[str, tuple[Path, ...]]) -> dict[str, tuple[Source, ...]]:
    """These files as data sets that are pinned to what they hold."""

    def source(name: str, path: Path) -> Source:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        url = f"https://example.org/{path.name}"
        return Source(f"binary_qa/{path.name}", url, f"made/{name}@1", "ours", sha256=digest)

    return {name: tuple(source(name, path) for path in paths) for name, paths in files.items()}
