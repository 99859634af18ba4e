// What happens to rows of an inverse solution before they are written: unknowns between steps are
// solved for (algebraic_rows.hpp), and inputs brought within their limits (input_sharing.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/control/bounded/algebraic_rows.hpp>
#include <koppel/control/inputs/input_sharing.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {

class RowCorrection {
 public:
  explicit RowCorrection(InputSharing sharing) : sharing_(std::move(sharing)) {}

  // Rows are solved for: of a problem of index 1.
  void solve_rows(const Problem& problem, double end) { rows_.emplace(problem, end); }

  void operator()(double t, std::span<double> y);
  InputSharing& sharing() { return sharing_; }
  // Where limits could not be kept.
  std::vector<Excess> unavoidable() const;

 private:
  InputSharing sharing_;
  std::optional<AlgebraicRows> rows_;
  std::vector<InputSharing::Violation> violations_;
};

// A step with rows as they are written.
class CorrectedStep : public Step {
 public:
  CorrectedStep(const Step& inner, RowCorrection& correction)
      : Step(inner.t0, inner.t1), inner_(inner), correction_(correction) {}
  void evaluate(double t, std::span<double> y) const override {
    inner_.evaluate(t, y);
    correction_(t, y);
  }
  int order() const override { return inner_.order(); }

 private:
  const Step& inner_;
  RowCorrection& correction_;
};

}  // namespace koppel
