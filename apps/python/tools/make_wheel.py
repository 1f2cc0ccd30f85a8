"""make_wheel.py BUILD VERSION EXTENSION...: one wheel with the module for each Python that has an extension, its stubs,
and the program with its pages. Writes it to BUILD and prints its name."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from wheel_of_setup import write_files  # noqa: E402

SUMMARY = "Attention, step by step: PyTorch's names on an autograd engine whose every number can be opened"


def main():
    build, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    files = {}
    # Take the package's own files from the sources: the build folder may still hold copies of deleted files.
    made = build / "python"
    for folder, pattern in (HERE.parent, "*.py"), (HERE.parent, "py.typed"), (made, "*.pyi"), (made, "_rows.py"):
        files |= {str(path.relative_to(folder)): path for path in folder.glob(f"glassgrad/**/{pattern}")}
    for path in map(pathlib.Path, ["libglassgrad.so", "bin/glassgrad", *sys.argv[3:]]):
        files[f"glassgrad/{path}"] = build / "wheel/glassgrad" / path
    files[f"glassgrad-{version}.data/scripts/glassgrad"] = HERE / "start_program.py"
    files[f"glassgrad-{version}.dist-info/LICENSE"] = HERE.parents[2] / "LICENSE"
    pythons = sorted(re.findall(r"_C\.cpython-(\d+)-", " ".join(sys.argv[3:])), key=int)
    pythons = ".".join(f"cp{python}" for python in pythons)
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")  # pip refuses the wheel where glibc is older
    for old in build.glob("glassgrad-*.whl"):
        old.unlink()
    platform = f"manylinux_{glibc}_{os.uname().machine}"
    wheel = build / write_files(files, build, "glassgrad", version, SUMMARY, pythons, pythons, platform)
    print(f"{os.path.relpath(wheel)}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
