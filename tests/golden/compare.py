#!/usr/bin/env python3
"""Compares `glassgrad learn LESSON --outputs` with PyTorch for random settings and inputs, line by line.

    OPENBLAS_CORETYPE=SkylakeX ATEN_CPU_CAPABILITY=avx2 python3 tests/golden/compare.py --lesson cat --cases 300

Needs PyTorch with OpenBLAS, and build/glassgrad. Lines that differ are printed in pairs: with these two settings none do;
with another BLAS kernel a matrix product's last bit may show (docs/parity.md).
"""
import argparse
import contextlib
import importlib.util
import io
import math
import pathlib
import random
import subprocess
import tempfile

import numpy
import torch

RATES = [0.0, 0.1, 0.3, 0.5, 0.9, 1.0]


def journey(rng):
    heads = rng.choice([1, 2, 3, 4])
    return ["--seed-v2", rng.randrange(10**6), "--heads", heads, "--d-out", heads * rng.choice([1, 2, 3]),
            "--dropout", rng.choice(RATES)]


def cat(rng):
    return ["--heads", rng.randint(1, 9), "--d-out", rng.randint(1, 9), "--dropout", rng.choice(RATES)]


def gpt_attention(rng):
    heads = rng.choice([1, 2, 3, 5])  # beyond 31 in width and context, the BLAS adds in a different order
    return ["--d-out", rng.randint(1, 9), "--dropout", rng.choice(RATES), "--heads", heads,
            "--width", heads * rng.randint(1, 31 // heads), "--context", rng.randint(1, 31)]


def single_and_multi(rng):
    heads = rng.choice([1, 2, 3, 4, 8])
    return ["--heads", heads, "--width", heads * rng.randint(1, 64 // heads), "--hidden", rng.randint(1, 200),
            "--vocab", rng.randint(1, 100)]


def climb(rng):
    return ["--head-size", rng.randint(1, 20)]


def grouped(rng):
    kv_heads = rng.choice([1, 2, 3])
    return ["--kv-heads", kv_heads, "--heads", kv_heads * rng.choice([1, 2, 4]), "--head-dim", rng.randint(1, 6)]


def sizes(*flags, most=12):
    return lambda rng: [word for flag in flags for word in (flag, rng.randint(1, most))]


# Each function returns random values for the lesson's own flags.
LESSONS = {
    "journey": journey, "gpt-attention": gpt_attention, "single-and-multi": single_and_multi, "cat": cat, "climb": climb,
    "autograd.order": sizes("--a", "--b"), "autograd.accumulate": sizes("--a", "--b", "--rows"),
    "autograd.broadcast": sizes("--rows", "--columns"), "autograd.matmul": sizes("--rows", "--inner", "--columns"),
    "autograd.softmax": sizes("--size"), "mask.five-ways": sizes("--d-out"),
    "dropout.factor": lambda rng: [*sizes("--size")(rng), "--dropout", rng.choice(RATES)],
    "heads.same": sizes("--heads", "--d-out", most=6), "kv.cache": sizes("--width", "--layers", "--written", most=8),
    "heads.grouped": grouped, "mask.window": sizes("--window"), "softmax.online": sizes("--width", "--tile")}
# Lessons about tokens, which take --inputs, and lessons that draw nothing.
ABOUT_TOKENS = {"journey", "gpt-attention", "single-and-multi", "cat", "climb", "mask.five-ways", "heads.same", "heads.grouped",
                "mask.window"}
WITHOUT_SEED = {"autograd.order"}
# Lessons whose inputs are drawn in batches; the flags that size them exclude inputs from a file.
BATCHED = {"single-and-multi": [], "climb": ["--context", "--width"]}


def random_inputs(lesson, rng, setting, file):
    width = setting[setting.index("--width") + 1] if lesson == "single-and-multi" else rng.randint(1, 9)
    shape = [rng.randint(2, 14), width]
    if lesson in BATCHED and rng.random() < 0.7:
        shape.insert(0, rng.randint(1, 3))
    draw = rng.choice([lambda: rng.random(), lambda: rng.gauss(0, 1)])
    numpy.save(file, numpy.array([draw() for _ in range(math.prod(shape))], "float32").reshape(shape))
    return ["--inputs", file]


def random_setting(lesson, rng, folder):
    setting = [] if lesson in WITHOUT_SEED else ["--seed", rng.randrange(10**6)]
    setting += LESSONS[lesson](rng)
    if lesson in ABOUT_TOKENS and rng.random() < 0.7:
        setting += random_inputs(lesson, rng, setting, folder / "inputs.npy")
    else:
        for flag in BATCHED.get(lesson, []):
            setting += [flag, rng.randint(1, 14)]
    return [str(word) for word in setting]


def program_of(lesson):
    here = pathlib.Path(__file__).resolve().parent
    path = next(p for p in (here / f"{lesson}.py", here / "lessons" / f"{lesson}.py") if p.exists())
    spec = importlib.util.spec_from_file_location(lesson.replace(".", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytorch(lesson, setting):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        program_of(lesson).main(setting)
    return text.getvalue().splitlines()


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parents[2]
    flags.add_argument("--program", default=root / "build/glassgrad")
    flags.add_argument("--lesson", choices=LESSONS, default="journey")
    flags.add_argument("--cases", type=int, default=100)
    flags.add_argument("--seed", type=int, default=1)
    o = flags.parse_args()
    torch.set_num_threads(1)
    rng, cases, lines, different = random.Random(o.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(o.cases):
            setting = random_setting(o.lesson, rng, pathlib.Path(folder))
            ours = subprocess.run([o.program, "learn", o.lesson, "--outputs", *setting], capture_output=True,
                                  text=True, check=True).stdout.splitlines()
            theirs = pytorch(o.lesson, setting)
            pairs = [(a, b) for a, b in zip(theirs, ours) if a != b]
            if pairs or len(ours) != len(theirs):
                cases += 1
                print(" ".join(setting))
                for a, b in pairs:
                    print(f"  PyTorch    {a}\n  glassgrad  {b}")
            lines += len(theirs)
            different += len(pairs)
    print(f"{o.cases - cases} of {o.cases} cases equal, {lines - different} of {lines} lines")


if __name__ == "__main__":
    main()
