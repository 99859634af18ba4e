"""Builds the compiled module of the wheel with CMake.

KOPPEL_BUILD_DIR names a folder that CMake has configured for the same interpreter, so that what it holds need not be
built again.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(koppel VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class BuildModule(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("KOPPEL_BUILD_DIR")
        build = pathlib.Path(given or self.build_temp).resolve()
        if not given:
            build.mkdir(parents=True, exist_ok=True)
            options = {"CMAKE_BUILD_TYPE": "Release", "Python_EXECUTABLE": sys.executable, "KOPPEL_TESTS": "OFF",
                       "KOPPEL_BENCHMARKS": "OFF", "KOPPEL_EXAMPLES": "OFF", "KOPPEL_WERROR": "OFF"}
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja",
                            *(f"-D{key}={value}" for key, value in options.items())], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "koppel_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        module = build / "python/koppel" / target.name
        if not module.is_file():
            raise SystemExit(f"{build} was configured for another Python than {sys.executable}: there is no {module}.")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, target)


class BuildPackage(build_py):
    def run(self):
        super().run()
        models = pathlib.Path(self.build_lib) / "koppel/models"
        shutil.copytree(ROOT / "models", models, dirs_exist_ok=True)


setup(
    version=version(),
    packages=["koppel"],
    package_dir={"koppel": "python/koppel"},
    package_data={"koppel": ["*.pyi", "py.typed"]},
    ext_modules=[Extension("koppel._koppel", sources=[])],
    cmdclass={"build_ext": BuildModule, "build_py": BuildPackage},
    zip_safe=False,
)
