"""The recording that ../python/robot_identification.py is given: a robot whose load and friction are known here only, with
noise.

    bin/koppel python examples/data/robot_recording.py examples/data/robot_recording.csv
"""

import pathlib
import sys

import numpy as np

import koppel as kp

TRUE = {"payload": 6.2, "reach": 0.11,
        "dry_1": 14.0, "dry_2": 16.5, "dry_3": 9.0, "dry_4": 3.1, "dry_5": 2.6, "dry_6": 1.7,
        "viscous_1": 17.0, "viscous_2": 21.0, "viscous_3": 12.5, "viscous_4": 1.8, "viscous_5": 1.4, "viscous_6": 0.6}
# Standard deviations: encoders to 0.1 mrad, torques to a percent of what the axis can.
ANGLE, TORQUE = 1e-4, (8.0, 8.0, 5.0, 1.2, 1.2, 0.6)


def record():
    """Names and columns, rounded as a file of measurements is: 4 s at 50 Hz."""
    robot = kp.load(pathlib.Path(__file__).parent / "robot_motors.yaml")
    for name, value in TRUE.items():
        robot.parameters[name] = value
    run = robot.simulate(samples=201, tolerance=1e-10)
    random = np.random.default_rng(20)
    columns = {"t": np.array(run.t)}
    for i in range(6):
        columns[f"joint_{i + 1}"] = run[f"joint_{i + 1}"] + ANGLE * random.standard_normal(201)
    for i in range(6):
        columns[f"motor_{i + 1}"] = run[f"motor_{i + 1}"] + TORQUE[i] * random.standard_normal(201)
    return {name: np.round(values, 2 if name == "t" else 5 if name.startswith("joint") else 3)
            for name, values in columns.items()}


if __name__ == "__main__":
    recording = record()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print(",".join(recording), file=file)
        for row in zip(*recording.values()):
            print(",".join(f"{value:g}" for value in row), file=file)
    print(f"{len(recording)} columns of {len(recording['t'])} rows")
