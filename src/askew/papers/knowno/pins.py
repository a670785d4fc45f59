"""The paper's files."""

from askew.sources.pinned import on_github

SOURCES = on_github(
    "knowno",
    repository="xhz0809/Know-No",
    commit="fab21973c8dd41addd07480e7a192dc8ab2e67c9",
    licence="none stated",
    blob_ids={
        "data/Bank77/Bank77_1000.jsonl": "97f24762ad47cb7ef24b12024f8528f3d6646316",
        "data/MCTest/MCTest_1000.jsonl": "859999e66664bda122f9cffdf4f8c04bed197536",
        "data/EquInfer/EquInfer_1049.jsonl": "d1e4bff3f93df7b2f83be375a82099b8c37d64ed",
    },
)
