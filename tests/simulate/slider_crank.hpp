// The slider crank built from its slider [Kurz, Burkhardt & Eberhard 2011] by all formulations of
// the paper, with one ODE integrator.
#pragma once

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/compare.hpp>

namespace koppel::testing {

inline const std::vector<std::string> kPaperForms = {
    "explicit", "implicit", "partition:x", "partition:alpha", "partition:beta", "svd", "qr"};

inline Comparison compare_slider_crank(double end, Projection projection, double tolerance) {
  const Model reversed = read_model(KOPPEL_MODELS "slider_crank_reversed.yaml");
  const Model minimal = read_model(KOPPEL_MODELS "slider_crank_minimal.yaml");
  CompareOptions options;
  options.formulations = kPaperForms;
  options.integrators = {"dop853"};
  options.tolerances = {tolerance};
  options.end = end;
  options.projection = projection;
  options.max_seconds = 100;
  options.beside = {&minimal};
  return compare(reversed, options);
}

inline const Compared& run_of(const Comparison& comparison, const std::string& formulation) {
  for (const Compared& run : comparison.runs) {
    if (run.formulation == formulation) return run;
  }
  throw std::runtime_error("no run by " + formulation);
}

}  // namespace koppel::testing
