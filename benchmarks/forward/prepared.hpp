// A model made ready to be integrated, apart from the integration itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/model.hpp>

namespace koppel::benchmarks {

struct Way {
  std::string coordinates, formulation, integrator;
  Native native = Native::Auto;
};

class Prepared {
 public:
  // Derives, assembles, leaves out what is redundant, formulates.
  Prepared(const Model& model, Way way);

  // Integrates from 0 to `end`; false where that fails.
  bool run(double end, const IntegrateOptions& options);
  // So many steps. The first one compiles what is compiled on first use.
  void run_steps(int count, const IntegrateOptions& options);
  // The model's outputs of these names, after run().
  std::vector<double> outputs(const std::vector<std::string>& names) const;

  const Way& way() const { return way_; }
  const Outcome& outcome() const { return outcome_; }
  const Problem& problem() const { return problem_; }
  const Start& start() const { return start_; }

 private:
  Way way_;
  std::unique_ptr<Evaluator> evaluator_;
  State state_;
  Problem problem_;
  Start start_;
  Outcome outcome_;
};

}  // namespace koppel::benchmarks
