#include <koppel/simulate/jumps.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/time_parts.hpp>
#include <koppel/model/elements/joint_law.hpp>

namespace koppel {
namespace {

// A change between two neighbouring times is a jump beyond this part of the values' size.
constexpr double kJump = 1e-9;

// Something prescribed: expressions that hold positions, or rates.
struct Prescribed {
  std::string name;
  std::vector<Expr> expressions;
  bool is_rate, may_jump;
  Location where;
};

void add(std::vector<Expr>& to, const Vec3e& v) { to.insert(to.end(), {v.x, v.y, v.z}); }

std::vector<Prescribed> all_of(const Model& model) {
  std::vector<Prescribed> out;
  for (const Constraint& c : model.constraints) {
    out.push_back({c.name, {c.residual}, false, c.may_jump, c.where});
  }
  for (const Constraint& c : model.nonholonomic) {
    out.push_back({c.name, {c.residual}, true, true, c.where});
  }
  for (const Joint& j : model.joints) {
    Prescribed places{j.name, {}, false, j.may_jump, j.where};
    for (const JointLaw::Term& term : j.law->terms()) places.expressions.push_back(term.value);
    for (const Marker* marker : {&j.a, &j.b}) {
      add(places.expressions, marker->point);
      for (const Vec3e& axis : marker->axes.column) add(places.expressions, axis);
    }
    out.push_back(std::move(places));
  }
  for (const PointOrVector& e : model.elements) {
    Prescribed place{e.name, {}, false, false, e.where};
    add(place.expressions, e.value);
    out.push_back(std::move(place));
  }
  return out;
}

// Values of expressions of time, and how they change at a time.
class Course {
 public:
  Course(const std::vector<Expr>& expressions, Expr t, std::span<const Expr> parameters,
         std::span<const double> p, Interval range, std::span<const double> breaks)
      : function_(inputs(t, parameters), expressions),
        in_(p.begin(), p.end()),
        size_(expressions.size(), 0.0),
        least_(expressions.size(), 0.0) {
    in_.insert(in_.begin(), 0.0);
    constexpr int kLooks = 64;
    for (int i = 0; i <= kLooks; ++i) look(range.lo + range.width() * i / kLooks);
    for (std::size_t k = 0; k < breaks.size(); ++k) {
      look(std::nextafter(breaks[k], -HUGE_VAL));
      look(std::nextafter(breaks[k], HUGE_VAL));
      // A short motion in a long run lies between these looks: some inside of each part.
      const double next = k + 1 < breaks.size() ? breaks[k + 1] : range.hi;
      for (const double part : {0.2, 0.5, 0.8}) look(breaks[k] + part * (next - breaks[k]));
    }
  }

  const std::vector<double>& size() const { return size_; }

  // What changes by this factor of these sizes is no jump.
  void add_change(std::span<const double> sizes, double factor) {
    for (std::size_t i = 0; i < least_.size(); ++i) least_[i] += factor * sizes[i];
  }

  // The largest change at t that is a jump; 0 where there is none.
  double jump_at(double t) {
    const std::vector<double> before = at(std::nextafter(t, -HUGE_VAL));
    const std::vector<double> after = at(std::nextafter(t, HUGE_VAL));
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double change = after[i] - before[i];
      const bool is_jump = std::abs(change) > kJump * size_[i] + least_[i];
      if (is_jump && std::abs(change) > std::abs(largest)) largest = change;
    }
    return largest;
  }

 private:
  static std::vector<Expr> inputs(Expr t, std::span<const Expr> parameters) {
    std::vector<Expr> in = {t};
    in.insert(in.end(), parameters.begin(), parameters.end());
    return in;
  }
  std::vector<double> at(double t) {
    in_[0] = t;
    return function_(in_);
  }
  void look(double t) {
    const std::vector<double> values = at(t);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) size_[i] = std::max(size_[i], std::abs(values[i]));
    }
  }

  Function function_;
  std::vector<double> in_, size_, least_;
};

Diagnostic refuse(const Prescribed& what, double t, double size) {
  Diagnostic d;
  d.id = "model.jump";
  d.where = what.where;
  d.message = fmt::format("'{}' jumps by {:.6g} at t = {:.6g} s; a position cannot jump.",
                          what.name, size, time_to_tell(t));
  d.hint =
      "Give it a course without jumps: a linear or spline table, or a signal of type "
      "rest-to-rest; or say 'jump: impulse' where an impact is meant.";
  return d;
}

}  // namespace

std::vector<Jump> find_jumps(const Model& model, std::span<const Expr> parameters,
                             std::span<const double> p, Interval range) {
  std::vector<Jump> out;
  std::vector<Diagnostic> refused;
  const std::vector<Expr> time = {model.time}, one = {1};
  for (const Prescribed& what : all_of(model)) {
    const std::vector<Expr> parts = largest_time_parts(what.expressions, model.time, parameters);
    if (parts.empty()) continue;
    const std::vector<double> breaks = find_breakpoints(parts, model.time, parameters, p, range);
    if (breaks.empty()) continue;
    const std::vector<Expr> rates = time_derivative(parts, time, one);
    Course values(parts, model.time, parameters, p, range, breaks);
    Course slopes(rates, model.time, parameters, p, range, breaks);
    // What the slope makes within some roundings of t.
    values.add_change(slopes.size(), 16 * std::numeric_limits<double>::epsilon() *
                                         std::max(std::abs(range.lo), std::abs(range.hi)));
    // Rates that are small against the values over the run are round-off.
    slopes.add_change(values.size(), 1e-3 * kJump / range.width());
    for (const double at : breaks) {
      if (!(at >= range.lo && at < range.hi)) continue;
      // At the start it jumps from what holds there.
      const double t = std::max(at, std::nextafter(range.lo, range.hi));
      const double by = values.jump_at(t);
      const double rate_by = what.is_rate ? by : slopes.jump_at(t);
      const bool is_position = by != 0 && !what.is_rate;
      if (is_position && !what.may_jump) {
        refused.push_back(refuse(what, t, by));
        break;  // the first of each says it
      }
      if (is_position) {
        out.push_back({t, what.name, by, true});
        continue;
      }
      if (rate_by != 0) out.push_back({t, what.name, rate_by});
    }
  }
  if (!refused.empty()) throw Error(std::move(refused));
  std::sort(out.begin(), out.end(), [](const Jump& a, const Jump& b) { return a.t < b.t; });
  return out;
}

std::string describe(std::span<const Jump> jumps) {
  const Jump& first = jumps.front();
  const std::size_t others = jumps.size() - 1;
  return fmt::format(
      "{} that '{}' prescribes jumps by {:.6g} at t = {:.6g} s{}: an impulse makes the motion "
      "follow. A spline table, or a signal of type rest-to-rest, has no such jumps.",
      first.is_position ? "the position" : "the rate", first.name, first.size,
      time_to_tell(first.t), others == 0 ? "" : fmt::format(" ({} in all)", jumps.size()));
}

}  // namespace koppel
