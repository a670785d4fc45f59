"""The paper's files."""

from askew.sources.pinned import on_github

_BLOB_IDS = {
    "dict_SciREX_easy.csv": "5a9edaa3c01b498928b1819e354011f6c0ce5f4d",
    "dict_SciREX_medium.csv": "b104e2774f0bfe8b6dca36c8422cc43b0bc3c602",
    "dict_SciREX_hard.csv": "1a43c1c13d0dbb01e01a8dab6a1085e6a3c748f9",
    "generation_fairytaleqa_200.csv": "d0738f683d3201362b5b0d4276b99ed071d0fb61",
    "generation_gsm8k_test_200.csv": "a541be80411d9f3f7eee02c1ef2a6936317ced85",
    "generation_hotpotqa_validation_200.csv": "fb4f73c55cdb3492ee28ff77e919bd980e2583d5",
    "list_keyphrases_SemEval2017_200.csv": "dd3f72644b91be7faed1008b78d64e773c51b8cf",
    "list_scidocs_reranking_200.csv": "ce7a07a755353e3ee3dfe8042497cd3944903ea6",
    "mcq_bbh_test_1.csv": "a5c30a3454080a8867c416fc91ae99b6be2b7a11",
    "mcq_mmlu_test_27.csv": "6093a755f111b734b2ce7e881e9b368803036c16",
}
SOURCES = on_github(
    "format_bias",
    repository="dxlong2000/FormatBiasEval",
    commit="6d5e65edb44bf91cd6e92b3692b7765f3f89727a",
    licence="none stated",
    blob_ids={f"EvalData/{name}": blob_id for name, blob_id in _BLOB_IDS.items()},
)
