// StepTimes: the times of the nodes of a run, ascending. Equal steps, t₀ + k h as their integrators
// compute them, take the memory of one, whatever their number; others are kept one by one.
#pragma once

#include <cstddef>
#include <vector>

namespace koppel {

class StepTimes {
 public:
  void push(double t);
  std::size_t size() const { return size_; }
  double operator[](std::size_t node) const;
  std::size_t bytes() const { return rows_.capacity() * sizeof(Row); }

 private:
  struct Row {
    std::size_t first;  // node
    double t, h;        // t(first + k) = t + k h, to the last bit
    double at(std::size_t node) const { return t + static_cast<double>(node - first) * h; }
  };
  std::vector<Row> rows_;
  std::size_t size_ = 0;
};

}  // namespace koppel
