"""What an op touches: the patches of tests/new_op add a pointwise op, a reduction, a fused op and a dtype to a copy of the
tree. docs/ops.md shows them and counts their files. With GLASSGRAD_THOROUGH the copy is built, and its op table runs."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATCHES = ROOT / "tests/new_op"
KINDS = ["pointwise", "reduction", "fused", "dtype"]
# The most files that an op of the kind may touch in engine, nn and apps.
REACH = {"pointwise": 1, "reduction": 4, "fused": 5, "dtype": 2}


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: {done.returncode} {done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def copy(folder, files):
    for name in files:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def apply(folder, kind):
    """Applies a patch in a copy that is a repository of its own. Returns the files that `git diff --stat` counts."""
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    run(folder, "git", "apply", str(PATCHES / f"{kind}.patch"))
    run(folder, "git", "add", "-AN")
    stat = run(folder, "git", "diff", "--stat=1000", "--stat-count=1000").splitlines()
    return [line.split("|")[0].strip() for line in stat[:-1]]


def row(kind, files):
    """The row of docs/ops.md."""
    parts = [[f"`{f}`" for f in files if f.startswith("tests/") == tests] for tests in (False, True)]
    return f"| [{kind}](../tests/new_op/{kind}.patch) | {len(parts[0])} | {', '.join(parts[0])} | {', '.join(parts[1])} |"


@unittest.skipUnless(shutil.which("git"), "needs git")
class NewOp(unittest.TestCase):
    def test_the_page_counts_the_files_of_each_kind(self):
        page = (ROOT / "docs/ops.md").read_text(encoding="utf-8")
        for kind in KINDS:
            patch = (PATCHES / f"{kind}.patch").read_text(encoding="utf-8")
            with self.subTest(kind), tempfile.TemporaryDirectory() as scratch:
                copy(Path(scratch), re.findall(r"^--- a/(\S+)$", patch, re.M))
                files = apply(Path(scratch), kind)
                self.assertEqual(set(files), set(re.findall(r"^diff --git a/(\S+) ", patch, re.M)))
                self.assertTrue(row(kind, files) in page.splitlines(), f"docs/ops.md lacks\n{row(kind, files)}")
                self.assertLessEqual(sum(not f.startswith("tests/") for f in files), REACH[kind])

    @unittest.skipUnless(os.environ.get("GLASSGRAD_THOROUGH"), "builds the engine and its tests")
    def test_the_patched_engine_passes_the_op_table(self):
        if not (ROOT / ".git").exists():
            self.skipTest("needs a clone")
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            copy(scratch, run(ROOT, "git", "ls-files", "-zco", "--exclude-standard").split("\0"))
            for kind in KINDS:
                apply(scratch, kind)
            run(scratch, ".ci/build", "release", "glassgrad_tests")
            for test in "op_table", "op_errors":
                run(scratch, "build/tests/glassgrad_tests", f"--source-file=*/test_{test}.cpp")


if __name__ == "__main__":
    unittest.main()
