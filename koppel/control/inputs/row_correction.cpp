#include <koppel/control/inputs/row_correction.hpp>

#include <algorithm>

namespace koppel {

void RowCorrection::operator()(double t, std::span<double> y) {
  if (rows_) rows_->solve(t, y);
  if (!sharing_.is_needed()) return;
  sharing_.apply(t, y);
  violations_.push_back(sharing_.violation());
}

std::vector<Excess> RowCorrection::unavoidable() const {
  auto sorted = violations_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.t < b.t; });
  return sharing_.unavoidable(sorted);
}

}  // namespace koppel
