"""Tables of phrases: what a module looks up is there, and what is there is looked up."""

import re
import tomllib
from importlib import resources

import pytest

TABLES = [
    (home, table)
    for home in ("askew.reading", "askew.papers.mathcomp")
    for table in tomllib.loads(resources.files(home).joinpath("replies.toml").read_text("utf-8"))
]


@pytest.mark.parametrize(("home", "table"), TABLES)
def test_a_module_uses_every_phrase_of_its_table_and_no_other(home, table):
    toml = tomllib.loads(resources.files(home).joinpath("replies.toml").read_text("utf-8"))[table]
    # A table is its module's, and that of modules which were split off and say so.
    modules = {m.name: m.read_text("utf-8") for m in resources.files(home).iterdir()
               if m.name.endswith(".py")}  # fmt: skip
    source = "".join(
        text for name, text in modules.items()
        if name == f"{table}.py" or f'_SAYS = phrases("{table}")' in text
    )  # fmt: skip
    parts = toml.pop("parts", {})
    assert set(re.findall(r'_SAYS\["(\w+)"\]', source)) == set(toml)
    assert set(re.findall(r"@(\w+)@", " ".join([*toml.values(), *parts.values()]))) == set(parts)
