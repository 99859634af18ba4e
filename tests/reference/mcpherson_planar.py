"""models/mcpherson_planar.yaml in two coordinates: the height y of A and the angle a of the arm.

With w = (y, a) and x_k(w) all points that have mass or carry forces,
  sum_k m_k J_k^T (J_k w" + (J_k)' w') = sum_k J_k^T F_k
Derivatives of the points along w' are those of Cauchy's integral on a circle of complex numbers.
Usage: mcpherson_planar.py [SUBSTEPS] > mcpherson_planar.csv"""

import cmath
import math
import sys

from extrapolation import integrate, solve

G = 9.81
MS, MC, MU, IC, IU = 240.0, 3.0, 40.0, 0.03, 1.58
KP, CP, DP, KT, CT, DT = 1.4e4, 6e3, 0.5034, 4e5, 1e4, 0.3
L = math.sqrt(12 * IC / MC)
BX, BY, PX, PY, PU, PQ = 0.4255, 0.17, 0.3945, 0.27, 0.078, 0.321
BP = math.hypot(PX - BX, PY - BY)
EX, EY = (PX - BX) / BP, (PY - BY) / BP
AX = BX - L
QX, QY = PX + PQ * EX, PY + PQ * EY - BY  # QY above A
GX = PX + PU * EY


def points(w):
    """A.y, C, U, P, Q.y, and the angles of the arm and of the unsprung mass."""
    y, a = w
    b = (AX + L * cmath.cos(a), y + L * cmath.sin(a))
    d = (QX - b[0], y + QY - b[1])
    size = cmath.sqrt(d[0] ** 2 + d[1] ** 2)
    e = (d[0] / size, d[1] / size)
    p = (b[0] + BP * e[0], b[1] + BP * e[1])
    u = (p[0] + PU * e[1], p[1] - PU * e[0])
    angle = cmath.atan(-e[0] / e[1])
    return [y, AX + L / 2 * cmath.cos(a), y + L / 2 * cmath.sin(a), u[0], u[1], p[0], p[1],
            y + QY, a, angle, b[0], b[1]]


N = 16
CIRCLE = [cmath.exp(2j * math.pi * k / N) for k in range(N)]


def along(w, d, radius):
    """First and second derivatives of the points along d."""
    values = [points([w[0] + radius * z * d[0], w[1] + radius * z * d[1]]) for z in CIRCLE]
    first = [sum(v[i] / z for v, z in zip(values, CIRCLE)).real / N / radius
             for i in range(len(values[0]))]
    second = [2 * sum(v[i] / z**2 for v, z in zip(values, CIRCLE)).real / N / radius**2
              for i in range(len(values[0]))]
    return first, second


def road(t):
    return 4e-3 * math.sin(10 * math.pi * t), 4e-2 * math.pi * math.cos(10 * math.pi * t)


def rate(t, x):
    w, v = x[:2], x[2:]
    at = [z.real for z in points(w)]
    J = [along(w, d, 0.02)[0] for d in ([1, 0], [0, 1])]
    speed = max(abs(v[0]), abs(v[1]))
    bias = along(w, v, 0.02 / speed)[1] if speed > 0 else [0.0] * len(at)
    moving = [v[0] * J[0][i] + v[1] * J[1][i] for i in range(len(at))]
    mass = [MS, MC, MC, MU, MU, 0, 0, 0, IC, IU, 0, 0]
    force = [-MS * G, 0, -MC * G, 0, -MU * G, 0, 0, 0, 0, 0, 0, 0]
    # Primary spring and damper from Q to P; Q moves up and down only.
    d = (at[5] - QX, at[6] - at[7])
    size = math.hypot(*d)
    growth = (d[0] * moving[5] + d[1] * (moving[6] - moving[7])) / size
    pull = KP * (size - DP) + CP * growth
    force[5] -= pull * d[0] / size
    force[6] -= pull * d[1] / size
    force[7] += pull * d[1] / size
    # Tyre: a spring from G, a damper on both components.
    g, g_rate = road(t)
    d = (at[3] - GX, at[4] - g)
    size = math.hypot(*d)
    pull = KT * (size - DT)
    force[3] -= pull * d[0] / size + CT * moving[3]
    force[4] -= pull * d[1] / size + CT * (moving[4] - g_rate)
    M = [[sum(m * a * b for m, a, b in zip(mass, J[i], J[j])) for j in range(2)] for i in range(2)]
    right = [sum(J[i][k] * (force[k] - mass[k] * bias[k]) for k in range(len(at)))
             for i in range(2)]
    return list(v) + solve(M, right)


def main():
    substeps = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    times = [i / 100 for i in range(201)]
    print("t,Ux,Uy,Ay,Bx,By,Px,Py,Gy")
    for t, x in zip(times, integrate(rate, [BY, 0.0, 0.0, 0.0], times, substeps)):
        p = [z.real for z in points(x[:2])]
        row = [t, p[3], p[4], x[0], p[10], p[11], p[5], p[6], road(t)[0]]
        print(",".join(f"{value:.17g}" for value in row))


main()
