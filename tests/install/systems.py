"""The README's two commands in clean roots of several Debian releases. Usage: ... ROOT [SUITE...]

Each root is made by mmdebstrap and has nothing but apt; the sources are what is committed. The motions of some models must be the
same to the byte on all systems. Without mmdebstrap the test is skipped.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
MODELS = ("slider_crank", "four_bar", "vehicle_trailer", "stewart_platform", "bricard")
root, suites = pathlib.Path(sys.argv[1]), sys.argv[2:] or ["bookworm", "trixie"]

if not shutil.which("mmdebstrap"):
    print("skipped: needs the package mmdebstrap")
    sys.exit(77)

inside = f"""set -e
cd /koppel
packages=$(dpkg-query -f '.' -W | wc -c)
bin/koppel run slider_crank --end 2 --out /motions/first
echo "packages installed by the first command: $(($(dpkg-query -f '.' -W | wc -c) - packages))"
for model in {" ".join(MODELS)}; do bin/koppel run $model --end 1 --quiet --out /motions/$model; done
CI=1 bin/test
bin/koppel run slider_crank --integrator ida --end 1 --quiet --hdf5 --out /motions/ida  # a part that has come is built in
"""
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    folder.chmod(0o755)
    sources = folder / "koppel"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{root}", sources], check=True)
    (sources / "try.sh").write_text(inside)
    motions = {}
    for suite in suites:
        print(f"== {suite}", flush=True)
        out = folder / suite
        subprocess.run(["mmdebstrap", "--variant=apt", f"--customize-hook=copy-in {sources} /",
                        f"--customize-hook=chroot \"$1\" env -i PATH={PATH} HOME=/root DEBIAN_FRONTEND=noninteractive "
                        f"sh /koppel/try.sh",
                        f"--customize-hook=sync-out /motions {out}", suite, "/dev/null"], check=True)
        motions[suite] = [(out / model / "trajectory.csv").read_bytes() for model in MODELS]
    for suite, those in motions.items():
        for model, motion in zip(MODELS, those):
            assert motion == motions[suites[0]][MODELS.index(model)], f"{model} moves differently on {suite}"
