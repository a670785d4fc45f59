"""`askew compare`, `gate`, `plan` and `calibrate`: from numbers to decisions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from askew.cli.common import (
    RespondentName,
    TaskName,
    document_files,
    is_json,
    option,
    print_json,
    read_study,
    say,
    spread,
    study_of,
    task_parameters,
    with_json,
)

if TYPE_CHECKING:
    from askew.report.blocks import Document

NOTHING = 3  # what a comparison ends with that compared nothing
_POINTS = click.FloatRange(0.1, 100)  # beyond these a width or an effect in points means nothing
_ABOVE_0 = click.FloatRange(0, min_open=True)
_METRICS = "Metrics (a glob; repeatable). Default: primary and effect metrics."
_MAY_DIFFER = "What may differ: temperature, data, prompts, ... (repeatable); of A and B:"
_LINE = 120  # characters of a line of checks


def _tell(
    document: Document, outputs: tuple[str, ...], quiet: bool, text: str = "", most: int = 0
) -> None:
    """Print a document and write it; `text` begins the line that names the file."""
    from askew.report.render import terminal_text, terminal_width, write_document

    written = [str(write_document(document, output)) for output in outputs]
    if is_json():
        print_json(document.data())
    elif not quiet:
        say(terminal_text(document, terminal_width(), most))
        if written:
            say(f"{text} in {', '.join(written)}")


@with_json
@click.command()
@click.argument("logs", nargs=-1)
@option("--baseline", metavar="MODEL", help="The model to compare with.")
@option("--model", "models", multiple=True, help="Only these models (a glob; repeatable).")
@option("--metric", "metrics", multiple=True, help=_METRICS)
@option("--all", "every", is_flag=True, help="All metrics that have a better direction.")
@option("--by", multiple=True, help="Show a level value by value: subset, format, ...")
@option("--descriptive", is_flag=True, help="Also metrics without a better direction.")
@option("--mitigations", is_flag=True, help="Also the paper's verdicts on mitigations.")
@option("--allow-diff", multiple=True, help=f"{_MAY_DIFFER} input, target or scorer.")
@option("--label", "labels", nargs=2, metavar="A=LOGS B=LOGS", help="Both sides, with names.")
@option("--score", multiple=True, help="Of A and B: scores (a glob; repeatable). Default: all.")
@option("--cluster-by", metavar="KEY", help="Of A and B: the metadata key of clusters.")
@option("--margin", type=_ABOVE_0, help="Of A and B: smaller differences are equivalent.")
@option("--max-loss", type=click.FloatRange(0), help="Of A and B: the largest loss that passes.")
@option("--lower-is-better", multiple=True, help="Of A and B: scores of which less is better.")
@document_files
@option("--quiet", is_flag=True, help="No progress and no table.")
@spread
def compare(
    logs: tuple[str, ...], models: tuple[str, ...], metrics: tuple[str, ...],
    outputs: tuple[str, ...], every: bool, quiet: bool, workers: int, cluster: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Compare models, or two logs of any Inspect task, on shared samples.

    With --baseline: the models in LOGS, by the metrics of askew's tasks. Without: LOGS are two
    sides A and B, files or folders of any Inspect task, compared score by score; with --max-loss
    the exit code is that of a gate.

    Exit code 0: compared, or pass; 1: fail; 3: inconclusive, or nothing could be compared.
    """
    of_sides = {n: v for n in _OF_SIDES if (v := options.pop(n)) not in (None, ())}
    if options["baseline"] is None:
        unused = models, metrics, every, *(options[n] for n in ("by", "descriptive", "mitigations"))
        if any(unused) or workers > 1 or cluster:
            raise click.UsageError(
                "--model, --metric, --all, --by, --workers, ... need --baseline MODEL"
            )
        _compare_sides(logs, outputs, quiet, allow_diff=options["allow_diff"], **of_sides)
    for name in of_sides:
        name = name.replace("labels", "label").replace("_", "-")
        raise click.UsageError(f"--{name} is about two sides A and B, without --baseline")
    if not logs:
        raise click.UsageError("give LOGS")
    from askew.decide.compare import EVERY_MODEL
    from askew.decide.compare import compare as compared
    from askew.decide.documents import comparison_document
    from askew.papers import get_paper

    study = study_of(logs, quiet, workers, cluster)
    if not metrics and not (every or options["descriptive"]):
        metrics = tuple(m for task in study.by_task for m in get_paper(task).decisive)
        options["mitigations"] = options["mitigations"] or None
    comparison = compared(
        study, models=models or EVERY_MODEL, metric=metrics or ("*",), quiet=quiet, **options
    )
    _tell(comparison_document(comparison), outputs, quiet, "\ncomparison")
    if comparison.models and not comparison.n_comparisons:
        sys.exit(NOTHING)


_OF_SIDES = ("labels", "score", "cluster_by", "margin", "max_loss", "lower_is_better")


def _compare_sides(
    logs: tuple[str, ...], outputs: tuple[str, ...], quiet: bool, **options: Any
) -> NoReturn:
    """Compare two sides of any Inspect task, and end with the outcome's exit code."""
    from askew.decide.documents import log_comparison_document
    from askew.decide.log_comparison import compare_logs

    named = [text.partition("=")[::2] for text in options.pop("labels", ())]
    if any(not (label and path) for label, path in named):
        raise click.UsageError("--label takes two sides with names: --label old=oct/ new=nov/")
    sides = [*logs, *(path for _, path in named)]
    if len(sides) != 2:
        raise click.UsageError(
            f"give two sides, A and B, not {len(sides)}; or --baseline MODEL for the models in LOGS"
        )
    labels = tuple(label for label, _ in named) or None
    comparison = compare_logs(*sides, labels=labels, quiet=quiet, **options)
    _tell(log_comparison_document(comparison), outputs, quiet, "\ncomparison")
    if quiet and comparison.outcome and not is_json():
        say(comparison.outcome)
    sys.exit(comparison.exit_code)


@with_json
@click.command()
@click.argument("logs", nargs=-1)
@option("--policy", "policy_file", help="The policy, a YAML file; --init prints one.")
@document_files
@option("--junit", help="Also write the outcome as JUnit XML.")
@option("--init", is_flag=True, help="Print a policy that explains itself, and stop.")
@option("--quiet", is_flag=True, help="Only the outcome's line.")
@spread
def gate(
    logs: tuple[str, ...], policy_file: str | None, outputs: tuple[str, ...], junit: str | None,
    init: bool, quiet: bool, workers: int, cluster: str | None,
) -> None:  # fmt: skip
    """Check the numbers in LOGS against a policy.

    Exit code 0: pass; 1: fail; 2: error; 3: inconclusive.
    """
    from askew.decide.policy import policy_template, read_policy

    if init:
        click.echo(policy_template(), nl=False)
        return
    if not policy_file or not logs:
        missing = "--policy FILE" if logs else "LOGS"
        raise click.UsageError(f"give {missing} (or --init for a policy to start from)")
    if not Path(policy_file).is_file():
        text = f"{policy_file}: there is no such file; askew gate --init > policy.yaml writes one"
        raise click.BadParameter(text, param_hint="--policy")
    policy = read_policy(policy_file)

    from askew.decide.documents import gate_document, junit_xml
    from askew.decide.gate import gate as checked
    from askew.files import write_atomically

    others = any(rule.baseline for rule in policy.rules)
    study = read_study(logs, quiet, workers, cluster, others)
    outcome = checked(study, policy, quiet=quiet)
    if junit:
        write_atomically(junit, junit_xml(outcome))
    if quiet and not is_json():
        say(outcome.verdict)
    _tell(gate_document(outcome), outputs, quiet, "outcome", _LINE)
    sys.exit(outcome.exit_code)


@with_json
@click.command()
@option("--task", "tasks", type=TaskName(), multiple=True, required=True, help="Repeatable.")
@option("--model", "models", required=True, help="Models, separated by commas.")
@option("--data", help="As the task takes it.")
@option("-T", "args", multiple=True, help="A parameter of the task, as name=value.")
@option("--epochs", type=click.IntRange(1), default=1, help="Epochs.")
@option("--grader", help="Model that parses replies.")
@option("--polisher", help="Model that rewrites questions.")
@option("--prices", "price_file", help="Price file (YAML), as for --model-cost-config.")
@option("--rate", default=60.0, help="Requests per minute.")
@option("--width", type=_POINTS, help="Width of the CI, in points, such as 5.")
@option("--effect", type=_POINTS, help="Difference to detect, in points, such as 5.")
@option("--seeds", type=click.IntRange(2), default=12, help="Simulated runs to average.")
@option("--logs", multiple=True, help="Logs of real models, to plan the next run.")
@option("--reasoning-tokens", "hidden_reasoning", default=600, help="Reasoning tokens per call.")
@document_files
def plan(
    tasks: tuple[str, ...], models: str, args: tuple[str, ...], grader: str | None,
    polisher: str | None, price_file: str | None, width: float | None, hidden_reasoning: int,
    logs: tuple[str, ...], outputs: tuple[str, ...], effect: float | None, **options: Any,
) -> None:  # fmt: skip
    """Estimate a run's calls, tokens, cost and precision.

    Nothing is sent to any model. For BiasF, a variance, 5 points are those of two formats whose
    scores differ by 5 points.
    """
    from askew.decide.documents import plan_document
    from askew.decide.plan import POLISHER, Assumptions, check_provider, read_prices
    from askew.decide.plan import plan as planned
    from askew.schema import GRADER

    names = [m.strip() for m in models.split(",") if m.strip()]
    if not names:
        raise click.BadParameter("name at least one model", param_hint="--model")
    prices = read_prices(price_file) if price_file else {}
    roles = {role: m for role, m in ((GRADER, grader), (POLISHER, polisher)) if m}
    options |= {"parameters": (given := task_parameters(args)), "roles": roles, "prices": prices}
    for model in {*names, *roles.values()} - {*prices}:
        check_provider(model)
    options["data"] = given.pop("data", options["data"])  # as every other command takes it
    options |= {"wanted_width": width and width / 100, "effect": effect and effect / 100}
    options["assumptions"] = Assumptions(hidden_reasoning=hidden_reasoning)
    options |= {"study": study_of(logs, quiet=False) if logs else None, "tasks": len(tasks)}
    plans = [planned(task, names, quiet=False, **options) for task in tasks]
    _tell(plan_document(plans), outputs, False, "\nplan")


@with_json
@click.command()
@option("--task", "tasks", type=TaskName(), multiple=True, help="Only this task (repeatable).")
@option("--respondent", "respondents", type=RespondentName(), multiple=True, help="Only these.")
@option("--items", type=click.IntRange(2), default=120, help="Items of each task.")
@option("--repetitions", type=int, help="Runs of each; default as many as show bad intervals.")
@document_files
@option("--quiet", is_flag=True, help="No progress and no table.")
def calibrate(
    tasks: tuple[str, ...], respondents: tuple[str, ...], outputs: tuple[str, ...], **options: Any
) -> None:
    """Check the metrics on simulated models with known biases.

    Prints the true effect, the mean estimate and the coverage of its interval per metric; the false
    positive rate of models without the effect; and the power of these checks. Exit code 0: all
    checks are ok; 1: some failed.
    """
    from askew.decide.calibrate import calibrate as calibrated
    from askew.decide.documents import calibration_document

    report = calibrated(tasks or None, respondents or None, **options)
    _tell(calibration_document(report), outputs, options["quiet"], "calibration")
    sys.exit(0 if report.passed else 1)
