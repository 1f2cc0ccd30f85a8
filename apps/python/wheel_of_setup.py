"""What pip calls: the wheel of what `setup.py build` has built.

setuptools can make wheels itself only with the package `wheel` (or from version 70.1 on), and a venv of Debian 12 has
neither. A wheel is a zip of the package and of three small files that describe it.
"""
import base64
import hashlib
import itertools
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as built:
        subprocess.run([sys.executable, "setup.py", "build", "--build-lib", built], cwd=HERE, check=True)
        return write_wheel(pathlib.Path(built), pathlib.Path(wheel_directory), *described())


def get_requires_for_build_wheel(config_settings=None):
    return []


def described():
    """Name, version and summary, as setup.py has them."""
    lines = subprocess.run([sys.executable, "setup.py", "--name", "--version", "--description"], cwd=HERE, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return lines[-3:]


def write_wheel(built, folder, name, version, summary):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    files = {str(path.relative_to(built)): path for path in built.rglob("*") if path.is_file()}
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return write_files(files, folder, name, version, summary, python, python, platform)


def write_files(files, folder, name, version, summary, *tags):
    """The wheel of files, each a path by its name in the wheel. Equal files make equal wheels."""
    tag = "-".join(tags)
    info = f"{name}-{version}.dist-info"
    entries = {path: files[path].read_bytes() for path in sorted(files)}
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n"
    entries[f"{info}/METADATA"] = metadata.encode()
    each = "".join(f"Tag: {'-'.join(one)}\n" for one in itertools.product(*(t.split(".") for t in tags)))
    entries[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {name}\nRoot-Is-Purelib: false\n{each}".encode()
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in entries.items()]
    entries[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(folder / wheel, "w") as archive:
        for path, data in entries.items():
            entry = zipfile.ZipInfo(path)  # dated 1980, so that equal files make equal wheels
            entry.external_attr = (0o100755 if path in files and files[path].stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return wheel


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
