"""An overhead crane carries its load along a path by inputs computed beforehand. What if the load is not the one
that they were computed for?

    bin/koppel python examples/python/crane_payload.py [picture.png]
"""

import sys

import koppel as kp

crane = kp.load("overhead_crane")
nominal = crane.parameters["m"]

print(f"computed for {nominal:g} kg; the largest error of the load's place in m:")
print(f"{'load':>8}  {'inputs alone':>12}  {'with feedback':>13}")
errors = []
for factor in (0.9, 0.95, 1.0, 1.05, 1.1):
    run = crane.inverse(plant={"m": factor * nominal}, feedback="lqr")
    case = run.summary["feedback"]["cases"][-1]  # the first is the nominal one
    alone, controlled = (case[loop]["max_error"] for loop in ("open_loop", "closed_loop"))
    errors.append((factor * nominal, alone, controlled))
    print(f"{factor * nominal:5g} kg  {alone:12.2e}  {controlled:13.2e}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 4))
    masses, alone, controlled = zip(*errors)
    axis.semilogy(masses, alone, "o-", label="inputs alone")
    axis.semilogy(masses, controlled, "s-", label="with feedback")
    axis.set(xlabel="mass of the load in kg", ylabel="largest error in m")
    axis.legend()
    figure.savefig(sys.argv[1])
