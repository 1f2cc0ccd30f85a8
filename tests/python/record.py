"""Runs the cells of a notebook under PyTorch (2.6, CPU, one thread) and records what they print: record.py NOTEBOOK."""
import ast
import contextlib
import io
import json
import os
import sys

os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
os.environ.setdefault("OMP_NUM_THREADS", "1")


def outputs_of(source, names):
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    outputs, value = [], None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(tree, "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        except Exception as error:
            outputs = [{"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": []}]
    if value is not None:
        outputs = [{"output_type": "execute_result", "data": {"text/plain": repr(value).splitlines(True)},
                    "metadata": {}, "execution_count": None}]
    text = printed.getvalue()
    return ([{"output_type": "stream", "name": "stdout", "text": text.splitlines(True)}] if text else []) + outputs


def main(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names = {"__name__": "__main__"}
    for number, cell in enumerate((c for c in notebook["cells"] if c["cell_type"] == "code"), 1):
        cell["outputs"], cell["execution_count"] = outputs_of("".join(cell["source"]), names), number
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = number
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


main(sys.argv[1])
