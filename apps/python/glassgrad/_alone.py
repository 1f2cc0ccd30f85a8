"""`python3 -m glassgrad` takes nothing from the folder it is started in, before the program itself does.

Python puts that folder at the head of sys.path before any module is imported, so that a program's own html.py or
difflib.py would stand for Python's while the package is imported.
"""

import os
import sys


def _is_run():
    """Is Python just looking for `-m glassgrad`?"""
    options = getattr(sys, "orig_argv", ["-m", "glassgrad"])  # since Python 3.10
    named = any(a[:1] == "-" and a[-1:] == "m" and b == "glassgrad" for a, b in zip(options, options[1:]))
    return sys.argv[:1] == ["-m"] and (named or "-mglassgrad" in options)


# Whether sys.path begins with a folder of the program, as it does without -P or -I.
path_has_program_folder = not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated)
if path_has_program_folder and _is_run() and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]

# Modules that a program's file does not replace: Python imports them before any program, or they are being run.
_RESERVED = {"abc", "builtins", "codecs", "encodings", "genericpath", "io", "os", "posixpath", "site", "stat", "sys"}
_RESERVED |= {"glassgrad", "torch", "__main__"}


def put_program_folder_first(folder):
    """The program's folder leads sys.path from now on; what stands there under the name of one of Python's modules is
    found there, though the package has imported Python's."""
    if not path_has_program_folder:
        return
    sys.path.insert(0, folder)
    there = {name.partition(".")[0] for name in os.listdir(folder or ".")}
    for name in [name for name in sys.modules if name.partition(".")[0] in there - _RESERVED]:
        own = os.path.join(folder, name.partition(".")[0])
        if os.path.isfile(own + ".py") or os.path.isfile(os.path.join(own, "__init__.py")):
            del sys.modules[name]
