"""The public files that a Binary QA set is built from."""

from __future__ import annotations

from collections.abc import Mapping

from askew.sources.pinned import Source

_LIMIT = 400 * 1024 * 1024


def _pinned(name: str, url: str, revision: str, licence: str, sha256: str) -> Source:
    return Source(f"binary_qa/{name}", url, revision, licence, sha256=sha256, limit=_LIMIT)


def _on_hub(
    dataset: str, revision: str, licence: str, files: Mapping[str, tuple[str, str]]
) -> tuple[Source, ...]:
    """Files of one data set; each has a name here, its path there and its SHA-256."""
    base = f"https://huggingface.co/datasets/{dataset}/resolve/{revision}"
    return tuple(
        _pinned(name, f"{base}/{path}", f"{dataset}@{revision}", licence, sha256)
        for name, (path, sha256) in files.items()
    )


_MQM = "9d2d6ca92d466d507665e31417302bcc44903970"

# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[Source, ...]] = {
    "boolq": _on_hub(
        "google/boolq",
        "35b264d03638db9f4ce671b711558bf7ff0f80d5",
        "CC BY-SA 3.0",
        {
            "boolq_train.parquet": (
                "data/train-00000-of-00001.parquet",
                "4f028e992c0bd4df30b9f056f4946b64f5c23028034ff0ed5ea467d8538cc623",
            )
        },
    ),
    "hotpotqa": _on_hub(
        "hotpotqa/hotpot_qa",
        "1908d6afbbead072334abe2965f91bd2709910ab",
        "CC BY-SA 4.0",
        {
            "hotpotqa_distractor_train_0.parquet": (
                "distractor/train-00000-of-00002.parquet",
                "76d3bb3048a7cc73c1958107c0c5872a00d7e7d00c105b81e92f6769e7822e68",
            ),
            "hotpotqa_distractor_train_1.parquet": (
                "distractor/train-00001-of-00002.parquet",
                "713661628434fbb19fff7392e2e321e4ed107e3c7c7784d0690946e5f722763f",
            ),
        },
    ),
    "drop": _on_hub(
        "ucinlp/drop",
        "95cda593fae71b60b5b19f82de3fcf3298c1239c",
        "CC BY-SA 4.0",
        # No digest is known: the revision pins it.
        {"drop_train.parquet": ("data/train-00000-of-00001.parquet", "")},
    ),
    "mqm": (
        _pinned(
            "mqm_newstest2020_ende.tsv",
            "https://raw.githubusercontent.com/google/wmt-mqm-human-evaluation/"
            f"{_MQM}/newstest2020/ende/mqm_newstest2020_ende.tsv",
            f"google/wmt-mqm-human-evaluation@{_MQM}",
            "Apache 2.0",
            "22acb4d5cc4dc0d8f2683e9251c179c917ae8589d71b1945d755c46d88d345e3",
        ),
    ),
    "ethics": _on_hub(
        "hendrycks/ethics",
        "main",  # a branch: the digests are what pins its files
        "MIT",
        {
            "ethics_commonsense_train.csv": (
                "data/commonsense/train.csv",
                "286cb4098a66b71819493f964cf2afe62cdbb6c6b41983b9c0b8fc484650c752",
            ),
            "ethics_justice_train.csv": (
                "data/justice/train.csv",
                "175c8255f5ee3d99ad381cd716473367274dc24b3832d5e3357f37f1779a7d3f",
            ),
        },
    ),
}
