#include <koppel/study/step_times.hpp>

#include <algorithm>

namespace koppel {

void StepTimes::push(double t) {
  if (!rows_.empty()) {
    Row& last = rows_.back();
    if (size_ == last.first + 1) last.h = t - last.t;  // its second
    if (last.at(size_) == t) {
      ++size_;
      return;
    }
  }
  rows_.push_back({size_++, t, 0});
}

double StepTimes::operator[](std::size_t node) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), node,
                                      [](std::size_t n, const Row& row) { return n < row.first; });
  return std::prev(after)->at(node);
}

}  // namespace koppel
