// What a person asks of a run: texts and numbers, as they are typed or given to a function. What is
// not given is the model's. The command line and other languages go by the tables of options
// (base/option.hpp).
#pragma once

#include <optional>
#include <string>

#include <koppel/base/option.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

// The form of the equations and how they are integrated.
struct MethodRequest {
  std::string formulation = {}, projection = {}, integrator = {};
  std::string jacobian = {}, updates = {}, stiff = {};  // variants of fixed-cost steps
  double baumgarte = 0;
  std::optional<double> step = {};

  static const OptionTable& options();
  // Sets what is asked for. Throws Error `simulate.bad-option` for a variant that the integrator
  // does not have.
  void apply_to(SimulateOptions& options) const;
};

// What evaluates the equations.
struct NativeRequest {
  std::string text = {};  // auto, jit, cc, off; empty: auto

  static const OptionTable& options();
  Native native() const;
};

// How a run is watched.
struct HealthRequest {
  std::string text = {};  // "off", or the factor that loosens all limits

  static const OptionTable& options();
  HealthOptions health() const;
};

// When there are rows: how many, or "steps".
Option samples_option(OptionMember member);
Sampling sampling_of(const std::string& samples, Sampling unless_given);

struct RunRequest {
  std::string coordinates = {};
  std::optional<double> end = {};
  MethodRequest method = {};
  std::optional<double> tolerance = {};
  int order = 0;
  std::string samples = {};
  HealthRequest health = {};
  std::string reactions = {};  // world, joint
  int derivatives = 0;
  NativeRequest native = {};

  static const OptionTable& options();
  // With what the model says where nothing is asked for. A tolerance without a step asks for
  // adaptive steps. Throws as MethodRequest::apply_to.
  SimulateOptions options_for(const Model& model) const;
};

Option coordinates_option(OptionMember member);
Option end_option(OptionMember member, std::string unless_given = "the model's, or 10");
Option tolerance_option(OptionMember member);

}  // namespace koppel
