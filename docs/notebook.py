"""Execute docs/notebook.ipynb anew, in a folder of its own: `python docs/notebook.py`.

Cells run in one namespace, as Jupyter runs them; of charts the drawing is kept, not the data.
"""

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import vl_convert

FILE = Path(__file__).with_suffix(".ipynb")
Cell = dict[str, Any]
_WIDE = pd.option_context("display.width", 160, "display.max_columns", 20)


def executed(cells: list[Cell]) -> list[Cell]:
    """The cells with what they print and show now."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, _WIDE:
        os.chdir(folder)
        try:
            code = (c for c in cells if c["cell_type"] == "code")
            for count, cell in enumerate(code, start=1):
                cell |= {"execution_count": count, "outputs": _run(cell, namespace, count)}
        finally:
            os.chdir(before)
    return cells


def _run(cell: Cell, namespace: dict[str, Any], count: int) -> list[Cell]:
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    said = printed.getvalue()
    outputs = [{"output_type": "stream", "name": "stdout", "text": _lines(said)}] if said else []
    if value is not None:
        shown = {"output_type": "execute_result", "execution_count": count, "metadata": {}}
        outputs.append({**shown, "data": _shown(value)})
    return outputs


def _shown(value: Any) -> dict[str, list[str]]:
    if hasattr(value, "to_dict") and type(value).__module__.startswith("altair"):
        svg = vl_convert.vegalite_to_svg(value.to_dict(), allowed_base_urls=[])
        return {"text/plain": ["<chart>"], "image/svg+xml": _lines(svg)}
    data = {"text/plain": _lines(repr(value))}
    return data | ({"text/html": _lines(value._repr_html_())} if hasattr(value, "loc") else {})


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Write the notebook with the outputs of now."""
    notebook = json.loads(FILE.read_text(encoding="utf-8"))
    notebook["cells"] = executed(notebook["cells"])
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    FILE.write_text(text + "\n", encoding="utf-8")
    print(f"{FILE}: {sum(c['cell_type'] == 'code' for c in notebook['cells'])} cells executed")


if __name__ == "__main__":
    main()
