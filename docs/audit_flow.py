"""The documented audit as an inspect-flow spec: `flow run docs/audit_flow.py`."""

from inspect_flow import FlowSpec, tasks_matrix

FlowSpec(
    log_dir="audit/logs",
    tasks=tasks_matrix(
        task=[
            "askew/knowno",
            "askew/instruction_boundary",
            "askew/mathcomp",
            "askew/format_bias",
            "askew/binary_qa",
        ],
        model=["openai/gpt-5", "openai/gpt-5-mini"],
        args=[{"items": 40}],
    ),
)
