"""The command line as a user calls it, and a folder of small logs to call it on."""

import pytest
from click.testing import CliRunner
from inspect_ai import eval

from askew.cli import main
from askew.papers.knowno.tasks import knowno


@pytest.fixture(scope="session")
def logs(tmp_path_factory):
    """KnowNo on two simulated models, twelve questions each."""
    folder = tmp_path_factory.mktemp("cli") / "logs"
    models = ["respondent/typical", "respondent/oracle"]
    eval(knowno(items=12), model=models, log_dir=str(folder), display="none", log_level="error")
    return str(folder)


@pytest.fixture
def askew():
    """Run a command; give its exit code, what it printed, and what it printed as an error."""

    def _askew(*arguments):
        done = CliRunner().invoke(main, [str(a) for a in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.stdout, done.stderr

    return _askew
