#include <koppel/analysis/algebra/mass_scale.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace koppel {

Eigen::VectorXd largest_of_kind(std::span<const Equations::Unknown> about,
                                const Eigen::VectorXd& diagonal) {
  constexpr double kOwn = 1e-4;  // moments over masses of a mechanism of a centimetre
  std::map<std::string, double> largest;
  double all = 0;
  for (Eigen::Index j = 0; j < diagonal.size(); ++j) {
    double& most = largest[about[static_cast<std::size_t>(j)].unit];
    most = std::max(most, std::abs(diagonal[j]));
    all = std::max(all, most);
  }
  if (!(all > 0)) all = 1;
  Eigen::VectorXd out(diagonal.size());
  for (Eigen::Index j = 0; j < diagonal.size(); ++j) {
    const double most = largest[about[static_cast<std::size_t>(j)].unit];
    out[j] = most > 0 && most < kOwn * all ? most : all;
  }
  return out;
}

Eigen::VectorXd units_of_velocities(const Equations& e, const State& state) {
  constexpr double kUsual = 100;
  double length = 0;
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    if (e.about.q[j].unit == "m") length = std::max(length, std::abs(state.q[j]));
  }
  const bool is_usual = !(length > 0) || (length > 1 / kUsual && length < kUsual);
  Eigen::VectorXd out(static_cast<Eigen::Index>(e.num_v()));
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    out[static_cast<Eigen::Index>(j)] = !is_usual && e.about.v[j].unit == "m/s" ? length : 1;
  }
  return out;
}

}  // namespace koppel
