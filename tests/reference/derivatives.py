"""Derivatives of motions by parameters, by complex steps [Squire & Trapp 1998]: slider_crank.yaml at 0.7 s and
double_pendulum.yaml at 1 s, from equations in minimal coordinates written by hand, integrated by extrapolation of order
16 in complex arithmetic with 30 digits (mpmath). Writes derivatives.csv: model, quantity, parameter, value.

    python3 derivatives.py
"""

from pathlib import Path

from mpmath import cos, mp, mpc, mpf, pi, sin, sqrt

from extrapolation import integrate, solve


def slider_crank(a, b, m, g, phi0, end, substeps):
    """The crank's angle φ: A(φ) φ̈ + A′ φ̇²/2 + V′ = 0, with ψ = −asin(a/b sin φ) that of the rod."""
    k = a / b

    def shape(phi):
        s, c = sin(phi), cos(phi)
        w = sqrt(1 - k * k * s * s)
        return s, c, w, -k * c / w, k * s / w - k**3 * s * c * c / w**3  # ψ′, ψ″

    def rate(t, y):
        phi, v = y
        s, c, w, psi1, psi2 = shape(phi)
        x1, x2 = -a * s + b / 2 * k * s * psi1, -a * c + b / 2 * k * (c * psi1 + s * psi2)  # rod's centre
        y1, y2 = a * c / 2, -a * s / 2
        A = m * a * a / 3 + m * (x1 * x1 + y1 * y1) + m * b * b / 12 * psi1 * psi1
        A1 = 2 * m * (x1 * x2 + y1 * y2) + m * b * b / 6 * psi1 * psi2
        return [v, -(A1 * v * v / 2 + m * g * a * c) / A]

    s, c, w, psi1, _ = shape(phi0)
    start = [phi0, -4 / (-a * s + b * k * s * psi1)]
    phi, _ = integrate(rate, start, [0, end], substeps)[-1]
    return {"Bx": a * cos(phi) + b * sqrt(1 - (k * sin(phi))**2), "Ay": a * sin(phi)}


def double_pendulum(m1, m2, l1, l2, g, end, substeps):
    """Two uniform rods with absolute angles, both horizontal at rest at the start."""

    def rate(t, y):
        p, q, v, w = y
        M12 = m2 * l1 * l2 / 2 * cos(p - q)
        h = m2 * l1 * l2 / 2 * sin(p - q)
        A = [[(m1 / 3 + m2) * l1 * l1, M12], [M12, m2 * l2 * l2 / 3]]
        b = [-h * w * w - (m1 / 2 + m2) * g * l1 * cos(p), h * v * v - m2 / 2 * g * l2 * cos(q)]
        return [v, w, *solve(A, b)]

    p, q, _, _ = integrate(rate, [0, 0, 0, 0], [0, end], substeps)[-1]
    return {"x": l1 * cos(p) + l2 * cos(q), "phi2": q}


mp.dps = 30
cases = [("slider_crank", slider_crank, {"a": 0.4, "b": 1.0, "m": 1.0, "g": 9.81, "phi0": pi / 4}, 0.7),
         ("double_pendulum", double_pendulum, {"m1": 1.0, "m2": 1.0, "l1": 1.0, "l2": 1.0, "g": 9.81}, 1.0)]
tiny = mpf(10)**-60
lines, worst = ["model,quantity,parameter,value"], 0.0
for name, motion, values, end in cases:
    for parameter in values:
        moved = {key: mpc(value, tiny if key == parameter else 0) for key, value in values.items()}
        coarse, fine = (motion(**moved, end=end, substeps=n) for n in (60, 120))
        for quantity, value in fine.items():
            worst = max(worst, abs(value.imag - coarse[quantity].imag) / tiny)
            lines.append(f"{name},{quantity},{parameter},{float(value.imag / tiny)!r}")
(Path(__file__).parent / "derivatives.csv").write_text("\n".join(lines) + "\n")
print(f"with half of the steps the derivatives differ by {float(worst):.1e} at most")
