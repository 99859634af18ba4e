"""models/five_link_road.yaml as one rigid body with a rotor.

A rod of moment of inertia J about its fixed end and length l moves as a mass J/l^2 at its other end P, and
its weight m g acts half there. Carrier, these masses and the wheel are then one rigid body of mass M and
inertia K about its centre S; the wheel's part of K is that across its axis n, and its angular momentum h
along n does not change. With rods' forces along their unit vectors,
  M S" = F + sum_i mu_i e_i,    K w' + w x (K w + h n) = T + sum_i mu_i r_i x e_i
and |P_i - F_i| constant, differentiated twice. Rotations are matrices whose nine entries are integrated.
Usage: five_link_road.py [SUBSTEPS] > five_link_road.csv"""

import math
import sys

from extrapolation import integrate, solve

G = 9.81
F = [(-.0640, .4130, .3270), (-.3030, .4320, .2950), (-.0930, .3660, .0040),
     (-.2360, .3880, -.1090), (.2115, .3845, -.1000)]
P = [(-.0640, .6360, .3450), (-.1170, .6360, .3380), (-.1880, .6470, -.0230),
     (-.0050, .7370, -.1300), (.0025, .7370, -.1340)]
MASS = [2.0, 2.0, 4.0, 1.0, 3.0]
B, BS, F6 = (0, .768, 0), (0, .686, -.001), (.107, .56075, .763)
MC, C = 15.0, (-.0743, .6786, .0792)
JC = [[.3, .01, .015], [.01, .2, .05], [.015, .05, .2]]
MW, AXIAL, ACROSS, OMEGA = 12.0, 1.46, .74, 100.0
K, DAMPING, D, KT, DT = 1.4e5, 1400.0, .88, 2e6, .3


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(A, b):
    return [dot(row, b) for row in A]


def transposed(A, b):
    return [sum(A[i][j] * b[i] for i in range(3)) for j in range(3)]


def unit(a):
    size = math.sqrt(dot(a, a))
    return [x / size for x in a]


AXIS = unit(add(B, BS, -1))
ENDS = [m / 3 for m in MASS]  # J/l^2 = m/3
PARTS = [(MC, C)] + list(zip(ENDS, P)) + [(MW, B)]
TOTAL = sum(m for m, _ in PARTS)
S0 = [sum(m * r[i] for m, r in PARTS) / TOTAL for i in range(3)]
INERTIA = [[JC[i][j] + ACROSS * ((i == j) - AXIS[i] * AXIS[j]) for j in range(3)] for i in range(3)]
for m, r in PARTS:
    d = add(r, S0, -1)
    for i in range(3):
        for j in range(3):
            INERTIA[i][j] += m * ((i == j) * dot(d, d) - d[i] * d[j])
H = AXIAL * OMEGA
LOCAL = [add(p, S0, -1) for p in P]
HUB = add(B, S0, -1)
STUB = add(BS, S0, -1)
# Weight, at the places where it acts: of the rods half at their moving ends.
WEIGHTS = [(MC, add(C, S0, -1)), (MW, HUB)] + [(m / 2, p) for m, p in zip(MASS, LOCAL)]


def rate(t, x):
    """x: S, S', rotation by rows, angular velocity in body axes."""
    s, v, R, w = x[0:3], x[3:6], [x[6:9], x[9:12], x[12:15]], x[15:18]

    def place(local):
        return add(s, times(R, local)), add(v, times(R, cross(w, local)))

    force, torque = [0.0] * 3, [0.0] * 3  # torque in body axes

    def push(local, f):
        for i in range(3):
            force[i] += f[i]
        for i, value in enumerate(cross(local, transposed(R, f))):
            torque[i] += value

    for m, local in WEIGHTS:
        push(local, [0, 0, -m * G])
    # Tyre.
    hub, _ = place(HUB)
    d = add(hub, [0, .768, -DT + .03 * math.sin(10 * math.pi * t)], -1)
    size = math.sqrt(dot(d, d))
    push(HUB, [-KT * (size - DT) * c / size for c in d])
    # Primary spring, at the middle of rod 5: half of its force at P5, the component along the rod is
    # taken by the rod's force.
    p5, v5 = place(LOCAL[4])
    middle, rate6 = [(a + b) / 2 for a, b in zip(p5, F[4])], [a / 2 for a in v5]
    d = add(middle, F6, -1)
    size = math.sqrt(dot(d, d))
    pull = K * (size - D) + DAMPING * dot(d, rate6) / size
    push(LOCAL[4], [-pull * c / size / 2 for c in d])
    # Rods.
    A = [[0.0] * 11 for _ in range(11)]
    right = [0.0] * 11
    Kw = times(INERTIA, w)
    gyro = cross(w, add(Kw, AXIS, H))
    for i in range(3):
        A[i][i] = TOTAL
        right[i] = force[i]
        right[3 + i] = torque[i] - gyro[i]
        for j in range(3):
            A[3 + i][3 + j] = INERTIA[i][j]
    for k in range(5):
        p, vp = place(LOCAL[k])
        e = add(p, F[k], -1)
        turn = cross(LOCAL[k], transposed(R, e))
        for i in range(3):
            A[i][6 + k] = A[6 + k][i] = e[i]
            A[3 + i][6 + k] = A[6 + k][3 + i] = turn[i]
        right[6 + k] = -dot(vp, vp) - dot(e, times(R, cross(w, cross(w, LOCAL[k]))))
    a = solve(A, right)
    spin = [cross(w, row) for row in R]  # R' = R w^, and w^ is skew: rows turn by -w x
    return list(v) + a[:3] + [-c for row in spin for c in row] + a[3:6]


def main():
    substeps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    ticks = [i / 200 for i in range(201)]
    start = S0 + [0.0] * 3 + [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0] + [0.0] * 3
    print("t,Bx,By,Bz,P5x,P5y,P5z,camber")
    for t, x in zip(ticks, integrate(rate, start, ticks, substeps)):
        s, R = x[0:3], [x[6:9], x[9:12], x[12:15]]
        hub, stub, p5 = (add(s, times(R, c)) for c in (HUB, STUB, LOCAL[4]))
        camber = math.degrees(math.asin((hub[2] - stub[2]) / math.hypot(.082, .001)))
        print(",".join(f"{value:.17g}" for value in [t] + hub + p5 + [camber]))


main()
