// The servo problem projected along and across its servo constraints: (2) and (3) of
// reduced_servo.hpp.
//
// Where the mass matrix is singular (pulleys without mass), α of (2) is not determined along its
// null vectors Z, and the rows Zᵀ(f − Gᵀλ) = 0 stand there twice: those of M v̇ say the same, as
// long as no output moves along Z, S Z = 0. Then
//   (M + Z Zᵀ) α = f − Gᵀλ                                                                   (4)
// has the same S α, with Zᵀα = 0. Z is that of the start; where the null space turns with the
// motion, (4) holds as long as it is not orthogonal to Z. Where S Z is not 0, S M⁻¹ does not exist:
// an output of no mass cannot be projected.
#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/servo_terms.hpp>

namespace koppel {
namespace {

// Orthonormal null vectors of M at the start.
Eigen::MatrixXd massless_directions(const ServoTerms& terms) {
  const Equations& e = terms.e;
  const Eigen::MatrixXd M = dense::view(MatrixFunction(e, *e.M)(terms.state));
  // Masses and inertias differ by many orders without any of them being 0: scaled to a diagonal of
  // ones, what is left below 1e-12 is round-off.
  constexpr double kRoundOff = 1e-12;
  Eigen::VectorXd scale(M.rows());
  for (Eigen::Index j = 0; j < M.rows(); ++j) scale[j] = M(j, j) > 0 ? 1 / std::sqrt(M(j, j)) : 1;
  const Eigen::MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  Eigen::Index count = 0;
  while (count < M.rows() && eigen.eigenvalues()[count] < kRoundOff) ++count;
  Eigen::MatrixXd Z = scale.asDiagonal() * eigen.eigenvectors().leftCols(count);
  for (Eigen::Index k = 0; k < count; ++k) Z.col(k).normalize();
  return Z;
}

// Whether all outputs have mass.
void check_outputs(const ServoTerms& terms, const Eigen::MatrixXd& Z) {
  const Eigen::MatrixXd S = dense::view(MatrixFunction(terms.e, terms.S)(terms.state));
  const Eigen::MatrixXd SZ = S * Z;
  for (Eigen::Index i = 0; i < S.rows() && Z.cols() > 0; ++i) {
    if (SZ.row(i).norm() <= 1e-10 * S.row(i).norm()) continue;
    throw Error("control.massless-output",
                "the output '" + terms.e.s[static_cast<std::size_t>(i)].name +
                    "' can move without any mass: the equations of motion cannot be projected "
                    "along it.",
                "Use the method flat or minimal-extension.")
        .about(terms.e.s[static_cast<std::size_t>(i)].name);
  }
}

// Rows + Z Zᵀα
void add_massless(const Eigen::MatrixXd& Z, const Exprs& alpha, Exprs& rows) {
  for (Eigen::Index k = 0; k < Z.cols(); ++k) {
    Expr along = 0;
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      const double z = Z(static_cast<Eigen::Index>(j), k);
      if (std::abs(z) > 1e-14) along += z * alpha[j];
    }
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      const double z = Z(static_cast<Eigen::Index>(j), k);
      if (std::abs(z) > 1e-14) rows[j] += z * along;
    }
  }
}

// Rows + Sᵀκ
Exprs with_servo_forces(const ServoTerms& terms, Exprs rows, const Exprs& kappa) {
  const Exprs Sk = multiply_transposed(terms.S, kappa);
  for (std::size_t j = 0; j < rows.size(); ++j) rows[j] += Sk[j];
  return rows;
}

}  // namespace

// (2)
ReducedForm project(const ServoTerms& terms) {
  const Equations& e = terms.e;
  const Eigen::MatrixXd Z = massless_directions(terms);
  check_outputs(terms, Z);
  ResidualBuilder builder(terms);
  const Exprs alpha = servo_symbols(*e.graph, "alpha", e.num_v());
  const Exprs kappa = servo_symbols(*e.graph, "kappa", e.s.size());
  Exprs balance = terms.motion(alpha, terms.lambda);
  add_massless(Z, alpha, balance);
  builder.add_rates({});
  builder.add_motion(with_servo_forces(terms, terms.motion(terms.v_rate, terms.lambda), kappa));
  builder.add_constraints();
  builder.add("force balance", balance);
  builder.add_servo(terms.servo_acceleration(alpha), "acceleration of ");
  builder.add_servo(terms.error, "position of ");
  builder.add_multipliers();
  builder.add_unknowns(alpha, 2, builder.acceleration_places());
  builder.add_unknowns(kappa, 2, {});
  builder.add_inputs();
  return builder.finish();
}

// (3). Its accelerations are those that the equations of motion and the constraints determine.
ReducedForm project_by_null_space(const ServoTerms& terms) {
  const Equations& e = terms.e;
  if (solve_accelerations(Evaluator(e), terms.state).is_underdetermined) {
    throw Error("control.massless-motion",
                "'" + e.model +
                    "' has motions without mass, whose accelerations no force determines: "
                    "projection:null-space needs those of all motions.",
                "Use the method flat, projection or minimal-extension.");
  }
  const Dependent dependent = choose_dependent(terms);
  ResidualBuilder builder(terms);
  const Exprs alpha = servo_symbols(*e.graph, "alpha", e.num_v());
  const Exprs kappa = servo_symbols(*e.graph, "kappa", e.s.size());
  const Exprs free = servo_symbols(*e.graph, "free_multiplier", e.num_rows());
  for (const int i : dependent.q) builder.set_index(static_cast<std::size_t>(i), 1);
  builder.add_rates(dependent.q);
  builder.add_motion(with_servo_forces(terms, terms.motion(terms.v_rate, free), kappa));
  builder.add_constraints();
  builder.add_servo(terms.error, "position of ");
  builder.add_servo(terms.error_rate, "velocity of ");
  builder.add("force balance", terms.motion(alpha, terms.lambda));
  builder.add("acceleration of constraint", terms.constraint_acceleration(alpha));
  builder.add_servo(terms.servo_acceleration(alpha), "acceleration of ");
  builder.add_multipliers();
  builder.add_unknowns(alpha, 2, builder.acceleration_places());
  builder.add_unknowns(free, 3, builder.multiplier_places());
  builder.add_unknowns(kappa, 2, {});
  builder.add_inputs();
  return builder.finish();
}

}  // namespace koppel
