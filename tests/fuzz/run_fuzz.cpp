// Any bytes that are a model pass through what `check` and `run` do, for a millisecond: they end
// with a result, a status or an Error, and no number of a finished run is wrong by being not finite
// where the summary does not say so.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <koppel/analysis/examine.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace {

using namespace koppel;

// Large models are right or wrong like small ones, and slow.
bool is_small(const Model& model) {
  return model.bodies.size() <= 6 && model.joints.size() <= 8 && model.coordinates.size() <= 8 &&
         model.forces.size() <= 8 && model.outputs.size() <= 20 && model.constraints.size() <= 8;
}

void check(std::string_view text) {
  // Other files are not part of the input.
  if (text.find("include") != text.npos || text.find("file") != text.npos) return;
  if (text.size() > 4000) return;
  try {
    const Model model = read_model_text(text, "fuzz.yaml");
    if (!is_small(model)) return;
    for (const std::string& set : coordinate_sets(model)) {
      const Equations equations = derive(model, set);
      examine(equations, place_bodies(model, equations));
      break;
    }
    SimulateOptions options = options_of(model);
    options.end = 1e-3;
    options.sampling = {};
    options.sampling.count = 3;
    options.native = Native::Auto;
    SimulateCallbacks callbacks;
    callbacks.progress = [](const Progress& progress) { return progress.steps < 100; };
    simulate(model, options, callbacks);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
