"""A notebook: its code cells, what was recorded under them, and how they are run."""
import __future__
import ast
import contextlib
import io
import json
import linecache
import os
import sys
import traceback
import types

from glassgrad._alone import put_program_folder_first
from glassgrad.runner.absent import take_out
from glassgrad.runner.pretty import pretty
from glassgrad.runner.script import without_our_frames

FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
# Cell magics that run their cell. Their own output is not part of the cell's output.
RUN_THE_CELL = {"%%time", "%%capture", "%%prun"}


class NotebookError(Exception):
    """The file holds no notebook."""


class Cell:
    def __init__(self, number, raw):
        self.number = number  # position among the code cells, from 1
        self.source = joined(raw.get("source", ""))
        outputs = raw.get("outputs", [])
        self.was_run = bool(outputs) or raw.get("execution_count") is not None
        self.error = next(((o.get("ename", ""), joined(o.get("evalue", ""))) for o in outputs
                           if o.get("output_type") == "error"), None)
        self.printed = "".join(joined(o.get("text", "")) for o in outputs
                               if o.get("output_type") == "stream" and o.get("name") == "stdout")
        self.shown = "".join(joined(o.get("data", {}).get("text/plain", "")) for o in outputs
                             if o.get("output_type") == "execute_result")


class Ran:
    """What a cell has printed, shown and raised."""

    def __init__(self):
        self.printed, self.shown, self.error = "", "", None


def joined(text):
    return text if isinstance(text, str) else "".join(text)


def read_notebook(path, source):
    """Its code cells. NotebookError: it is none."""
    try:
        notebook = json.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotebookError(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise NotebookError(f"not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except RecursionError:
        raise NotebookError("JSON nested too deeply") from None
    if isinstance(notebook, dict) and "worksheets" in notebook:
        raise NotebookError("a notebook of format 3: open it in Jupyter and save it, to have it in format 4")
    try:
        return [Cell(number, raw) for number, raw in
                enumerate((raw for raw in notebook["cells"] if raw["cell_type"] == "code"), 1)]
    except (KeyError, TypeError, AttributeError):
        raise NotebookError("JSON, but no notebook: it has no list of cells as Jupyter writes them") from None


class Kernel:
    """Runs cells one after another in one namespace, as Jupyter does."""

    def __init__(self, path, arguments):
        self.name = os.path.basename(path)
        self.absent = set()  # imported by cells and not installed
        self.flags = 0  # __future__ flags, which apply to the following cells too
        main = types.ModuleType("__main__")
        self.names = main.__dict__
        self.names.update(__builtins__=__builtins__, display=lambda *values: print(*map(pretty, values), sep="\n"))
        sys.modules["__main__"] = main
        sys.argv = [path, *arguments]
        folder = os.path.dirname(os.path.realpath(path))
        put_program_folder_first(folder)
        os.chdir(folder)
        os.environ.setdefault("MPLBACKEND", "Agg")  # draws figures without opening a window

    def run(self, cell, keep):
        """Runs the cell: what it prints goes to stdout, or with `keep` into the result alone. SystemExit and
        KeyboardInterrupt go on to the caller."""
        ran = Ran()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed) if keep else contextlib.nullcontext():
            try:
                value = self.execute(cell)
                if value is not None:
                    self.names["_"] = value
                    ran.shown = pretty(value)
                    if not keep:
                        print(ran.shown)
            except Exception as error:
                ran.error = error
        ran.printed = printed.getvalue()
        return ran

    def execute(self, cell):
        """The value of the last expression, None where there is nothing to show."""
        file = f"{self.name}, cell {cell.number}"
        source, tree = self.parse(cell, file)
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for tracebacks
        for module in sorted(set(take_out(tree, self.names))):
            self.absent.add(module)
            self.note(cell, f"{module} is not installed; what uses it will fail")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self.evaluate(tree, file, "exec")
        if last is None:
            return None
        value = self.evaluate(ast.Expression(last.value), file, "eval")
        return None if ends_in_semicolon(source, last) else value

    def evaluate(self, tree, file, mode):
        code = compile(tree, file, mode, flags=self.flags, dont_inherit=True)
        self.flags |= code.co_flags & FUTURES
        return eval(code, self.names)

    def parse(self, cell, file):
        """The cell as Python. What only IPython understands is taken out, with a note on stderr."""
        lines = cell.source.splitlines()
        first = next((n for n, line in enumerate(lines) if line.strip()), None)
        if first is not None and lines[first].startswith("%%"):
            if lines[first].split()[0] not in RUN_THE_CELL:
                lines, first = [lines[first], *[""] * (len(lines) - 1)], 0
            self.skip(lines, first, cell)
        while True:
            source = "\n".join(lines) + "\n"
            try:
                return source, compile(source, file, "exec", flags=self.flags | ast.PyCF_ONLY_AST, dont_inherit=True)
            except SyntaxError as error:
                at = (error.lineno or 0) - 1
                if not (0 <= at < len(lines) and is_magic(lines[at])):
                    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
                    raise
                self.skip(lines, at, cell)

    def skip(self, lines, at, cell):
        line = lines[at]
        self.note(cell, f"skipped {line.strip()}")
        lines[at] = line[:len(line) - len(line.lstrip())] + "pass"

    def note(self, cell, text):
        print(f"{self.name}, cell {cell.number}: {text}", file=sys.stderr)


def is_magic(line):
    line = line.strip()
    return line.startswith(("%", "!", "?")) or line.endswith("?")


def ends_in_semicolon(source, last):
    after = source.encode().splitlines()[last.end_lineno - 1][last.end_col_offset:]
    return after.lstrip(b" \t)").startswith(b";")


def show_error(error):
    """The traceback of a cell's error, on stderr."""
    trace = without_our_frames(error.__traceback__)
    sys.stdout.flush()
    traceback.print_exception(type(error), error, trace)
