#!/usr/bin/env python3
"""Steps of exported batches (koppel export --to cuda) on a card: speed, bits, registers.

    benchmarks/export/cuda.py --koppel build/release/bin/koppel --files DIR   writes the models to DIR
    benchmarks/export/cuda.py --files DIR [--json FILE]                       measures what is there

The second needs nvcc, a C++ compiler and a card, and nothing of Koppel. For each model:

  steps/s    of all variants together, for 10^3 to 10^7 of them
  bits       numbers (states and outputs of 2048 variants) that differ from the same file compiled for
             the host, and how many bits of them; without contraction (-fmad=false)
  contracted the largest difference with -fmad=true, relative to the largest value of its column
  registers  of a thread, and bytes that did not fit and are spilled to memory
  FP64       instructions of a step in double precision (ncu), and the share of what the card can
             issue in a second; with contraction an instruction can be two operations, so that the
             card's peak in operations is twice that
"""
import argparse
import array
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# folder: model, step and integrator (None: the default), parameter to vary, steps of its own run, steps
# compared
MODELS = {
    "slider_crank": ("slider_crank", None, None, "g", 10000, 1000),
    "bricard": ("bricard", None, None, "g", 10000, 1000),
    "rotary_crane": ("rotary_crane", None, None, "g", 20000, 1000),
    "andrews": ("andrews", "1e-5", None, "mom", 3000, 1000),
    "vehicle_trailer": ("vehicle_trailer", None, None, "g", 6000, 100),
    "slider_crank-rk4": ("slider_crank", None, "rk4", "g", 10000, 1000),
    "bricard-rk4": ("bricard", None, "rk4", "g", 10000, 300),
    "rotary_crane-rk4": ("rotary_crane", None, "rk4", "g", 20000, 1000),
    "andrews-rk4": ("andrews", "1e-5", "rk4", "mom", 3000, 1000),
    "slider_crank-dop853": ("slider_crank", "1e-2", "dop853", "g", 1000, 100),
    "bricard-dop853": ("bricard", "1e-2", "dop853", "g", 1000, 30),
    "rotary_crane-dop853": ("rotary_crane", "1e-2", "dop853", "g", 2000, 100),
    "andrews-dop853": ("andrews", "1e-3", "dop853", "mom", 30, 20),
}
SIZES = [10**3, 10**4, 10**5, 10**6, 10**7]
COMPARED = 2048  # variants
PEAK = 33.5e12  # operations/s of an H200 in double precision, two for each instruction


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


def export(koppel, folder):
    for name, (model, step, integrator, _, _, _) in MODELS.items():
        done = run(koppel, "export", model, "--to", "cuda", "--out", folder / name,
                   *(["--step", step] if step else []),
                   *(["--integrator", integrator] if integrator else []))
        print(done.stdout + done.stderr, end="")
        if done.returncode != 0 and not (folder / name).is_dir():
            sys.exit(f"{name} was not exported")


class Model:
    def __init__(self, folder, arch):
        self.folder, self.arch = folder, arch
        self.source = next(folder.glob("*.cu"))
        self.name = self.source.stem
        self.varied, self.most_steps, self.compared_steps = MODELS[folder.name][3:]
        self.header = (folder / f"{self.name}.h").read_text()
        self.operations = int(re.search(r"NUM_OPERATIONS (\d+)", self.header)[1])
        self.failures = {}

    def defines(self):
        return [f"-DMODEL={self.name}", f"-DUPPER={self.name.upper()}", f"-DVARIED={self.varied}",
                f"-DSTANDARD={self.standard()}", f"-I{self.folder}"]

    # The model's own value of the parameter that is varied.
    def standard(self):
        names = re.findall(rf"{self.name.upper()}_PARAMETER_(\w+),", self.header)
        starts = re.search(r"koppel_model_field_starts\[\] = \{(.*)\};", self.source.read_text())[1]
        return starts.split(", ")[names.index(self.varied)]

    def build(self, what):
        out, measure = self.folder / what, HERE / "cuda_measure.cpp"
        begin = time.time()
        if what == "host":
            done = run("c++", "-std=c++17", "-O2", "-fopenmp", "-ffp-contract=off", *self.defines(),
                       "-x", "c++", measure, self.source, "-o", out)
        else:
            done = run("nvcc", "-std=c++17", "-O3", f"-arch={self.arch}", "-Xptxas", "-v",
                       f"-fmad={'true' if what == 'contracted' else 'false'}", *self.defines(),
                       "-x", "cu", measure, self.source, "-o", out)
        self.failures[what] = done.stderr[-2000:] if done.returncode != 0 else None
        return {"compile_seconds": round(time.time() - begin, 1), **self.registers(done.stderr)}

    # Of the kernel without reductions, and of the functions that it calls.
    def registers(self, log):
        out = {}
        for name, stack, stores, loads, rest in re.findall(
                r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, "
                r"(\d+) bytes spill loads\n?(.*)", log):
            if "koppel_runILb0" in name:
                out.update(stack_bytes=int(stack), spill_stores=int(stores), spill_loads=int(loads))
                used = re.search(r"Used (\d+) registers", rest)
                if used:
                    out["registers"] = int(used[1])
        return out

    def numbers(self, what):
        path = self.folder / f"{what}.bin"
        run(self.folder / what, "numbers", COMPARED, self.compared_steps, path, check=True)
        return path.read_bytes()

    def compare(self, result):
        host = self.numbers("host")
        for what in ("card", "contracted"):
            if self.failures[what]:
                continue
            found = self.numbers(what)
            a, b = array.array("Q", host), array.array("Q", found)
            different = [bin(x ^ y).count("1") for x, y in zip(a, b) if x != y]
            worst = 0.0
            a, b = array.array("d", host), array.array("d", found)
            for first in range(0, len(a), COMPARED):
                column, other = a[first:first + COMPARED], b[first:first + COMPARED]
                size = max(abs(x) for x in column)
                if size > 0:
                    worst = max(worst, max(abs(x - y) for x, y in zip(column, other)) / size)
            result[what].update(numbers_compared=len(a), numbers_different=len(different),
                                bits_different=sum(different), largest_difference=worst)

    def speed(self, what, variants, seconds):
        done = run(self.folder / what, "speed", variants, self.most_steps, seconds, timeout=60)
        if done.returncode != 0:
            return {"variants": variants, "failure": done.stderr[-200:]}
        steps, best, stopped = done.stdout.split()
        return {"variants": variants, "steps": int(steps), "seconds": float(best),
                "stopped": int(stopped), "steps_per_second": variants * int(steps) / float(best)}

    # Instructions of a step in double precision, by the counters of the card.
    def instructions(self, what):
        kinds = ("dadd", "dmul", "dfma")
        metrics = ",".join(f"smsp__sass_thread_inst_executed_op_{k}_pred_on.sum" for k in kinds)
        counts = []
        for steps in (10, 30):
            done = run("ncu", "--clock-control", "none", "--metrics", metrics, "--csv",
                       "--kernel-name", "regex:koppel_run", self.folder / what, "numbers", 1024, steps,
                       self.folder / "ncu.bin", timeout=60)
            values = {}
            for line in done.stdout.splitlines():
                match = re.search(r'op_(d\w+)_pred_on\.sum","[^"]*","([\d,.]+)"', line)
                if match:
                    values[match[1]] = values.get(match[1], 0) + float(match[2].replace(",", ""))
            if set(values) != set(kinds):
                return {}
            counts.append(values)
        return {k: (counts[1][k] - counts[0][k]) / (20 * 1024) for k in kinds}


def card_name():
    done = run("nvidia-smi", "--query-gpu=name,clocks.max.sm,driver_version", "--format=csv,noheader")
    return done.stdout.strip()


def measure(folder, arch, limit):
    begin = time.time()
    models = {name: Model(folder / name, arch) for name in MODELS if (folder / name).is_dir()}
    results = {name: {} for name in models}
    builds = [(name, what) for name in reversed(models) for what in ("host", "card", "contracted")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, what), found in zip(builds, pool.map(lambda b: models[b[0]].build(b[1]), builds)):
            results[name][what] = found
    print(f"compiled in {time.time() - begin:.0f} s", file=sys.stderr)
    for name, model in models.items():
        result = results[name]
        result["operations"] = model.operations
        result["failures"] = {k: v for k, v in model.failures.items() if v}
        try:
            model.compare(result)
        except (subprocess.CalledProcessError, KeyError) as error:
            result["failures"]["compare"] = str(error)
        print(f"{name}: compared after {time.time() - begin:.0f} s", file=sys.stderr)
    for what in ("card", "contracted"):
        for name, model in models.items():
            if model.failures[what] or time.time() - begin > limit:
                continue
            result = results[name][what]
            try:
                result["speed"] = [model.speed(what, n, 0.4) for n in SIZES]
            except subprocess.TimeoutExpired as error:
                results[name]["failures"][f"{what} speed"] = str(error)
            print(f"{name} {what}: measured after {time.time() - begin:.0f} s", file=sys.stderr)
    for name, model in models.items():
        for what in ("card", "contracted"):
            if shutil.which("ncu") and not model.failures[what] and time.time() - begin < limit:
                try:
                    results[name][what]["fp64_per_step"] = model.instructions(what)
                except subprocess.TimeoutExpired:
                    pass
    for result in results.values():
        for what in ("card", "contracted"):
            add_shares(result, result[what])
    return {"card": card_name(), "arch": arch, "nvcc": run("nvcc", "--version").stdout.split("\n")[-2],
            "peak_operations_per_second": PEAK, "seconds": round(time.time() - begin),
            "models": results}


# The share of the peak: of instructions, of which the card issues PEAK/2 in a second, and of operations.
def add_shares(result, found):
    best = max((s.get("steps_per_second", 0) for s in found.get("speed", [])), default=0)
    counts = found.get("fp64_per_step")
    if not best:
        return
    found["best_steps_per_second"] = best
    found["written_operations_share"] = best * result["operations"] / PEAK
    if counts:
        found["issue_share"] = best * sum(counts.values()) / (PEAK / 2)
        found["operations_share"] = best * (sum(counts.values()) + counts["dfma"]) / PEAK


def table(data):
    lines = [f"{data['card']}; peak {data['peak_operations_per_second']:.3g} FP64 operations/s, "
             f"{data['peak_operations_per_second'] / 2:.3g} instructions/s", ""]
    head = f"{'model':20} {'fmad':5} " + " ".join(f"{n:>9.0e}" for n in SIZES)
    lines += ["steps/s by variants", head]
    for name, result in data["models"].items():
        for what, label in (("card", "false"), ("contracted", "true")):
            speeds = result[what].get("speed", [])
            cells = [f"{s['steps_per_second']:9.2e}" + ("*" if s["stopped"] else "")
                     if "steps_per_second" in s else "     none" for s in speeds]
            lines.append(f"{name:20} {label:5} " + " ".join(cells))
    lines += ["", f"{'model':20} {'fmad':5} {'written':>7} {'FP64':>7} {'issued':>7} {'of peak':>7} "
                  f"{'registers':>9} {'spilled':>8} {'stack':>7} {'numbers':>8} {'differ':>7} {'bits':>7} "
                  f"{'largest':>8} {'compile':>7}"]
    for name, result in data["models"].items():
        for what, label in (("card", "false"), ("contracted", "true")):
            r = result[what]
            counts = r.get("fp64_per_step") or {}
            lines.append(
                f"{name:20} {label:5} {result['operations']:7} {sum(counts.values()):7.0f} "
                f"{r.get('issue_share', 0):7.1%} {r.get('operations_share', 0):7.1%} "
                f"{r.get('registers', 0):9} {r.get('spill_stores', 0):8} {r.get('stack_bytes', 0):7} "
                f"{r.get('numbers_compared', 0):8} {r.get('numbers_different', -1):7} "
                f"{r.get('bits_different', -1):7} {r.get('largest_difference', -1):8.1e} "
                f"{r['compile_seconds']:7.0f}")
        for what, text in result.get("failures", {}).items():
            lines.append(f"  {name} {what}: {text[:400]}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--files", type=pathlib.Path, required=True)
    parser.add_argument("--koppel", help="write the models with this program, and stop")
    parser.add_argument("--json", type=pathlib.Path, help="where the numbers go")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--limit", type=float, default=330, help="seconds after which nothing new is begun")
    options = parser.parse_args()
    if options.koppel:
        return export(options.koppel, options.files)
    data = measure(options.files.resolve(), options.arch, options.limit)
    print(table(data))
    text = json.dumps(data, indent=1)
    if options.json:
        options.json.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
