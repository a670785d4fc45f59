"""What golden files hold: how tasks are asked, the policy that is checked, what is planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_JUDGE = {"grader": "respondent/typical"}

# By task and name: the task's parameters; see `doors.ask`.
ASKED: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "knowno": {
        "every hint": {"hint": "all", "items": 1},
        "ablation": {"ablation": True, "items": 2, "subset": "mctest"},
        "generic": {"template": "generic", "ablation": True, "items": 1, "subset": "mctest,bank77"},
        "delimiter": {"subset": "bank77", "delimiter": "-", "items": 1},
        "clipped": {"subset": "equinfer", "context_words": "20,40", "items": 1},
        "judged": {
            "parser": "rules_then_grader", "hint": "no_hint", "items": 2, "_roles": _JUDGE,
            "_model": {"knows": 1.0, "notices": {"no_hint": 1.0}, "volunteers": 1.0},
        },
        "paper's settings": {"settings": "paper", "items": 1, "seed": 5},
    },
    "instruction_boundary": {
        "defaults": {"items": 3},
        "conformity": {"setting": "conformity", "suggest": "all", "items": 3, "n_logic": 9},
        "missing": {"setting": "missing_choices", "missing": "all", "items": 3, "n_logic": 9},
        "stated": {
            "setting": "vanilla,missing_choices", "none_style": "stated",
            "missing": "none,several", "subset": "choice", "items": 1,
        },
        "examples": {
            "setting": "few_shot", "items": 3, "n_logic": 9,
            "examples": "unknown,true,false,true,none,single,multiple",
        },
        "polished": {
            "setting": "prompt_polishing", "polish": "fixed,model", "items": 2, "n_logic": 9,
            "_roles": {"polisher": "respondent/typical"},
        },
        "miscellany": {"setting": "miscellany", "n_wrong": "all", "items": 1, "n_logic": 9},
        "judged": {
            "setting": "vanilla,multi_turn", "parser": "rules_then_grader", "items": 2,
            "n_logic": 9, "_roles": _JUDGE, "_model": {"mumbles": 1.0},
        },
        "other theories": {
            "subset": "logic", "setting": "vanilla", "n_logic": 12, "depth": 2, "width": "1-3",
            "distractors": "1-2", "negation": 0.6, "seed": 4, "items": 3, "settings": "paper",
        },
    },
    "mathcomp": {
        "every framing": {"items": 1, "framing": "style=all,term=all,position=all"},
        "outputs": {"output": "all", "framing": "style=neutral+direct,term=none+less", "items": 1},
        "identities": {"identity": "all", "framing": "style=indirect,term=equal", "items": 1},
        "scenarios": {
            "framing": "style=indirect,position=end,term=more", "items": 2,
            "seed": 3, "subset": "dining,health_fitness",
        },
        "cut": {"max_tokens": 7, "framing": "style=neutral", "items": 1, "settings": "paper"},
        "judged": {
            "parser": "grader", "output": "cot", "framing": "style=neutral", "items": 1,
            "_roles": _JUDGE,
        },
    },
    "format_bias": {
        "defaults": {"items": 10, "prompting": "zs"},
        "reasoning": {"items": 5, "prompting": "cot", "format": "text,quoting,bullet,yaml"},
        "demonstrations": {
            "demos": "1,5", "prompting": "zs", "items": 3, "format": "char,json",
        },
        "repeated": {
            "repeat": "3,5", "subset": "mmlu,gsm8k,scidocsrr,scirex_easy", "items": 4,
            "prompting": "zs", "format": "char,bolding,yaml",
        },
        "strict": {
            "reading": "extraction=strict,casefold=true,placeholder=table1", "items": 2,
            "format": "placeholder,separator", "settings": "paper", "seed": 2,
        },
    },
    "binary_qa": {
        "defaults": {"items": 5},
        "some forms": {"form": "hedged,contradictory", "items": 4, "seed": 3, "settings": "paper"},
        "one domain": {"subset": "numerical,translation", "form": "original", "items": 4},
    },
    "bend": {
        "options": {
            "task": "choices", "items": 3, "framing": "It rains.", "system": "Be brief.",
            "treatments": "repeat,absent,none_offered,order,options,suggestion,framing,system,"
            "reflection,format",
        },
        "short answers": {
            "task": "short", "items": 2, "treatments": "suggestion,reflection,format", "seed": 1,
        },
        "tools": {
            "task": "agent", "items": 2,
            "treatments": "tool_order,tool_absent,tool_wording,tool_result",
        },
    },
}  # fmt: skip

BENT: Mapping[str, Any] = {
    "task": "choices", "items": 8, "treatments": "repeat,absent,order,suggestion,format",
}  # fmt: skip
"""How the logs `runs/bend-*.eval` were made, with `doors.ask`."""

POLICY = """\
version: 1
models: [respondent/typical]
max_left_out: 0.2
allow_simulated: true
rules:
- {name: notices, task: knowno, metric: omni_accuracy, min: 0.5}
- {task: knowno, metric: omni_accuracy, subset: "*", bound: low, min: 0.4, min_items: 3}
- {task: instruction_boundary, metric: rs_vanilla, min: 0.5}
- {task: instruction_boundary, metric: moved_rate, max: 0.5,
   levels: {family: judging, setting: conformity}}
- {task: mathcomp, metric: framing_pull, min: -0.15, max: 0.15}
- {task: format_bias, metric: fi, min: 0.8, model: "respondent/[st]*"}
- {task: format_bias, metric: bias_f, max: 150}
- {task: binary_qa, metric: "mbs*", min: 70}
- {task: binary_qa, metric: delta_recall, min: -0.2, max: 0.2, min_items: 30}
- {task: bend, metric: moved_rate, max: 0.2, min_items: 5}
- {metric: "omni_acuracy*", min: 0.1}
- {metric: "no_such_metric*", min: 0.1}
"""
PRICES = "a/b: {input: 2, output: 8}\nopenai/gpt-5: {input: 1.25, output: 10}\n"
