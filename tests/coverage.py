#!/usr/bin/env python3
"""tests/coverage.py BUILD: the share of lines of engine/ and nn/ that the tests have run, from gcov's files; fails below 95 %."""
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS, LEAST = ("engine", "nn"), 95.0


def counts(build):
    """{file: {line: how often it ran}}, over all objects that were compiled from it or include it."""
    files = collections.defaultdict(collections.Counter)
    data = [os.path.join(at, name) for at, _, names in os.walk(build) for name in names if name.endswith(".gcda")]
    if not data:
        sys.exit(f"{build}: no test has run in it")
    for i in range(0, len(data), 50):
        done = subprocess.run(["gcov", "--json-format", "--stdout", *data[i:i + 50]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              cwd=build, check=True, text=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"]:
                path = os.path.relpath(os.path.join(build, file["file"]), ROOT)
                if path.split(os.sep)[0] in FOLDERS:
                    for entry in file["lines"]:
                        files[path][entry["line_number"]] += entry["count"]
    return files


def ranges(lines):
    """[1, 2, 3, 7] → "1-3, 7" """
    parts = []
    for line in sorted(lines):
        if parts and parts[-1][1] == line - 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    files = counts(os.path.abspath(sys.argv[1]))
    run, all_lines = collections.Counter(), collections.Counter()
    for path, lines in sorted(files.items()):
        folder = path.split(os.sep)[0]
        missed = [line for line, count in lines.items() if count == 0]
        run[folder] += len(lines) - len(missed)
        all_lines[folder] += len(lines)
        if missed:
            print(f"{path}: not run: {ranges(missed)}")
    shares = {folder: 100 * run[folder] / all_lines[folder] for folder in FOLDERS}
    total = 100 * sum(run.values()) / sum(all_lines.values())
    print("coverage: " + ", ".join(f"{folder}/ {share:.1f} % of {all_lines[folder]} lines" for folder, share in shares.items()) +
          f"; together {total:.1f} %")
    sys.exit(min(shares.values()) < LEAST)


main()
