#include <koppel/control/checks/inverse_health.hpp>

#include <fmt/format.h>

namespace koppel {
namespace {

constexpr double kResidual = 0.1, kOffPath = 0.01;

}  // namespace

std::vector<Health::Reason> exceeded_limits(const InverseFindings& found, double loosen) {
  std::vector<Health::Reason> out;
  const RowResidual& r = found.residual;
  if (const double limit = loosen * kResidual; r.relative > limit) {
    out.push_back(
        {Health::What::Residual, r.t, r.relative, limit,
         fmt::format("the steps are too coarse: at t = {:.6g} s the equation of motion of "
                     "'{}' is off by {:.2g} % of the largest terms (limit {:.2g} %); "
                     "take a shorter `step`.",
                     r.t, r.name, 100 * r.relative, 100 * limit)});
  }
  const double limit = loosen * kOffPath;
  const double off = found.servo_error / (found.path > 0 ? found.path : 1);
  if (off > limit) {
    out.push_back({Health::What::Outputs, found.servo_time, off, limit,
                   fmt::format("The outputs are off their references by {:.2g} at t = {:.6g} s; "
                               "their path is {:.2g} long (limit {:.2g} %).",
                               found.servo_error, found.servo_time, found.path, 100 * limit)});
  }
  if (found.verification && !found.verification->is_verified) {
    const Verification& v = *found.verification;
    out.push_back({Health::What::Verification, v.is_done ? v.at : v.reached, v.relative_error,
                   v.bound, v.reason()});
  }
  return out;
}

}  // namespace koppel
