// Where copies of one mechanism start that differ in some of its parameters.
//
// It is found once for all of them where none of these parameters has a say in it; else each copy
// is assembled.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/model/number_checks.hpp>
#include <koppel/study/parameters.hpp>

namespace koppel {

class AssembledModel;
struct StepModel;

class VariedStarts {
 public:
  // Of a step that was made of the model. Throws Error as StudiedParameters does, and
  // `study.bad-option` for initial values that are no parameters.
  VariedStarts(const Model& model, const std::vector<ParameterOrigin>& origins,
               std::shared_ptr<const StepModel> step, const std::vector<std::string>& names);

  std::size_t num_varied() const { return space_.size(); }
  const std::vector<std::string>& names() const { return space_.names(); }
  // Whether any of the varied parameters has a say in where the mechanism starts.
  bool moves() const { return moves_; }

  // Places of the parameters that differ: those that are varied, and what follows from them.
  std::vector<std::size_t> changed() const { return space_.changed(); }

  // All parameters of a copy with these values, those of before being given; and what is impossible
  // with them, of masses and other numbers, as it is told where the model is read with them. Any
  // number of threads, each with its own work.
  struct Work {
    StudiedParameters::Work parameters;
    NumberChecks::Work checks;
  };
  Work make_work() const { return {space_.make_work(), checks_.make_work()}; }
  [[nodiscard]] std::optional<Diagnostic> put(std::span<const double> values, std::span<double> all,
                                              Work& work) const;
  // The assembled start of a copy with these parameters. Throws Error `assembly.impossible`,
  // `simulate.singular-start`, and `study.batch-start` where its constraints are dependent
  // otherwise than those of the model. One thread at a time: equations are derived in its graph.
  State assemble(std::span<const double> all) const;

 private:
  bool moves_start(std::span<const double> direction) const;
  void check_rank(AssembledModel& copy) const;

  Model model_;
  std::shared_ptr<const StepModel> step_;
  StudiedParameters space_;
  NumberChecks checks_;  // of what depends on the varied parameters
  bool moves_ = false;
};

}  // namespace koppel
