#include <koppel/equations/affine.hpp>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {

std::vector<Vec3e> rates_of(const Kinematics& kinematics, const std::vector<Vec3e>& vectors) {
  std::vector<Expr> components;
  for (const Vec3e& a : vectors) components.insert(components.end(), {a.x, a.y, a.z});
  const std::vector<Expr> rates = time_derivative(components, kinematics.q, kinematics.rate);
  std::vector<Vec3e> result;
  for (std::size_t i = 0; i < rates.size(); i += 3) {
    result.push_back({rates[i], rates[i + 1], rates[i + 2]});
  }
  return result;
}

Inertia affine_inertia(const Body& body, const std::vector<Vec3e>& rates, bool planar) {
  const Expr m = body.mass;
  Mat3e E;
  if (planar) {
    E(0, 0) = body.inertia(2, 2);
  } else {
    const Mat3e& J = body.inertia;
    const Expr half_trace = 0.5 * (J(0, 0) + J(1, 1) + J(2, 2));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) E(i, j) = (i == j ? half_trace : Expr(0)) - J(i, j);
    }
  }
  Inertia inertia;
  for (const Vec3e& rate : rates) inertia.w.insert(inertia.w.end(), {rate.x, rate.y, rate.z});
  inertia.times = [m, E](const std::vector<Expr>& w) {
    std::vector<Expr> p(w.size());
    for (std::size_t k = 0; k < 3; ++k) p[k] = m * w[k];
    for (std::size_t i = 0; 3 + 3 * i < w.size(); ++i) {
      for (std::size_t j = 0; 3 + 3 * j < w.size(); ++j) {
        for (std::size_t k = 0; k < 3; ++k) p[3 + 3 * i + k] += E(i, j) * w[3 + 3 * j + k];
      }
    }
    return p;
  };
  return inertia;
}

}  // namespace koppel
