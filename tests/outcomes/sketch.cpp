#include "tests/outcomes/sketch.hpp"

#include <fmt/format.h>

namespace koppel::testing {

std::string number(double value) { return fmt::format("{:.17g}", value); }

Mat rotation_of(const Vec& turn) {
  const double angle = norm(turn);
  return angle == 0 ? Mat::identity() : rotation((1 / angle) * turn, angle);
}

int Sketch::add(SketchBody body) {
  if (body.name.empty()) body.name = fmt::format("b{}", bodies_.size() + 1);
  bodies_.push_back(std::move(body));
  return num_bodies();
}

std::string Sketch::name_of(int body) const {
  return body == 0 ? "ground" : bodies_[static_cast<std::size_t>(body) - 1].name;
}

std::string Sketch::vector(const Vec& v) const {
  return is_planar_ ? fmt::format("[{}, {}]", number(v.x), number(v.y))
                    : fmt::format("[{}, {}, {}]", number(v.x), number(v.y), number(v.z));
}

Vec Sketch::to_local(int body, const Vec& direction) const {
  if (body == 0) return direction;
  const Mat R = rotation_of(bodies_[static_cast<std::size_t>(body) - 1].turn);
  return transpose(R) * direction;
}

std::string Sketch::at(int body, const Vec& world) const {
  const Vec origin = body == 0 ? Vec{} : bodies_[static_cast<std::size_t>(body) - 1].position;
  return fmt::format("{{{}: {}}}", name_of(body), vector(to_local(body, world - origin)));
}

std::string Sketch::join(const std::string& type, int a, int b, const Vec& point, const Vec& axis,
                         const std::string& more) {
  const std::string name = fmt::format("j{}", ++num_joints_);
  std::string keys;
  if (type == "universal") {
    // The second axis is any that is perpendicular to the first.
    const Vec other = std::abs(axis.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
    keys = fmt::format(", axes: [{}, {}]", vector(to_local(a, axis)),
                       vector(to_local(b, cross(axis, other))));
  } else if (norm(axis) > 0) {
    keys = fmt::format(", axis: {}", vector(to_local(a, axis)));
  }
  if (!more.empty()) keys += ", " + more;
  joints_ += fmt::format("  {}: {{type: {}, between: [{}, {}]{}}}\n", name, type, at(a, point),
                         at(b, point), keys);
  return name;
}

std::string Sketch::rod(int a, int b, const Vec& from, const Vec& to) {
  const std::string name = fmt::format("j{}", ++num_joints_);
  joints_ += fmt::format("  {}: {{type: distance, between: [{}, {}], length: {}}}\n", name,
                         at(a, from), at(b, to), number(norm(to - from)));
  return name;
}

std::string Sketch::text_of(const SketchBody& b) const {
  std::string out = fmt::format("  {}: {{", b.name);
  if (b.inertia.empty()) {
    out += fmt::format("point_mass: {}", number(b.mass));
  } else {
    out += fmt::format("mass: {}, com: {}, inertia: ", number(b.mass), vector(b.com));
    if (is_planar_) {
      out += number(b.inertia.back());
    } else {
      std::string list;
      for (const double x : b.inertia) list += (list.empty() ? "" : ", ") + number(x);
      out += "[" + list + "]";
    }
  }
  if (norm(b.end) > 0) {
    out += fmt::format(", points: {{E: {}}}", vector({norm(b.end), 0, 0}));
  }
  out += ", position: " + vector(b.position + b.written_off);
  const double angle = norm(b.turn);
  if (b.inertia.empty()) {
  } else if (is_planar_) {
    out += ", angle: " + number(b.turn.z + b.written_turn);
  } else if (angle > 0) {
    out += fmt::format(", rotation: {{axis: {}, angle: {}}}", vector((1 / angle) * b.turn),
                       number(angle));
  }
  return out + "}\n";
}

std::string Sketch::text() const {
  std::string out = fmt::format("name: {}\ndimension: {}\n", name_, is_planar_ ? 2 : 3);
  if (norm(gravity_) > 0) out += "gravity: " + vector(gravity_) + "\n";
  out += "bodies:\n";
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    out += text_of(is_reversed_ ? bodies_[bodies_.size() - 1 - i] : bodies_[i]);
  }
  const auto section = [&](const char* key, const std::string& lines) {
    if (!lines.empty()) out += std::string(key) + ":\n" + lines;
  };
  section("joints", joints_);
  section("forces", forces_);
  section("initial", initial_);
  section("outputs", outputs_);
  return out;
}

// A box of edges between l/4 and l, turned at random: I = R diag(I₁, I₂, I₃) Rᵀ.
std::vector<double> general_inertia(Dice& dice, double mass, double l) {
  const double a = dice.uniform(0.25, 1) * l, b = dice.uniform(0.25, 1) * l,
               c = dice.uniform(0.25, 1) * l;
  const double moment[] = {mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12,
                           mass * (a * a + b * b) / 12};
  const Mat R = rotation_of(dice.vector(1));
  const auto element = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += R(i, k) * moment[k] * R(j, k);
    return sum;
  };
  return {element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)};
}

SketchBody planar_rod(const std::string& name, const Vec& from, const Vec& to, double mass) {
  const Vec d = to - from;
  const double l = norm(d);
  SketchBody out;
  out.name = name;
  out.mass = mass;
  out.com = {l / 2, 0, 0};
  out.inertia = {mass * l * l / 12};
  out.position = from;
  out.end = d;
  out.turn = {0, 0, std::atan2(d.y, d.x)};
  return out;
}

}  // namespace koppel::testing
