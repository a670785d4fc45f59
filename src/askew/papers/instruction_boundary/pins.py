"""The paper's files, and FOLIO's, from which its statements come."""

from askew.sources.pinned import on_github

SOURCES = on_github(
    "instruction_boundary",
    repository="ZpLing/Instruction-Boundary",
    commit="720bdfb7700d0728f4133a0eda29c37fa51c902e",
    licence="none stated",
    blob_ids={
        "MCQs_2700.json": "11eeb9ba239b370d7f0d603e1c01c7c018d12fc7",
        "src/dataset/choice_tfu_format_dataset.json": "3f6127a8b36d0034779c34935ba6b7486c0d27ca",
        "Judging Questions.json": "0ba6effdfde18a2a017c5659f6e4994f7a591426",
    },
) | on_github(
    "instruction_boundary",
    repository="Yale-LILY/FOLIO",
    commit="5d7bb84c7edab3fb358e057d2807f19cf5cf5e2d",
    licence="CC BY-SA 4.0",
    blob_ids={
        "data/v0.0/folio-train.jsonl": "6b199ee52af24a6e74fda22f87760a8647c9dbbd",
        "data/v0.0/folio-validation.jsonl": "06244bd10b37eac73cba7aca6c336e96011ace58",
    },
)
