#include "benchmarks/validation/snapshots.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using Point = std::array<double, 3>;
using Chain = std::vector<Point>;
using Column = std::function<double(const std::string&)>;

Point times(double s, const Point& a) { return {s * a[0], s * a[1], s * a[2]}; }
Point plus(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

// The picture of a point: x to the right, z up, y into the page at an angle of 30 degrees.
std::array<double, 2> seen(const Point& p) {
  const double depth = 0.5 * p[1];
  return {p[0] + depth * std::cos(std::numbers::pi / 6),
          p[2] + depth * std::sin(std::numbers::pi / 6)};
}

// The planar crane: the pole from A through P (with a heavy pulley on to S), the pulley B and the
// load C on their cables.
std::vector<Chain> planar(const Column& at, bool is_heavy) {
  const double angle = std::numbers::pi / 3, a = 10, b = is_heavy ? 5 : 0;
  const auto pole = [&](double s) { return Point{-s * std::sin(angle), 0, -s * std::cos(angle)}; };
  const Point B = {at("x0"), 0, at("z0")}, C = {at("x"), 0, at("z")};
  std::vector<Chain> out = {{pole(a + b), pole(0)}, {pole(a + b), B}, {pole(b), B, C}};
  if (is_heavy) out.push_back({pole(0), B});
  return out;
}

// In space: the pole from the origin through A = P/2 and P, with a heavy pulley on to S = 1.5 P.
std::vector<Chain> spatial(const Column& at, bool is_heavy) {
  const Point P = {at("x3"), at("y3"), 5}, B = {at("x0"), at("y0"), at("z0")},
              C = {at("x"), at("y"), at("z")};
  std::vector<Chain> out = {
      {{0, 0, 0}, times(is_heavy ? 1.5 : 1, P)}, {times(0.5, P), B}, {P, B, C}};
  if (is_heavy) out.push_back({times(1.5, P), B});
  return out;
}

// The triangle of the trolleys, that of the platform, and the cables between them; z points down.
std::vector<Chain> manipulator(const Column& at) {
  const double l1 = 1.2, l2 = 0.6, root = std::sqrt(3.0), gantry = at("pg0");
  const auto vector = [&](const std::string& name) {
    return Point{at(name + ".x"), at(name + ".y"), -at(name + ".z")};
  };
  const Point centre = vector("platform.com"), u1 = vector("platform.u1"),
              u2 = vector("platform.u2");
  const auto corner = [&](double x, double y) {
    return plus(centre, plus(times(x, u1), times(y, u2)));
  };
  const Point P[] = {corner(root * l1 / 3, 0), corner(-root * l1 / 6, l1 / 2),
                     corner(-root * l1 / 6, -l1 / 2)};
  const Point T[] = {
      {at("pg1"), gantry, 0}, {at("pg2"), gantry + l2, 0}, {at("pg3"), gantry - l2, 0}};
  return {
      {T[0], T[1], T[2], T[0]}, {P[0], P[1], P[2], P[0]}, {T[0], P[0]}, {T[1], P[1]}, {T[2], P[2]}};
}

std::vector<Chain> chains_of(const std::string& model, const Column& at) {
  if (model == "navy_crane_2d_massless") return planar(at, false);
  if (model == "navy_crane_2d") return planar(at, true);
  if (model == "navy_crane_3d_massless") return spatial(at, false);
  if (model == "navy_crane_3d") return spatial(at, true);
  if (model == "cable_manipulator") return manipulator(at);
  return {};
}

}  // namespace

Figure make_snapshots(const std::string& model, const std::string& title,
                      const Trajectory& motion) {
  Figure figure{title, "m", "m", {}};
  figure.is_true_to_scale = true;
  constexpr std::size_t kNum = 5;
  for (std::size_t k = 0; k < kNum; ++k) {
    const std::size_t row = k * (motion.num_rows() - 1) / (kNum - 1);
    const auto at = [&](const std::string& name) { return motion[name][row]; };
    std::string name = fmt::format("t = {:.3g} s", motion.time()[row]);
    for (const Chain& chain : chains_of(model, at)) {
      Line line{name, {}, {}};
      line.colour = static_cast<int>(k);
      for (const Point& point : chain) {
        const auto [x, y] = seen(point);
        line.x.push_back(x);
        line.y.push_back(y);
      }
      figure.lines.push_back(std::move(line));
      name.clear();
    }
  }
  return figure;
}

}  // namespace koppel::problems
