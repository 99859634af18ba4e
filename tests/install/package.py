"""Makes the files of a release and tries packages and wheel in a clean root. Usage: ... ROOT BUILD

The root is made by mmdebstrap from the suite of the running system, and lasts as long as the test; in it clean_root.sh
installs the packages with apt, and the wheel as the notes of the release say. Without mmdebstrap, or outside of a
repository, the test is skipped.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

release = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
if not shutil.which("mmdebstrap") or release.get("ID") != "debian" or not (root / ".git").exists():
    print("skipped: needs a git repository on Debian with the package mmdebstrap")
    sys.exit(77)

files = build / "release-files"
subprocess.run([sys.executable, root / "tools/release", "--try", "--build", build / "package", "--out", files], check=True)
assert len(list(files.glob("*.deb"))) == 3 and len(list(files.glob("*.whl"))) == 1, list(files.iterdir())
sums = dict(reversed(line.split()) for line in (files / "SHA256SUMS").read_text().splitlines())
assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files.iterdir() if path.name != "SHA256SUMS"}
with tempfile.TemporaryDirectory() as folder:
    inside = pathlib.Path(folder) / "try"
    inside.mkdir()
    for path in [*files.glob("*.deb"), *files.glob("*.whl"), files / "RELEASE-NOTES.md"]:
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB", flush=True)
        shutil.copy(path, inside)
    shutil.copy(root / "tests/install/clean_root.sh", inside)
    shutil.copytree(root / "tests/install/consumer", inside / "consumer")
    for name in ("02_double_pendulum", "03_closed_loop"):
        shutil.copytree(root / "examples" / name, inside / "examples" / name)
    shutil.copy(root / "examples/compare_output.cmake", inside / "examples")
    pathlib.Path(folder).chmod(0o755)
    subprocess.run(["mmdebstrap", "--variant=apt", f"--customize-hook=copy-in {inside} /",
                    f"--customize-hook=chroot \"$1\" env -i PATH={PATH} HOME=/root sh -c 'cd /try && sh ./clean_root.sh'",
                    release["VERSION_CODENAME"], "/dev/null"], check=True)
