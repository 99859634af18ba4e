"""threads.py PROGRAM: how well the threads of a sweep share its work, as a Markdown table.

Processor time of each thread, from /proc: on a machine with other work the clock says nothing. With one thread a sweep takes
T, with two the busier one t; T/(2 t) is the efficiency on two free cores, as long as threads do not wait for each other.
"""

import glob
import subprocess
import sys
import tempfile
import time

SWEEPS = [("slider_crank, 800 variants", "slider_crank --vary a=0.2:0.4:40 --vary m=0.5:2:20 --end 5"),
          ("pendulum, 2,000 variants", "pendulum --vary l=0.5:1.5:2000 --end 2"),
          ("slider_crank, 100,000 variants of 1,000 steps in lanes",
           "slider_crank --vary g=1:20:10000 --vary m=0.5:2:10 --output Bx:max --step 1e-3 --end 1 --batch")]


def seconds(program, words, jobs):
    """Of the first thread, and of all others together."""
    with tempfile.TemporaryDirectory() as out:
        process = subprocess.Popen([program, "sweep", *words, "--jobs", str(jobs), "--out", out, "--quiet"])
        seen = {}
        while process.poll() is None:
            for path in glob.glob(f"/proc/{process.pid}/task/*/schedstat"):
                try:
                    with open(path, encoding="ascii") as file:
                        seen[path] = int(file.read().split()[0]) / 1e9
                except (OSError, IndexError):  # it has just ended
                    pass
            time.sleep(0.003)
    first = seen.pop(f"/proc/{process.pid}/task/{process.pid}/schedstat")
    return first, sum(seen.values())


print("| sweep | 1 thread, s | 2 threads: first, s | other, s | efficiency |\n| --- | --- | --- | --- | --- |")
for name, text in SWEEPS:
    alone, _ = seconds(sys.argv[1], text.split(), 1)
    first, other = seconds(sys.argv[1], text.split(), 2)
    print(f"| {name} | {alone:.2f} | {first:.2f} | {other:.2f} | {alone / (2 * max(first, other)):.2f} |", flush=True)
