#include <koppel/formulation/fixed_cost/eigenbasis.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// Turns rows and columns p and q of A so that A_pq vanishes, and the vectors with them:
//   t = tan φ = A_pq / (θ ± √(θ² + A_pq²)) with θ = (A_qq − A_pp)/2 and its sign.
void rotate(std::vector<Exprs>& A, std::vector<Exprs>& vectors, std::size_t p, std::size_t q) {
  constexpr double kNone = 1e-200;  // where there is nothing to turn
  const Expr off = A[p][q], theta = (A[q][q] - A[p][p]) / 2;
  const Expr root = sqrt(theta * theta + off * off) + kNone;
  const Expr t = select(theta < 0, -off, off) / (abs(theta) + root);
  const Expr c = 1 / sqrt(1 + t * t), s = t * c;
  A[p][p] -= t * off;
  A[q][q] += t * off;
  A[p][q] = A[q][p] = 0;
  for (std::size_t k = 0; k < A.size(); ++k) {
    if (k == p || k == q) continue;
    const Expr a = A[k][p], b = A[k][q];
    A[k][p] = A[p][k] = c * a - s * b;
    A[k][q] = A[q][k] = s * a + c * b;
  }
  for (std::size_t k = 0; k < A.size(); ++k) {
    const Expr a = vectors[p][k], b = vectors[q][k];
    vectors[p][k] = c * a - s * b;
    vectors[q][k] = s * a + c * b;
  }
}

}  // namespace

Eigenbasis make_eigenbasis(const std::vector<Exprs>& A) {
  const std::size_t n = A.size();
  std::vector<Exprs> turned(n, Exprs(n));
  Eigenbasis out{Exprs(n), std::vector<Exprs>(n, Exprs(n))};
  for (std::size_t i = 0; i < n; ++i) {
    out.vectors[i][i] = 1;
    for (std::size_t j = 0; j < n; ++j) turned[i][j] = i == j ? A[i][i] : (A[i][j] + A[j][i]) / 2;
  }
  const int sweeps = n < 3 ? 1 : n == 3 ? 4 : 5;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) rotate(turned, out.vectors, p, q);
    }
  }
  for (std::size_t i = 0; i < n; ++i) out.values[i] = max(turned[i][i], 0);
  return out;
}

Exprs to_basis(const Eigenbasis& basis, const Exprs& x) {
  Exprs out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) out[i] += basis.vectors[i][k] * x[k];
  }
  return out;
}

Exprs from_basis(const Eigenbasis& basis, const Exprs& components) {
  Exprs out(components.size());
  for (std::size_t i = 0; i < components.size(); ++i) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += basis.vectors[i][k] * components[i];
  }
  return out;
}

}  // namespace koppel
