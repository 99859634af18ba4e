#include <koppel/model/number_checks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/elements/joint_law.hpp>

namespace koppel {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Diagnostic fault(const char* id, std::string message, std::string hint = {}) {
  return {id, std::move(message), std::move(hint), {}, {}};
}

Mat3<double> matrix(std::span<const double> rows) {
  Mat3<double> out;
  for (std::size_t k = 0; k < 9; ++k) out(k / 3, k % 3) = rows[k];
  return out;
}

// The eigenvalues of a symmetric matrix, ascending [Smith 1961].
std::array<double, 3> eigenvalues(const Mat3<double>& m) {
  const double mean = (m(0, 0) + m(1, 1) + m(2, 2)) / 3;
  const double off = m(0, 1) * m(0, 1) + m(0, 2) * m(0, 2) + m(1, 2) * m(1, 2);
  double spread = 2 * off;
  for (std::size_t i = 0; i < 3; ++i) spread += (m(i, i) - mean) * (m(i, i) - mean);
  const double p = std::sqrt(spread / 6);
  if (!(p > 0)) return {mean, mean, mean};
  const auto b = [&](std::size_t i, std::size_t j) { return (m(i, j) - (i == j ? mean : 0)) / p; };
  const double half_det = (b(0, 0) * (b(1, 1) * b(2, 2) - b(1, 2) * b(2, 1)) -
                           b(0, 1) * (b(1, 0) * b(2, 2) - b(1, 2) * b(2, 0)) +
                           b(0, 2) * (b(1, 0) * b(2, 1) - b(1, 1) * b(2, 0))) /
                          2;
  const double phi = std::acos(std::clamp(half_det, -1.0, 1.0)) / 3;
  constexpr double kThird = 2.0943951023931953;  // 2π/3
  const double largest = mean + 2 * p * std::cos(phi);
  const double smallest = mean + 2 * p * std::cos(phi + kThird);
  return {smallest, 3 * mean - largest - smallest, largest};
}

std::optional<Diagnostic> judge_mass(const std::string& what, bool is_planar, double mass,
                                     const Mat3<double>& inertia) {
  if (!(mass >= 0) || !std::isfinite(mass)) {
    return fault("model.bad-mass",
                 what + " has the mass " + number(mass) + "; it must not be negative.");
  }
  const double scale = std::abs(inertia(0, 0)) + std::abs(inertia(1, 1)) + std::abs(inertia(2, 2));
  constexpr double kRounding = 1e-7;  // eigenvalues near each other are found to half the digits
  bool is_symmetric = std::isfinite(scale);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      is_symmetric &= std::abs(inertia(i, j) - inertia(j, i)) <= kRounding * scale;
    }
  }
  if (!is_symmetric) {
    return fault("model.bad-inertia",
                 what + " has an inertia that is not a symmetric matrix of numbers.");
  }
  const std::array<double, 3> principal = eigenvalues(inertia);
  if (principal[0] < -kRounding * scale) {
    return fault("model.bad-inertia", what + " has a negative principal moment of inertia, " +
                                          number(principal[0]) + ".");
  }
  if (!is_planar && principal[2] > (principal[0] + principal[1]) + kRounding * scale) {
    return fault("model.bad-inertia",
                 what + " cannot have the principal moments of inertia " + number(principal[0]) +
                     ", " + number(principal[1]) + " and " + number(principal[2]) +
                     ": none is larger than the sum of the others.",
                 "Check that inertia is about the centre of mass, and the signs of the products of "
                 "inertia.");
  }
  return {};
}

bool is_orthonormal(const Mat3<double>& m) {
  double error = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      error = std::max(error, std::abs(dot(m.column[i], m.column[j]) - (i == j ? 1 : 0)));
    }
  }
  return error < 1e-6;
}

void append(const Mat3e& m, std::vector<Expr>& to) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) to.push_back(m(i, j));
  }
}

std::vector<Expr> inputs_of(const Model& model) {
  std::vector<Expr> out;
  for (const Parameter& parameter : model.parameters) out.push_back(parameter.symbol);
  out.push_back(model.time);
  return out;
}

}  // namespace

std::vector<NumberChecks::Check> NumberChecks::all_of(const Model& model) {
  std::vector<Check> out;
  const auto add = [&](std::vector<Expr> of, const Location& where, Judge judge) {
    for (Expr& e : of) e = Expr(*model.graph, model.graph->adopt(e));
    Location place = where;
    if (place.file.empty()) place.file = model.file;
    out.push_back({std::move(of), std::move(judge), std::move(place)});
  };
  for (const Body& body : model.bodies) {
    std::vector<Expr> of = {body.mass};
    append(body.inertia, of);
    add(std::move(of), body.where,
        [what = "body '" + body.name + "'", is_planar = model.is_planar](auto numbers) {
          return judge_mass(what, is_planar, numbers[0], matrix(numbers.subspan(1)));
        });
  }
  for (const Joint& joint : model.joints) {
    const std::string what = "joint '" + joint.name + "'";
    for (const JointLaw::Term& term : joint.law->terms()) {
      if (!term.must_be_positive) continue;
      add({term.value}, joint.where,
          [which = "the " + std::string(term.name) + " of " + what](auto numbers) {
            return numbers[0] > 0 ? std::optional<Diagnostic>()
                                  : fault("model.bad-value", which + " must be positive.");
          });
    }
    std::vector<Expr> axes;
    append(joint.a.axes, axes);
    append(joint.b.axes, axes);
    add(std::move(axes), joint.where, [what](auto numbers) {
      const bool is_good =
          is_orthonormal(matrix(numbers.first(9))) && is_orthonormal(matrix(numbers.subspan(9)));
      return is_good ? std::optional<Diagnostic>()
                     : fault("model.zero-axis", what + " has axes that are not orthonormal.",
                             "Make its markers with make_marker, from an axis that is not zero.");
    });
  }
  for (const Bounded& bounded : model.bounded) {
    add({bounded.value}, bounded.where,
        [text = bounded.text, may_be_zero = bounded.may_be_zero](auto numbers) {
          const bool is_good = numbers[0] > 0 || (numbers[0] == 0 && may_be_zero);
          return is_good ? std::optional<Diagnostic>() : fault("model.bad-value", text);
        });
  }
  for (const Event& event : model.events) {
    if (!event.restitution) continue;
    add({*event.restitution}, event.where, [name = event.name](auto numbers) {
      return numbers[0] >= 0 && numbers[0] <= 1
                 ? std::optional<Diagnostic>()
                 : fault("model.bad-value",
                         "bounce of event '" + name + "' is " + number(numbers[0]) +
                             "; it must lie between 0 and 1: the part of the rate that is left.");
    });
  }
  return out;
}

NumberChecks::NumberChecks(const Model& model) : NumberChecks(model, all_of(model)) {}

NumberChecks::NumberChecks(const Model& model, std::span<const std::size_t> parameters)
    : NumberChecks(model, [&] {
        std::vector<Check> checks = all_of(model);
        std::erase_if(checks, [&](const Check& check) {
          const std::vector<Expr> used = symbols_of(check.of);
          return std::none_of(parameters.begin(), parameters.end(), [&](std::size_t i) {
            return std::find(used.begin(), used.end(), model.parameters[i].symbol) != used.end();
          });
        });
        return checks;
      }()) {}

NumberChecks::NumberChecks(const Model& model, std::vector<Check> checks)
    : checks_(std::move(checks)), numbers_(inputs_of(model), [&] {
        std::vector<Expr> all;
        for (const Check& check : checks_) all.insert(all.end(), check.of.begin(), check.of.end());
        return all;
      }()) {}

NumberChecks::Work NumberChecks::make_work(Uses uses) const {
  return {numbers_.make_workspace(uses), std::vector<double>(numbers_.num_inputs(), 0.0),
          std::vector<double>(numbers_.num_outputs())};
}

std::vector<Diagnostic> NumberChecks::operator()(std::span<const double> parameters,
                                                 Work& work) const {
  if (is_empty()) return {};
  std::copy_n(parameters.begin(), work.in.size() - 1, work.in.begin());
  numbers_.evaluate(work.in, work.numbers, work.function);
  std::vector<Diagnostic> out;
  std::size_t next = 0;
  for (const Check& check : checks_) {
    std::optional<Diagnostic> found =
        check.judge(std::span<const double>(work.numbers).subspan(next, check.of.size()));
    next += check.of.size();
    if (!found) continue;
    found->where = check.where;
    out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace koppel
