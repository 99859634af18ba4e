// Copies that step together (study/batch.hpp), as learning calls them: new inputs for every copy,
// some steps, all observations, in lanes of one thread and on a graphics card where there is one.
//
//   batches_benchmark [MODELS]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch.hpp>

#include "benchmarks/machine.hpp"

namespace koppel::benchmarks {
namespace {

constexpr const char* kCartPole = R"(
name: cart and pole
parameters: {M: 1, m: 0.1, l: 0.5, g: 9.81}
inputs: [F]
coordinates: {x: 0, phi: 0.1}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2) + m*l^2/24*phi'^2
potential: m*g*l*cos(phi)
generalized_forces: {x: F}
outputs: {x: x, phi: phi, v: x', w: phi'}
)";

// Copies times steps in a second of calls to advance() and observe(); the last observations too.
struct Rate {
  double steps_per_second = 0;
  std::vector<double> seen;
};

Rate measure(Batch& batch, int steps, int calls) {
  const std::size_t n = batch.size(), num_u = batch.inputs().size();
  std::vector<double> inputs(n * num_u);
  Rate out{0, std::vector<double>(n * batch.observed().size())};
  const auto call = [&](int k) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = static_cast<double>((i + static_cast<std::size_t>(k)) % 7) - 3;
    }
    batch.advance(inputs, steps);
    batch.observe(out.seen);
  };
  call(0);
  batch.reset();
  const auto before = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) call(k);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  out.steps_per_second = static_cast<double>(n) * steps * calls / took.count();
  return out;
}

void compare(const std::string& name, const Model& model,
             const std::vector<ParameterOrigin>& origins) {
  for (const std::size_t count : {4096u, 65536u, 1048576u}) {
    for (const int steps : {1, 10}) {
      const int calls = static_cast<int>(std::max<std::size_t>(8'000'000 / count / steps, 3));
      BatchOptions options;
      options.run.step = 0.01;
      Batch lanes(model, origins, count, options);
      const Rate host = measure(lanes, steps, calls);
      std::string rate = "no card", bits = "";
      try {
        options.on_card = true;
        Batch card(model, origins, count, options);
        const Rate found = measure(card, steps, calls);
        std::size_t different = 0;
        for (std::size_t i = 0; i < host.seen.size(); ++i) {
          different += host.seen[i] != found.seen[i] ? 1 : 0;
        }
        rate = fmt::format("{:.2g}", found.steps_per_second);
        bits = different == 0 ? "yes" : fmt::format("{} differ", different);
      } catch (const Error& error) {
        bits = error.diagnostics()[0].message;
      }
      fmt::print("| {} | {} | {} | {:.2g} | {} | {} |\n", name, count, steps, host.steps_per_second,
                 rate, bits);
      std::fflush(stdout);
    }
  }
}

void run(const std::string& models) {
  fmt::print("{}\n", processor());
  fmt::print(
      "\n| model | copies | steps a call | lanes, one thread, steps/s | card, steps/s | same "
      "bits |\n| --- | ---: | ---: | ---: | ---: | --- |\n");
  std::vector<ParameterOrigin> origins;
  compare("cart and pole", read_model_text(kCartPole, "cart.yaml", {}, origins), origins);
  std::vector<ParameterOrigin> of_crane;
  const Model crane = read_model(models + "overhead_crane.yaml", {}, of_crane);
  compare("overhead_crane", crane, of_crane);
}

}  // namespace
}  // namespace koppel::benchmarks

int main(int argc, char** argv) {
  koppel::benchmarks::run(argc > 1 ? std::string(argv[1]) + '/' : KOPPEL_MODELS);
  return 0;
}
