// The options of inverse simulation: their values where a model says nothing, and what is wrong
// with them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/control/servo/reduced_servo.hpp>

namespace koppel {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw Error("control.bad-option", message);
}

void check_method(const std::string& method) {
  std::vector<std::string> methods = {"auto", "flat"};
  for (const ReducedMethod& reduced : reduced_methods()) methods.emplace_back(reduced.name);
  if (method.empty() || std::find(methods.begin(), methods.end(), method) != methods.end()) return;
  const std::string meant = suggest(method, methods);
  std::string all;
  for (const std::string& name : methods) all += (all.empty() ? "'" : ", '") + name + '\'';
  throw Error("control.unknown-method", "there is no method '" + method + "'.",
              (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "There are: " + all + ".");
}

}  // namespace

void InverseOptions::validate() const {
  require(std::isfinite(end) && end > 0,
          fmt::format("the end time is {}; it must be positive.", end));
  require(!sampling.times.empty() || sampling.count >= 2,
          fmt::format("{} samples are asked for; there must be at least 2, the start and the end.",
                      sampling.count));
  require(std::is_sorted(sampling.times.begin(), sampling.times.end()),
          "the times of samples must ascend.");
  require(!step || (std::isfinite(*step) && *step > 0),
          fmt::format("the step is {}; it must be positive.", step.value_or(0)));
  check_method(method);
}

InverseOptions inverse_options_of(const Model& model) {
  InverseOptions options;
  options.end = model.run.end;
  options.coordinates = model.run.coordinates;
  if (model.run.samples) options.sampling.count = *model.run.samples;
  return options;
}

}  // namespace koppel
