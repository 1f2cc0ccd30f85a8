#!python
"""The command glassgrad, as pip installs it: becomes the program that lies in the package."""
import importlib.util
import os
import signal
import sys

program = os.path.join(os.path.dirname(importlib.util.find_spec("glassgrad").origin), "bin", "glassgrad")
for name in "SIGPIPE", "SIGXFSZ":  # Python ignores them, and the program would go on doing so
    signal.signal(getattr(signal, name), signal.SIG_DFL)
os.execv(program, sys.argv)
