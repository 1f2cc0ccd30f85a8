"""Builds the package glassgrad: CMake compiles the extension module from the project's root."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILT = os.environ.get("GLASSGRAD_BUILD")  # a build folder that is already configured for this python
BUILD = ROOT / (BUILT or "build/pip")


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        environment = dict(os.environ)
        if shutil.which("ninja"):
            environment.setdefault("CMAKE_GENERATOR", "Ninja")
        if not BUILT:
            self.call("--preset", "release", "-S", ROOT, "-B", BUILD, "-DGLASSGRAD_BUILD_PYTHON=ON",
                      f"-DPython_EXECUTABLE={sys.executable}", "-DGLASSGRAD_BUILD_APPS=OFF",
                      "-DGLASSGRAD_BUILD_TESTS=OFF", environment=environment)
        self.call("--build", BUILD, "--target", "glassgrad_python", "--parallel", os.cpu_count() or 1,
                  environment=environment)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        package = BUILD / "python" / "glassgrad"
        shutil.copy(package / target.name, target)
        for made in [*package.rglob("*.pyi"), package / "nn" / "modules" / "_rows.py"]:  # the build writes them
            shutil.copy(made, target.parent / made.relative_to(package))

    def call(self, *arguments, environment):
        subprocess.run(["cmake", *map(str, arguments)], cwd=ROOT, env=environment, check=True)


def version():
    return re.search(r"project\(glassgrad VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


BUILD.mkdir(parents=True, exist_ok=True)
os.chdir(HERE)
setup(
    name="glassgrad",
    version=version(),
    description="PyTorch's names on an autograd engine whose every number can be opened",
    license="MIT",
    python_requires=">=3.9",
    packages=find_packages(include=["glassgrad", "glassgrad.*"]),
    package_data={"": ["py.typed"]},
    ext_modules=[Extension("glassgrad._C", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    zip_safe=False,
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},  # not in the sources
)
