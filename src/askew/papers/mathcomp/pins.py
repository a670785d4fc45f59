"""The paper's file."""

from askew.sources.pinned import on_github

SOURCES = on_github(
    "mathcomp",
    repository="Mamin78/more_or_less_wrong",
    commit="d5fab1108a265b4c1e5b4edaa80a94eb73c477bf",
    licence="CC BY 4.0",
    blob_ids={"MathComp_Dataset.csv": "843c0630b1c5e13c8ed25a6690a6f647d6c89728"},
)
