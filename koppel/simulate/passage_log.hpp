// The singular configurations that a run passes (integrate/passage.hpp): each in the summary, the
// first ones told one by one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/results/summary.hpp>

namespace koppel {

class PassageLog {
 public:
  // References to the equations and the list are kept.
  PassageLog(const Equations& equations, std::vector<Summary::Passage>& passages,
             std::function<void(std::string)> tell);

  // `rows`: those of [g; a] that the problem of this step has; `is_real`: whether a configuration
  // in it is singular with the others as well.
  void note(const Step& step, const std::vector<int>& rows,
            const std::function<bool(double t)>& is_real);
  // At the end: how many there were, where not all were told.
  void summarize() const;

 private:
  const Equations& equations_;
  std::vector<Summary::Passage>& passages_;
  std::function<void(std::string)> tell_;
};

}  // namespace koppel
