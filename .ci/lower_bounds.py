"""Print the lower bound of every direct dependency as a pin, for `pip install --constraint`."""

import re
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
chosen = (extras[name] for name in ("pictures", "cluster", "test"))
for requirement in (*project["dependencies"], *chain.from_iterable(chosen)):
    if requirement.startswith("askew["):
        continue
    bound = re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\w.]+)", requirement)
    if bound is None:
        raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound that can be tested")
    print(f"{bound[1]}=={bound[2]}")
