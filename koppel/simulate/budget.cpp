#include <koppel/simulate/budget.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>

namespace koppel {
namespace {

using Jacobian = FixedCostOptions::Jacobian;
constexpr double kNever = std::numeric_limits<double>::infinity();

// Nanoseconds of an operation in straight-line code on a core of about 3 GHz: measured, with what
// overlaps.
constexpr double kSum = 0.35, kQuotient = 1.5, kRoot = 2, kFunction = 12, kOther = 1;

std::string name_of(Jacobian jacobian) {
  switch (jacobian) {
    case Jacobian::None: return "none";
    case Jacobian::J1: return "J1";
    case Jacobian::J2: return "J2";
    case Jacobian::J3: return "J3";
    case Jacobian::Exact: break;
  }
  return "exact";
}

// The best of several runs of some thousand steps, each from the start.
double measure(const FixedCostStep& step, const Start& start, double h) {
  using Clock = std::chrono::steady_clock;
  FixedCostStep::Workspace work = step.make_workspace();
  std::vector<double> y = start.y;
  double best = kNever;
  for (int repetition = 0; repetition < 5; ++repetition) {
    constexpr int kSteps = 500;
    std::copy(start.y.begin(), start.y.end(), y.begin());
    const Clock::time_point before = Clock::now();
    for (int k = 0; k < kSteps; ++k) step.advance(start.t + k * h, h, y, work);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count() / kSteps);
  }
  return best;
}

std::vector<Mode> modes_at_start(const Prepared& prepared) {
  const Evaluator evaluator(prepared.equations);
  return find_modes(linearize(evaluator, prepared.state));
}

std::vector<StableStep> find_stable(const Prepared& prepared) {
  const std::vector<Mode> modes = modes_at_start(prepared);
  std::vector<StableStep> out;
  for (const auto& [name, jacobian] :
       {std::pair{"explicit-euler", Jacobian::None}, std::pair{"J1", Jacobian::J1},
        std::pair{"J2", Jacobian::J2}, std::pair{"J3", Jacobian::J3},
        std::pair{"exact", Jacobian::Exact}}) {
    double largest = kNever;
    for (const Mode& mode : modes) {
      const std::complex<double> s = mode.eigenvalue;
      constexpr double kRest = 1e-6;  // of the fastest: motions without forces, found by rounding
      if (std::abs(s) < kRest * std::abs(modes.back().eigenvalue) || s.real() > kRest * std::abs(s))
        continue;
      const bool is_pair = std::abs(s.imag()) > kRest * std::abs(s);
      const double a = is_pair ? std::norm(s) : 0;
      const double b = std::max(0.0, is_pair ? -2 * s.real() : -s.real());
      largest = std::min(largest, largest_stable_step(jacobian, a, b));
    }
    out.push_back({name, largest == kNever ? std::nullopt : std::optional(largest)});
  }
  out.push_back({"rosenbrock", std::nullopt});  // L-stable
  double fastest = 0;
  for (const Mode& mode : modes) fastest = std::max(fastest, std::abs(mode.eigenvalue.imag()));
  out.push_back({"rattle", fastest > 0 ? std::optional(2 / fastest) : std::nullopt});
  return out;
}

// The spectral radius of ∂y₁/∂y at the start, y = (q, v, x, λ), by central differences.
double find_growth(const FixedCostStep& step, const Prepared& prepared, double h) {
  FixedCostStep::Workspace work = step.make_workspace();
  const auto n = static_cast<Eigen::Index>(step.num_state());
  Eigen::MatrixXd map(n, n);
  std::vector<double> y(prepared.start.y.size());
  const auto advanced = [&](std::size_t j, double by) {
    y = prepared.start.y;
    y[j] += by;
    step.advance(prepared.start.t, h, y, work);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(y.data(), n));
  };
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double by = 1e-6 * std::max(1.0, std::abs(prepared.start.y[k]));
    map.col(j) = (advanced(k, by) - advanced(k, -by)) / (2 * by);
  }
  if (!map.allFinite()) return kNever;
  return dense::eigenvalues_only(map).values.cwiseAbs().maxCoeff();
}

double find_natural_growth(const Prepared& prepared, double h) {
  double largest = 0;
  for (const Mode& mode : modes_at_start(prepared)) {
    largest = std::max(largest, mode.eigenvalue.real());
  }
  return std::exp(h * largest);
}

// The matrix of the step times a vector of ones, solved: how far from 1 the solution is.
double find_pivot_error(const Prepared& prepared, const FixedCostOptions& options) {
  const FixedCostTerms terms = prepared.problem.fixed_cost.terms(options);
  std::vector<double> in = {prepared.start.t, 1e-3};
  const auto size = static_cast<std::ptrdiff_t>(terms.q.size() + terms.v.size() + terms.x.size() +
                                                terms.lambda.size());
  in.insert(in.end(), prepared.start.y.begin(), prepared.start.y.begin() + size);
  in.insert(in.end(), prepared.state.u.begin(), prepared.state.u.end());
  in.insert(in.end(), prepared.state.p.begin(), prepared.state.p.end());
  double error = 0;
  for (const double x : Function(terms.inputs, terms.check)(in)) {
    error = std::max(error, std::isfinite(x) ? std::abs(x - 1) : kNever);
  }
  return error;
}

// Along the whole motion that was tried, at some hundred places.
void find_drift(const Prepared& prepared, const SimulateOptions& options,
                const FixedCostOptions& euler, Budget& out) {
  const ProjectionBound bound(prepared.descriptor, euler);
  out.drift = bound.at(prepared.start.t, out.step, prepared.start.y);
  const double end = out.trial.reached;
  const long every = std::max(1L, std::lround((end - prepared.start.t) / out.step / 200));
  std::vector<double> y(prepared.start.y.size());
  long count = 0;
  const IntegrateOptions with{.step = out.step, .projection = options.projection};
  const Outcome outcome = integrate(prepared.problem, prepared.choice.integrator, prepared.start,
                                    end, with, [&](const Step& step) {
                                      if (++count % every != 0 && step.t1 < end) return true;
                                      step.evaluate(step.t1, y);
                                      out.drift->include(bound.at(step.t1, out.step, y));
                                      return true;
                                    });
  out.drift_end = outcome.t;
}

// What the linearised forces, the step itself and the trial say against the method; true where the
// latter two do.
bool warn_of_growth(Budget& b, const StableStep& stable) {
  bool is_refuted = false;
  const auto refute = [&](std::string text) {
    b.warnings.push_back(std::move(text));
    is_refuted = true;
  };
  constexpr double kMore = 1e-2;  // differences are about as wrong where an eigenvalue is double
  if (stable.largest_step && *stable.largest_step < b.step) {
    b.warnings.push_back(
        fmt::format("{} is unstable from a step of {:.3g} s on (linearised at the start).",
                    stable.method, *stable.largest_step));
  } else if (!(b.growth <= b.natural_growth + kMore)) {
    refute(fmt::format("a step multiplies an error at the start by {:.3g}: unstable.", b.growth));
  }
  const bool is_unstable = is_refuted;
  const MethodTrial& trial = b.trial;
  const std::string text = trial.text + (trial.text.ends_with('.') ? "" : ".");
  if (trial.status == Outcome::Status::Failed) {
    refute(fmt::format("the trial run failed at t = {:.4g} s: {}", trial.reached, text));
  } else if (trial.status == Outcome::Status::Doubtful) {
    refute(fmt::format("a trial run of {:g} s is doubtful: {}", trial.end, text));
    is_refuted = !trial.only_damps || is_unstable;
  }
  return is_refuted;
}

void find_warnings(const Integrator& integrator, Budget& b) {
  const std::string method = integrator.info().names_jacobian
                                 ? name_of(integrator.fixed_cost(Projection::Once).jacobian)
                                 : std::string(integrator.info().name);
  for (StableStep& stable : b.stable) {
    if (stable.method == method) stable.is_refuted = warn_of_growth(b, stable);
  }
  if (b.load > 0.5) {
    b.warnings.push_back(fmt::format("a step takes {:.0f} % of its time.", 100 * b.load));
  }
  if (b.drift && !b.drift->holds(b.step)) {
    b.warnings.push_back(
        "one Newton step may not hold the constraints: h C1 < 1 and (1 - h C1)^2 > 4 h^3 C0 C2 do "
        "not both hold. Take a smaller step.");
  }
  constexpr double kPoor = 1e-6;
  if (!(b.pivot_error < kPoor)) {
    b.warnings.push_back(fmt::format(
        "the fixed order of pivots loses accuracy: a solution is wrong by {:.1e}. Other "
        "coordinates may suit better.",
        b.pivot_error));
  }
}

std::string short_time(double seconds) {
  return seconds < 1e-6   ? fmt::format("{:.0f} ns", 1e9 * seconds)
         : seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
                          : fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace

OperationCounts count_operations(const Program& program) {
  OperationCounts out;
  for (const Instruction& i : program.code) {
    switch (i.op) {
      case Op::Add:
      case Op::Sub:
      case Op::Neg: ++out.additions; break;
      case Op::Mul: ++out.products; break;
      case Op::Div: ++out.quotients; break;
      case Op::Sqrt: ++out.roots; break;
      case Op::Abs:
      case Op::Sign:
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
      case Op::Select: ++out.others; break;
      default: ++out.functions; break;
    }
  }
  return out;
}

double largest_stable_step(Jacobian jacobian, double a, double b) {
  const double root = std::sqrt(b * b + 4 * a);
  switch (jacobian) {
    case Jacobian::None: return a > 0 ? b / a : b > 0 ? 2 / b : kNever;
    case Jacobian::J1: return a > 0 ? (b + root) / a : kNever;
    case Jacobian::J3: return a > 0 ? (root - b) / a : b > 0 ? 2 / b : kNever;
    default: return kNever;
  }
}

Budget make_budget(const Model& model, SimulateOptions options) {
  if (!options.step) {
    throw Error("budget.needs-step", "a budget needs a step, and none is given.",
                "Give one, such as `step = 1e-3`.");
  }
  options.integrator = or_fixed_cost(options.integrator);
  const bool is_open = options.integrator.is_open();
  if (!is_open && !options.integrator.is_fixed_cost()) {
    throw Error("budget.wrong-integrator",
                "integrator '" + options.integrator.text() + "' has no fixed-cost steps.",
                fmt::format("Those that have: {}.", names_of_fixed_cost()));
  }
  MethodTrial trial;
  if (is_open) {
    MethodChoice choice = choose_fixed_cost(model, options);
    options = choice.options;
    trial = std::move(choice.trial);
  } else {
    trial = MethodTrials(model, options).run(options);
  }
  const Prepared prepared = prepare(model, options);
  const FixedCostOptions euler = prepared.choice.integrator.fixed_cost(options.projection);
  const std::shared_ptr<const FixedCostStep> compiled = prepared.problem.fixed_cost.step(euler);
  const FixedCostStep& step = *compiled;

  Budget out;
  out.model = model.name;
  out.coordinates = prepared.choice.coordinates;
  out.formulation = prepared.choice.formulation.text();
  out.integrator = prepared.choice.integrator.text();
  out.step = *options.step;
  out.num_unknowns = prepared.problem.num_v + prepared.problem.num_lambda + prepared.problem.num_mu;
  out.num_factorizations = step.num_factorizations();
  out.operations = count_operations(step.function().program());
  out.stiff = euler.stiff.empty() ? fmt::format("{}", fmt::join(prepared.equations->stiff, ","))
                                  : euler.stiff;
  out.operations_of_all = out.operations.total();
  if (!out.stiff.empty() && out.stiff != "all") {
    FixedCostOptions all = euler;
    all.stiff = "all";
    out.operations_of_all =
        count_operations(prepared.problem.fixed_cost.step(all)->function().program()).total();
  }
  const OperationCounts& n = out.operations;
  out.estimated_seconds =
      1e-9 *
      (kSum * static_cast<double>(n.additions + n.products) +
       kQuotient * static_cast<double>(n.quotients) + kRoot * static_cast<double>(n.roots) +
       kFunction * static_cast<double>(n.functions) + kOther * static_cast<double>(n.others));
  out.measured_seconds = measure(step, prepared.start, out.step);
  out.load = out.measured_seconds / out.step;
  out.stable = find_stable(prepared);
  out.growth = find_growth(step, prepared, out.step);
  out.natural_growth = find_natural_growth(prepared, out.step);
  out.trial = std::move(trial);
  if (euler.rule == FixedCostOptions::Rule::Euler && prepared.problem.num_lambda > 0 &&
      !prepared.problem.fixed_cost.terms(euler).eta.empty()) {
    find_drift(prepared, options, euler, out);
  }
  out.pivot_error = find_pivot_error(prepared, euler);
  find_warnings(prepared.choice.integrator, out);
  return out;
}

std::string to_text(const Budget& b) {
  const OperationCounts& n = b.operations;
  std::string out = fmt::format("{}\n  method       {} coordinates, {}, {}; step {:g} s\n", b.model,
                                b.coordinates, b.formulation, b.integrator, b.step);
  out += fmt::format("  system       {} unknowns, {} factorisations a step\n", b.num_unknowns,
                     b.num_factorizations);
  out += fmt::format(
      "  operations   {}: {} sums, {} products, {} quotients, {} roots, {} functions, {} others\n",
      n.total(), n.additions, n.products, n.quotients, n.roots, n.functions, n.others);
  if (!b.stiff.empty()) {
    out += fmt::format("  partition    {}; with derivatives of all forces {} operations\n", b.stiff,
                       b.operations_of_all);
  }
  out += fmt::format("  time         estimated {}, measured {}\n", short_time(b.estimated_seconds),
                     short_time(b.measured_seconds));
  out += fmt::format("  load         {:.3g} % of a core\n  stable up to ", 100 * b.load);
  for (const StableStep& stable : b.stable) {
    out += fmt::format("{}{} {}", &stable == &b.stable[0] ? "" : ", ", stable.method,
                       stable.is_refuted     ? std::string("(not with this step, see below)")
                       : stable.largest_step ? fmt::format("{:.3g} s", *stable.largest_step)
                                             : std::string("any step"));
  }
  out += " (forces linearised at the start)\n";
  out += fmt::format("  growth       a step multiplies errors at the start by at most {:.4g}\n",
                     b.growth);
  out += "  trial        " + describe(b.trial) + '\n';
  if (b.drift) {
    const double limit = b.drift->limit(b.step);
    out += fmt::format("  drift        C0 = {:.3g}, C1 = {:.3g}, C2 = {:.3g} up to {:g} s: {}\n",
                       b.drift->C0, b.drift->C1, b.drift->C2, b.drift_end,
                       std::isfinite(limit) ? fmt::format("at most {:.2g}", limit) : "no bound");
  }
  out += fmt::format("  pivots       wrong by {:.1e} at the start\n", b.pivot_error);
  for (const std::string& warning : b.warnings) out += "  warning      " + warning + '\n';
  return out;
}

}  // namespace koppel
