#include <koppel/equations/round_off_rows.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {
namespace {

constexpr double kInData = 1e-8;

// Numbers between −1 and 1, none near 0, that repeat nothing in the model.
double varied(std::size_t i) {
  const double golden = 0.618033988749895 * static_cast<double>(i + 1);
  return (i % 2 == 0 ? 1 : -1) * (0.3 + 0.7 * (golden - std::floor(golden)));
}

// Sizes of bodies, as far as their joints are concerned: how far these are apart. Bodies with one
// place for joints have the way from there to the centre of mass, or their radius of gyration.
std::vector<double> sizes_of(const Model& model) {
  const ParameterValues values(model);
  std::vector<std::vector<Vec3<double>>> places(model.bodies.size());
  for (const Joint& joint : model.joints) {
    for (const Marker* marker : {&joint.a, &joint.b}) {
      places[static_cast<std::size_t>(marker->body)].push_back(values(marker->point));
    }
  }
  constexpr double kOnePlace = 1e-9;  // of the way to the centre of mass
  std::vector<double> sizes(model.bodies.size());
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const Body& body = model.bodies[i];
    const Vec3<double> com = values(body.com);
    double apart = 0, away = 0;
    for (const Vec3<double>& place : places[i]) {
      apart = std::max(apart, norm(place - places[i][0]));
      away = std::max(away, norm(place - com));
    }
    sizes[i] = apart > kOnePlace * away ? apart : away;
    const double mass = values(body.mass), inertia = values(body.inertia.column[2].z);
    if (sizes[i] == 0 && mass > 0) sizes[i] = std::sqrt(std::abs(inertia) / mass);
  }
  return sizes;
}

// Values at the k-th place.
ParameterValues values_at(const Model& model, const Kinematics& kinematics, double size, int k,
                          bool with_other_parameters) {
  ParameterValues values(model);
  std::size_t n = 101 * static_cast<std::size_t>(k);
  if (with_other_parameters) {
    for (const Parameter& parameter : model.parameters) {
      const double change = 1e-3 * varied(n++);
      values.set(parameter.symbol, parameter.value * (1 + change) + 1e-3 * change);
    }
  }
  values.set(model.time, 0.37 * k);
  for (std::size_t j = 0; j < kinematics.q.size(); ++j) {
    const bool is_length = kinematics.about_q[j].unit == "m";
    values.set(kinematics.q[j], kinematics.q_guess[j] + varied(n++) * (is_length ? size : 1));
  }
  return values;
}

}  // namespace

std::vector<char> rows_of_round_off(const Model& model, const Kinematics& kinematics,
                                    const std::vector<ConstraintRow>& rows) {
  std::vector<char> is_round_off(rows.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row.holds != Holds::Other) left.push_back(i);
  }
  if (left.empty()) return is_round_off;
  const std::vector<double> sizes = sizes_of(model);
  const double largest = *std::max_element(sizes.begin(), sizes.end());
  const double size = largest > 0 ? largest : 1;
  constexpr int kPlaces = 4;
  for (int k = 1; k <= kPlaces && !left.empty(); ++k) {
    const ParameterValues values = values_at(model, kinematics, size, k, k == kPlaces);
    std::erase_if(left, [&](std::size_t i) {
      const Holds holds = rows[i].row.holds;
      const bool is_length = holds == Holds::Point || holds == Holds::Shift;
      const Joint& joint = model.joints[static_cast<std::size_t>(rows[i].row.owner.index)];
      const double own = std::max(sizes[static_cast<std::size_t>(joint.a.body)],
                                  sizes[static_cast<std::size_t>(joint.b.body)]);
      return !(std::abs(values(rows[i].residual)) <= kInData * (is_length ? own : 1));
    });
  }
  for (const std::size_t i : left) is_round_off[i] = true;
  return is_round_off;
}

}  // namespace koppel
