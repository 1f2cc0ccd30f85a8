#!/usr/bin/env python3
"""Writes apps/prove/source_checksums.def: for each step that prints, the checksum of its part of LESSON.txt.

    python3 tests/golden/checksums.py build/glassgrad

The program only says how many lines each step prints; what is summed are the lines of PyTorch's text.
"""
import json
import pathlib
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "apps/prove/source_checksums.def"


def outputs(program, lesson, *arguments):
    return subprocess.run([program, "learn", lesson, *arguments], capture_output=True, text=True, check=True).stdout


def rows(program, lesson, text):
    """(step, checksum) in the order of the text."""
    place = 0
    for step in json.loads(outputs(program, lesson, "--format", "json"))["steps"]:
        count = outputs(program, lesson, "--outputs", "--from", step["id"], "--to", step["id"]).count("\n")
        lines = text.splitlines(keepends=True)[place:place + count]
        place += count
        if count:
            yield step["id"], zlib.crc32("".join(lines).encode())
    assert place == len(text.splitlines()), f"{lesson} prints another number of lines"


def main():
    lines = ["// A checksum of the text that each step of a source prints (tests/golden/checksums.py)."]
    for file in sorted(HERE.glob("**/*.txt"), key=lambda f: f.stem):
        if file.with_suffix(".py").exists() and file.stem != "huggingface":
            lines += [f'PRINTED("{file.stem}", "{step}", {crc:#010x})'
                      for step, crc in rows(sys.argv[1], file.stem, file.read_text())]
    TABLE.write_text("\n".join(lines) + "\n")


main()
