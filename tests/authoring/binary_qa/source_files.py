"""Small files in the formats of the data sets that a Binary QA set is built from; all invented."""

import csv
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from askew.sources.pinned import Source

BOOLQ = pa.schema([("question", pa.string()), ("answer", pa.bool_()), ("passage", pa.string())])
HOTPOTQA = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("type", pa.string()),
        ("level", pa.string()),
        (
            "supporting_facts",
            pa.struct([("title", pa.list_(pa.string())), ("sent_id", pa.list_(pa.int32()))]),
        ),
        (
            "context",
            pa.struct(
                [("title", pa.list_(pa.string())), ("sentences", pa.list_(pa.list_(pa.string())))]
            ),
        ),
    ]
)
DROP = pa.schema(
    [
        ("section_id", pa.string()),
        ("query_id", pa.string()),
        ("passage", pa.string()),
        ("question", pa.string()),
        (
            "answers_spans",
            pa.struct([("spans", pa.list_(pa.string())), ("types", pa.list_(pa.string()))]),
        ),
    ]
)
MQM = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")


def parquet(path: Path, schema: pa.Schema, rows: list[dict]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def table(path: Path, columns: tuple[str, ...], rows: list[tuple], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def boolq_row(i: int) -> dict:
    does = "sails" if i % 2 == 0 else "rests"
    return {
        "question": f"does the ferry {i} sail in winter",
        "answer": i % 2 == 0,
        "passage": f"Ferry {i} crosses the sound. In winter it {does}.",
    }


def hotpotqa_row(i: int, **other: str) -> dict:
    row = {
        "id": f"{i:024x}",
        "question": f"Are Mill {i} and Weir {i} on the same river?",
        "answer": "yes" if i % 2 == 0 else "no",
        "type": "comparison",
        "level": ("easy", "medium", "hard")[i // 2 % 3],
        "supporting_facts": {"title": [f"Mill {i}", f"Weir {i}"], "sent_id": [0, 0]},
        "context": {
            "title": [f"Mill {i}", f"Weir {i}", f"Inn {i}"],
            "sentences": [
                [f"Mill {i} stands on the Ash.", " It still grinds."],
                [f"Weir {i} lies in the {'Ash' if i % 2 == 0 else 'Tindle'}."],
                ["An inn."],
            ],
        },
    }
    return {**row, **other}


def drop_row(i: int, spans: list[str] | None = None, types: list[str] | None = None) -> dict:
    return {
        "section_id": f"fair_{i}",
        "query_id": f"query-{i}",
        "passage": f"At fair {i} there were {10 + i} stalls and {3 + i} carts.",
        "question": f"How many stalls were there at fair {i}?",
        "answers_spans": {
            "spans": spans or [str(10 + i)],
            "types": types or ["number"] * len(spans or [1]),
        },
    }


def mqm_rows(i: int, system: str = "Nord-7") -> list[tuple]:
    """Three raters of one segment: an error found by all where `i` is even, by nobody else."""
    source = f"The {i} lamps were lit at dusk."
    target = f"Die {i} Lampen wurden in der Dämmerung angezündet."
    marked = target.replace("Lampen", "<v>Lampen</v>")
    shared = (system, "lamps.1", "1", str(i))
    if i % 2 == 0:
        error = ("Accuracy/Mistranslation", "Major")
        return [
            (*shared, "rater1", source, marked, *error),
            (*shared, "rater1", source, target.replace("Die", "<v>Die</v>"), *error),
            (*shared, "rater2", source, marked, "Fluency/Grammar", "Minor"),
            (*shared, "rater3", source, marked, *error),
        ]
    return [(*shared, f"rater{r}", source, target, "No-error", "No-error") for r in (1, 2, 3)]


def commonsense_row(i: int) -> tuple:
    deed = "returned the purse" if i % 2 == 0 else "kept the purse"
    return (i % 2, f"I found purse {i} on the tram and {deed}.", True, False)


def justice_row(i: int) -> tuple:
    why = "she had won the race" if i % 2 else "her hat was blue"
    return (i % 2, f"I gave Ada {i} the cup because {why}.")


def write_all(folder: Path, n: int = 40) -> dict[str, tuple[Path, ...]]:
    """Files of all five data sets, by data set."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(n)
    return {
        "boolq": (parquet(folder / "boolq.parquet", BOOLQ, [boolq_row(i) for i in numbers]),),
        "hotpotqa": (
            parquet(folder / "h0.parquet", HOTPOTQA, [hotpotqa_row(i) for i in numbers]),
            parquet(folder / "h1.parquet", HOTPOTQA, [hotpotqa_row(n + i) for i in numbers]),
        ),
        "drop": (parquet(folder / "drop.parquet", DROP, [drop_row(i) for i in numbers]),),
        "mqm": (table(folder / "mqm.tsv", MQM, [r for i in numbers for r in mqm_rows(i)], "\t"),),
        "ethics": (
            table(
                folder / "commonsense.csv",
                ("label", "input", "is_short", "edited"),
                [commonsense_row(i) for i in numbers],
            ),
            table(folder / "justice.csv", ("label", "scenario"), [justice_row(i) for i in numbers]),
        ),
    }


def pinned(files: dict[str, tuple[Path, ...]]) -> dict[str, tuple[Source, ...]]:
    """These files as data sets that are pinned to what they hold."""
    return {
        source: tuple(
            Source(
                f"binary_qa/{path.name}",
                f"https://example.org/{path.name}",
                f"made/{source}@1",
                "ours",
                sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            )
            for path in paths
        )
        for source, paths in files.items()
    }


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
