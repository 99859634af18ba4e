// Exported C in single precision against double precision: the difference is what rounding makes.
//
// A third run says how much that is: double precision, with the state rounded to single precision
// after every step. Rounding inside of a step adds to it, in proportion to the condition of the
// matrices that it solves with and the number of terms that it adds up: ten times as much is
// allowed. (Where a mechanism passes a singular position, as four_bar does, the condition knows no
// bound, and neither does the difference.) Not less than 16 roundings of the largest output.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <koppel/base/whole_file.hpp>
#include <koppel/export/c.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/report.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::TemporaryFolder;
namespace fs = std::filesystem;

struct Case {
  const char* model;
  const char* integrator = "rattle";
  double step = 1e-3;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

void write_as(const fs::path& folder, const StepModel& model, bool is_float) {
  const CFiles files = write_c(model, is_float);
  write_text(folder / (model.name + ".h"), files.header);
  write_text(folder / (model.name + ".c"), files.source);
}

// Runs `a` in double precision, `r` with its state rounded, and `b` in single precision; prints for
// every output its largest value, and the largest differences of b and r from a.
std::string program_of(const StepModel& model) {
  std::string rounding, comparing, printing;
  for (const CVariable& f : model.state()) {
    rounding += fmt::format("    r.{0} = (double)(float)r.{0};\n", f.name);
  }
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const std::string& name = model.outputs[i].name;
    comparing += fmt::format(
        "    size[{0}] = fmax(size[{0}], fabs(x.{1}));\n"
        "    found[{0}] = fmax(found[{0}], fabs(x.{1} - (double)z.{1}));\n"
        "    rounded[{0}] = fmax(rounded[{0}], fabs(x.{1} - y.{1}));\n",
        i, name);
    printing += fmt::format(
        "  printf(\"{1} %.17g %.17g %.17g\\n\", size[{0}], found[{0}], rounded[{0}]);\n", i, name);
  }
  return fmt::format(R"(#include <math.h>
#include <stdio.h>
#include "in_double.h"
#include "in_single.h"
int main(void) {{
  static double size[{0}], found[{0}], rounded[{0}];
  in_double_state a, r; in_double_parameters pa; in_double_prepared qa; in_double_inputs ia = {{0}};
  in_single_state b; in_single_parameters pb; in_single_prepared qb; in_single_inputs ib = {{0}};
  int k;
  in_double_init(&a, &pa, &qa);
  in_single_init(&b, &pb, &qb);
  r = a;
  for (k = 0; k < 1000; ++k) {{
    in_double_outputs x, y;
    in_single_outputs z;
    if (in_double_step(&a, &ia, &qa) || in_double_step(&r, &ia, &qa) || in_single_step(&b, &ib, &qb))
      return 1;
{1}    in_double_observe(&a, &ia, &qa, &x);
    in_double_observe(&r, &ia, &qa, &y);
    in_single_observe(&b, &ib, &qb, &z);
{2}  }}
{3}  return 0;
}}
)",
                     model.outputs.size() + 1, rounding, comparing, printing);
}

struct Difference {
  std::string name;
  double size = 0, found = 0, rounded = 0;
};

std::vector<Difference> differences(const Case& c) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml");
  SimulateOptions options = options_of(model);
  options.health = {.is_watched = false};
  options.integrator = c.integrator;
  options.step = c.step;
  const TemporaryFolder folder;
  StepModel step = make_step_model(model, options, "in_double");
  write_text(folder.path() / "main.c", program_of(step));
  write_as(folder.path(), step, false);
  step.name = "in_single";
  write_as(folder.path(), step, true);
  const std::string command =
      "cd '" + folder.path().string() +
      "' && cc -std=c99 -O1 -ffp-contract=off -o main *.c -lm && ./main >out";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<Difference> out;
  std::ifstream file(folder.path() / "out");
  for (Difference d; file >> d.name >> d.size >> d.found >> d.rounded;) out.push_back(d);
  return out;
}

class SinglePrecision : public ::testing::TestWithParam<Case> {};

TEST_P(SinglePrecision, DiffersByWhatRoundingMakes) {
  const std::vector<Difference> all = differences(GetParam());
  ASSERT_FALSE(all.empty());
  double largest = 0;
  for (const Difference& d : all) largest = std::max(largest, d.size);
  for (const Difference& d : all) {
    EXPECT_LE(d.found, 10 * d.rounded + 16 * std::ldexp(largest, -24))
        << d.name << " of size " << d.size << "; rounding of the state makes " << d.rounded;
    // And it is single precision: nothing that moves agrees to 15 digits.
    if (d.rounded > 0) {
      EXPECT_GT(d.found, 0) << d.name;
    }
  }
}

#ifdef KOPPEL_LONG
INSTANTIATE_TEST_SUITE_P(LargeModels, SinglePrecision,
                         ::testing::Values(Case{"bricard"}, Case{"five_link"}, Case{"mcpherson"},
                                           Case{"navy_crane_3d"}, Case{"robot"},
                                           Case{"rotary_crane_bodies"},
                                           Case{"rotary_crane_released"},
                                           Case{"rotary_crane_winches"}, Case{"whipple_bicycle"}),
                         [](const auto& suite) { return std::string(suite.param.model); });
#else
INSTANTIATE_TEST_SUITE_P(
    Models, SinglePrecision,
    ::testing::Values(Case{"andrews", "rattle", 1e-4}, Case{"car_axle"}, Case{"chain"},
                      Case{"circular_track"}, Case{"copy_machine"}, Case{"double_pendulum"},
                      Case{"driven_sphere"}, Case{"flyball_governor", "rosenbrock"},
                      Case{"flyball_governor_symmetric", "rosenbrock"}, Case{"heavy_top"},
                      Case{"mcpherson_planar"}, Case{"navy_crane_2d"}, Case{"overhead_crane"},
                      Case{"pendulum"}, Case{"rolling_disc"}, Case{"rotary_crane_minimal"},
                      Case{"slider_crank"}, Case{"slider_crank_minimal"},
                      Case{"slider_crank_reversed"}, Case{"squeezer", "rattle", 1e-4}),
    [](const auto& suite) { return std::string(suite.param.model); });
#endif

}  // namespace
}  // namespace koppel
