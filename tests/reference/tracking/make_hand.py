#!/usr/bin/env python3
"""make_hand.py > hand.csv: a signal like that of a hand-held controller.

A smooth motion through (0.9716, -0.1003, 1.2480) m with the velocity (-0.3151, -0.3398, -1.0652) m/s at t = 0
[Lipovac 2020, section 3.2.2], sampled at irregular intervals of 10 to 40 ms, with a tremor of 9 Hz and half a
millimetre. Every sample is held until the next one. The numbers are those of a generator that is written out here, so
that they are the same everywhere.
"""

import math

START = (0.9716, -0.1003, 1.2480)
VELOCITY = (-0.3151, -0.3398, -1.0652)
SWING = ((0.35, 2.1, 0.4), (0.28, 1.7, 1.1), (0.30, 2.6, 2.0))  # amplitude, angular frequency, phase
END = 4.0


def numbers(state=20201):
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield (state >> 11) / 2**53


def position(t):
    out = []
    for x, v, (a, w, phase) in zip(START, VELOCITY, SWING):
        swing = a * (math.sin(w * t + phase) - math.sin(phase))
        drift = (v - a * w * math.cos(phase)) * t * math.exp(-t)  # the velocity at the start
        tremor = 0.0005 * math.sin(2 * math.pi * 9 * t)
        out.append(x + swing + drift + tremor - 0.0005 * 2 * math.pi * 9 * t * math.exp(-20 * t))
    return out


def main():
    random = numbers()
    t = 0.0
    print("t,x,y,z")
    while t <= END:
        print(",".join(f"{value:.6f}" for value in (t, *position(t))))
        t += 0.010 + 0.030 * next(random)


if __name__ == "__main__":
    main()
