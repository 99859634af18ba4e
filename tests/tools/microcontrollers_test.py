"""Exported code in single precision on a Cortex-M4F and a Cortex-M7 under qemu: it compiles without a
warning and computes nothing in double precision (tools/microcontrollers/run refuses both), every step
takes the same number of instructions, and outputs have the bits of this machine. Skipped where the
compiler or qemu is not installed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
NEEDED = ("arm-none-eabi-gcc", "qemu-system-arm")


def main():
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian: gcc-arm-none-eabi "
              "libnewlib-arm-none-eabi qemu-system-arm)")
        return SKIPPED
    tool = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/microcontrollers/run"
    done = subprocess.run([sys.executable, tool, "slider_crank", "car_axle", "andrews"],
                          env=os.environ | {"KOPPEL": sys.argv[1]}, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    if done.returncode != 0:
        return 1
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    names = [(row[0], row[1]) for row in rows]
    expected = [(m, c) for m in ("slider_crank", "car_axle", "andrews") for c in ("M4F", "M7")]
    if names != expected:
        print(f"rows of {names}, not of {expected}")
        return 1
    for row in rows:
        if not re.fullmatch(r"[\d,]+", row[4]):
            print(f"{row[0]} on {row[1]}: not the same number of instructions in every step: {row[4]}")
            return 1
        # Sines in software double precision took 200,000: this much and they would be back.
        if int(row[4].replace(",", "")) > 20000:
            print(f"{row[0]} on {row[1]}: {row[4]} instructions")
            return 1
    return 0


sys.exit(main())
