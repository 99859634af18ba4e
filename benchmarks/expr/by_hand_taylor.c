#include "by_hand.h"

#include <math.h>

enum { kMaxOrder = 40 };

typedef double Coefficients[kMaxOrder + 1];

static double product(const double* a, const double* b, int k) {
  double sum = 0;
  for (int j = 0; j <= k; ++j) sum += a[j] * b[k - j];
  return sum;
}

static double square(const double* a, int k) {
  double sum = 0;
  for (int j = 0; 2 * j < k; ++j) sum += a[j] * a[k - j];
  sum *= 2;
  return k % 2 == 0 ? sum + a[k / 2] * a[k / 2] : sum;
}

static double quotient(const double* r, const double* a, const double* b, int k) {
  double sum = a[k];
  for (int j = 0; j < k; ++j) sum -= r[j] * b[k - j];
  return sum / b[0];
}

/* r = a^e */
static double power(const double* r, const double* a, double e, int k) {
  double sum = 0;
  if (k == 0) return pow(a[0], e);
  for (int j = 0; j < k; ++j) sum += (e * (k - j) - j) * a[k - j] * r[j];
  return sum / (k * a[0]);
}

/* s = sin a, c = cos a together */
static void sine_cosine(double* s, double* c, const double* a, int k) {
  if (k == 0) {
    s[0] = sin(a[0]);
    c[0] = cos(a[0]);
    return;
  }
  double sum_s = 0, sum_c = 0;
  for (int j = 1; j <= k; ++j) {
    const double da = j * a[j];
    sum_s += da * c[k - j];
    sum_c -= da * s[k - j];
  }
  s[k] = sum_s / k;
  c[k] = sum_c / k;
}

/* angle, rate */
void by_hand_taylor_pendulum(double* x, int order) {
  double *angle = x, *rate = x + order + 1;
  Coefficients s, c;
  for (int k = 0; k < order; ++k) {
    sine_cosine(s, c, angle, k);
    angle[k + 1] = rate[k] / (k + 1);
    rate[k + 1] = -9.81 * s[k] / (k + 1);
  }
}

/* x, y, their rates */
void by_hand_taylor_kepler(double* x, int order) {
  const int n = order + 1;
  double *y = x + n, *vx = x + 2 * n, *vy = x + 3 * n;
  Coefficients d2, p;
  for (int k = 0; k < order; ++k) {
    d2[k] = square(x, k) + square(y, k);
    p[k] = power(p, d2, -1.5, k);
    x[k + 1] = vx[k] / (k + 1);
    y[k + 1] = vy[k] / (k + 1);
    vx[k + 1] = -product(x, p, k) / (k + 1);
    vy[k + 1] = -product(y, p, k) / (k + 1);
  }
}

/* Two point masses of 1 kg on massless rods of 1 m; absolute angles, their rates. The accelerations
 * solve [2 c; c 1] a = [P; Q] with P = -s w2^2 - 2 g s1, Q = s w1^2 - g s2, where s and c belong to
 * the difference of the angles. */
void by_hand_taylor_double_pendulum(double* x, int order) {
  const double g = 9.81;
  const int n = order + 1;
  double *angle1 = x, *angle2 = x + n, *w1 = x + 2 * n, *w2 = x + 3 * n;
  Coefficients s1, c1, s2, c2, difference, s, c, w1w1, w2w2, P, Q, right1, right2, d, a1, a2;
  for (int k = 0; k < order; ++k) {
    difference[k] = angle1[k] - angle2[k];
    sine_cosine(s1, c1, angle1, k);
    sine_cosine(s2, c2, angle2, k);
    sine_cosine(s, c, difference, k);
    w1w1[k] = square(w1, k);
    w2w2[k] = square(w2, k);
    P[k] = -product(s, w2w2, k) - 2 * g * s1[k];
    Q[k] = product(s, w1w1, k) - g * s2[k];
    right1[k] = P[k] - product(c, Q, k);
    right2[k] = 2 * Q[k] - product(c, P, k);
    d[k] = square(s, k);
    if (k == 0) d[0] += 1;
    a1[k] = quotient(a1, right1, d, k);
    a2[k] = quotient(a2, right2, d, k);
    angle1[k + 1] = w1[k] / (k + 1);
    angle2[k + 1] = w2[k] / (k + 1);
    w1[k + 1] = a1[k] / (k + 1);
    w2[k + 1] = a2[k] / (k + 1);
  }
}

/* Positions x, y, z of each body, then velocities */
void by_hand_taylor_planets(double* x, int order) {
  enum { n = kNumPlanets };
  static double delta[n][n][3][kMaxOrder + 1], d2[n][n][kMaxOrder + 1], p[n][n][kMaxOrder + 1];
  const int stride = order + 1;
  double* v = x + 3 * n * stride;
  for (int k = 0; k < order; ++k) {
    double a[3 * n] = {0};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        double(*d)[kMaxOrder + 1] = delta[i][j];
        for (int m = 0; m < 3; ++m) {
          d[m][k] = x[(3 * i + m) * stride + k] - x[(3 * j + m) * stride + k];
        }
        d2[i][j][k] = square(d[0], k) + square(d[1], k) + square(d[2], k);
        p[i][j][k] = power(p[i][j], d2[i][j], -1.5, k);
        for (int m = 0; m < 3; ++m) {
          const double pull = product(p[i][j], d[m], k);
          a[3 * i + m] -= (1 + 0.1 * j) * pull;
          a[3 * j + m] += (1 + 0.1 * i) * pull;
        }
      }
    }
    for (int i = 0; i < 3 * n; ++i) {
      x[i * stride + k + 1] = v[i * stride + k] / (k + 1);
      v[i * stride + k + 1] = a[i] / (k + 1);
    }
  }
}
