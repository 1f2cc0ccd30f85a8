"""python3 -m glassgrad: runs a script or a notebook that was written for PyTorch."""
import os
import select
import sys

HELP = """\
Example: python3 -m glassgrad --check chapter.ipynb

python3 -m glassgrad [--check] [--gpt2 FOLDER] FILE [its arguments]

Runs a script (.py) or the code cells of a notebook (.ipynb) that was written for PyTorch. `import torch` and its
modules are glassgrad's, whether or not PyTorch is installed.

  --check        compare what each cell of a notebook prints with what is recorded in it; exit code 1 if they differ
  --gpt2 FOLDER  `import tiktoken` is GPT-2's tokenizer, from vocab.json and merges.txt in FOLDER
  --version      print the version
  --help         print this help

A notebook runs in its own folder. A cell that fails does not stop those after it: its traceback goes to stderr, and the
exit code is 1 in the end.
"""
FAILED, USAGE, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141


def fail(code, text):
    text = "".join(c if c.isprintable() else " " for c in text)
    print(f"glassgrad: {text}", file=sys.stderr)
    sys.exit(code)


def parse(arguments):
    """(whether to check, the folder of GPT-2's tokenizer or None, the file, its arguments)"""
    check, gpt2 = False, None
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        option = arguments.pop(0)
        if option in ("--help", "-h"):
            print(HELP, end="")
            sys.exit()
        if option == "--version":
            from glassgrad.runner.serve import VERSION
            print(f"glassgrad, which answers as PyTorch {VERSION}")
            sys.exit()
        if option == "--":
            break
        if option == "--check":
            check = True
        elif option == "--gpt2" and arguments:
            gpt2 = arguments.pop(0)
        elif option == "--gpt2":
            fail(USAGE, "--gpt2 takes the folder of vocab.json and merges.txt")
        else:
            fail(USAGE, f"{option} is not known; the options are --check, --gpt2, --help and --version")
    if not arguments:
        fail(USAGE, "which file? python3 -m glassgrad NOTEBOOK.ipynb or SCRIPT.py")
    return check, gpt2, arguments[0], arguments[1:]


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        fail(FAILED, f"{path}: {error.strerror[0].lower()}{error.strerror[1:]}")


def serve_tokenizer(folder):
    from glassgrad.runner.gpt2 import serve_as_tiktoken
    try:
        serve_as_tiktoken(folder)
    except (RuntimeError, ValueError) as error:
        fail(FAILED, str(error))


def run_notebook(path, source, arguments, check):
    from glassgrad.runner import notebook, recorded
    try:
        cells = notebook.read_notebook(path, source)
    except notebook.NotebookError as error:
        fail(FAILED, f"{path}: {error}")
    kernel = notebook.Kernel(path, arguments)
    results = []
    for cell in cells:
        ran = kernel.run(cell, keep=check)
        difference = recorded.compare(cell, ran)
        if not check and ran.error and not cell.error:
            notebook.show_error(ran.error)
        if check and cell.was_run and difference:
            print(f"cell {cell.number}:\n" + "".join(f"  {line}\n" for line in difference.lines), end="", flush=True)
        results.append((cell, ran, difference))
    return checked(path, results, kernel.absent) if check else finished(path, results)


def finished(path, results):
    failed = [str(cell.number) for cell, ran, _ in results if ran.error and not cell.error]
    if failed:
        sys.stdout.flush()
        print(f"glassgrad: {path}: {len(failed)} of {len(results)} cells failed: {', '.join(failed)}", file=sys.stderr)
    return FAILED if failed else 0


def checked(path, results, absent):
    compared = [(cell, difference) for cell, _, difference in results if cell.was_run]
    differ = sum(bool(difference) for _, difference in compared)
    allowed = sorted(set().union(*(difference.allowed for _, difference in compared)))
    but_for = f", not counting {' and '.join(allowed)}" if allowed else ""
    line = f"{path}: {len(compared) - differ} of {len(compared)} cells print what is recorded{but_for}"
    if len(compared) < len(results):
        line += f"; {len(results) - len(compared)} were never run, so nothing is recorded of them"
    if absent:
        line += f"; not installed: {', '.join(sorted(absent))}"
    print(line)
    return FAILED if differ else 0


def main():
    check, gpt2, path, arguments = parse(sys.argv[1:])
    source = read(path)
    is_notebook = path.endswith(".ipynb")
    if check and not is_notebook:
        fail(USAGE, f"--check compares with what a notebook (.ipynb) recorded, and {path} is none")
    from glassgrad.runner.absent import AbsentFinder
    from glassgrad.runner.script import run_script, without_our_frames
    from glassgrad.runner.serve import serve_as_torch
    serve_as_torch()
    sys.meta_path.append(AbsentFinder())
    if gpt2:
        serve_tokenizer(gpt2)
    sys.excepthook = lambda kind, error, trace: sys.__excepthook__(
        kind, error.with_traceback(without_our_frames(trace)), error.__traceback__)
    try:
        code = run_notebook(path, source, arguments, check) if is_notebook else run_script(path, source, arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt as interrupt:
        sys.excepthook(KeyboardInterrupt, interrupt, interrupt.__traceback__)
        return INTERRUPTED
    except BrokenPipeError:
        if not nobody_reads():
            raise
        return NOBODY_READS


def nobody_reads():
    """Whether stdout is a pipe whose reader has left, as with `| head`. If so, nothing more is tried."""
    poll = select.poll()
    poll.register(1, 0)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return True


if __name__ == "__main__":
    sys.exit(main())
