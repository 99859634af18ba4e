// Why a run cannot go on from where it failed, in the words of the model. Integrators only know
// that steps became too short; the reason is most often one of these, looked for in this order:
//
//   undefined   a force, a constraint or the rate of a state has no finite value there or shortly
//               after, or a step of given length later: a spring whose ends coincide, sqrt(1 - t)
//               after 1 s
//   torn        constraints move with time, and shortly after no position satisfies them: a drive
//               pulls a linkage beyond its reach
//   unbounded   f changes by its own size within a time |f|/|ḟ| that is short beside the run, and
//               is many times as large as at the start: 1/(t - 0.5)
//
// Cost: that of compiling the equations once more; a run fails once.
#pragma once

#include <optional>
#include <string>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Where a step leads, to first order: q + h K v.
State a_step_later(const Evaluator& evaluator, const State& state, double step);

// A sentence without a full stop; empty: none of these. `step`: where it is given.
std::string explain_failed_run(const Evaluator& evaluator, const State& start, const State& reached,
                               double end, std::optional<double> step = {});

}  // namespace koppel
