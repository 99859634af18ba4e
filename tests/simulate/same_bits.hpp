// Runs of a built-in model by `taylor` on the tape and in generated code, row by row.
#pragma once

#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel::testing {

struct Bits {
  bool is_run = false;     // taylor takes the model in these coordinates
  std::string difference;  // the first; empty: none
};

// The message where the model is refused, or how the run ended, or nothing.
inline std::string run_taylor(const Model& model, const SimulateOptions& options,
                              std::optional<Simulation>& out) {
  try {
    out.emplace(simulate(model, options));
    return out->status == Outcome::Status::Done ? "" : out->text;
  } catch (const Error& error) {
    return error.what();
  }
}

enum class Code { Machine, Compiled };  // generated in the process, or by the C compiler

inline Bits compare_bits(const std::string& name, const std::string& coordinates, double end,
                         Code code) {
  const Model model = read_model(KOPPEL_MODELS + name + ".yaml");
  SimulateOptions options = options_of(model);
  options.end = end;
  options.coordinates = coordinates;
  options.formulation = {};
  options.integrator = "taylor";
  options.step.reset();
  options.sampling.count = 101;
  std::optional<Simulation> tape, native;
  std::string tape_text;
  {
    const ScopedEnvironment policy("KOPPEL_NATIVE", "off");
    tape_text = run_taylor(model, options, tape);
  }
  const ScopedEnvironment policy("KOPPEL_NATIVE", "auto");
  options.native = code == Code::Compiled ? Native::Cc : Native::Auto;
  const std::string native_text = run_taylor(model, options, native);
  Bits out;
  out.is_run = tape.has_value() && tape->status == Outcome::Status::Done;
  if (tape_text != native_text) {
    out.difference = fmt::format("tape: '{}', code: '{}'", tape_text, native_text);
    return out;
  }
  if (!tape) return out;
  const Trajectory &a = tape->trajectory, &b = native->trajectory;
  if (a.num_rows() != b.num_rows()) out.difference = "numbers of rows";
  for (std::size_t i = 0; i < a.num_columns() && out.difference.empty(); ++i) {
    for (std::size_t row = 0; row < a.num_rows(); ++row) {
      const double x = a.column(i)[row], y = b.column(i)[row];
      if (std::memcmp(&x, &y, sizeof x) == 0) continue;
      out.difference = fmt::format("{} at t = {}: {} on the tape, {} in code", a.columns()[i].name,
                                   a.time()[row], x, y);
      break;
    }
  }
  return out;
}

}  // namespace koppel::testing
