#include "by_hand.h"

#include <math.h>

/* A pendulum (mass 0.3, length 0.5) on a cart (mass 1) that a force drives.
 * in: angle, its rate, force; out: accelerations of the cart and of the angle. */
void by_hand_cart_pole(const double* in, double* out) {
  const double m = 0.3, l = 0.5, M = 1, g = 9.81;
  const double w = in[1], F = in[2];
  const double s = sin(in[0]), c = cos(in[0]);
  const double d = M + m * s * s;
  out[0] = (F + m * s * (l * w * w + g * c)) / d;
  out[1] = -(F * c + m * l * w * w * c * s + (M + m) * g * s) / (l * d);
}

/* A planar chain of equal hanging links with absolute angles.
 * in: angles, rates; out: mass matrix by rows, then forces. */
void by_hand_chain(const double* in, double* out) {
  enum { n = kNumLinks };
  const double m = 0.2, l = 0.4, g = 9.81;
  const double *angle = in, *rate = in + n;
  double *M = out, *f = out + n * n;
  double s[n], c[n], w[n];
  for (int i = 0; i < n; ++i) {
    s[i] = sin(angle[i]);
    c[i] = cos(angle[i]);
    w[i] = rate[i] * rate[i];
    M[i * n + i] = m * l * l * (n - i - 1 + 1.0 / 3);
    f[i] = -m * g * l * (n - i - 0.5) * s[i];
  }
  for (int i = 1; i < n; ++i) {
    const double k = m * l * l * (n - i - 0.5);
    for (int j = 0; j < i; ++j) {
      const double h = k * (s[i] * c[j] - c[i] * s[j]);
      M[i * n + j] = M[j * n + i] = k * (c[i] * c[j] + s[i] * s[j]);
      f[i] -= h * w[j];
      f[j] += h * w[i];
    }
  }
}

/* Bodies that attract each other. in: positions x, y, z of each; out: accelerations. */
void by_hand_gravity(const double* in, double* out) {
  enum { n = kNumBodies };
  for (int i = 0; i < 3 * n; ++i) out[i] = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const double dx = in[3 * i] - in[3 * j];
      const double dy = in[3 * i + 1] - in[3 * j + 1];
      const double dz = in[3 * i + 2] - in[3 * j + 2];
      const double d2 = dx * dx + dy * dy + dz * dz;
      const double p = 1 / (d2 * sqrt(d2));
      const double pi = p * (1 + 0.1 * i), pj = p * (1 + 0.1 * j);
      out[3 * i] -= pj * dx;
      out[3 * i + 1] -= pj * dy;
      out[3 * i + 2] -= pj * dz;
      out[3 * j] += pi * dx;
      out[3 * j + 1] += pi * dy;
      out[3 * j + 2] += pi * dz;
    }
  }
}
