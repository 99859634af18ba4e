#include <koppel/model/time_law.hpp>

#include <koppel/base/binomial.hpp>
#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {
namespace {

Expr power(Expr x, int n) {
  Expr p = 1;
  for (int i = 0; i < n; ++i) p = p * x;
  return p;
}

// (1)
Expr step(Expr tau, int n) {
  Expr sum = 0;
  for (int k = n; k >= 0; --k) sum = sum * (1 - tau) + binomial(n + k, k);
  return power(tau, n + 1) * sum;
}

// (2)
Expr integral(Expr tau, int n) {
  Expr sum = 0;
  for (int k = n; k >= 0; --k) {
    sum = sum * (1 - tau) + binomial(n + 1 + k, k) * (n + 1 - k) / (2 * (n + 1 + k));
  }
  return power(tau, n + 2) * sum;
}

}  // namespace

Expr rest_to_rest(Expr t, Expr T, int n) {
  // Each half is written from its own end, where its derivatives are small: no cancellation.
  const Expr tau = t / T;
  const Expr half = select(t < 0.5 * T, step(tau, n), 1 - step(1 - tau, n));
  return select(t < 0, 0, select(t < T, half, 1));
}

Expr three_phase(Expr t, Expr T, Expr T0, int n) {
  const Expr size = T0 / (T - T0);
  const Expr first = size * integral(t / T0, n - 1);
  const Expr middle = (t - 0.5 * T0) / (T - T0);
  const Expr last = 1 - size * integral((T - t) / T0, n - 1);
  return select(t < 0, 0,
                select(t < T0, first, select(t < T - T0, middle, select(t < T, last, 1))));
}

}  // namespace koppel
