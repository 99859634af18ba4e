// What is stated about servo constraints and their discretisation [Yang 2017], beside what
// coordinates_test, reduced_test, flat_test and errors_test have. docs/inverse.md lists all.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/control/servo/reduced_servo.hpp>
#include <koppel/equations/derive.hpp>

#include "tests/control/stepping.hpp"

namespace koppel {
namespace {

using namespace testing;

// A servo problem with its solution at the start.
struct Started {
  explicit Started(const std::string& name)
      : equations(derive(model_file(name))),
        evaluator(equations),
        state(assemble(evaluator).state),
        servo(make_servo_problem(equations, state)),
        solution(servo, 100) {
    EXPECT_EQ(solution.start(evaluator, state, 1), FlatSolution::Status::Ok) << name;
  }
  int size(const char* method) const {
    return make_reduced_servo(equations, *find_reduced_method(method), state, servo, solution)
        .problem.size();
  }
  Equations equations;
  Evaluator evaluator;
  State state;
  ServoProblem servo;
  FlatSolution solution;
};

TEST(Statements, FormsHaveTheirSizes) {
  // Overhead crane: n = 4, m = 1, a = 2, f = 3. Yang eliminates the outputs with their rates (3a).
  const Started dependent("overhead_crane"), minimal("overhead_crane_minimal");
  EXPECT_EQ(dependent.size("minimal-extension") - 3 * 2, 2 * 4 + 1 - 2);  // (5.37)
  EXPECT_EQ(minimal.size("minimal-extension"), 2 * (3 + 2));              // (5.40)
  // (4.23): f + f + a, beside the accelerations (f) and κ (a) that stand for M⁻¹ and D.
  EXPECT_EQ(minimal.size("projection"), 3 + 3 + 2 + 3 + 2);
  // (4.50): 2n − a + m without the outputs and their velocities (2a), which are unknowns here;
  // accelerations (n), λ̄ (m) and κ (a) stand for M⁻¹ and D.
  EXPECT_EQ(dependent.size("projection:null-space"), (2 * 4 - 2 + 1) + 2 * 2 - 2 + 2 + 4 + 1 + 2);
  // (5.25): p, p̂, p̃ and u are 4a. Here all derivatives of all unknowns are: Σ (d_j + 1), with
  // d = 2 for s and l, 4 for x and z, 2 for λ, 0 for the inputs.
  EXPECT_EQ(dependent.size("minimal-extension:twice"), 3 + 3 + 5 + 5 + 3 + 1 + 1);
}

TEST(Statements, AssumptionsHoldForSimpleCranesAndNotForThoseWithPulleys) {
  const auto violated = [](const char* method, const std::string& name) {
    std::vector<std::string> found;
    for (const std::string& text : stepped(model_file(name), method, 0.1).summary.messages) {
      if (text.starts_with("assumption")) found.push_back(text);
    }
    return found;
  };
  for (const char* name : {"overhead_crane", "rotary_crane", "rotary_crane_winches"}) {
    EXPECT_TRUE(violated("minimal-extension", name).empty()) << name;
  }
  const auto planar = violated("minimal-extension", "navy_crane_2d_massless");
  ASSERT_EQ(planar.size(), 1u);
  EXPECT_EQ(planar[0],
            "assumption 3 of the minimal extension [Yang 2017] does not hold at t = 0.1 s: the "
            "matrix (5.109) of size 9 has rank 8. Its index may be another than 3; the steps may "
            "still converge.");
  const auto spatial = violated("minimal-extension", "navy_crane_3d_massless");
  ASSERT_EQ(spatial.size(), 1u);
  EXPECT_NE(spatial[0].find("of size 14 has rank 12"), std::string::npos) << spatial[0];
  EXPECT_NE(violated("minimal-extension", "navy_crane_2d")[1].find("have rank 2"),
            std::string::npos);
  EXPECT_NE(violated("minimal-extension", "navy_crane_3d")[1].find("15 rows and 13 columns"),
            std::string::npos);
}

TEST(Statements, NavyCranesAreSteppedWithExactCoordinatesAndInputsOfFirstOrder) {
  struct Known {
    const char* model;
    std::vector<std::string> exact;
    double step;
    std::vector<std::pair<const char*, double>> errors;
  };
  const std::vector<std::string> massless = {"L1", "L2", "L0", "x0", "z0"},
                                 heavy = {"L1",           "L2", "L3", "L0", "x0", "lambda.cable0",
                                          "lambda.cable2"};
  // (u1 of the massless cranes is worst in the first steps after the singular start, which others
  // take otherwise: the next test.)
  const std::vector<Known> known = {
      {"navy_crane_2d_massless", massless, 0.1, {{"u2", 17.414}}},
      {"navy_crane_2d_massless", massless, 0.01, {{"u2", 1.9083}}},
      {"navy_crane_2d", heavy, 0.1, {{"u1", 560.83}, {"u2", 53.07}, {"u3", 279.60}}},
      {"navy_crane_2d", heavy, 0.01, {{"u1", 61.740}, {"u2", 6.0988}, {"lambda.cable1", 75.36}}},
      {"navy_crane_3d_massless", {"L1", "L3", "L0", "x0", "z0", "x3"}, 0.1, {{"u4", 9.216}}}};
  for (const Known& k : known) {
    const Model model = model_file(k.model);
    const Inverse flat = exact(model, k.step);
    for (const char* method : {"minimal-extension", "projection"}) {
      SCOPED_TRACE(std::string(k.model) + ' ' + method);
      const Inverse result = stepped(model, method, k.step);
      ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
      for (const std::string& column : k.exact) {
        EXPECT_LT(error(result, flat, column),
                  1e-10 * std::max(1.0, largest(flat.trajectory[column])))
            << column;
      }
      for (const auto& [column, value] : k.errors) {
        EXPECT_NEAR(error(result, flat, column), value, 1e-3 * value) << column;
      }
    }
  }
}

// Backward Euler's u1 with exact lengths L of cable 1 at the nodes is off by
//   J/r |(Lₙ − Lₙ₋₁)/h² − vₙ₋₁/h − L̈ₙ|,   J/r² L̈ = u1/r + λ₁ L,   J/r = 1, J/r² = 10,
// with vₙ₋₁ the last difference, but for the start: at rest at t = 0, as an independent program
// does it (its errors are known), or with the exact velocity at the first node that can be solved.
TEST(Statements, StartsExplainTheDifferencesOfU1OfMasslessCranes) {
  struct Known {
    const char* model;
    double start, step, other;
  };
  const double root = std::sqrt(3.0);
  for (const Known& k : {Known{"navy_crane_2d_massless", 5 * root, 0.1, 17.196},
                         {"navy_crane_2d_massless", 5 * root, 0.01, 2.8778},
                         {"navy_crane_3d_massless", 5 * root / 2, 0.1, 0.1240},
                         {"navy_crane_3d_massless", 5 * root / 2, 0.01, 0.01647}}) {
    SCOPED_TRACE(k.model);
    const Model model = model_file(k.model);
    const Inverse flat = exact(model, k.step);
    const Trajectory& y = flat.trajectory;
    double last = 0, length = k.start, rate = 0, exact_rate = 0, from_rest = 0, from_node = 0;
    int node = 0;
    for (std::size_t i = 0; i < y.num_rows(); ++i) {
      if (y.time()[i] < last + k.step / 2) continue;
      last = y.time()[i];
      ++node;
      const double L = y["L1"][i], second = (y["u1"][i] / 0.1 + y["lambda.cable1"][i] * L) / 10;
      const double difference = (L - length) / k.step;
      from_rest = std::max(from_rest, std::abs((difference - rate) / k.step - second));
      if (node > 1) {
        const double before = node == 2 ? exact_rate : rate;
        from_node = std::max(from_node, std::abs((difference - before) / k.step - second));
      }
      exact_rate = y["L1'"][i];
      rate = difference;
      length = L;
    }
    EXPECT_NEAR(from_rest, k.other, 1e-3 * k.other);
    EXPECT_NEAR(from_node, error(stepped(model, "minimal-extension", k.step), flat, "u1"),
                1e-5 * from_node);
  }
}

TEST(Statements, IndexSevenLeavesSlewingOfFirstOrderAndASpikeOfTheTorque) {
  // With four continuous derivatives γ⁽⁵⁾ jumps at the start, and u4 depends on γ⁽⁶⁾: its second
  // step grows as 1/h. Known for steps 0.1, 0.02, 0.01: 15.0, 26.2, 49.9.
  const Model model = model_file("navy_crane_3d", {{"n", "4"}});
  const std::vector<std::pair<double, double>> known = {{0.1, 15.0}, {0.02, 26.2}, {0.01, 49.9}};
  for (const auto& [step, u4] : known) {
    InverseOptions options = inverse_options_of(model);
    options.method = "minimal-extension";
    options.step = step;
    options.end = 2;
    options.across_jumps = true;
    options.health.is_watched = false;
    options.tolerance = 1e-12;
    options.sampling.count = static_cast<int>(std::lround(options.end / step)) + 1;
    const Inverse result = inverse(model, options);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_NEAR(result.trajectory["u4"][2], u4, 0.06);
  }
}

TEST(Statements, ExtendedToIndexOneTheCraneOfIndexSevenIsExact) {
  const Model model = model_file("navy_crane_3d");
  const Inverse flat = exact(model, 0.2), result = stepped(model, "minimal-extension:twice", 0.2);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  for (const char* column : {"x3", "y3", "L1", "u1", "u4"}) {
    EXPECT_LT(error(result, flat, column), 1e-9 * std::max(1.0, largest(flat.trajectory[column])))
        << column;
  }
}

TEST(Statements, ManipulatorHangsOnEqualCablesAndMovesWithoutForceAtConstantSpeed) {
  const Inverse result = exact(model_file("cable_manipulator"), 0.1);
  for (const char* column : {"lambda.cable1", "lambda.cable2", "lambda.cable3"}) {
    EXPECT_NEAR(result.trajectory[column].front(), 12.5 * 9.81 / 9, 1e-12);  // m g / (3 · 3 m)
  }
  EXPECT_NEAR(result.trajectory["uc1"].front(), -4.0875, 1e-12);
  const auto t = result.trajectory.time();
  for (const char* column : {"ug0", "ug1", "ug2", "ug3"}) {
    const auto u = result.trajectory[column];
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (t[i] > 5 && t[i] < 15) {
        EXPECT_LT(std::abs(u[i]), 1e-10) << column << ' ' << t[i];
      }
    }
  }
  EXPECT_LT(result.summary.max_position_violation, 1e-13);
  EXPECT_LT(result.summary.max_servo_error, 1e-13);
}

// Backward Euler on the servo problem itself, of index 5.
Outcome step_directly(const Model& model, double step, std::vector<std::vector<double>>& rows) {
  const Equations e = derive(model);
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const ServoProblem servo = make_servo_problem(e, state);
  FlatSolution solution(servo, model.run.end);
  solution.start(evaluator, state, model.run.end);
  ResidualTerms r;
  r.t = e.t;
  r.y = e.q;
  r.y.insert(r.y.end(), e.v.begin(), e.v.end());
  const Expr lambda = e.graph->symbol("direct.lambda");
  r.y.push_back(lambda);
  r.y.insert(r.y.end(), e.u.begin(), e.u.end());
  for (std::size_t i = 0; i < r.y.size(); ++i) {
    r.y_rate.push_back(e.graph->symbol("direct.rate" + std::to_string(i)));
    r.index.push_back(i < 8 ? 0 : 3);
  }
  const std::vector<Expr> v_rate(r.y_rate.begin() + 4, r.y_rate.begin() + 8);
  const std::vector<Expr> inertia = multiply(*e.M, v_rate),
                          force = multiply_transposed(e.G, std::vector<Expr>{lambda});
  for (std::size_t i = 0; i < 4; ++i) r.F.push_back({"rate", r.y_rate[i] - e.v[i]});
  for (std::size_t i = 0; i < 4; ++i) r.F.push_back({"motion", inertia[i] - e.f[i] + force[i]});
  r.F.push_back({"cable", e.g[0]});
  for (std::size_t i = 0; i < 2; ++i) r.F.push_back({"servo", e.s[i].value - e.reference[i]});
  r.given = {e.p, state.p};
  Problem problem;
  problem.name = "direct";
  problem.index = 3;  // what integrators are told: they need not know that it is 5
  problem.num_q = problem.num_v = 4;
  problem.num_lambda = 1;
  problem.num_u = 2;
  for (const Expr& y : r.y) problem.labels.emplace_back(y.name());
  problem.residual = Lazy<Residual>([r] { return Residual(r); });
  std::vector<double> y(11);
  solution.get(y);
  IntegrateOptions options;
  options.step = step;
  options.tolerance = 1e-9;
  options.projection = Projection::None;
  return integrate(problem, "implicit-euler", {0, y}, model.run.end, options, [&](const Step& s) {
    std::vector<double> row(11);
    s.evaluate(s.t1, row);
    rows.push_back(row);
    return true;
  });
}

TEST(Statements, SteppedDirectlyIndexFiveIsWorse) {
  // Known for step 0.01: s is off by 0.0385 (exact in the reduced form) and F_t by 22.2 (11.5).
  const Model model = model_file("overhead_crane");
  std::vector<std::vector<double>> rows;
  const Outcome outcome = step_directly(model, 0.01, rows);
  ASSERT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
  const Inverse flat = exact(model, 0.01);
  double s = 0, F = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    s = std::max(s, std::abs(rows[n][0] - flat.trajectory["s"][n + 1]));
    F = std::max(F, std::abs(rows[n][9] - flat.trajectory["F_t"][n + 1]));
  }
  EXPECT_NEAR(s, 0.0385, 1e-4);
  EXPECT_NEAR(F, 22.2, 0.1);
}

TEST(Statements, MidpointRuleOscillates) {
  // v_{n+1} + v_n = 2 (p_{n+1} − p_n)/h with exact p: an error of v keeps its size and turns its
  // sign in every step.
  const Model model = model_file("overhead_crane");
  const double h = 0.01;
  const Inverse flat = exact(model, h),
                midpoint = stepped(model, "minimal-extension", h, "midpoint"),
                euler = stepped(model, "minimal-extension", h);
  ASSERT_EQ(midpoint.status, Outcome::Status::Done) << midpoint.text;
  const auto deviation = [&](const Inverse& of, std::size_t n) {
    return of.trajectory["s'"][n] - flat.trajectory["s'"][n];
  };
  const std::size_t last = flat.trajectory.num_rows() - 1;
  for (std::size_t n = last; n > last - 20; --n) {
    EXPECT_LT(deviation(midpoint, n) * deviation(midpoint, n - 1), 0) << n;
  }
  EXPECT_GT(std::abs(deviation(midpoint, last)), 5e-4);
  // Backward Euler forgets its errors: what is left, h/2 times the acceleration, does not
  // alternate.
  for (std::size_t n = last; n > last - 20; --n) {
    EXPECT_GT(deviation(euler, n) * deviation(euler, n - 1), 0) << n;
  }
  EXPECT_LT(error(midpoint, flat, "s"), 1e-12);
}

}  // namespace
}  // namespace koppel
