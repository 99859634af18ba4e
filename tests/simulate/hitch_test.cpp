// The hitch of a car with a trailer as a constraint [Burgermeister, Arnold & Esterl 2006, section 4.3].
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

constexpr double kStep = 1e-3;

std::string text_of_model() {
  std::ifstream file(std::string(KOPPEL_MODELS) + "vehicle_trailer.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// The outputs are the components of the gap at the hook.
const char* const kGap =
    "outputs: {gap_x: car.hook.x - trailer.hook.x, gap_y: car.hook.y - trailer.hook.y, "
    "gap_z: car.hook.z - trailer.hook.z, ";

Model by_constraint() {
  std::string text = text_of_model();
  replace(text, "outputs: {", kGap);
  return read_model_text(text, "constraint.yaml");
}

double largest_gap(const Model& model, const std::string& formulation, double baumgarte = 0) {
  SimulateOptions options = options_of(model);
  options.coordinates = "joint";
  options.formulation = formulation;
  options.integrator = "linear-implicit:J1";
  options.projection = formulation == "index2" ? Projection::Once : Projection::None;
  options.step = kStep;
  options.baumgarte = baumgarte;
  options.end = 3;  // the first half of the change of lane and its return
  options.sampling.every_step = true;
  const Simulation s = simulate(model, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  double gap = 0;
  for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
    gap = std::max(gap, std::hypot(s.trajectory["gap_x"][i], s.trajectory["gap_y"][i],
                                   s.trajectory["gap_z"][i]));
  }
  return gap;
}

TEST(Hitch, AsAConstraintStaysClosed) {
  const Model model = by_constraint();
  const double baumgarte = largest_gap(model, "baumgarte", 100 * kStep);  // α = 100, α² = 1e4
  const double projected = largest_gap(model, "index2"), ggl = largest_gap(model, "ggl");
  EXPECT_LT(baumgarte, 1e-5);
  EXPECT_LT(projected, 1e-8);
  EXPECT_LT(ggl, 1e-8);
}

}  // namespace
}  // namespace koppel
