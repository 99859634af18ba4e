// Projection and minimal extension with implicit integrators: against an independent program,
// against the flat solution, and their orders.
#include <map>

#include <gtest/gtest.h>

#include <koppel/results/csv.hpp>

#include "tests/control/stepping.hpp"

namespace koppel {
namespace {

using namespace testing;

TEST(Reduced, BackwardEulerIsThatOfAnIndependentProgram) {
  for (const char* name : {"overhead_crane", "rotary_crane"}) {
    const Trajectory reference = read_csv(KOPPEL_REFERENCE + std::string(name) + "_euler.csv");
    for (const char* method : {"minimal-extension", "projection"}) {
      const Inverse result = stepped(model_file(name), method, 0.1);
      ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
      ASSERT_EQ(result.trajectory.num_rows(), reference.num_rows());
      for (std::size_t i = 1; i < reference.num_columns(); ++i) {
        const std::string& column = reference.columns()[i].name;
        // Inputs have second differences of positions over the squared step: round-off of 1e-15/h².
        EXPECT_LT(distance(result.trajectory[column], reference.column(i)),
                  1e-9 * std::max(1.0, largest(reference.column(i))))
            << name << ' ' << method << ' ' << column;
      }
    }
  }
}

TEST(Reduced, CoordinatesAndMultipliersAreExactAtNodes) {
  struct Case {
    const char* model;
    double step;
    std::vector<std::string> columns;
    double tolerance;
    Settings set = {};
  };
  const Settings turn = {{"dx", "0"}, {"dy", "0"}, {"dz", "0"}, {"turn", "pi/3"}};
  const std::vector<Case> cases = {
      {"overhead_crane", 0.1, {"s", "l", "lambda.cable"}, 1e-11},
      {"rotary_crane", 0.5, {"phi", "s", "l", "lambda.cable"}, 1e-11},
      {"navy_crane_2d",
       0.1,
       {"L1", "L2", "L3", "L0", "x0", "lambda.cable0", "lambda.cable2"},
       1e-10},
      {"cable_manipulator", 0.5, {"pg0", "pg1", "pc1", "pc3", "lambda.cable1"}, 1e-10},
      {"cable_manipulator", 0.5, {"pg2", "pg3", "pc2", "pc3", "lambda.cable2"}, 1e-10, turn}};
  for (const Case& c : cases) {
    const Model model = model_file(c.model, c.set);
    const Inverse flat = exact(model, c.step);
    const Inverse result = stepped(model, "minimal-extension", c.step);
    ASSERT_EQ(result.status, Outcome::Status::Done) << c.model << ": " << result.text;
    for (const std::string& column : c.columns) {
      EXPECT_LT(error(result, flat, column),
                c.tolerance * std::max(1.0, largest(flat.trajectory[column])))
          << c.model << ' ' << column;
    }
  }
}

TEST(Reduced, BackwardEulerHasTheErrorsOfTheLiterature) {
  // Largest errors at nodes, by an independent program [Yang 2017 has them as curves].
  const Model overhead = model_file("overhead_crane"), rotary = model_file("rotary_crane");
  const std::map<double, std::pair<double, double>> known = {{0.1, {70.0430, 3.84385}},
                                                             {0.01, {11.5154, 0.437574}}};
  for (const auto& [step, errors] : known) {
    const Inverse flat = exact(overhead, step);
    const Inverse result = stepped(overhead, "minimal-extension", step);
    EXPECT_NEAR(error(result, flat, "F_t"), errors.first, 1e-5 * errors.first);
    EXPECT_NEAR(error(result, flat, "M_w"), errors.second, 1e-5 * errors.second);
  }
  const Inverse flat = exact(rotary, 0.1);
  const Inverse result = stepped(rotary, "minimal-extension", 0.1);
  EXPECT_NEAR(error(result, flat, "M_b"), 4.30878, 1e-5);
  EXPECT_NEAR(error(result, flat, "F_t"), 0.247651, 1e-6);
}

// A load that moves gently, with so many continuous derivatives that the ends do not show.
Model gentle_crane() {
  return read_model_text(
      "parameters: {m_t: 10, m: 100, J: 0.1, r: 0.1, g: 9.81}\ninputs: [F_t, M_w]\n"
      "coordinates: {s: {start: 0}, l: {start: 4}, x: {start: 0}, z: {start: -4}}\n"
      "kinetic: m_t/2*s'^2 + J/r^2/2*l'^2 + m/2*(x'^2 + z'^2)\npotential: m*g*z\n"
      "generalized_forces: {s: F_t, l: M_w/r}\n"
      "constraints: {cable: ((x - s)^2 + z^2 - l^2)/2}\n"
      "signals: {c: {type: rest-to-rest, duration: 6, smoothness: 9}}\n"
      "servo: {load_x: {output: x, reference: c}, load_z: {output: z, reference: -4 - c}}\n"
      "run: {end: 6}\n",
      "gentle_crane.yaml");
}

// log₂ of how the errors fall from step h to h/2.
double order(const Model& model, const std::string& method, const std::string& integrator,
             const std::string& column, double h) {
  const double coarse = error(stepped(model, method, h, integrator), exact(model, h), column);
  const double fine = error(stepped(model, method, h / 2, integrator), exact(model, h / 2), column);
  return std::log2(coarse / fine);
}

TEST(Reduced, InputsConvergeWithTheOrderOfTheIntegrator) {
  const Model model = gentle_crane();
  for (const char* method : {"minimal-extension", "projection", "projection:null-space"}) {
    EXPECT_NEAR(order(model, method, "implicit-euler", "F_t", 0.02), 1, 0.1) << method;
    EXPECT_NEAR(order(model, method, "bdf2", "F_t", 0.05), 2, 0.2) << method;
    EXPECT_NEAR(order(model, method, "bdf3", "F_t", 0.05), 3, 0.4) << method;
    EXPECT_NEAR(order(model, method, "bdf4", "F_t", 0.05), 4, 0.5) << method;
    EXPECT_NEAR(order(model, method, "bdf5", "F_t", 0.05), 5, 0.7) << method;
    // In index 3, velocities have order s and multipliers s − 1 with s stages of Radau IIA [Hairer
    // & Wanner 1996, table VII.4.1].
    EXPECT_NEAR(order(model, method, "radau5", "s'", 0.05), 3, 0.2) << method;
    EXPECT_NEAR(order(model, method, "radau5", "F_t", 0.05), 2, 0.2) << method;
  }
}

}  // namespace
}  // namespace koppel
