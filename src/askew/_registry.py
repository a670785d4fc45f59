"""What Inspect finds under `askew/...`: tasks, solvers, scorers, metrics and the respondents."""

from askew.models.replay import replay
from askew.models.respondent import respondent
from askew.scorers.binary_qa import binary_qa_scorer
from askew.scorers.format_bias import format_bias_scorer
from askew.scorers.instruction_boundary import instruction_boundary_scorer
from askew.scorers.knowno import knowno_scorer
from askew.scorers.live_metrics import (
    binary_qa_metrics,
    format_bias_metrics,
    instruction_boundary_metrics,
    knowno_metrics,
    mathcomp_metrics,
)
from askew.scorers.mathcomp import mathcomp_scorer
from askew.solvers.format_instruction import format_instruction
from askew.solvers.framing_insertion import framing_insertion
from askew.solvers.multi_turn_reflection import multi_turn_reflection
from askew.solvers.one_step import one_step
from askew.solvers.prompt_polishing import prompt_polishing
from askew.solvers.reveal import reveal_truth
from askew.solvers.roles import require_role
from askew.solvers.system_prompt import system_prompt
from askew.tasks.binary_qa import binary_qa
from askew.tasks.format_bias import format_bias
from askew.tasks.instruction_boundary import instruction_boundary
from askew.tasks.knowno import knowno
from askew.tasks.mathcomp import mathcomp

__all__ = [
    "binary_qa",
    "binary_qa_metrics",
    "binary_qa_scorer",
    "format_bias",
    "format_bias_metrics",
    "format_bias_scorer",
    "format_instruction",
    "framing_insertion",
    "instruction_boundary",
    "instruction_boundary_metrics",
    "instruction_boundary_scorer",
    "knowno",
    "knowno_metrics",
    "knowno_scorer",
    "mathcomp",
    "mathcomp_metrics",
    "mathcomp_scorer",
    "multi_turn_reflection",
    "one_step",
    "prompt_polishing",
    "replay",
    "require_role",
    "respondent",
    "reveal_truth",
    "system_prompt",
]
