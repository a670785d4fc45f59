"""Logs of tasks of anybody, with given scores."""

from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score


def a_log(
    values, *, model="mockllm/model", epochs=1, task="sums", scorer="match", errors=(), **more
):
    """A log with these values in order: each of so many epochs of each sample."""
    samples = []
    for n, value in enumerate(values):
        name, epoch = n // epochs, n % epochs + 1
        failed = EvalError(message="no", traceback="", traceback_ansi="") if n in errors else None
        scores = {scorer: Score(value=value, answer=str(value))}
        output = ModelOutput.from_content(model, f"reply {value}")
        text = more.get("inputs", "question {}").format(name)
        samples.append(EvalSample(
            id=name, epoch=epoch, input=text, target="t", output=output, error=failed,
            scores=None if failed else scores, metadata={"story": f"s{name // 3}"},
        ))  # fmt: skip
    spec = EvalSpec(
        created="2026-03-01T12:00:00+00:00", task=task, model=model,
        config=EvalConfig(epochs=epochs), dataset=EvalDataset(name="d"),
        task_args=more.get("task_args", {}), eval_id=f"{id(values)}",
    )  # fmt: skip
    return EvalLog(eval=spec, status="success", samples=samples)
