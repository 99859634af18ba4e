// Fixed-cost steps of many variants: four at a time in packed instructions against one at a time.
//
//   lanes_benchmark > FILE
//
// The two take turns; of each the least time counts, so that what else the machine does is left
// out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <benchmarks/machine.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::benchmarks {
namespace {

constexpr std::size_t kLanes = MachineCode::kLanes;
constexpr int kRounds = 200, kSteps = 200;

struct Case {
  const char *model, *parameter, *value;  // which is set; null: none
  double step;
};

// The inputs of a step: of each of them the values of all variants in a row.
struct Variants {
  Variants(const StepModel& model, std::size_t lanes) : lanes_(lanes) {
    const auto put = [&](double x) {
      for (std::size_t i = 0; i < lanes; ++i) in.push_back(x);
    };
    put(model.start_time), put(model.step);
    for (const CVariable& of : model.state()) put(of.start);
    for (const auto* all : {&model.inputs, &model.parameters}) {
      for (const CVariable& of : *all) put(of.start);
    }
    start_ = in;
    out.resize(model.state_size() * lanes);
  }

  void restart() { in = start_; }
  void step(const MachineCode& code, double* work) {
    code.run(in.data(), out.data(), work);
    std::copy(out.begin(), out.end(), in.begin() + 2 * static_cast<std::ptrdiff_t>(lanes_));
    for (std::size_t i = 0; i < lanes_; ++i) in[i] += in[lanes_ + i];
  }

  std::vector<double> in, out;

 private:
  std::size_t lanes_;
  std::vector<double> start_;
};

double time_steps(const MachineCode& code, Variants& variants, std::vector<double>& work) {
  variants.restart();
  const auto before = std::chrono::steady_clock::now();
  for (int k = 0; k < kSteps; ++k) variants.step(code, work.data());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
  return seconds.count() / kSteps;
}

void report(const Case& c) {
  ReadOptions read;
  if (c.parameter != nullptr) read.set.emplace_back(c.parameter, c.value);
  const Model model = read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml", read);
  SimulateOptions options = options_of(model);
  options.end = 1;
  options.step = c.step;
  const StepModel step = make_step_model(model, options);
  const auto one = MachineCode::generate(step.advance),
             four = MachineCode::generate(step.advance, kLanes);
  if (one == nullptr || four == nullptr) {
    std::printf("| %s: %zu operations, no machine code |\n", c.model, step.advance.code.size());
    return;
  }
  std::vector<double> one_work(one->work_size()), four_work(four->work_size());
  Variants single(step, 1), lanes(step, kLanes);
  double scalar = 1, packed = 1;
  for (int k = 0; k < kRounds; ++k) {
    scalar = std::min(scalar, time_steps(*one, single, one_work));
    packed = std::min(packed, time_steps(*four, lanes, four_work) / kLanes);
  }
  bool agree = true;
  for (std::size_t i = 0; i < single.in.size(); ++i) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      agree = agree && std::memcmp(&single.in[i], &lanes.in[i * kLanes + k], sizeof(double)) == 0;
    }
  }
  const std::string name =
      std::string(c.model) +
      (c.parameter ? std::string(", ") + c.parameter + " = " + c.value : std::string());
  std::printf("| %s | %zu | %.1f | %.1f | %.2f | %s |\n", name.c_str(), step.advance.code.size(),
              1e9 * scalar, 1e9 * packed, scalar / packed, agree ? "yes" : "NO");
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  using namespace koppel::benchmarks;
  std::printf("processor: %s\n\n", processor().c_str());
  std::printf(
      "| model | operations | one, ns a step | four lanes, ns a step of each | ratio | same bits "
      "|\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Case& c :
       {Case{"slider_crank", nullptr, nullptr, 1e-3}, Case{"bricard", nullptr, nullptr, 1e-3},
        Case{"chain", "n", "10", 1e-3}, Case{"rotary_crane", nullptr, nullptr, 1e-3},
        Case{"vehicle_trailer", nullptr, nullptr, 1e-3}}) {
    report(c);
  }
}
