"""Tasks of inspect_evals, unedited: each is asked in arms, and its plain arm is its author's task.

What the authors' loaders fetch is fed to them from `records/hub.yaml`, so that their own code makes
the samples. What fits which task, is in `records/fits.yaml` and from there in
docs/reference/bend-tasks.md: `pytest tests/bend/test_others.py --regen-all` writes both anew.
"""

import csv
import json
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from inspect_ai import eval, score
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import value_to_float
from inspect_ai.util import registry_create
from scipy import stats

from askew import compare_logs
from askew.bend import bend
from askew.bend.tasks import prepare
from askew.cli import main as askew
from askew.cli.common import task_parameters
from askew.treatments import treatments
from askew.treatments.design import MARKS
from tests.cases import cases_of

pytestmark = pytest.mark.whole
HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "reference/bend-tasks.md"
FITS = HERE / "records" / "fits.yaml"
ASKED = cases_of(__file__, "ASKED")
OF_TOOLS = ("tool_order", "tool_absent", "tool_wording", "tool_result", "tool_fault")
STRUCTURES = cases_of(__file__, "STRUCTURES")
TOLD = {
    "framing": "Think of a five-year-old.", "system": "You are terse.",
    "format": [*STRUCTURES], "suggest": "wrong,doubt",
}  # fmt: skip
FAULTS = "error_once,timeout_once,stale"
# Arms of a treatment that fit other tasks than its others.
APART = {"suggestion-doubt": "suggestion (doubt)", "tool_fault-stale": "tool_fault (stale)"}
LISTED = (*dict.fromkeys([*ASKED, *OF_TOOLS, *APART.values()]),)


@dataclass(frozen=True)
class Other:
    """A task of others: its parameters, and what the tests must know of it."""

    args: dict[str, Any] = field(default_factory=dict)
    graded: tuple[str, ...] = ()  # parameters that take the grader
    tools: bool = False
    measure: str | None = None
    scored: str = ""  # the scorer whose score counts, and its key
    about: str = ""  # in the page


OTHERS = {name: Other(**of) for name, of in cases_of(__file__, "OTHERS").items()}


WORDS = treatments()["format"].words
HOW = {name: (WORDS["how"] | WORDS["instructions"])[name] for name in STRUCTURES}


def metered(output: ModelOutput) -> ModelOutput:
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def clerk(messages, tools, choice, config):
    """A model that uses a tool twice, answers the same to everything, and keeps a format."""
    results = sum(m.role == "tool" for m in messages)
    if tools and results < 2:
        first = min(tools, key=lambda t: t.name)
        kinds = {"string": "xy"[results], "integer": results + 1, "number": 1, "array": []}
        given = {k: kinds.get(p.type, "x") for k, p in first.parameters.properties.items()}
        return metered(ModelOutput.for_tool_call("clerk", first.name, given))
    asked = "\n".join(m.text for m in messages)
    answer = "ANSWER: A" if "ANSWER" in asked else "Yes"
    form = next((form for name, form in STRUCTURES.items() if HOW[name] in asked), "{}")
    return metered(ModelOutput.from_content("clerk", form.format(answer)))


def grader(messages, tools, choice, config):
    """A judge that says the same of every reply, in the form that each author asks for."""
    asked = messages[-1].text
    if tools:
        return metered(ModelOutput.for_tool_call("judge", tools[0].name, {"grade": "CORRECT"}))
    forms = {
        "1.b": "#scores\n1.a x\n1.b 1\n2.a x\n2.b 2\n3.a x\n3.b 3",
        "Answer: Yes": "Answer: Yes",
    }
    told = next((form for mark, form in forms.items() if mark in asked), "GRADE: C")
    return metered(ModelOutput.from_content("judge", told))


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The records, where the authors' own loaders find them."""
    if not find_spec("inspect_evals"):
        pytest.skip("inspect-evals is not installed")
    import datasets
    import inspect_evals.agentharm.utils as agentharm
    import inspect_evals.utils.load_dataset as files

    records = yaml.safe_load((HERE / "records" / "hub.yaml").read_text("utf-8"))
    folder = tmp_path_factory.mktemp("hub")

    def fetched(path, name=None, split=None, **_):
        of_path = records[path]
        return datasets.Dataset.from_list(of_path.get(split) or of_path[name])

    def downloaded(url, path, *_):
        name = next(n for n in ("are_you_sure", "strongreject") if n in url)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            if url.endswith(".jsonl"):
                file.writelines(json.dumps(record) + "\n" for record in records[name])
            else:
                rows = csv.DictWriter(file, list(records[name][0]))
                rows.writeheader()
                rows.writerows(records[name])

    (folder / "benchmark").mkdir()
    behaviors = folder / "benchmark" / "harmful_behaviors_test_public.json"
    behaviors.write_text(json.dumps(records["agentharm"]), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr(datasets, "load_dataset", fetched)
        patch.setattr(files, "_download_remote", downloaded)
        patch.setattr(files, "INSPECT_EVALS_CACHE_PATH", folder)
        patch.setattr(agentharm, "AGENTHARM_DATASET_LOCATION", folder)
        # Which package ships a task, is looked up among all its files: half a second a task.
        ships = "inspect_ai._eval.task.log.get_distribution_for_object"
        patch.setattr(ships, lambda _: None, raising=False)
        datasets.disable_progress_bars()
        yield records
        datasets.enable_progress_bars()


@pytest.fixture
def run_tasks(tmp_path):
    """Ask tasks on the clerk, with the judge bound as grader."""

    def _ask(*tasks, **options):
        return eval(
            list(tasks), model=get_model("mockllm/clerk", custom_outputs=clerk),
            model_roles={"grader": get_model("mockllm/judge", custom_outputs=grader)},
            display="none", log_level="error", log_dir=str(tmp_path), **options,
        )  # fmt: skip

    return _ask


def args_of(name):
    judge = get_model("mockllm/judge", custom_outputs=grader)
    return {**OTHERS[name].args, **dict.fromkeys(OTHERS[name].graded, judge)}


def by_arm(log):
    """Samples of a log by their arm, in the order of the arms."""
    arms = {}
    for sample in log.samples:
        arms.setdefault(sample.id.rpartition("/")[2], []).append(sample)
    return arms


def ours(sample):
    return sample.scores["bend_scorer"]


def counted(samples):
    return [s for s in samples if isinstance(ours(s).value, dict)]


def sent(sample):
    """What the model under test was sent, call by call; an author may shuffle tools."""
    return [
        (
            [(m.role, m.text) for m in event.input],
            sorted((t.name, t.description) for t in event.tools),
            # Which arm asks stands in a setting that no provider reads.
            event.config.model_dump(exclude_none=True, exclude={"max_tool_output"}),
        )
        for event in sample.events
        if event.event == "model" and event.model.endswith("clerk")
    ]


def authors(sample, scored):
    """The author's score as a number."""
    name, _, key = scored.partition(".")
    value = sample.scores[name].value
    return value_to_float()(value[key] if key else value)


def fits(log):
    """What of a run's treatments counts, and what does not, by reason."""
    of = {arm: samples[0].output.metadata[MARKS] for arm, samples in by_arm(log).items()}
    named = {arm: APART.get(arm, marks["treatment"]) for arm, marks in of.items()}
    why: dict[str, set[str]] = {}
    for refused in log.eval.metadata["refused"]:
        arm, reason = refused.split(": ")[:2]
        why.setdefault(reason, set()).add(APART.get(arm, arm.partition("-")[0]))
    for arm, samples in by_arm(log).items():
        for sample in samples:
            if not isinstance(ours(sample).value, dict):
                reason = ours(sample).explanation.partition("did not reach the model: ")[2]
                why.setdefault(reason, set()).add(named[arm])
    counts = {named[arm] for arm, samples in by_arm(log).items() if counted(samples)}
    return {
        "fits": [name for name in LISTED if name in counts],
        "not": {reason: [n for n in LISTED if n in of] for reason, of in sorted(why.items())},
    }


@pytest.mark.parametrize("name", OTHERS)
def test_an_unedited_task_runs_in_arms(name, hub, run_tasks, request):
    other, told = OTHERS[name], {**TOLD}
    wanted = (*ASKED, *OF_TOOLS) if other.tools else ASKED
    told |= {"tool_fault": FAULTS} if other.tools else {}
    task = f"inspect_evals/{name}"
    bent_log, own_log = run_tasks(
        bend(task, wanted, args=args_of(name), measure=other.measure, **told),
        registry_create("task", task, **args_of(name)),
    )
    assert bent_log.status == own_log.status == "success"
    arms, own = by_arm(bent_log), {str(s.id): s for s in own_log.samples}
    # Each item is in every arm that fits it, and nothing is lost on the way.
    refused = bent_log.eval.metadata["refused"]
    for arm in arms:
        left = sum(n for told, n in refused.items() if told.startswith(f"{arm}: "))
        assert len(arms[arm]) == len(own) - left > 0
    assert all(ours(s).explanation for s in bent_log.samples)
    # A number is the author's, and where there is none the treatment did not reach the model.
    for sample in bent_log.samples:
        assert sample.error is None
        if isinstance(ours(sample).value, dict):
            assert sample.output.metadata[MARKS]["acted"] is True or sample.id.endswith("/plain")
            assert ours(sample).value["score"] == authors(sample, other.scored)
        else:
            assert "did not reach the model" in ours(sample).explanation
    # The plain arm is the author's task.
    assert len(arms["plain"]) == len(own)
    for sample in arms["plain"]:
        same = own[sample.id.removesuffix("/plain")]
        assert sent(sample) == sent(same)
        assert {k: v.value for k, v in sample.scores.items() if k != "bend_scorer"} == {
            k: v.value for k, v in same.scores.items()
        }
    # What counts was sent other words than the author's; what does not count, the same.
    for sample in (s for arm in {*arms} - {"plain", "repeat", "tool_order"} for s in arms[arm]):
        same, marks = own[sample.id.rpartition("/")[0]], sample.output.metadata[MARKS]
        assert (sent(sample) != sent(same)) == isinstance(ours(sample).value, dict)
        if isinstance(ours(sample).value, dict):
            assert marks["told"].get("text", "") in str(sent(sample)).replace("\\n", "\n")
        if marks["treatment"] == "format":  # the author's scorer reads what is inside it
            assert ours(sample).value["format_ok"] == 1.0
            assert ours(sample).value["score"] == authors(same, other.scored)
        if marks["treatment"] == "tool_fault" and marks["acted"] is True:
            found = [r for call in sent(sample)[-1:] for r in call[0] if r[0] == "tool"]
            assert len(found) == 2
    known = yaml.safe_load(FITS.read_text("utf-8"))
    if request.config.getoption("regen_all"):
        known[name] = fits(bent_log)
        text = yaml.safe_dump({n: known[n] for n in OTHERS if n in known}, sort_keys=False)
        FITS.write_text(text, "utf-8")
    assert fits(bent_log) == known[name]
    # Its own log is compared as any log: with itself, nothing differs.
    same = compare_logs(own_log, own_log)
    assert same.n_compared >= 1
    assert same.flips.empty


def page_tables():
    """The page's tables: a line a task, and what its letters mean."""
    known = yaml.safe_load(FITS.read_text("utf-8"))
    lists = dict.fromkeys(", ".join(of["fits"]) for of in known.values())
    capitals = dict(zip(lists, "ABCDEFGH", strict=False))
    reasons: dict[str, list[str]] = {}
    for of in known.values():
        for reason, names in of["not"].items():
            seen = reasons.setdefault(reason, [])
            seen += [n for n in names if n not in seen]
    small = dict(zip(reasons, "abcdefghijklmn", strict=False))
    lines = ["| task | answers, setup | treatments | not applicable |", "|---|---|---|---|"]
    for name, of in known.items():
        why = ", ".join(sorted(small[reason] for reason in of["not"])) or "-"
        cells = f"`{name}`", OTHERS[name].about, capitals[", ".join(of["fits"])], why
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| letter | treatments |", "|---|---|"]
    lines += [f"| {letter} | {names} |" for names, letter in capitals.items()]
    lines += ["", "| letter | treatments: reason |", "|---|---|"]
    for reason, letter in small.items():
        names = ", ".join(n for n in LISTED if n in reasons[reason])
        lines.append(f"| {letter} | {names}: {reason} |")
    return "\n".join(["", *lines, "", ""])


def test_the_page_lists_what_fits(request):
    before, mark, rest = DOCS.read_text("utf-8").partition("<!-- tasks -->\n")
    table, end, after = rest.partition("<!-- /tasks -->")
    if request.config.getoption("regen_all"):
        DOCS.write_text(f"{before}{mark}{page_tables()}{end}{after}", "utf-8")
    else:
        assert table == page_tables()
    assert mark
    assert end


def commands_of(page, section):
    """The command lines of a page's section, words of each."""
    told = page.read_text("utf-8").partition(f"\n## {section}")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```\n(.*?)^```$", told, re.M | re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines]


def test_the_two_commands_of_the_readme(hub, run_tasks):
    *_, show, run = commands_of(HERE.parents[1] / "README.md", "Your own benchmark")
    shown = CliRunner().invoke(askew, show[1:])
    assert shown.exit_code == 0, shown.output
    assert "arc-ice/absent" in shown.output
    assert "an option refers to others" in shown.output
    assert run[:3] == ["inspect", "eval", "askew/bend"]
    given = dict(word.split("=", 1) for flag, word in pairwise(run) if flag == "-T")
    (log,) = run_tasks("askew/bend", task_args=given, limit=int(run[run.index("--limit") + 1]))
    assert log.status == "success"
    assert set(by_arm(log)) == {"plain", *given["treatments"].split(",")}


def test_every_command_of_the_docs_is_one_that_can_be_run(hub):
    """Names of tasks, treatments and parameters; what needs another's key is asked for nothing."""
    for words in commands_of(DOCS, "Examples"):
        given = task_parameters([word for flag, word in pairwise(words) if flag == "-T"])
        name = given.pop("task").partition("/")[2]
        graded = dict.fromkeys(OTHERS[name].graded, args_of("xstest")["scorer_model"])
        if given.get("framing", "").endswith(".toml"):
            given["framing"] = "Quickly."
        prepare(f"inspect_evals/{name}", **{**given, **graded})


def test_a_scorer_that_counts_messages_reads_the_reply_under_a_system_prompt(hub, run_tasks):
    """Its author takes the second message for the reply; before a system prompt it was third."""
    (log,) = run_tasks(
        bend(
            "inspect_evals/sycophancy", "system", args=args_of("sycophancy"),
            measure="original_answer", system="You are terse.",
        )
    )  # fmt: skip
    arms = by_arm(log)
    assert [ours(s).value["score"] for s in arms["system"]] == [
        ours(s).value["score"] for s in arms["plain"]
    ]
    for sample in arms["system"]:
        assert sent(sample)[0][0][0] == ("system", "You are terse.")
        assert [m.role for m in sample.messages] == ["user", "assistant"] * 2


# By task how its planted model differs in the second log of a pair.
PAIRS = cases_of(__file__, "PAIRS")
COPIES = 24


def planted(task, p, seed, fails=()):
    """The author's task on numbered copies of its samples, and a model right on a share of them."""
    made = registry_create("task", f"inspect_evals/{task}", **args_of(task))
    samples, answers, times = [], {}, Counter()
    # An author may shuffle.
    for n, of in enumerate(sorted(made.dataset, key=lambda s: str(s.input)) * COPIES):
        target = of.target if isinstance(of.target, str) else of.target[0]
        wrong = "B" if target == "A" else "A" if of.choices else "nothing of that"
        # More words than the target's are neither right nor wrong, where words are counted.
        answers[f"#{n}#"] = target, wrong if n % 3 or of.choices else f"{target} or so"
        named = {"id": f"s{n}", "input": f"#{n}# {of.input}"}
        samples.append(of.model_copy(update=named, deep=True))

    def reply(messages, tools, choice, config):
        mark = re.findall(r"#\d+#", messages[-1].text)[-1]
        if mark in fails:
            raise ValueError("no reply")
        times[mark] += 1
        drawn = np.random.default_rng([seed, times[mark], int(mark.strip("#"))]).random()
        said = "ANSWER: " * (task != "boolq") + answers[mark][int(drawn >= p)]
        return metered(ModelOutput.from_content("planted", said))

    made.dataset = MemoryDataset(samples, name=task)
    return made, get_model(f"mockllm/planted-{seed}", custom_outputs=reply)


@pytest.mark.parametrize("task", PAIRS)
def test_a_pair_of_logs_has_the_numbers_of_scipy_and_statsmodels(task, hub, tmp_path):
    how, logs = PAIRS[task], []
    for seed, p in enumerate((0.85, 0.6)):
        second = seed == 1
        fails = {f"#{n}#" for n in range(3)} if second and how == "errors" else ()
        made, model = planted(task, p, seed, fails)
        (log,) = eval(
            made, model=model, display="none", log_level="error", log_dir=str(tmp_path / str(seed)),
            epochs=2 if second and how == "epochs" else 1, fail_on_error=False,
        )  # fmt: skip
        if second and how == "scored again":
            log = score(log, made.scorer, action="append", display="none")
            write_eval_log(log, log.location)
        logs.append(log)
    table = compare_logs(*(str(tmp_path / str(n)) for n in range(2))).table
    assert len(table) >= 1
    done = CliRunner().invoke(askew, ["compare", *(str(tmp_path / str(n)) for n in range(2))])
    assert (done.exit_code, "Traceback" in done.output) == (0, False), done.output
    # A score that only one log has, since it was scored again, is named and not compared.
    table = table[table["risen"].notna()]
    for row in table.to_dict("records"):
        values = []
        for log in logs:
            of = {}
            for sample in log.samples:
                if sample.error is None:
                    of.setdefault(sample.id, []).append(
                        authors(sample, row["measure"].replace("/", "."))
                    )
            values.append({name: np.mean(found) for name, found in of.items()})
        shared = sorted(values[0].keys() & values[1].keys())
        one, other = (np.array([of[name] for name in shared]) for of in values)
        assert len(shared) == len(made.dataset) - 3 * (how == "errors") == row["n"]
        found = stats.ttest_rel(other, one)
        interval = found.confidence_interval()
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-6)
        if row["test"] != "exact McNemar":
            assert row["p_value"] == pytest.approx(found.pvalue, abs=1e-6)
            continue
        risen, fallen = int((other > one).sum()), int((other < one).sum())
        exact = stats.binomtest(risen, risen + fallen).pvalue
        assert row["p_value"] == pytest.approx(exact, abs=1e-6)
        if find_spec("statsmodels"):
            tables = import_module("statsmodels.stats.contingency_tables")
            kept = [int(((one == v) & (other == v)).sum()) for v in (0, 1)]
            counted = tables.mcnemar([[kept[0], risen], [fallen, kept[1]]], exact=True)
            assert row["p_value"] == pytest.approx(counted.pvalue, abs=1e-6)
    assert (table["fallen"] > table["risen"]).all()
    # Different epochs leave means, and words are counted in parts.
    by_t = how == "epochs" or task == "drop"
    assert ("exact McNemar" in set(table["test"])) != by_t
