"""What pip calls: the wheel of what `setup.py build` has built.

setuptools can make wheels itself only with the package `wheel` (or from version 70.1 on), and a venv of Debian 12 has
neither. A wheel is a zip of the package and of three small files that describe it.
"""
import base64
import hashlib
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
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"{name}-{version}.dist-info"
    files = {str(path.relative_to(built)): path.read_bytes() for path in sorted(built.rglob("*")) if path.is_file()}
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n"
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {name}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    files[record] = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items()).encode() \
        + f"{record},,\n".encode()
    wheel = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
