#include <koppel/model/attitude.hpp>

#include <cmath>
#include <numbers>

namespace koppel {
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

void add_attitude_servo(ModelWriter& writer, int body, const Mat3<double>& from,
                        const Mat3<double>& to, Expr law) {
  const Turn turn = turn_of(transpose(from) * to);
  constexpr double kNearlyHalf = 1e-6;
  if (turn.angle > std::numbers::pi - kNearlyHalf) {
    return writer.reject_at("to", "model.bad-value",
                            " turns the body by 180 degrees; which way is not determined.",
                            "Go there in two parts.");
  }
  const Mat3<double> half = from * rotation(turn.axis, 0.5 * turn.angle);
  // The world components of the body's axes, from points at distance 1.
  const ObservedVector origin = writer.world_coordinates("origin", {body, {}});
  Mat3e R;
  for (std::size_t j = 0; j < 3; ++j) {
    Vec3e unit;
    unit[j] = 1;
    const ObservedVector tip =
        writer.world_coordinates(std::string("axis_") + "xyz" [j], { body, unit });
    R.column[j] = tip.value - origin.value;
  }
  Mat3e back;  // Hᵀ
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) back(i, j) = half(j, i);
  }
  const Mat3e P = back * R;
  const Vec3e s{0.5 * (P(2, 1) - P(1, 2)), 0.5 * (P(0, 2) - P(2, 0)), 0.5 * (P(1, 0) - P(0, 1))};
  for (std::size_t i = 0; i < 3; ++i) {
    writer.model.servos.push_back({writer.name + '.' + "xyz"[i], s[i],
                                   turn.axis[i] * sin((law - 0.5) * turn.angle), writer.where()});
  }
}

}  // namespace koppel
