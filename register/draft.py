"""Write the drafts of the register's entries: `python register/draft.py` (or `--check`).

The register of Inspect evals lists each task by a file `register/<task>/eval.yaml` that points to a
commit of the task's own repository. What is declared (title, number of the paper, version, path and
samples of the task) comes from the declarations, the rest from `words.yaml`. No draft reports
results: a report needs models that readers know.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from askew.papers import OWN, get_paper
from askew.schema import Paper

HERE = Path(__file__).resolve().parent


def entries() -> Iterator[tuple[Path, str]]:
    """Every entry's file, with the text that it should have."""
    words = yaml.safe_load((HERE / "words.yaml").read_text(encoding="utf-8"))
    for task in OWN:
        yield HERE / task / "eval.yaml", text_of(get_paper(task), words)


def text_of(paper: Paper, words: Mapping[str, Any]) -> str:
    head = (
        f"# Draft for the register of Inspect evals; task version {paper.version}, "
        "changes in CHANGELOG.md.\n# Made by register/draft.py. To add: an evaluation_report "
        "(commit, version, command, full names of two models\n# or more, or the reason for fewer), "
        "and how it compares with the paper.\n"
    )
    body = yaml.safe_dump(entry(paper, words), sort_keys=False, allow_unicode=True, width=1000)
    return head + body


def entry(paper: Paper, words: Mapping[str, Any]) -> dict[str, Any]:
    said = words["tasks"][paper.task]
    task = {"name": paper.task, "task_path": f"src/{paper.home.replace('.', '/')}/tasks.py"}
    if paper.has("items"):
        task["dataset_samples"] = len(paper.make().dataset)
    made: dict[str, Any] = {
        "full_title": paper.title,
        "common_title": paper.name,
        "description": said["description"],
    }
    if "paper" in said:
        made["paper_title"] = said["paper"]
    if paper.arxiv:
        made["arxiv"] = f"https://arxiv.org/abs/{paper.arxiv}"
    made |= {
        "contributors": words["contributors"],
        "tags": [*words["tags"], *said["tags"]],
        "source": {
            "repository_url": words["repository"]["url"],
            "repository_commit": words["repository"]["commit"],
            "maintainers": words["repository"]["maintainers"],
        },
        "tasks": [task],
    }
    return made


def main() -> int:
    stale = []
    for file, wanted in entries():
        if not file.is_file() or wanted != file.read_text(encoding="utf-8"):
            stale.append(str(file.relative_to(HERE)))
            if "--check" not in sys.argv:
                file.parent.mkdir(exist_ok=True)
                file.write_text(wanted, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not what is declared: {', '.join(stale)}; run python register/draft.py")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
