// Sweeps whose variants step together: through vector registers and over threads (batch.hpp), or on
// a graphics card (card.hpp), with the same bits.
//
// The step is one of fixed cost, its method chosen for the model as it is. Criteria are those of
// the ends of all steps: extremes and means are over them, integrals are means times the duration.
#pragma once

#include <functional>
#include <span>

#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch_rows.hpp>

namespace koppel {

struct BatchSweepOptions {
  bool on_card = false;
  int jobs = 1;
  std::size_t most = 0;  // variants at a time; 0: so many that they take some tenths of a second
};

// What was done, without starts and writing; on a card with all transfers.
struct BatchSweepLoad {
  double steps = 0, seconds = 0;
};

// Computes what is left in the queue, as run_sweep does; of a model that was read with its origins.
// Throws Error `study.no-card`, and as Batch does: such as `study.built-in`, for parameters that
// need another model.
bool run_batch_sweep(
    const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
    SweepQueue& queue, const BatchSweepOptions& options,
    const std::function<void(std::span<const std::size_t> numbers, const BatchRows& rows)>& keep,
    BatchSweepLoad& load);

}  // namespace koppel
