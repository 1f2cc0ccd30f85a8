"""A script, run as Python runs it."""
import os
import sys
import types

from glassgrad._alone import put_program_folder_first


def run_script(path, source, arguments):
    """Runs the script as __main__. What it raises goes on to the caller, SystemExit included."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None, __annotations__={})
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    put_program_folder_first(os.path.dirname(os.path.realpath(path)))
    exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)


def without_our_frames(traceback):
    """The part of a traceback that lies in the program: what Python would show had it run the program itself."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    ours = (os.path.join(here, "runner"), os.path.join(here, "__main__.py"), "<frozen")
    while traceback and traceback.tb_frame.f_code.co_filename.startswith(ours):
        traceback = traceback.tb_next
    return traceback
