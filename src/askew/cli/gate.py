"""`askew gate`: does a release pass its policy?"""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("logs", nargs=-1)
@click.option("--policy", "policy_file", help="The policy, a YAML file.")
@click.option("--junit", help="Also write the outcome as JUnit XML.")
@click.option("--init", is_flag=True, help="Print a policy that explains itself, and stop.")
@click.option("--quiet", is_flag=True, help="Only the outcome's line.")
def gate(
    logs: tuple[str, ...], policy_file: str | None, junit: str | None, init: bool, quiet: bool
) -> None:
    """Check the numbers in LOGS against a policy.

    Exit code 0: every rule holds; 1: some rule fails; 2: it can't be told.
    """
    from askew.decide.policy import TEMPLATE, read_policy

    if init:
        click.echo(TEMPLATE, nl=False)
        return
    if not policy_file or not logs:
        missing = "--policy FILE" if logs else "LOGS"
        raise click.UsageError(f"give {missing} (or --init for a policy to start from)")
    policy = read_policy(policy_file)

    from askew.analysis import read_observations
    from askew.cli.logs import name_unreadable
    from askew.decide.gate import gate as checked
    from askew.decide.gate import gate_table
    from askew.decide.junit import junit_xml
    from askew.files import write_whole
    from askew.report.terminal import table_lines

    observations = read_observations(list(logs), quiet=quiet)
    outcome = checked(observations, policy)
    if not quiet:
        name_unreadable(observations)
        for line in table_lines(gate_table(outcome)):
            click.echo(line)
    click.echo(outcome.verdict)
    if junit:
        write_whole(junit, junit_xml(outcome))
    sys.exit(outcome.exit_code)
