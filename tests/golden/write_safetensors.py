"""Writes python.safetensors, a file of every dtype that the engine reads, which tests/test_safetensors.cpp compares.

  python3 write_safetensors.py

Needs PyTorch. By hand, as the format says, where the safetensors package is not installed.
"""

import json
import pathlib
import struct

import torch

PATH = pathlib.Path(__file__).resolve().parent / "python.safetensors"
NAMES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
         torch.int64: "I64", torch.int32: "I32", torch.uint8: "U8", torch.bool: "BOOL"}
NUMBERS = [0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, 6e-8, 3e-5, float("inf"), float("-inf")]
TENSORS = {
    "float32": torch.tensor(NUMBERS, dtype=torch.float32).view(2, 5),
    "float64": torch.tensor(NUMBERS, dtype=torch.float64),
    "float16": torch.tensor(NUMBERS, dtype=torch.float16).view(5, 2),
    "bfloat16": torch.tensor(NUMBERS, dtype=torch.bfloat16),
    "int64": torch.tensor([-(2**63), 2**63 - 1, 7]),
    "int32": torch.tensor([-(2**31), 2**31 - 1], dtype=torch.int32),
    "uint8": torch.tensor([0, 255], dtype=torch.uint8),
    "bool": torch.tensor([[True], [False], [True]]),
    "scalar": torch.tensor(3.25),
    "empty": torch.zeros(0, 3),
    "Übung \"1\"": torch.ones(1),
}
METADATA = {"format": "pt", "line": "a\nb"}


def write_by_hand():
    ordered = sorted(TENSORS, key=lambda name: (-TENSORS[name].element_size(), name))
    header, data = {"__metadata__": METADATA}, b""
    for name in ordered:
        t = TENSORS[name]
        raw = t.contiguous().view(-1).view(torch.uint8) if t.numel() else torch.zeros(0, dtype=torch.uint8)
        end = len(data) + len(raw)
        header[name] = {"dtype": NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), end]}
        data += bytes(raw.tolist())
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    PATH.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    try:
        from safetensors.torch import save_file
    except ImportError:
        return write_by_hand()
    save_file(TENSORS, PATH, METADATA)


main()
