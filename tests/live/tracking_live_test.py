"""koppel live with a mechanism that follows a hand: its samples from a file, from UDP packets and from
shared memory. Usage: ... PROGRAM"""

import csv
import json
import math
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
HAND = pathlib.Path(__file__).resolve().parents[1] / "reference" / "tracking" / "hand.csv"

# An arm of two rods whose end follows the hand within a force limit.
ARM = """name: arm
dimension: 2
gravity: [0, -9.81]
{signal}
bodies:
  upper: {{mass: 1, inertia: 0.1, position: [0.5, 0], points: {{a: [-0.5, 0], b: [0.5, 0]}}}}
  lower: {{mass: 1, inertia: 0.1, position: [1, -0.5], angle: -90 deg, points: {{a: [-0.5, 0], b: [0.5, 0]}}}}
joints:
  shoulder: {{type: revolute, between: [ground, upper.a]}}
  elbow: {{type: revolute, between: [upper.b, lower.a]}}
tracking:
  hold: {{point: lower.b, follows: [hand.x, hand.y], force: 300}}
outputs: {{x: lower.b.x, y: lower.b.y, F: "sqrt(hold.force_x^2 + hold.force_y^2)"}}
run: {{end: {end}}}
"""
LIVE = "inputs: [hand.x, hand.y]"


def rows_of(path):
    with open(path, newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


class TrackedHand(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.model = self.folder / "arm.yaml"
        self.out = self.folder / "out"

    def begin(self, end, *arguments):
        """The loop, against the clock, in a process of its own."""
        self.model.write_text(ARM.format(signal=LIVE, end=end))
        process = subprocess.Popen([PROGRAM, "live", str(self.model), "--native", "off", "--step", "2e-3",
                                    "--end", str(end), "--out", str(self.out), "--json", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        output, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, messages)
        summary = json.loads(output)
        self.assertEqual(summary["inputs"], ["hand.x", "hand.y"])
        rows = rows_of(self.out / "trajectory.csv")
        self.assertLessEqual(max(row["F"] for row in rows), 300 * (1 + 1e-12))
        self.assertTrue(all(math.isfinite(value) for row in rows for value in row.values()))
        return summary

    def test_samples_of_a_file_move_it_as_a_signal_of_the_model_does(self):
        """The same steps with the same samples: `live --inputs` and `run` give the same numbers."""
        samples = rows_of(HAND)
        signals = self.folder / "samples.csv"
        with open(signals, "w", newline="") as file:
            csv.writer(file).writerows([("t", "hand.x", "hand.y"), *((row["t"], row["x"], row["z"]) for row in samples)])
        end = 1.5
        self.assertGreater(samples[-1]["t"], end)
        self.model.write_text(ARM.format(signal=LIVE, end=end))
        live = subprocess.run([PROGRAM, "live", str(self.model), "--native", "off", "--step", "1e-3", "--speed",
                               "0", "--end", str(end), "--inputs", str(signals), "--out", str(self.out)],
                              capture_output=True, text=True)
        self.assertEqual(live.returncode, 0, live.stderr)
        held = self.folder / "held.yaml"
        held.write_text(ARM.format(
            signal=f"signals: {{hand: {{type: held, file: {HAND}, columns: [x, z]}}}}", end=end))
        run = subprocess.run([PROGRAM, "run", str(held), "--native", "off", "--step", "1e-3", "--integrator",
                              "linear-implicit", "--samples", "1501", "--out", str(self.folder / "run")],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        followed, expected = rows_of(self.out / "trajectory.csv"), rows_of(self.folder / "run" / "trajectory.csv")
        self.assertEqual((len(followed), len(expected)), (1501, 1501))
        for a, b in zip(followed, expected):
            self.assertAlmostEqual(a["t"], b["t"], places=12)
            for name in ("x", "y"):
                # Times of steps are sums in one and multiples in the other, which differ by rounding.
                self.assertAlmostEqual(a[name], b[name], delta=1e-9, msg=(a["t"], name))
        # And it follows: what lies within the reach of 2 m is at most a few samples behind.
        off = [math.hypot(row["x"] - row["hand.x"], row["y"] - row["hand.y"])
               for row in rows_of(self.out / "inputs.csv") for row in [{**row, **followed[round(1000 * row["t"])]}]
               if row["t"] > 1]
        self.assertLess(max(off), 0.15)

    def test_packets_move_it(self):
        """A hand that jumps by half a metre: the end of the arm is there, and says so, in packets."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hand:
            hand.bind(("127.0.0.1", 0))
            hand.settimeout(20)
            process = self.begin(1.6, "--udp-in", str(port), "--udp-out", f"127.0.0.1:{hand.getsockname()[1]}")
            sequence, seen, t = 0, [], 0
            while t < 1.59:
                data = hand.recv(1000)
                magic, count, _, t = struct.unpack_from("<4sIQd", data)
                self.assertEqual((magic, count), (b"KPL1", 3))
                seen.append((t, *struct.unpack_from("<3d", data, 24)))
                target = (1.0, -1.0) if t < 0.5 else (1.2, -0.5)
                sequence += 1
                hand.sendto(struct.pack("<4sIQd2d", b"KPL1", 2, sequence, t, *target), ("127.0.0.1", port))
            summary = self.finish(process)
        self.assertEqual(summary["outputs"], ["x", "y", "F"])
        t, x, y, force = seen[-1]
        self.assertLess(math.hypot(x - 1.2, y + 0.5), 1e-3)
        # Half a metre at the limit, without overshoot: beyond the target by less than 2 % of the jump.
        self.assertLess(max(row[1] for row in seen), 1.2 + 0.01)

    def test_shared_memory_moves_it(self):
        name = f"koppel-hand-{os.getpid()}"
        process = self.begin(1.6, "--shared", name)
        path = pathlib.Path("/dev/shm") / name
        limit = time.monotonic() + 20
        while not (path.exists() and path.stat().st_size >= 64) and time.monotonic() < limit:
            time.sleep(0.01)
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), path.stat().st_size) as memory:
            word = lambda i: struct.unpack_from("<Q", memory, 8 * i)[0]
            while word(0) != 0x00314d48534c504b and time.monotonic() < limit:
                time.sleep(0.01)
            self.assertEqual((word(1), word(2)), (2, 3))
            self.assertEqual(memory[word(5):].split(b"\0")[0], b"hand.x\nhand.y\nx\ny\nF\n")
            into, out, sequence, t = 8 * word(3), 8 * word(4), 0, 0.0
            while t < 1.59 and time.monotonic() < limit:
                if word(out // 8) % 2 == 0:
                    t, = struct.unpack_from("<d", memory, out + 8)
                target = (1.0, -1.0) if t < 0.5 else (1.2, -0.5)
                struct.pack_into("<Q", memory, into, sequence + 1)
                struct.pack_into("<3d", memory, into + 8, t, *target)
                struct.pack_into("<Q", memory, into, sequence + 2)
                sequence += 2
                time.sleep(0.002)
        summary = self.finish(process)
        self.assertLess(math.hypot(summary["final"]["x"] - 1.2, summary["final"]["y"] + 0.5), 1e-3)
        self.assertFalse(path.exists())

    def test_a_hand_that_is_lost_leaves_it_where_it_was(self):
        """Packets end after a while: the last one holds, and the loop goes on."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = self.begin(1.2, "--udp-in", str(port))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hand:
            sequence, limit = 0, time.monotonic() + 20
            while process.poll() is None and time.monotonic() < limit:
                sequence += 1
                # The last packet, again and again, is one packet; wrong ones change nothing.
                hand.sendto(struct.pack("<4sIQd2d", b"KPL1", 2, min(sequence, 20), 0, 1.1, -0.9), ("127.0.0.1", port))
                hand.sendto(struct.pack("<4sIQd2d", b"KPL1", 2, sequence + 100, 0, math.nan, 5), ("127.0.0.1", port))
                time.sleep(0.01)
        summary = self.finish(process)
        self.assertLess(math.hypot(summary["final"]["x"] - 1.1, summary["final"]["y"] + 0.9), 1e-3)


if __name__ == "__main__":
    unittest.main()
