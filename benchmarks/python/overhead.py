"""What Python costs: a call of a compiled function, and a simulation against the same one in C++.

    bin/koppel python benchmarks/python/overhead.py PROGRAM [--instructions]

PROGRAM is `build/release/bin/koppel`. Medians of runs that alternate between both. Run it on a quiet machine; or with
--instructions, which counts instructions under valgrind and does not depend on what else runs.
"""

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
import warnings

import numpy as np

import koppel as kp


def call(statement, names, number=200_000, repeat=7):
    return min(timeit.repeat(statement, globals=names, number=number, repeat=repeat)) / number


def functions():
    x, y, z = kp.symbols("x y z")
    one = kp.compile([x], x + 1)
    few = kp.compile([x, y, z], [x * y, y * z, z * x])
    polar = kp.compile([x, y], [kp.sqrt(x**2 + y**2), kp.atan2(y, x)])
    names = {"one": one, "few": few, "polar": polar, "plain": lambda a: a + 1}
    print("a call, ns")
    for title, statement in (("Python's own lambda a: a + 1", "plain(0.5)"), ("x + 1", "one(0.5)"),
                             ("three products of three", "few(0.5, 0.25, 2.0)"), ("polar coordinates", "polar(3.0, 4.0)")):
        print(f"  {title:32} {1e9 * call(statement, names):7.0f}")
    points = np.random.default_rng(1).uniform(0.1, 1, (2, 1_000_000))
    out = np.empty_like(points)
    print("a point of a million, ns")
    for title, run in (("polar(x, y)", lambda: polar(points[0], points[1])), ("polar.map", lambda: polar.map(points, out)),
                       ("numpy", lambda: (np.sqrt(points[0]**2 + points[1]**2), np.arctan2(points[1], points[0])))):
        print(f"  {title:32} {1e9 * min(timeit.repeat(run, number=1, repeat=7)) / 1e6:7.1f}")


def processor_seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def by_program(program, name, end):
    before = processor_seconds(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", name, "--end", str(end), "--samples", "11", "--quiet", "--out", folder], check=True)
    return processor_seconds(resource.RUSAGE_CHILDREN) - before


def by_module(model, end):
    before = processor_seconds(resource.RUSAGE_SELF)
    model.simulate(end=end, samples=11)
    return processor_seconds(resource.RUSAGE_SELF) - before


def simulations(program):
    print("processor time of a simulated second, us: a long run less a short one, so that starting and set-up do not count;")
    print("and what a call of simulate() takes beside the library's own time, ms")
    warnings.simplefilter("ignore")
    for name, short, long in (("slider_crank", 10, 3000), ("double_pendulum", 10, 1500), ("four_bar", 1, 300)):
        model = kp.load(name)
        model.simulate(end=0.1)
        outside, inside, around = [], [], []
        for _ in range(11):
            outside.append((by_program(program, name, long) - by_program(program, name, short)) / (long - short))
            inside.append((by_module(model, long) - by_module(model, short)) / (long - short))
            begin = time.perf_counter()
            run = model.simulate(end=short)
            around.append(time.perf_counter() - begin - run.summary["setup_seconds"] - run.summary["wall_seconds"])
        c, p = (1e6 * statistics.median(values) for values in (outside, inside))
        print(f"  {name:16}  C++ {c:8.2f}  Python {p:8.2f} ({100 * (p / c - 1):+.1f} %)  call {1e3 * min(around):6.2f} ms")


def count_instructions(command):
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command], cwd=folder,
                             capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", out.stderr)[1])


def instructions(program):
    print("instructions of a simulated second: a long run less a short one")
    script = ("import sys, warnings, koppel; warnings.simplefilter('ignore'); "
              "koppel.load(sys.argv[1]).simulate(end=float(sys.argv[2]), samples=11)")
    for name, short, long in (("slider_crank", 10, 60), ("double_pendulum", 10, 60)):
        def each(run):
            return (count_instructions(run(long)) - count_instructions(run(short))) / (long - short)

        c = each(lambda end: [program, "run", name, "--end", str(end), "--samples", "11", "--quiet", "--out", "run"])
        p = each(lambda end: [sys.executable, "-c", script, name, str(end)])
        print(f"  {name:16}  C++ {c:12.0f}  Python {p:12.0f} ({100 * (p / c - 1):+.2f} %)", flush=True)


if sys.argv[2:] == ["--instructions"]:
    instructions(os.path.abspath(sys.argv[1]))
else:
    functions()
    if len(sys.argv) > 1:
        simulations(os.path.abspath(sys.argv[1]))
