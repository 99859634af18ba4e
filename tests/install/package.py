"""Builds the Debian packages and tries them in a clean root. Usage: ... CMAKE ROOT BUILD

The root is made by mmdebstrap from the suite of the running system, and lasts as long as the test; in it clean_root.sh
installs the packages with apt. Without mmdebstrap the test is skipped.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
cmake, root, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

release = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
if not shutil.which("mmdebstrap") or release.get("ID") != "debian":
    print("skipped: needs Debian with the package mmdebstrap")
    sys.exit(77)

subprocess.run([cmake, "--build", build, "--target", "koppel_package"], check=True)
with tempfile.TemporaryDirectory() as folder:
    inside = pathlib.Path(folder) / "try"
    inside.mkdir()
    packages = sorted((build / "packages").glob("koppel_*.deb"))
    assert len(packages) == 3, packages
    for package in packages:
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB", flush=True)
        shutil.copy(package, inside)
    shutil.copy(root / "tests/install/clean_root.sh", inside)
    shutil.copytree(root / "tests/install/consumer", inside / "consumer")
    for name in ("02_double_pendulum", "03_closed_loop"):
        shutil.copytree(root / "examples" / name, inside / "examples" / name)
    shutil.copy(root / "examples/compare_output.cmake", inside / "examples")
    pathlib.Path(folder).chmod(0o755)
    subprocess.run(["mmdebstrap", "--variant=apt", f"--customize-hook=copy-in {inside} /",
                    f"--customize-hook=chroot \"$1\" env -i PATH={PATH} HOME=/root sh -c 'cd /try && sh ./clean_root.sh'",
                    release["VERSION_CODENAME"], "/dev/null"], check=True)
