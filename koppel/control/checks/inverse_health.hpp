// The limits of a healthy inverse solution. Beyond one of them it is doubtful: it came to its end,
// but satisfies its equations or its references too badly.
//
//   residual      what steps leave of an equation of motion (row_residual.hpp): a tenth of the
//                 largest terms. Above, inputs are wrong in their first digit.
//   outputs       |s(q) − y_d|: a hundredth of the path of the references, of 1 where they stand
//   still verification  the same of the mechanism simulated with the inputs (verify.hpp): a
//   hundredth for
//                 methods that step in time, a millionth for the others
#pragma once

#include <optional>
#include <vector>

#include <koppel/control/checks/row_residual.hpp>
#include <koppel/control/checks/verify.hpp>
#include <koppel/results/health.hpp>

namespace koppel {

struct InverseFindings {
  RowResidual residual;
  double servo_error = 0, servo_time = 0;  // the largest |s(q) − y_d|, and when
  double path = 0;                         // the length of the references
  std::optional<Verification> verification;
};

// The bounds of |s(q) − y_d| in verification.
inline constexpr double kVerifiedSteps = 0.01, kVerified = 1e-6;

// The limits that are exceeded, each of them times `loosen`.
std::vector<Health::Reason> exceeded_limits(const InverseFindings& found, double loosen);

}  // namespace koppel
