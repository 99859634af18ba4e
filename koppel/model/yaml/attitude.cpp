// Servo constraints for the attitude of a body that turns about one axis from an orientation R₀ to
// another, R₁ = R₀ exp(φ [e]), with φ in [0, π]; a time law c goes from 0 to 1:
//   R(q) = R₀ exp(c(t) φ [e]).                                                              (1)
// Three outputs say so. With the orientation half-way, H = R₀ exp(φ/2 [e]), and P = Hᵀ R,
//   s(q) = ½ (P₃₂ − P₂₃, P₁₃ − P₃₁, P₂₁ − P₁₂) = sin((c − ½) φ) e.                            (2)
// Their rates are independent as long as the body is less than a right angle away from H, which
// is always so for φ < π.
#include <cmath>
#include <numbers>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

struct Turn {
  Vec3<double> axis{1, 0, 0};
  double angle = 0;
};

// The axis and the angle of a rotation matrix. The angle by atan2 is exact near 0 and near π; where
// the skew part vanishes, near π, the axis is the largest column of R + I.
Turn turn_of(const Mat3<double>& R) {
  const Vec3<double> skew{0.5 * (R(2, 1) - R(1, 2)), 0.5 * (R(0, 2) - R(2, 0)),
                          0.5 * (R(1, 0) - R(0, 1))};
  const double sine = norm(skew), cosine = 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1);
  Turn turn{skew, std::atan2(sine, cosine)};
  constexpr double kSmall = 1e-7;
  if (sine > kSmall) {
    turn.axis = normalized(skew);
  } else if (cosine < 0) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (R(i, i) > R(largest, largest)) largest = i;
    }
    Vec3<double> column = R.column[largest];
    column[largest] += 1;
    turn.axis = normalized(column);
  } else {
    turn.axis = {1, 0, 0};
  }
  return turn;
}

}  // namespace

void Reader::read_attitude(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what, {"attitude", "from", "to", "law"})) return;
  const Node &of = *node.find("attitude"), *from = node.find("from"), *to = node.find("to"),
             *law = node.find("law");
  if (model_.is_planar) {
    report(of.offset, "model.wrong-dimension", what + " is an attitude; the model is planar.",
           "Prescribe an angle: {output: body.angle, reference: …}.");
    return;
  }
  if (to == nullptr || law == nullptr) {
    report(element.offset, "model.missing-key", what + " needs attitude, to and law.");
    return;
  }
  const std::optional<Point> body = point(of, what);
  if (!body) return;
  const auto orientation = [&](const Node& given, const char* key) {
    const std::string name = std::string(key) + " of " + what;
    if (!check_keys(given, name, {"rotation", "quaternion", "cardan"})) return Rotation{};
    return placement(given, name).R;
  };
  const Rotation start = from == nullptr ? names_.poses[static_cast<std::size_t>(body->body)].R
                                         : orientation(*from, "from");
  const Turn turn = turn_of(transpose(start.value) * orientation(*to, "to").value);
  constexpr double kNearlyHalf = 1e-6;
  if (turn.angle > std::numbers::pi - kNearlyHalf) {
    report(to->offset, "model.bad-value",
           what + " turns the body by 180 degrees; which way is not determined.",
           "Go there in two parts.");
    return;
  }
  const Mat3<double> half = start.value * rotation(turn.axis, 0.5 * turn.angle);
  // The world components of the body's axes, from points at distance 1.
  ModelWriter writer = writer_for(element, what);
  const ObservedVector origin = writer.world_coordinates("origin", {body->body, {}});
  Mat3e R;
  for (std::size_t j = 0; j < 3; ++j) {
    Vec3e unit;
    unit[j] = 1;
    const ObservedVector tip =
        writer.world_coordinates(std::string("axis_") + "xyz" [j], { body->body, unit });
    R.column[j] = tip.value - origin.value;
  }
  Mat3e back;  // Hᵀ
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) back(i, j) = half(j, i);
  }
  const Mat3e P = back * R;
  const Vec3e s{0.5 * (P(2, 1) - P(1, 2)), 0.5 * (P(0, 2) - P(2, 0)), 0.5 * (P(1, 0) - P(0, 1))};
  const Expr c = expression(*law, "law of " + what, Allow::Time);
  for (std::size_t i = 0; i < 3; ++i) {
    model_.servos.push_back({element.full_name + '.' + "xyz"[i], s[i],
                             turn.axis[i] * sin((c - 0.5) * turn.angle),
                             source_.at(element.offset)});
  }
}

}  // namespace koppel::yaml
