"""What the tests of training share."""
import json
import os
import re
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, glassgrad

SMALL = ["--layers", 1, "--heads", 2, "--width", 16, "--context", 8, "--batch", 4]


def read_checkpoint(path):
    """The header of a .safetensors file as JSON, read by hand, and its bytes."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + length]), data


def without_header_crc(data):
    """The file with another key for its header's checksum: what stands in the header can be changed then."""
    return re.sub(rb'"crc32":"([0-9a-f]{8})"', rb'"other":"\1"', data)


def step_of(path):
    return json.loads(read_checkpoint(path)[0]["__metadata__"]["training"])["step"]


def write_safetensors(path, tensors, metadata):
    """Float32 zeros of the given sizes."""
    header, end = {"__metadata__": metadata}, 0
    for name, n in tensors.items():
        header[name] = {"dtype": "F32", "shape": [n], "data_offsets": [end, end + 4 * n]}
        end += 4 * n
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.folder / "run"

    def train(self, *arguments, out=None, **options):
        return glassgrad("train", "--out", out or self.run_folder, *arguments, cwd=self.folder, **options)

    def trained(self, *arguments, out=None):
        run = self.train(*SMALL, "--steps", 4, *arguments, out=out)
        self.assertEqual((run.code, run.err), (0, ""))
        return run

    def generate(self, *arguments, out=None, **options):
        options.update(encoding="utf-8", errors="replace")  # a token may be a single byte
        return glassgrad("generate", out or self.run_folder, *arguments, cwd=self.folder, **options)

    def start(self, *arguments, out=None, steps=1, **options):
        """A training at work that has made so many steps."""
        out = out or self.run_folder
        process = subprocess.Popen([PROGRAM, "train", "--out", out, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.end, process)
        log, patience = Path(out) / "log.jsonl", time.monotonic() + 60
        while not (log.exists() and log.read_bytes().count(b"\n") >= steps):
            self.assertIsNone(process.poll(), "ended before it made a step")
            self.assertLess(time.monotonic(), patience)
            time.sleep(0.001)
        return process

    def end(self, process):
        process.kill()
        process.communicate()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files(self):
        return sorted(p.name for p in self.run_folder.iterdir())

    def recordings(self):
        return json.loads((self.run_folder / "watch.json").read_text(encoding="utf-8"))

    def assert_fails(self, run, *words, code=1):
        self.assertEqual(run.code, code, run.err)
        self.assertEqual(run.err.count("\n"), 1, run.err)
        for word in words:
            self.assertIn(str(word), run.err)


def close_reader():
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 1)
