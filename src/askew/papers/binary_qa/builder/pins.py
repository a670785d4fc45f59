"""The public files that a Binary QA set is built from."""

from __future__ import annotations

from collections.abc import Mapping

from askew.sources.pinned import Source

_LIMIT = 400 * 1024 * 1024


def _pinned(name: str, url: str, revision: str, sha256: str, licence: str) -> Source:
    return Source(f"binary_qa/{name}", url, revision, licence, sha256=sha256, limit=_LIMIT)


def _on_hub(name: str, dataset: str, revision: str, path: str, sha256: str, licence: str) -> Source:
    url = f"https://huggingface.co/datasets/{dataset}/resolve/{revision}/{path}"
    return _pinned(name, url, f"{dataset}@{revision}", sha256, licence)


_BOOLQ = "35b264d03638db9f4ce671b711558bf7ff0f80d5"
_HOTPOT = "1908d6afbbead072334abe2965f91bd2709910ab"
_DROP = "95cda593fae71b60b5b19f82de3fcf3298c1239c"
_MQM = "9d2d6ca92d466d507665e31417302bcc44903970"

# By data set; a domain is built from all files of its data set.
FILES: Mapping[str, tuple[Source, ...]] = {
    "boolq": (
        _on_hub(
            "boolq_train.parquet",
            "google/boolq",
            _BOOLQ,
            "data/train-00000-of-00001.parquet",
            "4f028e992c0bd4df30b9f056f4946b64f5c23028034ff0ed5ea467d8538cc623",
            "CC BY-SA 3.0",
        ),
    ),
    "hotpotqa": tuple(
        _on_hub(
            f"hotpotqa_distractor_train_{part}.parquet",
            "hotpotqa/hotpot_qa",
            _HOTPOT,
            f"distractor/train-0000{part}-of-00002.parquet",
            sha256,
            "CC BY-SA 4.0",
        )
        for part, sha256 in enumerate(
            (
                "76d3bb3048a7cc73c1958107c0c5872a00d7e7d00c105b81e92f6769e7822e68",
                "713661628434fbb19fff7392e2e321e4ed107e3c7c7784d0690946e5f722763f",
            )
        )
    ),
    "drop": (
        _on_hub(
            "drop_train.parquet",
            "ucinlp/drop",
            _DROP,
            "data/train-00000-of-00001.parquet",
            "",  # its revision pins it
            "CC BY-SA 4.0",
        ),
    ),
    "mqm": (
        _pinned(
            "mqm_newstest2020_ende.tsv",
            "https://raw.githubusercontent.com/google/wmt-mqm-human-evaluation/"
            f"{_MQM}/newstest2020/ende/mqm_newstest2020_ende.tsv",
            f"google/wmt-mqm-human-evaluation@{_MQM}",
            "22acb4d5cc4dc0d8f2683e9251c179c917ae8589d71b1945d755c46d88d345e3",
            "Apache 2.0",
        ),
    ),
    # The hub's main branch: the digests are what pins these two.
    "ethics": tuple(
        _on_hub(
            f"ethics_{part}_train.csv",
            "hendrycks/ethics",
            "main",
            f"data/{part}/train.csv",
            sha256,
            "MIT",
        )
        for part, sha256 in (
            ("commonsense", "286cb4098a66b71819493f964cf2afe62cdbb6c6b41983b9c0b8fc484650c752"),
            ("justice", "175c8255f5ee3d99ad381cd716473367274dc24b3832d5e3357f37f1779a7d3f"),
        )
    ),
}
