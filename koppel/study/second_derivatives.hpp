// Second derivatives of criteria by parameters. For sources of this folder only.
//
// The change of a criterion in a direction is a criterion of the varied equations
// (varied_equations.hpp); its gradient, by the adjoint of the steps that these take, is the second
// derivative in that direction: one run and one adjoint for each parameter, whatever their number.
// How the assembled start bends with the parameters is by differences of order 6 of its exact
// tangent.
#pragma once

#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/study/sensitivity.hpp>
#include <koppel/study/traced_motion.hpp>

namespace koppel {

// What criteria ask of a run.
struct Asked {
  TraceOptions trace;
  struct Of {
    std::size_t output = 0;  // of trace
    int integral = -1, extreme = -1;
    bool is_mean = false, is_time = false;
  };
  std::vector<Of> of;  // each criterion
};
Asked ask(const SensitivityOptions& options);

// A symmetric matrix for each criterion. Throws Error `study.second` for extreme values and times
// of events, and where an event happens.
std::vector<Matrix> find_second_derivatives(const StudiedParameters& over,
                                            std::span<const double> values,
                                            const SensitivityOptions& options);

}  // namespace koppel
