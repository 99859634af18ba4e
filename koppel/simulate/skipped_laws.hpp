// SkippedLaws: steps of given length that lead over a switch of a law and back, as where two balls
// are apart at both ends of a step and fly through each other in between. Steps with a tolerance
// are taken again up to the switch (integrate/excursions.hpp); those of given length cannot be, and
// a run with such a step says so.
//
// It counts where it makes a difference: where on the way between the ends the forces f are off
// those that the ends tell,
//   |f(t) − (f(t₀) + (f(t₁) − f(t₀)) (t − t₀)/h)| > ε max |f|,
// the largest in the run so far. Costs nothing for laws of one piece; else some evaluations of the
// arguments of switches in every step, and of forces where one leads over and back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/integrate/excursions.hpp>
#include <koppel/results/health.hpp>

namespace koppel {

class SkippedLaws {
 public:
  // References to all of them but the state are kept.
  SkippedLaws(const Evaluator& evaluator, const State& start, const IntegratorInfo& integrator);

  // An accepted step of a problem with parameters `p`.
  void note(const Step& step, const Problem& problem, std::span<const double> p);
  // As a reason to doubt; nothing: there was no such step.
  std::optional<Health::Reason> found() const;

 private:
  std::vector<double> forces_at(const Problem& problem, double t, std::span<const double> y);
  double largest_difference(const Step& step, const Problem& problem, double about);

  const Evaluator& evaluator_;
  State state_;
  const IntegratorInfo& integrator_;
  std::vector<std::string> names_;  // of the switches
  std::optional<Excursions> excursions_;
  const EventFunctions* of_ = nullptr;  // what these are of
  std::vector<double> y_;
  double largest_ = 0;  // force
  long count_ = 0;
  double first_ = 0, worst_ = 0;
  std::string name_;  // of the first
};

}  // namespace koppel
