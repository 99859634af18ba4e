// Built-in mechanisms, taken hold of at a body and shaken for ten minutes: a pointer that goes to
// and fro at 1 to 4 Hz by a quarter of the mechanism's size, seen 60 times a second and held.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>
#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

constexpr double kHold = 1.0 / 60;  // s

// Seconds of motion; KOPPEL_SHAKE_SECONDS gives others than ten minutes.
double duration() {
  const char* const asked = std::getenv("KOPPEL_SHAKE_SECONDS");
  return asked ? std::atof(asked) : 600;
}

std::vector<std::string> models_with_bodies() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() != ".yaml") continue;
    const Model model = read_model(entry.path());
    const bool is_fit = model.bodies.size() > 1 && model.events.empty() && model.tracking.empty();
    if (is_fit) names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The bodies' places at the start, and how far they are apart.
double size_of(const Model& model, const ParameterValues& values) {
  double size = 0;
  for (const Body& a : model.bodies) {
    for (const Body& b : model.bodies) size = std::max(size, norm(values(a.position - b.position)));
  }
  return size > 0 ? size : 1;
}

// Holds the last body that has mass, which is the farthest from the ground in most.
void shake(Model& model) {
  const ParameterValues values(model);
  std::size_t last = model.bodies.size() - 1;
  while (last > 1 && values(model.bodies[last].mass) == 0) --last;
  const Body& body = model.bodies[last];
  const Vec3<double> centre = values(body.position);
  const double size = size_of(model, values);
  double mass = 0;
  for (const Body& b : model.bodies) mass += values(b.mass);
  std::mt19937_64 engine(18);
  const auto random = [&] { return 2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1; };
  const double end = duration();
  TrackingElement hold;
  hold.point = Place{static_cast<int>(last), {}};
  hold.force = Expr(100 * mass);  // ten times the weight
  for (std::size_t i = 0; i < (model.is_planar ? 2U : 3U); ++i) {
    std::vector<double> t, x;
    double phase = 3 * random(), rate = 0;
    for (double at = 0; at < end; at += kHold) {
      if (t.size() % 30 == 0) rate = 2 * std::numbers::pi * (2.5 + 1.5 * random());
      phase += rate * kHold;
      t.push_back(at);
      x.push_back(centre[i] + 0.25 * size * std::sin(phase) * std::min(at, 1.0));
    }
    const Table table =
        model.graph->add_table(std::string("shake.") + "xyz"[i], TableData::held(t, x));
    hold.follows.values.push_back(table(model.time));
  }
  const ParameterValues now(model);
  ModelWriter writer(model, now, "hold", "the hand", {},
                     [](std::string_view, Diagnostic d) { throw Error(std::vector{d}); });
  add_element(hold, writer);
}

// The bicycle is laid flat on the road, where a thin disc has no lowest point: its wheels get
// sides.
Model read_with_sides(const std::string& path) {
  std::string text = read_text(path, 1 << 20, "test.no-file");
  const std::string_view disc = "axis: [0, 1, 0]}", sided = "axis: [0, 1, 0], side: 0.1}";
  for (std::size_t at = text.find("type: rolling"); at != text.npos;
       at = text.find("type: rolling", at + 1)) {
    const std::size_t end = text.find(disc, at);
    if (end != text.npos) text.replace(end, disc.size(), sided);
  }
  return read_model_text(text, path);
}

class Shaking : public ::testing::TestWithParam<std::string> {};

TEST_P(Shaking, JointsHold) {
  const std::string path = std::string(KOPPEL_MODELS) + GetParam() + ".yaml";
  Model model = GetParam() == "whipple_bicycle" ? read_with_sides(path) : read_model(path);
  shake(model);
  SimulateOptions options = options_of(model);
  options.coordinates.clear();
  options.formulation = {};
  options.integrator = "linear-implicit";
  options.step = 1e-3;
  options.end = duration();
  options.sampling.count = 6001;
  options.health = {.is_watched = false};
  const Simulation s = simulate(model, options);
  // A row of the table in docs/real-time.md.
  std::printf("| %s | %s | %.1e |\n", GetParam().c_str(), s.summary.coordinates.c_str(),
              s.summary.max_position_violation);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  const auto violations = s.trajectory["position_violation"];
  const auto first = std::ranges::find_if(violations, [](double x) { return !(x < 1e-8); });
  EXPECT_LT(s.summary.max_position_violation, 1e-8)
      << "in the rows first " << first - violations.begin() << " of " << violations.size();
  for (std::size_t i = 0; i < s.trajectory.num_columns(); ++i) {
    for (const double value : s.trajectory.column(i)) ASSERT_TRUE(std::isfinite(value));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Shaking, ::testing::ValuesIn(models_with_bodies()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace koppel
