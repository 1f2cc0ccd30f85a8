#!/usr/bin/env python3
"""Nothing a user types or hands over crashes, hangs or half-writes: one clear line on stderr and the right exit code."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, glassgrad, learn, write_npy

COMMAND_LINE = [
    (["learn", "jurney"], "journey"),
    (["lern"], "learn"),
    (["learn", "journey", "--sed", "1"], "--sed"),
    (["learn", "journey", "--seed", "abc"], "--seed"),
    (["learn", "journey", "--seed", "1.5"], "--seed"),
    (["learn", "journey", "--seed", "0x10"], "--seed"),
    (["learn", "journey", "--seed", "18446744073709551616"], "--seed"),
    (["learn", "journey", "--seed", "-9223372036854775809"], "--seed"),
    (["learn", "journey", "--seed"], "--seed"),
    (["learn", "journey", "--seed", ""], "--seed"),
    (["learn", "journey", "--d-out", "0"], "--d-out"),
    (["learn", "journey", "--d-out", "-1"], "--d-out"),
    (["learn", "journey", "--d-out", "nan"], "--d-out"),
    (["learn", "journey", "--d-out", "2x"], "--d-out"),
    (["learn", "journey", "--d-out", "99999999999999999999"], "--d-out"),
    (["learn", "journey", "--heads", "0"], "--heads"),
    (["learn", "journey", "--heads", "-1"], "--heads"),
    (["learn", "journey", "--heads", "3"], "divisible"),
    (["learn", "journey", "--d-out", "3"], "divisible"),
    (["learn", "autograd.ordr"], "autograd.order"),
    (["learn", "autograd.order", "--from", "recursio"], "recursion"),
    (["learn", "autograd.order", "--seed", "1"], "it has --a, --b"),
    (["learn", "cat", "--heads", "0"], "--heads"),
    (["learn", "cat", "--num-heads", "none"], "--heads"),
    (["learn", "cat", "--seed-v2", "1"], "--seed-v2"),
    (["learn", "cat", "--dropout", "1.5"], "--dropout"),
    (["learn", "cat", "--tokens", "a,b"], "6"),
    (["learn", "cat", "--from", "causal-tables"], "causal-table"),
    (["learn", "journey", "--dropout", "1.5"], "--dropout"),
    (["learn", "journey", "--dropout", "-0.1"], "--dropout"),
    (["learn", "journey", "--dropout", "nan"], "--dropout"),
    (["learn", "journey", "--dropout", "inf"], "--dropout"),
    (["learn", "journey", "--dropout", "0,5"], "--dropout"),
    (["learn", "journey", "--tokens", "a,b"], "6"),
    (["learn", "journey", "--tokens", "a,b,c,d,e,f,g"], "6"),
    (["learn", "journey", "--from", "masked-score"], "masked-scores"),
    (["learn", "journey", "--to", "0"], "no step '0'"),
    (["learn", "journey", "--from", "9999"], "1 to 33"),
    (["learn", "journey", "--from", "3", "--to", "2"], "--from"),
    (["learn", "journey", "--format", "yaml"], "--format"),
    (["learn", "journey", "extra"], "extra"),
    (["learn", "journey", "--inputs", ""], "--inputs"),
    (["learn", "journey", "--tokens", "a,,b,c,d,e"], "name 2"),
    (["learn", "journey", "--tokens", "a\u009b,b,c,d,e,f"], "control"),
    (["learn", "journey", "--tokens", "a\x1b,b,c,d,e,f"], "control"),
    (["learn", "jour\r\x1b[2Jney"], "journey"),
]


class CommandLine(unittest.TestCase):
    def test_wrong_arguments_exit_with_2(self):
        for arguments, word in COMMAND_LINE:
            run = glassgrad(*arguments)
            with self.subTest(arguments):
                self.assertEqual(run.code, 2, run.err)
                self.assertEqual(run.out, "")
                self.assertIn(word, run.err)
                self.assertEqual(len(run.err.splitlines()), 1, run.err)
                self.assertNotRegex(run.err, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_numbers_are_decimal(self):
        self.assertEqual(learn("--outputs", "--seed", "010").out, learn("--outputs", "--seed", "10").out)

    def test_help_begins_with_an_example(self):
        for arguments in ["--help"], ["learn", "--help"], ["learn", "journey", "--help"]:
            run = glassgrad(*arguments)
            self.assertEqual((run.code, run.err), (0, ""), arguments)
            self.assertIn("glassgrad learn journey", "\n".join(run.out.splitlines()[:6]))

    def test_version(self):
        run = glassgrad("--version")
        self.assertEqual(run.code, 0)
        self.assertRegex(run.out, r"glassgrad \d+\.\d+\.\d+")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "x.npy"

    def refuse(self, *words, path=None):
        run = learn("--outputs", "--inputs", path or self.file)
        self.assertEqual((run.code, run.out), (1, ""), run.err)
        self.assertEqual(len(run.err.splitlines()), 1, run.err)
        for word in words:
            self.assertIn(word, run.err)

    def test_unreadable(self):
        self.refuse("x.npy")  # no such file
        self.refuse("regular file", path=self.folder.name)
        self.refuse("regular file", path="/dev/zero")
        os.mkfifo(self.file)
        self.refuse("regular file")

    def test_not_npy(self):
        for content in b"", b"\x93NUM", b"hello world, not a matrix", b"PK\x03\x04" + b"\0" * 60:
            self.file.write_bytes(content)
            self.refuse("x.npy")

    def test_malformed_headers(self):
        rows = [[1.0, 2.0], [3.0, 4.0]]
        for header in ("", "{", "{'descr': '<f4'}", "[1, 2]", "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': '<U5', 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2" + "(" * 10000):
            write_npy(self.file, rows, header=header)
            self.refuse("x.npy")

    def test_truncated_and_trailing(self):
        rows = [[1.0, 2.0], [3.0, 4.0]]
        whole = write_npy(self.file, rows).read_bytes()
        for length in range(0, len(whole), 7):
            self.file.write_bytes(whole[:length])
            self.refuse("x.npy")
        self.file.write_bytes(whole + b"tail")
        self.refuse("x.npy")
        huge = bytearray(whole)
        huge[8:10] = b"\xff\xff"
        self.file.write_bytes(bytes(huge))
        self.refuse("x.npy")

    def test_wrong_shapes_name_both(self):
        write_npy(self.file, [[1.0, 2.0, 3.0]])
        self.refuse("[1, 3]", "2")
        write_npy(self.file, [1.0, 2.0, 3.0], shape="(3,)")
        self.refuse("[3]")
        write_npy(self.file, [[1.0, 2.0], [3.0, 4.0]], shape="(2, 2, 1)")
        self.refuse("[2, 2, 1]")
        write_npy(self.file, [[], []], shape="(2, 0)", body=b"")
        self.refuse("[2, 0]")

    def test_nan_and_inf_are_computed_with(self):
        write_npy(self.file, [[float("nan"), 1.0], [float("inf"), -1.0]])
        run = learn("--outputs", "--inputs", self.file)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertIn("nan", run.out)


class Streams(unittest.TestCase):
    def test_closed_streams(self):
        for closing, code in ("<&-", 0), (">&-", 1), ("<&- >&-", 1):
            done = subprocess.run(f"'{PROGRAM}' learn journey {closing}", shell=True, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, closing)
            self.assertEqual(len(done.stderr.splitlines()), code, done.stderr)



if __name__ == "__main__":
    unittest.main()
