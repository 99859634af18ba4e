// The balance of energy, from the equations alone: without dampers, the energy does not change.
#include <gtest/gtest.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using testing::near;

struct Conservative {
  std::string name;
  double spread;
  ReadOptions options = {};  // switches dampers off
};

void PrintTo(const Conservative& test, std::ostream* stream) { *stream << test.name; }

class Energy : public ::testing::TestWithParam<Conservative> {};

// dE/dt = rate_of(E) at v̇ = 0 plus ∂E/∂v · v̇; the terms cancel to round-off of the largest.
TEST_P(Energy, IsConstantInEveryCoordinateSet) {
  std::mt19937 random(11);
  const Model model = read_model(KOPPEL_MODELS + GetParam().name + ".yaml", GetParam().options);
  for (const std::string& set : coordinate_sets(model)) {
    if (GetParam().name == "bricard" && set == "cardan") continue;  // starts singular: rods along z
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    const Evaluator evaluator(e);
    const State state = testing::random_state(e, random, GetParam().spread);
    const std::vector<double> v_rate = solve_accelerations(evaluator, state).v_rate;
    const std::vector<Expr> energies = {e.kinetic, e.potential};
    const std::vector<double> drift = VectorFunction(e, rate_of(e, energies))(state);
    const std::vector<double> by_v =
        VectorFunction(e, gradient(e.kinetic + e.potential, e.v))(state);
    double power = drift[0] + drift[1], scale = std::abs(drift[0]) + std::abs(drift[1]);
    for (std::size_t i = 0; i < v_rate.size(); ++i) {
      power += by_v[i] * v_rate[i];
      scale = std::max(scale, std::abs(by_v[i] * v_rate[i]));
    }
    EXPECT_TRUE(near(power, 0,
                     {.relative = 1e-9,
                      .scale = scale,
                      .because = "velocities satisfy the constraints to 1e-12 or so"}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Energy,
    ::testing::Values(
        Conservative{"pendulum", 0.2}, Conservative{"double_pendulum", 0.5},
        Conservative{"chain", 0.1}, Conservative{"four_bar", 0.1},
        Conservative{"slider_crank", 0.1}, Conservative{"bricard", 0.1},
        Conservative{"heavy_top", 0.2}, Conservative{"rolling_disc", 0.1},
        Conservative{"slider_crank_reversed", 0.1},
        Conservative{"copy_machine", 0.1, {.set = {{"c", "0"}}}},
        Conservative{"five_link", 0.01, {.set = {{"c", "0"}}}},
        Conservative{"mcpherson", 0.01, {.set = {{"c", "0"}}}},
        Conservative{"flyball_governor", 0.02, {.set = {{"C", "0"}}}},
        Conservative{"flyball_governor_symmetric", 0.02, {.set = {{"C", "0"}}}},
        Conservative{
            "vehicle_trailer",
            0.002,
            {.set = {{"d", "0"}, {"dt", "0"}, {"cx", "0"}, {"cy", "0"}, {"steering", "0"}}}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace koppel
