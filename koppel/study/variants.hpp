// Many variants of a model, each simulated, each a row of numbers:
//
//   SweepResult found = sweep("slider_crank.yaml", {.design = {.ranges =
//   {parse_range("a=0.2:0.4:9")}},
//                                                   .of = {parse_criterion("Bx':max")}});
//   found["a"];  found["Bx':max"];  found.rows[3].status;
//
// A variant that fails is a row that says why; the others are unharmed. Rows do not depend on the
// number of threads.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/model/model.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/samples.hpp>

namespace koppel {

struct SweepRow {
  enum class Status { Done, Doubtful, Failed };
  Status status = Status::Done;
  std::vector<double> values;       // of the criteria; empty where the variant failed
  std::string id, reason;           // of a failure or a doubt, in one line
  std::vector<double> series = {};  // of the quantities at the times of bands (sweep_bands.hpp)
};
const char* name_of(SweepRow::Status status);

struct SweepOptions {
  Design design = {};                       // the parameters, and which points of them
  std::vector<Criterion> of = {};           // empty: the outputs of the model at the end
  std::optional<SimulateOptions> run = {};  // none: what each variant says under `run`
  std::optional<int> jobs = {};             // threads; none: as many as the processor has
  // After each variant, by one thread at a time; false stops.
  std::function<bool(std::size_t num_done, std::size_t num_variants)> progress = {};

  // Throws Error `study.bad-range`, `study.bad-design`, `study.bad-criterion`, `study.bad-option`,
  // and for options of the run.
  void validate() const;
};

struct SweepResult {
  std::vector<std::string> parameters, criteria;
  Matrix points;               // the values of the parameters: variants by parameters
  std::vector<SweepRow> rows;  // of the variants
  bool is_complete = true;     // else it was stopped, and the rows that are missing have failed

  std::size_t size() const { return rows.size(); }
  std::size_t count(SweepRow::Status status) const;
  // A parameter or a criterion of all variants; not a number where there is none. Throws Error
  // `results.unknown-column`, with a suggestion.
  std::vector<double> operator[](const std::string& name) const;
};

// Of a model file: each variant is read anew with its values, so that parameters may be lengths,
// numbers of bodies or what a method is chosen by. Throws as read_model() and simulate() do for
// the model as it is, and Error `study.unknown-parameter`, `study.unknown-quantity`.
SweepResult sweep(const std::filesystem::path& file, const SweepOptions& options);

// Of models that a program builds: from the values of the parameters in the order of the design.
// It is called by several threads at a time.
using MakeVariant = std::function<Model(std::span<const double> values)>;
SweepResult sweep(const MakeVariant& make, const SweepOptions& options);

// Of a model in memory, one variant after the other: a graph belongs to one thread. Its parameters
// change, and what follows from them by the origins; throws Error `study.built-in` for those that
// need another model.
SweepResult sweep(const Model& model, const SweepOptions& options);
SweepResult sweep(const Model& model, const std::vector<ParameterOrigin>& origins,
                  const SweepOptions& options);

// As `koppel sweep` writes sweep.csv.
std::string to_csv(const SweepResult& result);

}  // namespace koppel
