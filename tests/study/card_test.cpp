// The code for graphics cards as sweeps run it, compiled for the host in the place of a card.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/card.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

constexpr const char* kCart = R"(
parameters: {M: 1, m: 0.2, l: 0.5, g: 9.81, tilt: 0.1}
inputs: [F]
coordinates: {x: 0, phi: {start: tilt}}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: m*g*l*cos(phi)
generalized_forces: {x: F}
outputs: {x: x, phi: phi}
run: {end: 1}
)";

// The compiler of the host in the place of nvcc, as a script in a folder.
std::string make_host_compiler(const std::filesystem::path& folder) {
  const std::string compiler = folder / "host";
  std::ofstream(compiler) << "#!/bin/sh\nfor word; do source=$word; done\n"
                             "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && library=$2; shift; done\n"
                             "exec c++ -O1 -ffp-contract=off -fPIC -shared -x c++ \"$source\" -o "
                             "\"$library\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  return compiler;
}

// What stays on the card from one run to the next changes nothing, and neither does it that many
// variants run in parts side by side.
TEST(Card, RunsAgainAsIfForTheFirstTime) {
  const testing::TemporaryFolder folder;
  const testing::ScopedEnvironment named("KOPPEL_NVCC", make_host_compiler(folder.path()));
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  BatchOptions options;
  options.run.step = 0.01;
  options.run.end = 0.5;
  options.run.integrator = "rosenbrock";
  Batch batch(model, origins, 3, options);
  Card card(batch.step_model());
  const auto run = [&](double from) {
    const std::vector<double> tilt = {from, 2 * from, 3 * from};
    batch.set(std::vector<std::string>{"tilt"}, tilt);
    Card::Variants variants{3, {}, {}};
    std::vector<double> numbers(3);
    for (std::size_t i = 0; i < batch.num_states(); ++i) {
      batch.get_state(i, numbers);
      variants.states.push_back(numbers);
    }
    for (std::size_t i = 0; i < batch.num_parameters(); ++i) {
      batch.get_parameter(i, numbers);
      variants.parameters.push_back(numbers);
    }
    const Card::Wanted wanted[] = {{1, Card::Which::Final}, {1, Card::Which::Maximum}};
    return card.run(variants, 50, wanted);
  };
  const Card::Results first = run(0.1), other = run(0.2), again = run(0.1);
  EXPECT_EQ(first.values, again.values);
  EXPECT_NE(first.values, other.values);
  EXPECT_EQ(first.failures, std::vector<int>(3, 0));

  constexpr std::size_t kMany = 500'000;
  Card::Variants many{kMany, {}, {}};
  std::vector<double> numbers(3);
  for (std::size_t i = 0; i < batch.num_states(); ++i) {
    batch.get_state(i, numbers);
    std::vector<double>& states = many.states.emplace_back(kMany);
    for (std::size_t n = 0; n < kMany; ++n) states[n] = numbers[n % 3];
  }
  for (std::size_t i = 0; i < batch.num_parameters(); ++i) {
    batch.get_parameter(i, numbers);
    many.parameters.push_back({numbers[0]});
  }
  const Card::Wanted wanted[] = {{1, Card::Which::Final}};
  const Card::Results few = [&] {
    Card::Variants three{3, {}, many.parameters};
    for (const auto& states : many.states) three.states.emplace_back(&states[0], &states[3]);
    return card.run(three, 2, wanted);
  }();
  const Card::Results& all = card.run(many, 2, wanted);
  for (std::size_t n = 0; n < kMany; ++n) ASSERT_EQ(all.values[0][n], few.values[0][n % 3]) << n;
}

}  // namespace
}  // namespace koppel
