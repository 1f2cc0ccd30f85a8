"""Programs as CPython runs them, with `import torch` served by the Python module: what they print, what they end with.

    python3 on_python.py FILE...      prints a JSON list of [standard output, last line of standard error, exit code]

One interpreter runs them all: each in a process that is forked from it, so that what a program changes is gone after it.
"""
import io
import json
import os
import subprocess
import sys
import types
import warnings


def run(path):
    """The program in this process: its exit code. What a lesson's program does with warnings is not looked at."""
    warnings.simplefilter("ignore")
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __annotations__={})
    sys.modules["__main__"] = main
    try:
        with open(path, encoding="utf-8", newline="") as file:
            exec(compile(file.read(), path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as e:
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
        return e.code if isinstance(e.code, int) else 1 if e.code else 0
    except BaseException as e:
        print(last_line(e), file=sys.stderr)
        return 1
    return 0


def last_line(e):
    """The last line of a traceback, without what Python guesses was meant."""
    home = "" if type(e).__module__ in ("builtins", "__main__") else type(e).__module__ + "."
    text = str(e).rpartition("\n")[2] if not isinstance(e, SyntaxError) else e.msg
    return f"{home}{type(e).__qualname__}: {text}" if text else home + type(e).__qualname__


def run_apart(path):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        code = run(path)
        with os.fdopen(write, "w", encoding="utf-8", errors="surrogatepass") as pipe:
            json.dump([sys.stdout.getvalue(), sys.stderr.getvalue(), code], pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        result = pipe.read()
    os.waitpid(child, 0)
    return json.loads(result) if result else ["", "it did not end by itself", -1]


def runs(paths, python=(sys.executable,)):
    """The runs of the programs, on one CPython."""
    command = [*python, os.path.abspath(__file__), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True,
                          env=os.environ | {"GLASSGRAD_THREADS": "1"})
    return json.loads(done.stdout)


if __name__ == "__main__":
    try:
        from glassgrad.runner.serve import serve_as_torch
    except ImportError:
        pass  # real PyTorch, or none
    else:
        serve_as_torch()
        import torch  # imported once for all forked programs
    json.dump([run_apart(path) for path in sys.argv[1:]], sys.stdout)
