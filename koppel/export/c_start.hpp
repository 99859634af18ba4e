// The part of exported C that assembles the start for other parameters: NAME_start, in a file of
// its own, for programs that change parameters. In double precision, whatever the step has.
#pragma once

#include <string>

#include <koppel/export/step_model.hpp>

namespace koppel {

struct CStart {
  std::string declaration;  // for NAME.h
  std::string source;       // NAME_start.c
};

// Empty where the model has no parameters that can be set.
CStart write_c_start(const StepModel& model, bool is_float);

// What a comment says about a parameter; empty for one that can be set.
std::string describe_kind(ParameterKind kind);

}  // namespace koppel
