// A sweep as its parts: what variants are made of, who computes which, and rows as they come. For
// sweeps as values: variants.hpp.
//
// A variant is the model as it is read with the values of its parameters, so that a row is what a
// run of that model by itself gives, bit for bit. What goes wrong with a variant is its own row's:
// the others are unharmed. Variants are handed out one at a time to whoever asks next; no row
// depends on who computed it or when.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/samples.hpp>
#include <koppel/study/variants.hpp>

namespace koppel {

// Parameters by name with the texts of their values.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Sweep {
  std::function<Model(const Settings&)> make_model;
  std::function<SimulateOptions(const Model&)> options;
  Samples samples;
  std::vector<Criterion> criteria;
  std::vector<std::string> columns = {};  // of the model's trajectory, by itself
  bool steps_together = false;          // criteria are those of the ends of steps (batch_sweep.hpp)
  int num_band_times = 0;               // of bands over time (sweep_bands.hpp); 0: none
  std::vector<double> band_times = {};  // set by prepare
};

// Reads the model as it is, and checks all that can be checked before anything runs: names of
// parameters and criteria. Where no criteria are given, those of the model are taken. Throws Error
// `study.unknown-parameter`, `study.unknown-quantity`, and what the model's reader throws.
void prepare(Sweep& sweep);

// A row of a variant that ran, whose criterion has no finite value; without its values.
SweepRow not_finite(const Criterion& criterion);

// A variant, from its parameters to its row. Nothing: a request to stop came first.
std::optional<SweepRow> run_variant(const Sweep& sweep, std::size_t number);

// The variants that are still to be computed. Any number of threads.
class SweepQueue {
 public:
  explicit SweepQueue(const std::vector<bool>& is_done);

  std::optional<std::size_t> take();
  std::vector<std::size_t> take(std::size_t most);  // empty: none is left
  void give_back(std::size_t number);               // taken, and not computed: others take it
  std::size_t num_left() const;                     // not taken

 private:
  std::size_t next();  // there is one

  mutable std::mutex mutex_;
  std::vector<std::size_t> returned_;
  std::vector<bool> is_done_;
  std::size_t next_ = 0, num_left_ = 0;
};

// Computes all variants of the queue with `jobs` threads. `keep` is called for each row, by one
// thread at a time. What it throws ends the work, and is thrown here. False: a request to stop
// came.
bool run_sweep(const Sweep& sweep, SweepQueue& queue, int jobs,
               const std::function<void(std::size_t, const SweepRow&)>& keep);

}  // namespace koppel
