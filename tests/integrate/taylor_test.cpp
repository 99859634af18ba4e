// Taylor series on the DAE itself: order, tolerance, dense output, switches, and any index.
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/analysis/structure/dae.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {
namespace {

struct Case {
  explicit Case(const Model& model, const std::string& coordinates,
                const std::string& formulation = "index3", Native native = Native::Auto)
      : evaluator(derive(model, coordinates)),
        start(assemble(evaluator)),
        problem(formulate(
            leave_out(evaluator.equations, analyze_rank(evaluator, start.state).redundant_rows),
            formulation, start.state, {.compile = {.native = native}})),
        y(start_values(problem, evaluator, start.state)) {}

  Outcome run(double end, const IntegrateOptions& options, const Observer& observer = {}) const {
    return integrate(problem, "taylor", {0, y}, end, options, observer);
  }

  // The model's outputs at a point of the motion.
  std::vector<double> outputs(double t, const std::vector<double>& at) const {
    std::vector<Expr> values;
    for (const NamedExpr& output : evaluator.equations->outputs) values.push_back(output.value);
    State state = start.state;
    state.t = t;
    const auto q_end = at.begin() + problem.num_q;
    state.q.assign(at.begin(), q_end);
    state.v.assign(q_end, q_end + problem.num_v);
    return VectorFunction(evaluator.equations, values)(state);
  }

  Evaluator evaluator;
  Assembly start;
  Problem problem;
  std::vector<double> y;
};

Model model_file(const std::string& name) { return read_model(KOPPEL_MODELS + name + ".yaml"); }

// x″ = −x: the series is that of the cosine.
Model oscillator() {
  return read_model_text(
      "coordinates: {x: {start: 1}}\nkinetic: x'^2/2\npotential: x^2/2\n"
      "outputs: {x: x, v: x'}\nrun: {end: 3}\n",
      "oscillator.yaml");
}

TEST(Taylor, HasTheOrderItWasGiven) {
  const Case c(oscillator(), "lagrange", "minimal");
  for (const int order : {6, 9, 12}) {
    const auto error = [&](double h) {
      const Outcome out = c.run(3, {.step = h, .order = order});
      EXPECT_EQ(out.statistics.order, order);
      return std::abs(out.y[0] - std::cos(3.0));
    };
    const double measured = std::log2(error(0.75) / error(0.375));
    // Velocities are one coefficient shorter; symmetry gives part of it back.
    EXPECT_NEAR(measured, order - 1, 0.8) << order;
  }
}

TEST(Taylor, ErrorIsProportionalToTheTolerance) {
  const Case c(model_file("slider_crank"), "natural");
  // Bx after 2 s, by the same at 1e-14; errors against the reference trajectory are in
  // tests/validation.
  const std::vector<double> best = c.outputs(2, c.run(2, {.tolerance = 1e-14}).y);
  // The least-squares slope of log error over log tolerance: the error at one tolerance is up to a
  // power of ten off the line, as errors of steps cancel or do not.
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  int n = 0;
  for (double x = -4; x >= -12; x -= 0.5, ++n) {
    const double tolerance = std::pow(10, x);
    const double error = std::abs(c.outputs(2, c.run(2, {.tolerance = tolerance}).y)[2] - best[2]);
    EXPECT_LT(error, 100 * tolerance) << tolerance;
    const double y = std::log10(error);
    sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
  }
  const double slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  EXPECT_GT(slope, 0.85);
  EXPECT_LT(slope, 1.15);
}

TEST(Taylor, KeepsTheLargestStepAndTheLimitOfSteps) {
  const Case c(oscillator(), "lagrange", "minimal");
  const Outcome free = c.run(3, {.tolerance = 1e-8});
  EXPECT_LT(free.statistics.steps, 10);
  long steps = 0;
  const Outcome small = c.run(3, {.tolerance = 1e-8, .max_step = 0.125}, [&](const Step& step) {
    EXPECT_LE(step.t1 - step.t0, 0.125 * (1 + 1e-12));
    ++steps;
    return true;
  });
  EXPECT_EQ(small.status, Outcome::Status::Done);
  EXPECT_EQ(steps, small.statistics.steps);
  EXPECT_GE(steps, 24);
  EXPECT_LE(steps, 26);
  const Outcome all =
      c.run(3, {.tolerance = 1e-8, .max_step = 0.125, .max_steps = small.statistics.steps});
  EXPECT_EQ(all.status, Outcome::Status::Done) << all.text;
  const Outcome few = c.run(3, {.tolerance = 1e-8, .max_step = 0.125, .max_steps = 5});
  EXPECT_EQ(few.status, Outcome::Status::Failed);
  EXPECT_EQ(few.text, "the limit of 5 steps is reached");
  EXPECT_EQ(few.statistics.steps, 5);
  EXPECT_NEAR(few.y[0], std::cos(few.t), 1e-7);
}

TEST(Taylor, DenseOutputIsAsGoodAsTheSteps) {
  const Case c(oscillator(), "lagrange", "minimal");
  double worst = 0;
  std::vector<double> y(2);
  c.run(3, {.tolerance = 1e-10}, [&](const Step& step) {
    for (const double part : {0.0, 0.3, 0.7, 1.0}) {
      const double t = step.t0 + part * (step.t1 - step.t0);
      step.evaluate(t, y);
      worst = std::max({worst, std::abs(y[0] - std::cos(t)), std::abs(y[1] + std::sin(t))});
    }
    return true;
  });
  EXPECT_LT(worst, 1e-9);
}

TEST(Taylor, LeavesNoViolation) {
  const Case c(model_file("four_bar"), "natural");
  Projector::Workspace work = c.problem.projector->make_workspace();
  std::vector<double> y(c.y.size());
  c.run(10, {.tolerance = 1e-8}, [&](const Step& step) {
    step.evaluate(step.t1, y);
    const std::span<const double> at = y;
    const auto violation =
        c.problem.projector->violation(step.t1, c.problem.q(at), c.problem.v(at), work);
    // Round-off of squares of lengths 1 and of their products with velocities of 10 m/s.
    EXPECT_LT(violation.position, 4e-15);
    EXPECT_LT(violation.velocity, 4e-14);
    return true;
  });
}

TEST(Taylor, StopsAtSwitchesOfTheState) {
  // A mass falls on a spring that only pushes: x″ = −9.81 + k max(−x, 0).
  const Case c(read_model_text("coordinates: {x: {start: 0.1}}\nkinetic: x'^2/2\n"
                               "generalized_forces: {x: '-9.81 + 2000*max(-x, 0)'}\n"
                               "outputs: {x: x}\nrun: {end: 1}\n",
                               "bounce.yaml"),
               "lagrange", "minimal");
  // Energy is kept through several contacts. Steps of high order lead over a whole flight between
  // two of them: both ends are in contact.
  for (const int order : {10, 16, 20, 24, 30}) {
    const Outcome out = c.run(1, {.tolerance = 1e-10, .order = order});
    ASSERT_EQ(out.status, Outcome::Status::Done) << out.text;
    const double x = out.y[0], v = out.y[1];
    const double energy = v * v / 2 + 9.81 * x + (x < 0 ? 1000 * x * x : 0);
    EXPECT_NEAR(energy, 0.981, 1e-7) << order;
  }
}

// z′ = −1 until z = 0, at t = 1, where it stays: x(2) = 1/2 − 1/6 + (1 − 1/2).
TEST(Taylor, StopsAtJumpsOfStatesOfFirstOrder) {
  const Case c(read_model_text("coordinates: {x: 0}\nkinetic: x'^2/2\n"
                               "states: {z: {start: 1, rate: 'select(z > 0, -1, 0)'}}\n"
                               "generalized_forces: {x: z}\noutputs: {x: x}\nrun: {end: 2}\n",
                               "relay.yaml"),
               "lagrange", "minimal");
  const Outcome out = c.run(2, {.tolerance = 1e-8});
  ASSERT_EQ(out.status, Outcome::Status::Done) << out.text;
  EXPECT_NEAR(out.y[0], 5.0 / 6, 1e-6);
}

TEST(Taylor, KeepsItsAccuracyAcrossAJumpInTime) {
  const Case c(read_model_text("coordinates: {x: {start: 0}}\nkinetic: x'^2/2\n"
                               "generalized_forces: {x: 'select(t < 0.3, 1, -2)'}\n"
                               "outputs: {x: x}\nrun: {end: 1}\n",
                               "jump.yaml"),
               "lagrange", "minimal");
  const Outcome out = c.run(1, {.tolerance = 1e-10});
  const double t = 0.7, expected = 0.045 + 0.3 * t - t * t;  // x(0.3) + ẋ(0.3) t − t²
  EXPECT_NEAR(out.y[0], expected, 1e-14);
}

// The largest |y_i(t) − expected(t)| at points of all steps.
double worst_error(const Case& c, double end, double tolerance, std::size_t i,
                   const std::function<double(double)>& expected) {
  double worst = 0;
  std::vector<double> y(c.y.size());
  const Outcome out = c.run(end, {.tolerance = tolerance}, [&](const Step& step) {
    for (const double part : {0.0, 0.2, 0.5, 0.9, 1.0}) {
      const double t = step.t0 + part * (step.t1 - step.t0);
      step.evaluate(t, y);
      worst = std::max(worst, std::abs(y[i] - expected(t)));
    }
    return true;
  });
  EXPECT_EQ(out.status, Outcome::Status::Done) << out.text;
  EXPECT_EQ(out.t, end);
  return worst;
}

// All offsets are 0, and y has the velocity, of order 1.
TEST(Taylor, FollowsAMotionThatTimeAloneDetermines) {
  const Case c(read_model_text("coordinates: [x]\nkinetic: 0\nconstraints: {c: x - sin(t)}\n"
                               "run: {end: 3}\n",
                               "given.yaml"),
               "lagrange");
  ASSERT_EQ(c.problem.series->max_d(), 0);
  EXPECT_LT(worst_error(c, 3, 1e-10, 0, [](double t) { return std::sin(t); }), 1e-10);
  // The derivative of the polynomial, or of the constraint where that is off by 100 tolerances.
  EXPECT_LT(worst_error(c, 3, 1e-10, 1, [](double t) { return std::cos(t); }), 1e-8);
}

// x = t has a series of any length, that of y = √(1.05² + sin 3t) ends where y = 0 at complex t. A
// step beyond leads to the other root.
TEST(Taylor, StepsSuitCoordinatesWithoutMass) {
  const Case c(read_model_text("coordinates: {x: {rate: 1, fixed: true}, y: {start: 1.05}}\n"
                               "kinetic: x'^2/2\nconstraints: {c: y^2 - 1.05^2 - sin(3*x)}\n"
                               "run: {end: 3}\n",
                               "branch.yaml"),
               "lagrange");
  const auto y = [](double t) { return std::sqrt(1.05 * 1.05 + std::sin(3 * t)); };
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    // Between the ends of steps the polynomial lacks one more term, which is ρ/h ≈ 3 times larger.
    EXPECT_LT(worst_error(c, 3, tolerance, 1, y), 10 * tolerance) << tolerance;
  }
}

// y² = 1 − t ends at t = 1.
TEST(Taylor, FailsWhereACoordinateWithoutMassHasNoValueFurther) {
  const Case c(read_model_text("coordinates: {y: {start: 1}}\nkinetic: 0\n"
                               "constraints: {c: y^2 - 1 + t}\nrun: {end: 3}\n",
                               "end.yaml"),
               "lagrange");
  const Outcome out = c.run(3, {.tolerance = 1e-8});
  EXPECT_EQ(out.status, Outcome::Status::Failed);
  EXPECT_NEAR(out.t, 1, 1e-12);
  EXPECT_EQ(out.text, "no consistent point was found near the end of the step");
}

// x = t − 3 passes the bump max(1 − x², 0), and y = 0 holds at both ends of a long step over it.
TEST(Taylor, StopsAtSwitchesOfCoordinatesWithoutMass) {
  const Case c(read_model_text("coordinates: {x: {start: -3, rate: 1, fixed: true}, y: 0}\n"
                               "kinetic: x'^2/2\nconstraints: {c: 'y - max(1 - x^2, 0)'}\n"
                               "run: {end: 6}\n",
                               "bump.yaml"),
               "lagrange");
  const auto y = [](double t) { return std::max(1 - (t - 3) * (t - 3), 0.0); };
  EXPECT_LT(worst_error(c, 6, 1e-8, 1, y), 1e-7);
}

// The coefficients of all unknowns at the start, by unknown.
using Coefficients = std::vector<std::vector<double>>;

Coefficients expand_start(const Case& c, const SeriesSystem& system, int order) {
  SeriesSolver solver(system, order);
  solver.set_time(0);
  for (std::size_t i = 0; i < system.terms().y.size(); ++i) {
    const auto [unknown, o] = system.terms().y[i];
    if (o < solver.offset(unknown) || o == 0) solver.set(unknown, o, c.y[i]);
  }
  EXPECT_EQ(solver.make_consistent(), SeriesSolver::Status::Ok);
  EXPECT_EQ(solver.expand(), SeriesSolver::Status::Ok);
  Coefficients all(static_cast<std::size_t>(solver.num_unknowns()));
  for (int j = 0; j < solver.num_unknowns(); ++j) {
    for (int o = 0; o <= solver.degree(j); ++o) {
      all[static_cast<std::size_t>(j)].push_back(solver.coefficient(j, o));
    }
  }
  return all;
}

// To the round-off of their sums; where powers of h overflow, one by one.
TEST(Series, ValuesFoundTogetherAreThoseOfEach) {
  const Case c(model_file("slider_crank"), "natural");
  const std::vector<SeriesTerms::Place>& places = c.problem.series->terms().y;
  SeriesSolver solver(*c.problem.series, 14);
  solver.set_time(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].order < solver.offset(places[i].unknown)) {
      solver.set(places[i].unknown, places[i].order, c.y[i]);
    }
  }
  ASSERT_EQ(solver.make_consistent(), SeriesSolver::Status::Ok);
  ASSERT_EQ(solver.expand(), SeriesSolver::Status::Ok);
  std::vector<double> y(places.size());
  for (const double h : {0.0, 1e-4, 0.01, -0.02, 1e20}) {
    solver.evaluate(places, h, y);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto [j, o] = places[i];
      ASSERT_LE(o, 1);
      double size = 0, power = 1;
      for (int n = 0; n + o <= solver.degree(j); ++n, power *= std::abs(h)) {
        size += std::abs(solver.term(j, o, n)) * power;
      }
      if (!std::isfinite(size)) continue;
      EXPECT_NEAR(y[i], solver.evaluate(j, o, h), 1e-14 * size) << h;
    }
  }
}

struct Mechanism {
  const char *name, *coordinates, *formulation;
};

class NativeSeries : public ::testing::TestWithParam<Mechanism> {};

// To the last bit; and straight-line elimination in a fixed order against factorisation with
// pivots.
TEST_P(NativeSeries, IsThatOfTheTape) {
  const auto& [name, coordinates, formulation] = GetParam();
  const Model model = model_file(name);
  const Case native(model, coordinates, formulation, Native::Cc),
      tape(model, coordinates, formulation);
  ASSERT_NE(native.problem.series->factors(), nullptr);
  ASSERT_TRUE(native.problem.series->factors()->is_native());
  ASSERT_NE(tape.problem.series->factors(), nullptr);
  constexpr int kOrder = 14;
  const Coefficients found = expand_start(native, *native.problem.series, kOrder);
  EXPECT_EQ(found, expand_start(tape, *tape.problem.series, kOrder));
  SeriesTerms terms = tape.problem.series->terms();
  terms.start.clear();
  const SeriesSystem pivoting(terms);
  ASSERT_EQ(pivoting.factors(), nullptr);
  const Coefficients expected = expand_start(tape, pivoting, kOrder);
  for (std::size_t j = 0; j < found.size(); ++j) {
    ASSERT_EQ(found[j].size(), expected[j].size());
    for (std::size_t o = 0; o < found[j].size(); ++o) {
      double size = 1;  // of the coefficients of this order
      for (const auto& of_unknown : expected) {
        if (o < of_unknown.size()) size = std::max(size, std::abs(of_unknown[o]));
      }
      // Conditions are below 1e4; errors of one order enter the next.
      EXPECT_NEAR(found[j][o], expected[j][o], 1e-11 * size) << "unknown " << j << ", order " << o;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, NativeSeries,
                         ::testing::Values(Mechanism{"slider_crank", "natural", "index3"},
                                           Mechanism{"andrews", "lagrange", "index3"},
                                           Mechanism{"four_bar", "absolute", "index3"},
                                           Mechanism{"bricard", "absolute", "index3"},
                                           Mechanism{"double_pendulum", "joint", "minimal"}),
                         [](const auto& of) {
                           return std::string(of.param.name) + '_' + of.param.coordinates;
                         });

// A platform that moves up and down has a symmetric motion: entries of its matrix are zero all the
// time that are none elsewhere. Pivots are chosen with its start too.
TEST(Series, PivotsServeAtTheStart) {
  const Case c(model_file("stewart_platform"), "natural");
  const SeriesSystem& system = *c.problem.series;
  ASSERT_NE(system.factors(), nullptr);
  std::vector<double> at = system.terms().start;
  at.insert(at.end(), system.terms().given.begin(), system.terms().given.end());
  for (const double entry : (*system.factors())(at)) ASSERT_TRUE(std::isfinite(entry));
}

// Where constraints become dependent the fixed order of pivots will not do, and those with pivots
// take over: the mechanism stays on its branch.
TEST(Series, InNativeCodePassesSingularConfigurations) {
  const Case c(model_file("four_bar"), "natural", "index3", Native::Cc);
  const Case tape(model_file("four_bar"), "natural");
  const IntegrateOptions options{.tolerance = 1e-10};
  const Outcome native = c.run(10, options);
  ASSERT_EQ(native.status, Outcome::Status::Done) << native.text;
  const std::vector<double> found = c.outputs(10, native.y);
  const std::vector<double> expected = tape.outputs(10, tape.run(10, options).y);
  // Both have the error of their tolerance, 3e-10.
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-9) << i;
}

// The state of a crane whose load is prescribed follows from the stages alone, at index 5 and 7:
// there is nothing to integrate.
void follow_servo(const std::string& name, double end, const std::map<std::string, double>& known) {
  const Evaluator evaluator(derive(model_file(name), "lagrange"));
  const Assembly start = assemble(evaluator);
  SeriesTerms terms;
  terms.dae = make_dae(evaluator.equations, {.with_servo = true});
  terms.structure = analyze_structure(terms.dae);
  ASSERT_EQ(terms.structure.degrees_of_freedom, 0);
  terms.given = start.state.p;
  const SeriesSystem system(terms);
  SeriesSolver solver(system, system.max_d() + 6);
  const DaePoint point = make_point(terms.dae, evaluator, start.state);
  for (int j = 0; j < solver.num_unknowns(); ++j) {
    double factorial = 1;
    const auto& values = point.unknowns[static_cast<std::size_t>(j)];
    for (std::size_t o = 0; o < values.size(); ++o) {
      factorial *= o > 0 ? static_cast<double>(o) : 1;
      solver.set(j, static_cast<int>(o), values[o] / factorial);
    }
  }
  constexpr int kSteps = 100;
  const double h = end / kSteps;
  for (int i = 0; i <= kSteps; ++i) {
    if (i > 0) {
      std::vector<std::vector<double>> guess(static_cast<std::size_t>(solver.num_unknowns()));
      for (int j = 0; j < solver.num_unknowns(); ++j) {
        for (int o = 0; o < std::max(1, solver.offset(j)); ++o) {
          guess[static_cast<std::size_t>(j)].push_back(solver.evaluate(j, o, h));
        }
      }
      for (int j = 0; j < solver.num_unknowns(); ++j) {
        const auto& values = guess[static_cast<std::size_t>(j)];
        for (std::size_t o = 0; o < values.size(); ++o)
          solver.set(j, static_cast<int>(o), values[o]);
      }
    }
    solver.set_time(i * h);
    ASSERT_EQ(solver.make_consistent(), SeriesSolver::Status::Ok) << i;
    ASSERT_EQ(solver.expand(), SeriesSolver::Status::Ok) << i;
  }
  for (int j = 0; j < solver.num_unknowns(); ++j) {
    const auto it = known.find(terms.dae.unknowns[static_cast<std::size_t>(j)].name);
    if (it == known.end()) continue;
    // The known values have 11 digits; inputs are fourth derivatives of round-off beside them.
    EXPECT_NEAR(solver.coefficient(j, 0), it->second, 1e-9 * std::max(1.0, std::abs(it->second)))
        << it->first;
  }
}

TEST(Series, FindsTheInputsOfACraneAtIndexFive) {
  // At t = 1.8 s; an independent evaluation of the closed formulas [Yang 2017, section 4.4.1].
  follow_servo("overhead_crane", 1.8,
               {{"s", 2.7367998923},
                {"l", 2.02595753641},
                {"F_t", -318.326395765},
                {"M_w", -83.5432455024}});
}

TEST(Series, FindsTheInputsOfACraneAtIndexSeven) {
  // In the end the load rests: its winch carries its weight, u3 = −m g r, and nothing slews.
  follow_servo("navy_crane_3d", 20,
               {{"x", -2}, {"y", 6.92820323028}, {"z", -13}, {"u3", -98.1}, {"u4", 0}});
}

}  // namespace
}  // namespace koppel
