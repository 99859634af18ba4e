// The code for graphics cards as sweeps run it, compiled for the host in the place of a card.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/batch_sweep.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"
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

// The compiler of the host in the place of nvcc, as a script in a folder; sources are changed by
// sed first where `edit` says how.
std::string make_host_compiler(const std::filesystem::path& folder, const std::string& edit = "") {
  const std::string compiler = folder / "host";
  std::ofstream(compiler)
      << "#!/bin/sh\nfor word; do source=$word; done\n"
         "sed -i '" +
             edit +
             "' \"$source\"\n"
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
  options.on_card = options.reduces_on_card = true;
  Batch batch(model, origins, 3, options);
  const Batch::Wanted wanted[] = {{1, Batch::Which::Last}, {1, Batch::Which::Maximum}};
  const auto run = [&](double from) {
    const std::vector<double> tilt = {from, 2 * from, 3 * from};
    batch.set(std::vector<std::string>{"tilt"}, tilt);
    const Batch::Reduction& found = batch.advance_and_reduce(50, wanted);
    EXPECT_EQ(std::count(found.failures.begin(), found.failures.end(), 0), 3);
    return std::vector<CardNumbers>(found.values.begin(), found.values.end());
  };
  const auto first = run(0.1), other = run(0.2), again = run(0.1);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);

  constexpr std::size_t kMany = 500'000;
  batch.resize(kMany);
  batch.set({"tilt"}, [](std::size_t copy, std::span<double> values) {
    values[0] = 0.1 * static_cast<double>(copy % 3 + 1);
  });
  const Batch::Reduction& all = batch.advance_and_reduce(50, wanted);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t n = 0; n < kMany; ++n) {
      ASSERT_TRUE(testing::same_bits(all.values[k][n], first[k][n % 3])) << n;
    }
  }
}

// What is impossible fails in lanes and on a card as in a sweep that reads each variant; the others
// are as without it.
TEST(Card, VariantsThatAreImpossibleFailAlone) {
  const testing::TemporaryFolder folder;
  const testing::ScopedEnvironment named("KOPPEL_NVCC", make_host_compiler(folder.path()));
  constexpr const char* kBob = R"(
dimension: 2
gravity: [0, -9.81]
parameters: {rho: 1}
bodies: {bob: {mass: 2*rho, inertia: 0.1*rho, position: [1, 0]}}
joints: {hinge: {type: revolute, between: [ground, bob], at: [0, 0]}}
forces: {spring: {type: effort, on: hinge.angle, effort: -50*hinge.angle}}
outputs: {angle: hinge.angle}
run: {end: 0.1, step: 0.01}
)";
  Sweep sweep{
      [&](const Settings& settings) { return read_model_text(kBob, "bob.yaml", {settings}); },
      [](const Model& model) { return options_of(model); },
      Samples({.ranges = {parse_range("rho=-1,2")}}),
      {parse_criterion("angle:final")}};
  prepare(sweep);
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kBob, "bob.yaml", {}, origins);
  const SweepRow expected = *run_variant(sweep, 0);
  EXPECT_EQ(expected.id, "model.bad-mass");
  std::vector<std::vector<double>> done;
  for (const bool on_card : {false, true}) {
    SweepQueue queue(std::vector<bool>(2, false));
    BatchSweepLoad load;
    const auto keep = [&](std::span<const std::size_t> numbers, const BatchRows& rows) {
      ASSERT_EQ(numbers.size(), 2);
      SweepRow row;
      rows.get(0, row);
      EXPECT_EQ(row.status, SweepRow::Status::Failed) << on_card;
      EXPECT_EQ(row.id, expected.id);
      EXPECT_EQ(row.reason, expected.reason);
      rows.get(1, row);
      EXPECT_EQ(row.status, SweepRow::Status::Done) << on_card;
      done.push_back(row.values);
    };
    run_batch_sweep(sweep, model, origins, queue, {.on_card = on_card}, keep, load);
  }
  ASSERT_EQ(done.size(), 2);
  EXPECT_EQ(done[0], done[1]);
}

// Where there is a compiler and no card the driver refuses the first memory that is asked for.
TEST(Card, RefusalsOfTheDriverAreTold) {
  const testing::TemporaryFolder folder;
  const std::string edit = "/^static int koppel_allocate_on_host/,/^}/s/return .*;/return 135;/";
  const testing::ScopedEnvironment named("KOPPEL_NVCC", make_host_compiler(folder.path(), edit));
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  BatchOptions options;
  options.run.step = 0.01;
  options.run.integrator = "rosenbrock";
  options.on_card = true;
  EXPECT_EQ(testing::id_of([&] {
              Batch(model, origins, 3, options).set("tilt", std::vector<double>(3, 0.1));
            }),
            "study.no-card");
}

// Copies on a card go the ways of copies in lanes, bit by bit: with inputs, parameters, copies that
// start anew beside others, laws of time, and a copy that fails.
TEST(Card, BatchesHaveTheBitsOfLanes) {
  const testing::TemporaryFolder folder;
  const testing::ScopedEnvironment named("KOPPEL_NVCC", make_host_compiler(folder.path()));
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  for (const char* integrator : {"rosenbrock", "dop853"}) {
    BatchOptions options;
    options.run.step = 0.01;
    options.run.integrator = integrator;
    options.observed = {"phi", "x + 0*t", "sin(3*t)"};
    constexpr std::size_t kCount = 11;
    Batch lanes(model, origins, kCount, options);
    options.on_card = true;
    Batch card(model, origins, kCount, options);
    const std::size_t m = options.observed.size();
    std::vector<double> a(kCount * m), b(kCount * m), ta(kCount), tb(kCount), u(kCount),
        tilt(kCount);
    const auto expect_same = [&](const char* when) {
      lanes.observe(a), card.observe(b);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(testing::same_bits(a[i], b[i])) << integrator << ' ' << when << ' ' << i;
      }
      lanes.times(ta), card.times(tb);
      EXPECT_EQ(ta, tb) << when;
      lanes.observe(a), card.observe(b);  // of what came back from the card
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(testing::same_bits(a[i], b[i])) << integrator << ' ' << when << ' ' << i;
      }
    };
    const auto both = [&](auto&& act) { act(lanes), act(card); };
    expect_same("at the start");
    for (std::size_t i = 0; i < kCount; ++i) tilt[i] = 0.1 + 0.02 * static_cast<double>(i);
    both([&](Batch& of) { of.set("tilt", tilt); });
    for (std::size_t i = 0; i < kCount; ++i) u[i] = static_cast<double>(i) - 4;
    both([&](Batch& of) { of.advance(u, 7); });
    both([&](Batch& of) { of.advance({}, 3); });
    expect_same("after steps");
    std::vector<std::uint8_t> marked(kCount, 0);
    marked[2] = marked[9] = 1;
    both([&](Batch& of) { of.reset(marked); });
    expect_same("after a reset of two");
    both([&](Batch& of) { of.advance(u, 5); });
    expect_same("after more steps");
    u[4] = 1e300;
    both([&](Batch& of) { of.advance(u, 20); });
    card.observe(b);
    EXPECT_TRUE(std::isnan(b[4 * m])) << "a copy that failed";
    EXPECT_TRUE(std::isfinite(b[5 * m]));
    both([&](Batch& of) { of.reset(); });
    expect_same("all at their starts");
  }
}

}  // namespace
}  // namespace koppel
