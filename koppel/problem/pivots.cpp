#include <koppel/problem/pivots.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace koppel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A matrix that is being eliminated at all sample points at once, by its rows.
class Active {
 public:
  struct Entry {
    std::vector<double> value, size;  // at the sample points; size is m_ij of the header
  };

  Active(const Sparsity& pattern, MatrixSamples samples)
      : rows_(at(pattern.num_rows)), columns_(at(pattern.num_columns)), num_(samples.size()) {
    std::vector<std::vector<double>> largest(at(pattern.num_rows), std::vector<double>(num_, 0.0));
    for_each_entry(pattern, [&](int i, int, std::size_t k) {
      for (std::size_t s = 0; s < num_; ++s) {
        largest[at(i)][s] = std::max(largest[at(i)][s], std::abs(samples[s][k]));
      }
    });
    for_each_entry(pattern, [&](int i, int j, std::size_t k) {
      Entry entry;
      bool is_zero = true;
      for (std::size_t s = 0; s < num_; ++s) {
        const double x = samples[s][k];
        entry.value.push_back(x == 0 ? 0 : x / largest[at(i)][s]);
        entry.size.push_back(std::abs(entry.value.back()));
        is_zero = is_zero && x == 0;
      }
      if (is_zero) return;
      rows_[at(i)].emplace(j, std::move(entry));
      columns_[at(j)].insert(i);
    });
  }

  const std::map<int, Entry>& row(int i) const { return rows_[at(i)]; }
  const std::set<int>& column(int j) const { return columns_[at(j)]; }
  const Entry* find(int i, int j) const {
    const auto found = rows_[at(i)].find(j);
    return found == rows_[at(i)].end() ? nullptr : &found->second;
  }

  // Whether the entry is more than cancellation of the terms it is the sum of, at every point.
  bool is_sound(const Entry& entry) const {
    constexpr double kLost = 1e-9;
    for (std::size_t s = 0; s < num_; ++s) {
      if (!(std::abs(entry.value[s]) > kLost * entry.size[s])) return false;
    }
    return true;
  }

  // The entry over the largest of its column, the least of all points.
  double part_of_column(int i, int j) const {
    double least = 1;
    for (std::size_t s = 0; s < num_; ++s) {
      double largest = 0;
      for (const int r : column(j)) {
        const Entry& entry = rows_[at(r)].at(j);
        if (is_sound(entry)) largest = std::max(largest, std::abs(entry.value[s]));
      }
      least = std::min(least, std::abs(rows_[at(i)].at(j).value[s]) / largest);
    }
    return least;
  }

  void eliminate(int i, int j) {
    const std::map<int, Entry> pivot_row = std::move(rows_[at(i)]);
    rows_[at(i)].clear();
    for (const auto& [c, entry] : pivot_row) columns_[at(c)].erase(i);
    const Entry& pivot = pivot_row.at(j);
    for (const int r : columns_[at(j)]) {
      const Entry below = rows_[at(r)].at(j);
      rows_[at(r)].erase(j);
      for (const auto& [c, entry] : pivot_row) {
        if (c == j) continue;
        Entry& to = rows_[at(r)][c];
        if (to.value.empty()) {
          to.value.assign(num_, 0.0);
          to.size.assign(num_, 0.0);
          columns_[at(c)].insert(r);
        }
        for (std::size_t s = 0; s < num_; ++s) {
          const double term = below.value[s] / pivot.value[s] * entry.value[s];
          to.value[s] -= term;
          to.size[s] += std::abs(term);
        }
      }
    }
    columns_[at(j)].clear();
  }

 private:
  template <typename F>
  static void for_each_entry(const Sparsity& pattern, F&& f) {
    for (int j = 0; j < pattern.num_columns; ++j) {
      for (int k = pattern.column_start[at(j)]; k < pattern.column_start[at(j) + 1]; ++k) {
        f(pattern.row[at(k)], j, at(k));
      }
    }
  }

  std::vector<std::map<int, Entry>> rows_;
  std::vector<std::set<int>> columns_;
  std::size_t num_;
};

}  // namespace

std::optional<long> count_products(const PivotOrder& order, const Sparsity& pattern,
                                   MatrixSamples samples) {
  Active active(pattern, samples);
  std::size_t count = 0;
  for (std::size_t k = 0; k < order.row.size(); ++k) {
    const int i = order.row[k], j = order.column[k];
    const Active::Entry* pivot = active.find(i, j);
    if (pivot == nullptr || !active.is_sound(*pivot)) return std::nullopt;
    count += active.row(i).size() * active.column(j).size();
    active.eliminate(i, j);
  }
  return static_cast<long>(count);
}

std::optional<PivotOrder> find_pivots(const Sparsity& pattern, MatrixSamples samples) {
  constexpr double kLeast = 0.1;
  const int n = pattern.num_rows;
  Active active(pattern, samples);
  PivotOrder order;
  for (int k = 0; k < n; ++k) {
    std::size_t least = SIZE_MAX;
    double best = 0;
    int row = -1, column = -1;
    for (int i = 0; i < n; ++i) {
      for (const auto& [j, entry] : active.row(i)) {
        const std::size_t touched = (active.row(i).size() - 1) * (active.column(j).size() - 1);
        if (touched > least || !active.is_sound(entry)) continue;
        const double part = active.part_of_column(i, j);
        if (part < kLeast || (touched == least && part <= best)) continue;
        least = touched;
        best = part;
        row = i;
        column = j;
      }
    }
    if (row < 0) return std::nullopt;
    order.row.push_back(row);
    order.column.push_back(column);
    active.eliminate(row, column);
  }
  return order;
}

}  // namespace koppel
