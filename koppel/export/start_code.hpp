// The code of runtime/start.h for a model: it assembles the start anew when parameters change.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <koppel/equations/expected_start.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

namespace koppel {

struct StepModel;

// What a parameter of exported code is.
enum class ParameterKind {
  Free,     // can be set before the start
  Derived,  // follows from others
  BuiltIn,  // a constant: built into something that has numbers only
};

// What the start follows from.
struct StartTerms {
  std::vector<ParameterKind> kinds;  // of the parameters
  std::vector<Expr> parameters;      // each of those that are free
  ExpectedStart expected;
};

// No origins: no parameter follows from others.
StartTerms make_start_terms(const Model& model, std::span<const ParameterOrigin> origins,
                            const Equations& equations, bool can_change);

struct StartCode {
  std::vector<std::pair<std::string, Program>> functions;  // of the layout
  std::string tables;                                      // and sizes; without START_WORK
  std::size_t num_numbers = 0;  // what a koppel_start takes at most, less START_WORK
};

// Empty where nothing can be set.
StartCode make_start_code(const StepModel& model);

}  // namespace koppel
