"""A script under glass: it runs as it is, and afterwards every number that it computed can be opened."""
import ast
import io
import linecache
import os
import shlex
import signal
import socket
import struct
import sys
import sysconfig
import tempfile
import traceback

from glassgrad._C import _glass

FAILED, INTERRUPTED = 1, 130
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
MOST_CALLS = 1_000_000
WITH_BODY = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef,
             ast.AsyncFunctionDef, ast.ClassDef)
WITH_BODY += tuple(getattr(ast, name) for name in ("Match", "TryStar") if hasattr(ast, name))  # newer Pythons only
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


# ---- the program's files
def libraries():
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(os.path.realpath(folder) + os.sep for folder in folders | {HERE} if folder)


def is_own(path, libraries=libraries()):
    """Is the file the program's: none of Python's, of an installed package, of ours?"""
    if path.startswith("<"):
        return False
    real = os.path.realpath(path)
    parts = real.split(os.sep)
    return not real.startswith(libraries) and "site-packages" not in parts and "dist-packages" not in parts


def read_file(path):
    """(name, lines, statement of each line, loops) of a file of the program's, as _C takes it; else None.

    A statement is (first line, last line, head of the innermost loop, whether it gives names to what is there).
    """
    if not is_own(path):
        return None
    source = "".join(linecache.getlines(path))
    lines = source.splitlines()
    statements, loops = [(0, 0, 0, False)] * len(lines), []
    try:
        add_statements(ast.parse(source).body, 0, statements, loops)
    except (SyntaxError, ValueError, RecursionError):
        pass  # the file has changed since it ran: count each line by itself
    return os.path.basename(path), lines, statements, loops


def add_statements(body, loop, statements, loops):
    """Those of a body, in a loop whose head is this line, or in none: 0."""
    for node in body:
        own = loop
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        last = node.end_lineno
        if isinstance(node, WITH_BODY):
            below = getattr(node, "body", None) or node.cases[0].body
            last = max(first, below[0].lineno - 1)
        if isinstance(node, LOOPS):
            own = node.lineno
            names = ast.walk(node.target) if hasattr(node, "target") else []
            loops.append((own, loop, node.body[0].lineno, isinstance(node, ast.While),
                          [name.id for name in names if isinstance(name, ast.Name)]))
        for line in range(first, min(last, len(statements)) + 1):
            statements[line - 1] = (first, last, own, gives_names(node))
        if not isinstance(node, WITH_BODY):
            continue
        is_function = isinstance(node, FUNCTIONS)
        add_statements(getattr(node, "body", []), 0 if is_function else own, statements, loops)
        for part in ("orelse", "finalbody"):
            add_statements(getattr(node, part, []), loop, statements, loops)
        for part in ("handlers", "cases"):
            for inner in getattr(node, part, []):
                add_statements(inner.body, loop, statements, loops)


def gives_names(node):
    """Can the statement bind a name to a tensor without a call of the engine? `y = x`, `for p in parameters`."""
    if isinstance(node, (ast.For, ast.With, ast.Import, ast.ImportFrom)):
        return True
    value = getattr(node, "value", None)
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(
        value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple, ast.List, ast.Dict, ast.IfExp, ast.BoolOp,
                ast.ListComp, ast.Await, ast.Starred))


# ---- the program's input and output
class WatchedStdout(io.TextIOWrapper):
    """The program's stdout, which also says what passes. The bytes are the same."""

    shown = True

    def write(self, text):
        _glass.printed(text)
        return super().write(text) if self.shown else len(text)


class WatchedStdin(io.TextIOWrapper):
    """The program's stdin, which also says that it was read."""

    def read(self, *size):
        _glass.note_side_effect("reads stdin")
        return super().read(*size)

    def readline(self, *size):
        _glass.note_side_effect("reads stdin")
        return super().readline(*size)

    def __next__(self):
        _glass.note_side_effect("reads stdin")
        return super().__next__()


def same_as(stream, kind):
    """A stream of that kind over the bytes of another; None where that has none."""
    if not isinstance(stream, io.TextIOWrapper):
        return None
    return kind(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=stream.line_buffering,
                write_through=stream.write_through)


class Streams:
    """While it lasts, we hear what the program prints, and whether it reads. Not shown: what it prints stands beside
    its lines alone."""

    def __init__(self, shown):
        self.shown = shown

    def __enter__(self):
        sys.stdout.flush()
        self.before = sys.stdout, sys.stdin
        self.ours = same_as(sys.stdout, WatchedStdout), same_as(sys.stdin, WatchedStdin)
        told, asked = self.ours
        if told:
            told.shown = self.shown
            sys.stdout = told
        if asked:
            sys.stdin = asked

    def __exit__(self, *error):
        told, asked = self.ours
        if told:
            told.flush()
            told.detach()
        if asked:
            asked.detach()
        if sys.stdout is told:
            sys.stdout = self.before[0]
        if sys.stdin is asked:
            sys.stdin = self.before[1]


# ---- the run
def own_frame(error):
    """The innermost frame of the program's in a traceback, with its line; None: there is none."""
    found = None
    at = error.__traceback__
    while at:
        if is_own(at.tb_frame.f_code.co_filename):
            found = at.tb_frame, at.tb_lineno
        at = at.tb_next
    return found


class Run:
    """A script, its arguments, and which rounds of its loop are kept."""

    def __init__(self, run_script, path, source, arguments, keep):
        self.run_script, self.path, self.source, self.arguments, self.keep = run_script, path, source, arguments, keep

    def once(self, shown, change=b""):
        """Runs it. The exit code that it would have had by itself, and what it raised."""
        error = None
        os.register_at_fork(after_in_child=_glass.leave)  # stop watching in processes that it forks
        with Streams(shown):
            _glass.start(read_file, *self.keep, MOST_CALLS, change)
            try:
                self.run_script(self.path, self.source, self.arguments)
                code = 0
            except SystemExit as end:
                code = end.code or 0
                if not isinstance(code, int):
                    print(code, file=sys.stderr)
                    code = FAILED
            except BaseException as raised:  # the values computed before can still be shown
                error = raised
                code = INTERRUPTED if isinstance(raised, KeyboardInterrupt) else FAILED
                if found := own_frame(raised):
                    text = traceback.format_exception_only(type(raised), raised)[-1].rstrip("\n")
                    _glass.raised(*found, text)
            finally:
                _glass.stop()
        return code, error

    def wait_to_run_again(self):
        """Forks a process that stays as this one is now, before the script has begun: what if a number were another
        one? The socket to ask at, and the file in which the answer will stand."""
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as file:
            result = os.dup(file.fileno())
        if os.fork():
            theirs.close()
            return ours.detach(), result
        ours.close()
        try:
            self.answer(theirs, result)
        finally:
            os._exit(0)

    def answer(self, asked, result):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while size := receive(asked, 8):
            change = receive(asked, struct.unpack("N", size)[0])
            os.ftruncate(result, 0)
            worker = os.fork()
            if not worker:
                self.work(change, result)
            asked.sendall(struct.pack("i", worker))
            _, status = os.waitpid(worker, 0)
            asked.sendall(b"x" if status else b"r")

    def work(self, change, result):
        """The new run; nothing that it prints is seen."""
        failed = FAILED
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            self.once(False, change)
            write_all(result, _glass.bytes())
            failed = 0
        except BaseException as error:
            write_all(result, str(error).encode("utf-8", "replace"))
        finally:
            os._exit(failed)


def receive(asked, size):
    """So many bytes; none: nobody asks any more."""
    data = b""
    while len(data) < size:
        part = asked.recv(size - len(data))
        if not part:
            return b""
        data += part
    return data


def write_all(file, data):
    data = memoryview(data)
    while data:
        data = data[os.write(file, data):]


def show(run, flags, options, changes):
    """Runs the script and shows it. changes: numbers may become other ones. The exit code."""
    again = run.wait_to_run_again() if changes else (-1, -1)
    code, error = run.once(options.pop("shown"))
    if error:
        sys.excepthook(type(error), error, error.__traceback__)
    for remark in _glass.remarks():
        print(f"glassgrad: {remark}", file=sys.stderr)
    sys.stderr.flush()
    typed = " ".join(shlex.quote(word) for word in [run.path, *run.arguments])
    return _glass.show(os.path.basename(run.path), typed, flags, *again, options) or code
