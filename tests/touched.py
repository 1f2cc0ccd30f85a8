#!/usr/bin/env python3
"""touched.py FILE...: prints the tests that a change of these files touches, as a pattern for ctest -R.

A test is chosen if it is among the files, includes one of them (or the header beside one), has its name or its folder's name, or by
BY_PLACE. What a header reaches indirectly is left to `make test`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The CTest names to run, by the folder of the changed file.
BY_PLACE = [
    (r"engine/(ops|numbers|cpu)/", "test_op_|test_isa"),
    (r"nn/", "test_layers|test_gpt|test_cat|test_nn_lessons"),
    (r"apps/(commands|cli)/", "cli-command_line|cli-manners"),
    (r"apps/lessons/.*\.md|docs/", "cli-docs|cli-lessons"),
    (r"apps/exercises/", "cli-build|test_exercise$"),
    (r"apps/(stepper|screen|terminal)/", "cli-stepper|cli-screens|test_keys"),
    (r"apps/script/", "test_script|script-"),
    (r"apps/torch/", "test_script_torch|python-"),
    (r"apps/python/", "python-"),
    (r"apps/page/", "cli-pages"),
    (r"apps/train/", "cli-train|test_trainer"),
    (r"apps/model/", "cli-convert|cli-inspect"),
    (r"tests/ops_", "test_op_"),
]
TESTS = [*ROOT.glob("tests/test_*.cpp"), *ROOT.glob("tests/apps/test_*.cpp")]


def tests_of(file):
    path = pathlib.Path(file)
    if re.fullmatch(r"tests/(apps/)?(test_\w+|deep)\.cpp", file):
        return {path.stem + "$"}
    if re.fullmatch(r"tests/(cli|python)/test_\w+\.(py|sh)", file):
        return {path.parts[1] + path.stem.replace("test_", "-", 1) + "$"}
    found = {names for place, names in BY_PLACE if re.match(place, file)}
    found |= {f"cli-{name}$" for name in (*path.parts[1:-1], path.stem) if (ROOT / f"tests/cli/test_{name}.py").exists()}
    include = f'#include "{path.with_suffix(".h")}"'
    return found | {test.stem + "$" for test in TESTS if include in test.read_text() or test.stem == f"test_{path.stem}"}


if __name__ == "__main__":
    print("|".join(sorted(set().union(*map(tests_of, sys.argv[1:])))))
