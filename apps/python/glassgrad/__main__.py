"""python3 -m glassgrad: runs a script or a notebook that was written for PyTorch."""
import os
import select
import sys

HELP = """\
Example: python3 -m glassgrad --check chapter.ipynb

python3 -m glassgrad [--check] [--gpt2 FOLDER] FILE [its arguments]
python3 -m glassgrad --glass [options] SCRIPT.py [its arguments]

Runs a script (.py) or the code cells of a notebook (.ipynb) that was written for PyTorch. `import torch` and its
modules are glassgrad's, whether or not PyTorch is installed.

  --check        compare what each cell of a notebook prints with what is recorded in it; exit code 1 if they differ
  --gpt2 FOLDER  `import tiktoken` is GPT-2's tokenizer, from vocab.json and merges.txt in FOLDER, or from encoder.json
                 and vocab.bpe
  --version      print the version
  --help         print this help

  --glass        step through the script afterwards, line by line: every number that it computed can be opened
  --list, --plain, --markdown, --format text or json, --html FILE, --step
                 what to show instead of the full screen; what the script prints stands beside its lines
  --from STEP, --to STEP, --backward
                 which steps: train-31 is line 31 of train.py, train-31.2 its second turn
  --why train-31:loss
                 open that number; --depth N goes further back, --exact shows all digits
  --set train-12:x[0,1]=0.5
                 what if that number were another one? The script runs again from its start; --again: even if it
                 reads stdin, writes files or starts programs
  --keep LAST, --keep A..B
                 of a long run, the last rounds of the loop that goes backward, or rounds A to B

A notebook runs in its own folder. A cell that fails does not stop those after it: its traceback goes to stderr, and the
exit code is 1 in the end.
"""
FAILED, USAGE, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141


def fail(code, text):
    text = "".join(c if c.isprintable() else " " for c in text)
    print(f"glassgrad: {text}", file=sys.stderr)
    sys.exit(code)


GLASS_FLAGS = {"--glass", "--list", "--plain", "--markdown", "--step", "--backward", "--exact", "--again"}
GLASS_VALUES = {"--format", "--html", "--from", "--to", "--why", "--depth", "--set", "--keep"}


def parse(arguments):
    """(the options, the file, its arguments). An option that can be repeated has a list."""
    options = {"--why": [], "--set": []}
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
        option, equals, value = option.partition("=")
        if option in GLASS_FLAGS | {"--check"} and not equals:
            options[option] = True
        elif option in GLASS_VALUES | {"--gpt2"}:
            if not equals and not arguments:
                fail(USAGE, "--gpt2 takes the folder of vocab.json and merges.txt" if option == "--gpt2" else
                     f"{option} takes a value; --help says which")
            value = value if equals else arguments.pop(0)
            options[option] = [*options[option], value] if option in ("--why", "--set") else value
        else:
            fail(USAGE, f"{option} is not known; the options are --check, --gpt2, --glass, --help and --version")
    if not arguments:
        fail(USAGE, "which file? python3 -m glassgrad NOTEBOOK.ipynb or SCRIPT.py")
    given = [option for option, value in options.items() if option in GLASS_FLAGS | GLASS_VALUES and value]
    if given and "--glass" not in given:
        fail(USAGE, f"{given[0]} goes with --glass")
    return options, arguments[0], arguments[1:]


def glass_options(options):
    """What is to be shown, as _glass.show takes it, which rounds are kept, and the flags to type again."""
    form = [name[2:] for name in ("--list", "--plain", "--markdown", "--step") if options.get(name)]
    if "--html" in options:
        form.append("html")
    if "--format" in options:
        if options["--format"] not in ("text", "json", "markdown"):
            fail(USAGE, f"--format is text, json or markdown, not {options['--format']}")
        form.append(options["--format"])
    if len(form) > 1:
        fail(USAGE, "--list, --plain, --markdown, --step, --html and --format exclude each other: give one of them")
    if "--html" in options and (options["--why"] or options.get("--backward")):
        fail(USAGE, "--html writes all steps, forward and backward: leave --why and --backward out")
    if options["--why"] and form and form[0] not in ("text", "json"):
        fail(USAGE, "--why is shown as text, or with --format json")
    flags = f" --keep {options['--keep']}" if "--keep" in options else ""
    return {"form": form[0] if form else None, "path": options.get("--html"), "from": options.get("--from"),
            "to": options.get("--to"), "backward": options.get("--backward", False), "why": options["--why"],
            "depth": number("--depth", options.get("--depth", "1")), "exact": options.get("--exact", False),
            "set": options["--set"], "again": options.get("--again", False)}, kept(options.get("--keep")), flags


def number(option, text):
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1_000_000_000:
        fail(USAGE, f"{option} takes a number from 1 on, not '{text}'")
    return int(text)


def kept(text):
    """(the last so many rounds or 0, the first round, the last one or 0: to the end)"""
    if text is None:
        return 0, 1, 0
    first, dots, end = text.partition("..")
    if not dots:
        return number("--keep", text), 1, 0
    first, end = number("--keep", first), number("--keep", end)
    if first > end:
        fail(USAGE, f"--keep {text} goes from a round to an earlier one")
    return 0, first, end


def run_under_glass(path, source, arguments, options, run_script):
    from glassgrad.runner import glass
    shown, keep, flags = glass_options(options)
    at_terminal = shown["form"] == "step" or (shown["form"] is None and not shown["why"] and sys.stdout.isatty())
    shown["shown"] = at_terminal or (shown["form"] == "html" and shown["path"] != "-")
    changes = at_terminal or bool(shown["set"])
    return glass.show(glass.Run(run_script, path, source, arguments, keep), flags, shown, changes)


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
    options, path, arguments = parse(sys.argv[1:])
    check, gpt2 = options.get("--check", False), options.get("--gpt2")
    source = read(path)
    is_notebook = path.endswith(".ipynb")
    if check and not is_notebook:
        fail(USAGE, f"--check compares with what a notebook (.ipynb) recorded, and {path} is none")
    if "--glass" in options and (check or is_notebook):
        fail(USAGE, "--glass goes with a script (.py), without --check")
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
        if "--glass" in options:
            code = run_under_glass(path, source, arguments, options, run_script)
        else:
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
