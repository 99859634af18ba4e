// Inputs as samples: between them an input is linear, and each sample is a parameter, so that
// criteria have derivatives by them and optimisations find them (direct shooting).
//
//   model = with_sampled_input(model, {.name = "F", .values = std::vector<double>(21)}, 2);
//   StudiedParameters over(model, origins, expand({"F[*]"}, model));   // F[0] … F[20]
//
// The input becomes an expression of time and the samples, with switches at the samples, which
// integrators step to. It is no state with the slopes as its rate: fixed-cost steps go across a
// jump of a rate, and would keep the offset for good. Where the samples are spread over a parameter
// T, the switches move with it (switch_times.hpp).
#pragma once

#include <string>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/study/samples.hpp>

namespace koppel {

struct SampledInput {
  std::string name;                // of an input of the model
  std::vector<double> values;      // two or more
  std::vector<double> times = {};  // of the samples, from 0 on; empty: at equal distances
  std::string duration = {};       // the parameter over which they are spread; empty: the whole run
};

// "F:21" (zeros), "F:21:T". Throws Error `study.bad-input`.
SampledInput parse_sampled_input(const std::string& text);

// `end` of the run. Throws Error `study.bad-input`, with a suggestion where there is no such input.
Model with_sampled_input(Model model, const SampledInput& input, double end);

// Names with F[*] for all samples of F, written out. Others stay as they are.
std::vector<std::string> expand(const std::vector<std::string>& names, const Model& model);
std::vector<Range> expand(const std::vector<Range>& ranges, const Model& model);

}  // namespace koppel
