// A bushing: a linear spring and damper in all directions between two frames, which are parallel
// and meet as placed.
//
//   w = −K x − D ẋ,    x = (d, θ)                                                           (1)
// d is the displacement of b's point in a's axes. θ is the rotation vector for small angles: with
// R the axes of b in those of a, the vector of the skew part of R,
//   θ = ½ (R₃₂ − R₂₃, R₁₃ − R₃₁, R₂₁ − R₁₂) = sin φ n                                        (2)
// which has the same components in both frames; θ̇ is the relative angular velocity in b's axes. In
// the plane θ is the angle. R is given by quantities: its columns are differences of points of b.
// Where stiffness and damping have rows for displacements only, the frames may turn as they like.
#include <array>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

// Whether a matrix or a diagonal has rows for displacements only, or there is none.
bool is_for_displacements(const Node* node, std::size_t dim) {
  return node == nullptr || (node->is_sequence() && node->items.size() == dim);
}

}  // namespace

std::vector<std::vector<Expr>> Reader::matrix(const Node& node, std::size_t size,
                                              const std::string& what) {
  std::vector<std::vector<Expr>> m(size, std::vector<Expr>(size, Expr(0)));
  const bool is_full = node.is_sequence() && !node.items.empty() && node.items[0].is_sequence();
  if (!is_full) {
    const std::vector<Expr> diagonal = expressions(node, size, what, Allow::Time);
    for (std::size_t i = 0; i < size; ++i) m[i][i] = diagonal[i];
  } else if (node.items.size() != size) {
    report(node.offset, "model.wrong-dimension",
           what + " must have " + std::to_string(size) + " rows; found " +
               std::to_string(node.items.size()) + ".");
  } else {
    for (std::size_t i = 0; i < size; ++i)
      m[i] = expressions(node.items[i], size, what, Allow::Time);
  }
  return m;
}

void Reader::read_bushing(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "between", "stiffness", "damping", "stiff"});
  const auto ends = between(element, what);
  const bool flat = model_.is_planar;
  const Node* stiffness = node.find("stiffness");
  const Node* damping = node.find("damping");
  const std::size_t dim = flat ? 2 : 3;
  const bool turns = !is_for_displacements(stiffness, dim) || !is_for_displacements(damping, dim);
  const std::size_t size = !turns ? dim : flat ? 3 : 6;
  std::vector<std::vector<Expr>> K(size, std::vector<Expr>(size, Expr(0))), D = K;
  if (stiffness == nullptr && damping == nullptr) {
    report(element.offset, "model.missing-key", what + " needs stiffness or damping.");
  }
  if (stiffness != nullptr) K = matrix(*stiffness, size, "stiffness of " + what);
  if (damping != nullptr) D = matrix(*damping, size, "damping of " + what);
  if (!ends) return;
  const Point &a = ends->first, &b = ends->second;
  if (a.body == b.body) {
    report(element.offset, "model.self-joint",
           what + " acts between two points of body '" +
               model_.bodies[static_cast<std::size_t>(a.body)].name + "'.");
    return;
  }
  const Mat3e& Ra = names_.poses[static_cast<std::size_t>(a.body)].R.e;
  const Mat3e& Rb = names_.poses[static_cast<std::size_t>(b.body)].R.e;
  const Marker frame_a{a.body, a.at.e, a.frame.R.e};
  const Mat3e axes_b = transpose(Rb) * (Ra * frame_a.axes);  // parallel as placed
  const auto coordinate = [&](const std::string& name, const Vec3e& at, std::size_t i) {
    return model_.coordinate_of(
        element.full_name + '.' + name + "xyz" [i], { b.body, at }, static_cast<int>(i), frame_a);
  };
  std::vector<int> quantity(dim);
  std::vector<Expr> x(size, Expr(0)), rate(size, Expr(0));
  for (std::size_t i = 0; i < dim; ++i) {
    quantity[i] = coordinate("", b.at.e, i);
    x[i] = model_.quantities[static_cast<std::size_t>(quantity[i])].value;
    rate[i] = model_.quantities[static_cast<std::size_t>(quantity[i])].rate;
  }
  const auto add_forces = [&] {
    for (std::size_t i = 0; i < dim; ++i) {
      Expr w = 0;
      for (std::size_t j = 0; j < size; ++j) w -= K[i][j] * x[j] + D[i][j] * rate[j];  // Eq. (1)
      force.actions.push_back({quantity[i], w});
    }
  };
  if (!turns) return add_forces();
  Mat3e R;
  for (std::size_t j = 0; j < dim; ++j) {
    const Vec3e tip = b.at.e + axes_b.column[j];
    for (std::size_t i = 0; i < dim; ++i) {
      const int q = coordinate(std::string("e") + "xyz"[j] + '.', tip, i);
      R(i, j) = model_.quantities[static_cast<std::size_t>(q)].value - x[i];
    }
  }
  Vec3e omega;  // in b's body axes
  std::array<int, 3> turn{};
  for (std::size_t i = flat ? 2 : 0; i < 3; ++i) {
    turn[i] = model_.angular_velocity(element.full_name + ".w" + "xyz"[i], b.body,
                                      static_cast<int>(i), true, a.body);
    omega[i] = model_.quantities[static_cast<std::size_t>(turn[i])].rate;
  }
  const Vec3e spin = transpose(axes_b) * omega;
  if (flat) {
    x[2] = atan2(R(1, 0), R(0, 0));
    rate[2] = spin.z;
  } else {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      x[3 + i] = 0.5 * (R(k, j) - R(j, k));  // Eq. (2)
      rate[3 + i] = spin[i];
    }
  }
  add_forces();
  Vec3e w;
  for (std::size_t i = dim; i < size; ++i) {
    Expr& of = flat ? w.z : w[i - dim];
    for (std::size_t j = 0; j < size; ++j) of -= K[i][j] * x[j] + D[i][j] * rate[j];  // Eq. (1)
  }
  const Vec3e torque = axes_b * w;
  for (std::size_t i = flat ? 2 : 0; i < 3; ++i) force.actions.push_back({turn[i], torque[i]});
}

}  // namespace koppel::yaml
