// Derivatives by the complex step (Squire & Trapp, SIAM Review 40, 1998): for analytic f, tiny h,
//   ∂f/∂x = Im f(x + i h) / h,
// exact to rounding, because nothing is subtracted. Independent of the library's own calculus: the
// operations are those of std::complex.
#pragma once

#include <complex>
#include <stdexcept>

#include <tests/expr/plain_evaluation.hpp>

namespace koppel::testing {

using Complex = std::complex<double>;

// The piece of the table that the real part chooses, at a complex argument.
inline Complex table_at(const TableData& table, int derivative, Complex x) {
  const auto n = static_cast<std::size_t>(table.num_points());
  std::size_t piece = 0;
  while (piece < n && table.data()[piece] <= x.real()) ++piece;
  const double* c = table.data().data() + n + 4 * piece;
  const Complex u = x - table.data()[piece > 0 ? piece - 1 : 0];
  switch (derivative) {
    case 0: return c[0] + u * (c[1] + u * (c[2] + u * c[3]));
    case 1: return c[1] + u * (2 * c[2] + u * (3 * c[3]));
    case 2: return 2 * c[2] + u * (6 * c[3]);
    default: return 6 * c[3];
  }
}

// atan2 near the real axis: the formula through log would drown the step in a real part of order 1.
inline Complex atan2_near_real(Complex y, Complex x) {
  const double turn = std::atan2(y.real(), x.real());
  if (std::abs(x.real()) >= std::abs(y.real())) {
    const Complex angle = std::atan(y / x);
    return {turn, angle.imag()};
  }
  return {turn, -std::atan(x / y).imag()};
}

inline Complex operate_complex(Expr e, Complex a, Complex b, Complex) {
  switch (e.op()) {
    case Op::Atan2: return atan2_near_real(a, b);
    case Op::Pow: {
      const double n = b.real();
      if (b.imag() != 0 || n != std::floor(n) || std::abs(n) > 64) return std::pow(a, b);
      Complex product = 1;
      for (int i = 0; i < static_cast<int>(std::abs(n)); ++i) product *= a;
      return n < 0 ? 1.0 / product : product;
    }
    case Op::Table: {
      const Node& node = e.graph()->node(e.id());
      return table_at(e.graph()->table_data(node.operand[1]), static_cast<int>(node.operand[2]), a);
    }
    default: return operate_analytically(e.op(), a, b);
  }
}

// Σ_i rate_i ∂f/∂x_i at the point.
inline double complex_step(Expr f, std::span<const Expr> x, std::span<const double> point,
                           std::span<const double> rate) {
  if (f.graph() == nullptr) return 0;
  constexpr double h = 1e-100;
  std::vector<Complex> values;
  for (std::size_t i = 0; i < point.size(); ++i) values.emplace_back(point[i], h * rate[i]);
  Postorder order(*f.graph());
  order.visit(f);
  return evaluate_nodes<Complex>(order, x, values, operate_complex).back().imag() / h;
}

}  // namespace koppel::testing
