#include <koppel/study/batch_rows.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {

double value_of(const Criterion& criterion, const Course& of, std::uint64_t steps, double step) {
  const double mean = of.mean + (of.first - of.last) / (2 * static_cast<double>(steps));
  switch (criterion.reduction) {
    case Reduce::Final: return of.last;
    case Reduce::Min: return std::min(of.low, of.first);
    case Reduce::Max: return std::max(of.high, of.first);
    case Reduce::Mean: return mean;
    case Reduce::Integral: return mean * (static_cast<double>(steps) * step);
    case Reduce::Time: break;  // refused
  }
  return Course::kNone;
}

void BatchRows::finish(std::size_t row, bool has_failed) {
  if (marks_[row] == Mark::Refused) return;
  const std::span<const double> found = values(row);
  const auto count =
      std::count_if(found.begin(), found.end(), [](double value) { return std::isfinite(value); });
  if (has_failed || count == 0) {
    marks_[row] = Mark::NotFinite;
  } else if (count < std::ssize(found)) {
    marks_[row] = Mark::PartlyFinite;
  }
}

void BatchRows::doubt(std::size_t row, std::string reason) {
  if (!is_done(row)) return;
  marks_[row] = Mark::Doubtful;
  reasons_[row] = {"simulate.doubtful", std::move(reason)};
}

void BatchRows::refuse(std::size_t row, std::string id, std::string reason) {
  if (marks_[row] == Mark::Refused) return;
  marks_[row] = Mark::Refused;
  reasons_[row] = {std::move(id), std::move(reason)};
}

void BatchRows::get(std::size_t row, SweepRow& out) const {
  const auto values = values_.begin() + static_cast<std::ptrdiff_t>(row * criteria_.size());
  const auto end = values + static_cast<std::ptrdiff_t>(criteria_.size());
  switch (marks_[row]) {
    case Mark::Done:
      out.status = SweepRow::Status::Done;
      out.values.assign(values, end);
      out.id.clear(), out.reason.clear();
      return;
    case Mark::PartlyFinite: {
      const auto bad = std::find_if_not(values, end, [](double x) { return std::isfinite(x); });
      out = not_finite(criteria_[static_cast<std::size_t>(bad - values)]);
      out.values.assign(values, end);
      return;
    }
    case Mark::Doubtful: {
      const auto& [id, reason] = reasons_.at(row);
      out = {SweepRow::Status::Doubtful, {}, id, reason};
      out.values.assign(values, end);
      return;
    }
    case Mark::NotFinite:
      out = {SweepRow::Status::Failed, {}, "simulate.failed", "a value is not finite."};
      return;
    case Mark::Refused: {
      const auto& [id, reason] = reasons_.at(row);
      out = {SweepRow::Status::Failed, {}, id, reason};
      return;
    }
  }
}

}  // namespace koppel
