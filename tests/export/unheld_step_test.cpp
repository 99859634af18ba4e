// Mechanisms on pages, while hands hold them and while they do not.
#include <koppel/export/unheld_step.hpp>

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <koppel/base/whole_file.hpp>
#include <koppel/export/mechanism_page.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/near.hpp"
#include "tests/run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::run_program;
using testing::same_bits;
using testing::TemporaryFolder;

// A four-bar with a spring across it.
const char* const kLinkage = R"(
dimension: 2
parameters: {c: 10}
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [0.3, 0]}}, points: {end: [0.3, 0]}}
  coupler: {mass: 2, shape: {rod: {from: [0, 0], to: [0.8, 0]}}, points: {end: [0.8, 0]}}
  rocker: {mass: 1.5, shape: {rod: {from: [0, 0], to: [0.6, 0]}}, points: {end: [0.6, 0]}}
joints:
  a: {type: revolute, between: [ground, crank]}
  b: {type: revolute, between: [crank.end, coupler]}
  c: {type: revolute, between: [coupler.end, rocker.end]}
  d: {type: revolute, between: [{ground: [0.7, 0]}, rocker]}
forces:
  spring: {type: spring, between: [{ground: [0, 1]}, crank.end], stiffness: c, free_length: 0.5}
initial: {a.angle: {value: 1, fixed: true}}
run: {end: 1}
)";

PageStep page_step(const Model& model) {
  SimulateOptions options;
  options.step = 1e-3;
  return make_step_for_page(model, options, "", {});
}

Model linkage(const std::string& text) { return read_model_text(text, "linkage.yaml"); }

std::vector<double> starts(const std::vector<CVariable>& of) {
  std::vector<double> out;
  for (const CVariable& v : of) out.push_back(v.start);
  return out;
}

std::size_t index_of(const std::vector<CVariable>& of, const std::string& label) {
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].label == label) return i;
  }
  throw std::out_of_range(label);
}

// The steps of held_page.mjs, interpreted.
std::vector<double> interpreted(const PageStep& page) {
  const StepModel& m = page.step;
  const UnheldStep& unheld = *page.unheld;
  std::vector<double> state = starts(m.state()), inputs = starts(m.inputs), out;
  std::vector<double> parameters = starts(m.parameters);
  const std::size_t num_q_v = m.q.size() + m.v.size();
  const auto append = [](std::vector<double>& to, const std::vector<double>& from,
                         std::size_t first, std::size_t count) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  for (int k = 0; k < 120; ++k) {
    const bool is_held = k >= 40 && k < 80;
    parameters[index_of(m.parameters, "grip.body")] = is_held ? 0 : -1;
    inputs[index_of(m.inputs, "grip.target_x")] = is_held ? 0.3 : 0;
    inputs[index_of(m.inputs, "grip.target_y")] = is_held ? 0.2 : 0;
    std::vector<double> in = {m.start_time + k * m.step, m.step};
    if (is_held) {
      append(in, state, 0, state.size());
      append(in, inputs, 0, inputs.size());
      append(in, parameters, 0, parameters.size());
      state = run_program(m.advance, in);
    } else {
      append(in, state, 0, num_q_v);
      append(in, state, num_q_v + m.x.size(), m.multipliers.size());
      append(in, parameters, 0, unheld.num_parameters);
      const std::vector<double> after = run_program(unheld.advance, in);
      EXPECT_EQ(after.back(), 1) << k;
      state.clear();
      append(state, after, 0, num_q_v);
      state.insert(state.end(), m.x.size(), 0);
      append(state, after, num_q_v, m.multipliers.size());
    }
    append(out, state, 0, state.size());
  }
  return out;
}

TEST(UnheldStep, TakesTurnsWithTheStepThatHandsNeed) {
  const Model model = linkage(kLinkage);
  const PageStep step = page_step(model);
  ASSERT_TRUE(step.unheld);
  const MechanismPage page = make_mechanism_page(model, step);
  const TemporaryFolder folder;
  write_text(folder.path() / "module.wasm", page.module);
  write_text(folder.path() / "data.json", page.data);
  const std::string at = folder.path().string();
  ASSERT_EQ(std::system(
                ("'" KOPPEL_NODE "' '" KOPPEL_EXPORT_TESTS "/held_page.mjs' '" + at + "'").c_str()),
            0);
  const std::vector<double> expected = interpreted(step);
  std::vector<double> found(expected.size());
  std::ifstream file(at + "/out", std::ios::binary);
  file.read(reinterpret_cast<char*>(found.data()),
            static_cast<std::streamsize>(sizeof(double) * found.size()));
  ASSERT_TRUE(file.good());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(same_bits(found[i], expected[i])) << i / step.step.state_size() << ": " << found[i];
  }
}

// Where energy is lost anyway, or put in, there is one step.
TEST(UnheldStep, IsForMechanismsThatKeepTheirEnergy) {
  EXPECT_EQ(page_step(linkage(kLinkage)).unheld->method, "rattle");
  const std::string text = kLinkage, spring = "stiffness: c, ";
  std::string damped = text;
  damped.replace(damped.find(spring), spring.size(), spring + "damping: 1, ");
  EXPECT_FALSE(page_step(linkage(damped)).unheld);
}

}  // namespace
}  // namespace koppel
