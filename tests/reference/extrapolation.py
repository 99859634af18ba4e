"""Extrapolation of the modified midpoint rule [Hairer, Norsett & Wanner 1993, II.9], for reference motions
that owe nothing to the code under test: fixed macro steps, eight columns, order 16. Also small dense
solution by elimination. No packages."""


def solve(A, b):
    """A x = b by elimination with row pivots."""
    n = len(b)
    M = [list(A[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(M[i][k]))
        M[k], M[p] = M[p], M[k]
        for i in range(k + 1, n):
            f = M[i][k] / M[k][k]
            if f:
                row, pivot = M[i], M[k]
                for j in range(k, n + 1):
                    row[j] -= f * pivot[j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (M[i][n] - sum(M[i][j] * x[j] for j in range(i + 1, n))) / M[i][i]
    return x


def step(f, t, y, H, columns=8):
    """One macro step; returns the extrapolated value."""
    table = []
    slope = f(t, y)
    for k in range(columns):
        n = 2 * (k + 1)
        h = H / n
        before, now = y, [a + h * s for a, s in zip(y, slope)]
        for m in range(1, n):
            rate = f(t + m * h, now)
            before, now = now, [a + 2 * h * s for a, s in zip(before, rate)]
        rate = f(t + H, now)
        row = [[(a + b + h * s) / 2 for a, b, s in zip(before, now, rate)]]
        for j in range(k):
            ratio = (n / (2 * (k - j))) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[j], table[j])])
        table = row
    return table[-1]


def integrate(f, y, times, substeps):
    """Values at the given times, with `substeps` macro steps between them."""
    out = [list(y)]
    for a, b in zip(times, times[1:]):
        H = (b - a) / substeps
        for i in range(substeps):
            y = step(f, a + i * H, y, H)
        out.append(list(y))
    return out
