"""A run of the program in which one system call fails, or ends it: each call that concerns a folder, in turn. Needs strace."""
import collections
import os
import re
import shutil
import subprocess
import threading

from program import PATIENCE, PROGRAM

STRACE = shutil.which("strace")
# System calls that change files, or report that files have changed. Files opened only for reading do not count.
CALLS = "openat,write,pwrite64,fsync,fdatasync,ftruncate,fchmod,close,rename,unlink,unlinkat,mkdir,rmdir"


def can_trace():
    return STRACE and not os.environ.get("SANITIZERS") and subprocess.run(  # no leak checks under a tracer
        [STRACE, "-o", os.devnull, "true"], capture_output=True).returncode == 0


def run(arguments, *strace, log=os.devnull, typed=None, **options):
    """The finished run; with `typed` at a terminal, where somebody types that."""
    command = [STRACE, "-qqf", "-o", log, *strace, PROGRAM, *map(str, arguments)]
    options = {"stderr": subprocess.PIPE, "text": True, "errors": "replace", "timeout": PATIENCE} | options
    if typed is None:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    reader = threading.Thread(target=read_all, args=[ours])
    reader.start()
    try:
        return subprocess.run(command, stdin=theirs, stdout=theirs, **options)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def read_all(terminal):
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # the terminal's other end is closed
        pass


def calls_of(arguments, folder, log, **options):
    """(call, its number among those of its name, whether it is about a half-written file) of a whole run: all that concern
    the folder and are no mere reading."""
    done = run(arguments, "-y", "-e", f"trace={CALLS}", log=log, **options)
    assert done.returncode == 0, done.stderr
    counts, found = collections.Counter(), []
    for line in log.read_text(errors="replace").splitlines():
        match = re.match(r"\d+ +(\w+)\((.*)", line)
        if not match:
            continue
        counts[match[1]] += 1
        reading = "O_RDONLY" in match[2] and "O_DIRECTORY" not in match[2]
        if str(folder) in match[2] and not reading:
            found.append((match[1], counts[match[1]], ".tmp" in match[2]))
    return found


def struck(arguments, call, number, fault, **options):
    """The run whose call of that name and number meets the fault: error=ENOSPC, signal=KILL."""
    return run(arguments, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}", **options)
