"""`askew compare`: a table on the terminal, a file on demand, one message where it can't."""

from inspect_ai import eval

from askew.papers.knowno.tasks import knowno


def test_where_nothing_can_be_compared_the_exit_code_is_3(askew, tmp_path):
    for model, subset in (("typical", "mctest"), ("oracle", "bank77")):
        asked = knowno(items=2, subset=subset, hint="no_hint")
        eval(asked, model=f"respondent/{model}", log_dir=str(tmp_path), display="none")
    code, out, _ = askew("compare", tmp_path, "--baseline", "respondent/typical")
    assert code == 3
    assert "No task was answered by both models." in out
