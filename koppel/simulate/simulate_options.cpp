#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw Error("simulate.bad-option", message).because(Cause::Method);
}

}  // namespace

void SimulateOptions::validate() const {
  require(std::isfinite(end) && end > 0,
          fmt::format("the end time is {}; it must be positive.", end));
  require(tolerance > 0 && tolerance < 1,
          fmt::format("the tolerance is {}; it must lie between 0 and 1.", tolerance));
  require(!step || (std::isfinite(*step) && *step > 0),
          fmt::format("the step is {}; it must be positive.", step.value_or(0)));
  require(health.loosen > 0, fmt::format("health limits are loosened by {}; the factor must be "
                                         "positive.",
                                         health.loosen));
  require(order >= 0, fmt::format("the order is {}; it must be positive.", order));
  require(
      baumgarte == 0 || (baumgarte > 0 && step && std::isfinite(baumgarte)),
      fmt::format("Baumgarte's parameter is {}; it must be positive and needs a step.", baumgarte));
  require(sampling.every_step || !sampling.times.empty() || sampling.count >= 2,
          fmt::format("{} samples are asked for; there must be at least 2, the start and the end.",
                      sampling.count));
  require(std::is_sorted(sampling.times.begin(), sampling.times.end()),
          "the times of samples must ascend.");
}

SimulateOptions options_of(const Model& model) {
  SimulateOptions options;
  options.end = model.run.end;
  options.coordinates = model.run.coordinates;
  options.formulation = model.run.formulation;
  options.integrator = model.run.integrator;
  options.step = model.run.step;
  if (!model.tracking.empty() && options.integrator.is_open()) {
    constexpr double kUsual = 1e-3;  // of a loop that follows a hand
    options.integrator = "linear-implicit";
    options.step = options.step.value_or(kUsual);
  }
  if (model.run.tolerance) options.tolerance = *model.run.tolerance;
  if (model.run.samples) options.sampling.count = *model.run.samples;
  return options;
}

}  // namespace koppel
