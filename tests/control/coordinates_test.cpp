// The cranes of [Yang 2017] in all the coordinates they are given in: minimal, dependent, redundant
// and rotationless. Flat solutions against independent ones, and steps against published schemes.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <koppel/analysis/examine.hpp>
#include <koppel/control/servo/realization.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/csv.hpp>

#include "tests/control/stepping.hpp"

namespace koppel {
namespace {

using namespace testing;

const Settings kLight = {{"J_b", "19.01"}, {"m_t", "53"}, {"J_w", "0.02"}, {"m", "10"}};

struct Variant {
  const char* model;
  const char* coordinates;
  Settings set;
  const char* reference;
  double duration;
  std::vector<std::string> columns;  // that the reference has too
};

std::vector<Variant> variants() {
  const std::vector<std::string> rotary = {"phi", "s", "l", "M_b", "F_t", "M_w"};
  std::vector<Variant> out = {
      {"overhead_crane", "", {}, "overhead_crane", 3, {"s", "l", "F_t", "M_w"}},
      {"overhead_crane_minimal", "", {}, "overhead_crane", 3, {"s", "l", "F_t", "M_w"}},
      {"rotary_crane", "", {}, "rotary_crane", 20, rotary},
      {"rotary_crane_minimal", "", {}, "rotary_crane", 20, rotary},
      {"rotary_crane_minimal", "", kLight, "rotary_crane_light", 20, rotary},
      {"rotary_crane_winches", "", {}, "rotary_crane", 20, rotary}};
  for (const char* set : {"joint", "absolute", "cardan", "natural", "directors"}) {
    out.push_back({"rotary_crane_bodies", set, {}, "rotary_crane_light", 20, rotary});
  }
  return out;
}

TEST(Coordinates, FlatSolutionsAreThoseOfAnIndependentProgram) {
  for (const Variant& v : variants()) {
    SCOPED_TRACE(std::string(v.model) + ' ' + v.coordinates);
    const Trajectory reference = read_csv(KOPPEL_REFERENCE + std::string(v.reference) + ".csv");
    const Model model = model_file(v.model, v.set);
    InverseOptions options = inverse_options_of(model);
    options.coordinates = v.coordinates;
    options.sampling.times.assign(reference.time().begin(), reference.time().end());
    const Inverse result = inverse(model, options);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_EQ(result.summary.index, 5);
    EXPECT_EQ(result.summary.internal_dynamics, 0);
    for (const std::string& column : v.columns) {
      const auto known = reference[column];
      EXPECT_LE(distance(result.trajectory[column], known), 1e-9 * std::max(1.0, largest(known)))
          << column;
    }
  }
}

TEST(Coordinates, IndexIsFiveByRanksWhereTheStructureHidesIt) {
  for (const char* name : {"overhead_crane_minimal", "rotary_crane_minimal", "rotary_crane_winches",
                           "rotary_crane_bodies"}) {
    const Examination found = examine(derive(model_file(name)));
    ASSERT_TRUE(found.servo);
    EXPECT_EQ(found.servo->index, 5) << name;
    EXPECT_EQ(found.servo->num_free, 0) << name;
  }
}

TEST(Coordinates, InputsActOnOneOutputDirectly) {
  // Minimal coordinates: S M⁻¹ B of the overhead crane has rank 1 of 2.
  const std::vector<std::tuple<const char*, int, int>> known = {{"overhead_crane_minimal", 1, 2},
                                                                {"rotary_crane_minimal", 1, 3},
                                                                {"rotary_crane", 1, 3},
                                                                {"mass_on_car", 1, 1}};
  for (const auto& [name, rank, outputs] : known) {
    const Equations e = derive(model_file(name));
    const auto found = find_realization(Evaluator(e), start_of(e));
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->rank, rank) << name;
    EXPECT_EQ(found->num_outputs, outputs) << name;
  }
}

TEST(Coordinates, AreExactAtNodesForAnyStepAndAnyMethod) {
  for (const Variant& v : variants()) {
    // The winch turns several times about the axis of the second Cardan angle: singular.
    if (std::string(v.coordinates) == "cardan") continue;
    const Model model = model_file(v.model, v.set);
    const double step = v.duration == 3 ? 0.1 : 1;
    // Quaternions and directors of the pillar turn by up to 20° a step of 1 s; Newton's method
    // begins each step where the last ended.
    const double h = std::string(v.coordinates).empty() ? step : 0.25;
    const Inverse flat = exact(model, h, v.coordinates);
    for (const char* method :
         {"minimal-extension", "minimal-extension:twice", "projection", "projection:null-space"}) {
      SCOPED_TRACE(std::string(v.model) + ' ' + v.coordinates + ' ' + method);
      const Inverse result = stepped(model, method, h, "implicit-euler", v.coordinates);
      ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
      for (std::size_t i = 0; v.columns[i] != "F_t" && v.columns[i] != "M_b"; ++i) {
        EXPECT_LT(error(result, flat, v.columns[i]), 1e-12) << v.columns[i];
      }
      if (std::string(method) != "minimal-extension:twice") continue;
      for (const std::string& column : v.columns) {
        EXPECT_LT(error(result, flat, column),
                  1e-12 * std::max(1.0, largest(flat.trajectory[column])) + 5e-11)
            << column;
      }
    }
  }
}

// Largest errors at nodes of backward Euler on each form, by an independent program.
struct Known {
  const char* model;
  const char* coordinates;
  Settings set;
  const char* method;
  double step;
  std::vector<std::pair<const char*, double>> errors;
};

TEST(Coordinates, BackwardEulerHasTheErrorsOfTheLiterature) {
  const char *once = "minimal-extension", *gen = "projection", *alt = "projection:null-space";
  const std::vector<Known> known = {
      {"overhead_crane", "", {}, once, 0.001, {{"F_t", 1.25660}, {"M_w", 0.0438035}}},
      {"overhead_crane", "", {}, gen, 0.1, {{"F_t", 70.0430}, {"M_w", 3.84385}}},
      {"overhead_crane", "", {}, alt, 0.1, {{"F_t", 70.0424}, {"M_w", 2.49623}}},
      {"overhead_crane", "", {}, alt, 0.01, {{"F_t", 11.5154}, {"M_w", 0.271625}}},
      {"overhead_crane_minimal", "", {}, once, 0.1, {{"F_t", 70.0430}, {"M_w", 2.29882}}},
      {"overhead_crane_minimal", "", {}, once, 0.01, {{"F_t", 11.5154}, {"M_w", 0.260177}}},
      {"overhead_crane_minimal", "", {}, gen, 0.1, {{"F_t", 70.0424}, {"M_w", 2.80690}}},
      {"overhead_crane_minimal", "", {}, gen, 0.01, {{"F_t", 11.5154}, {"M_w", 0.294181}}},
      {"rotary_crane", "", {}, once, 1, {{"M_b", 38.6055}, {"F_t", 0.98753}, {"M_w", 0.053085}}},
      {"rotary_crane_minimal", "", {}, once, 1, {{"M_b", 38.6055}, {"M_w", 0.0052747}}},
      {"rotary_crane_minimal", "", {}, once, 0.1, {{"M_b", 4.30878}, {"M_w", 0.00033960}}},
      {"rotary_crane_minimal", "", kLight, gen, 0.1, {{"M_b", 1.79224}, {"F_t", 1.31255}}},
      {"rotary_crane", "", kLight, once, 0.1, {{"M_b", 1.79224}, {"F_t", 1.31255}}},
      {"rotary_crane", "", kLight, alt, 0.1, {{"M_b", 1.79224}, {"F_t", 1.31255}}},
      {"rotary_crane_winches", "", {}, once, 1, {{"M_b", 54.380}, {"F_t", 0.960375}}},
      {"rotary_crane_winches", "", {}, once, 0.1, {{"M_b", 6.33945}, {"F_t", 0.245959}}},
      // The rotationless form, of 42 coordinates in the source and 41 here; three digits are known.
      {"rotary_crane_bodies", "directors", {}, gen, 0.1, {{"M_b", 1.955}, {"F_t", 1.304}}},
  };
  for (const Known& k : known) {
    SCOPED_TRACE(std::string(k.model) + ' ' + k.method);
    const Model model = model_file(k.model, k.set);
    const Inverse flat = exact(model, k.step, k.coordinates);
    const Inverse result = stepped(model, k.method, k.step, "implicit-euler", k.coordinates);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    for (const auto& [column, value] : k.errors) {
      // Half a unit of the last of four digits.
      EXPECT_NEAR(error(result, flat, column), value, 5e-4 * value) << column;
    }
  }
}

// ALT of the rotary crane [Yang 2017, 4.4.2] has the cable as a difference of lengths: the error of
// the winch's torque is another than with that of squares, and is that of the independent program.
TEST(Coordinates, ErrorsOfTheNullSpaceFormDependOnTheFormOfTheConstraint) {
  const auto torque_error = [](const Model& model) {
    return error(stepped(model, "projection:null-space", 0.1), exact(model, 0.1), "M_w");
  };
  std::ifstream file(std::string(KOPPEL_MODELS) + "rotary_crane.yaml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = text.find("  cable: {value:"), end = text.find('\n', begin);
  ASSERT_NE(begin, std::string::npos);
  text.replace(begin, end - begin,
               "  cable: \"sqrt((x - s*cos(phi))^2 + (y - s*sin(phi))^2 + z^2) - l\"");
  const double lengths = torque_error(read_model_text(text, "rotary_crane.yaml", {.set = kLight}));
  EXPECT_NEAR(lengths, 6.8e-5, 5e-7);  // known to two digits
  EXPECT_GT(torque_error(model_file("rotary_crane", kLight)), 2 * lengths);
}

TEST(Coordinates, ProjectionInDependentCoordinatesIsTheMinimalExtension) {
  const Model model = model_file("overhead_crane");
  const Inverse a = stepped(model, "minimal-extension", 0.1), b = stepped(model, "projection", 0.1);
  for (const char* column : {"s", "l", "F_t", "M_w", "s'", "l'", "lambda.cable"}) {
    EXPECT_LT(error(a, b, column), 1e-10 * std::max(1.0, largest(b.trajectory[column]))) << column;
  }
}

TEST(Coordinates, WinchesAmountToForceAndTorqueOfTheSimplerCrane) {
  const Inverse a = exact(model_file("rotary_crane"), 0.1),
                b = exact(model_file("rotary_crane_winches"), 0.1);
  for (const char* column : {"phi", "s", "l"}) EXPECT_LT(error(a, b, column), 1e-13) << column;
  for (const char* column : {"M_b", "F_t", "M_w"}) EXPECT_LT(error(a, b, column), 1e-10) << column;
}

TEST(Coordinates, ExtensionAndChangeOfCoordinatesCommute) {
  // With q = φ(μ), q̇ = P μ̇, q̈ = P μ̈ + Ṗ μ̇ the dependent equations of motion, projected by Pᵀ (no
  // multiplier is left), are the minimal ones; the servo rows are the same functions of time.
  const Evaluator dependent(derive(model_file("overhead_crane"))),
      minimal(derive(model_file("overhead_crane_minimal")));
  State small = start_of(minimal.equations), large = start_of(dependent.equations);
  const double s = 0.7, l = 3.1, th = 0.4, sv = -0.3, lv = 0.8, tv = 0.6, sa = 1.1, la = -0.4,
               ta = 0.9, S = std::sin(th), C = std::cos(th);
  small.q = {s, l, th};
  small.v = {sv, lv, tv};
  small.u = large.u = {12.0, -34.0};
  large.q = {s, l, s + l * S, -l * C};
  large.v = {sv, lv, sv + lv * S + l * C * tv, -lv * C + l * S * tv};
  const double a_q[4] = {sa, la, sa + la * S + 2 * lv * C * tv + l * C * ta - l * S * tv * tv,
                         -la * C + 2 * lv * S * tv + l * S * ta + l * C * tv * tv};
  const double a_mu[3] = {sa, la, ta};
  const double P[4][3] = {{1, 0, 0}, {0, 1, 0}, {1, S, l * C}, {0, -C, l * S}};
  const auto Ml = (*dependent.M)(large);
  const auto Ms = (*minimal.M)(small);
  const auto fl = dependent.f(large), fs = minimal.f(small);
  for (int k = 0; k < 3; ++k) {
    double projected = 0, direct = -fs[static_cast<std::size_t>(k)];
    for (int i = 0; i < 4; ++i) {
      double row = -fl[static_cast<std::size_t>(i)];
      for (int j = 0; j < 4; ++j) row += Ml(i, j) * a_q[j];
      projected += P[i][k] * row;
    }
    for (int j = 0; j < 3; ++j) direct += Ms(k, j) * a_mu[j];
    EXPECT_NEAR(projected, direct, 1e-11 * 3000) << k;  // terms m g l
  }
}

}  // namespace
}  // namespace koppel
