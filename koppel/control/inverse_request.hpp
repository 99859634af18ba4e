// What a person asks of an inverse simulation, as it is typed or given to a function
// (simulate/run_request.hpp).
#pragma once

#include <koppel/control/inverse.hpp>
#include <koppel/simulate/run_request.hpp>

namespace koppel {

struct InverseRequest {
  std::string coordinates = {}, method = {}, integrator = {};
  std::optional<double> step = {}, end = {}, tolerance = {};
  std::string samples = {};
  bool verify = false, bounded = false, across_jumps = false;
  HealthRequest health = {};
  NativeRequest native = {};

  static const OptionTable& options();
  // With what the model says where nothing is asked for.
  InverseOptions options_for(const Model& model) const;
};

}  // namespace koppel
