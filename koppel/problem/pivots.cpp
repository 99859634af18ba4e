#include <koppel/problem/pivots.hpp>

#include <koppel/base/at.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace koppel {
namespace {

// A matrix that is being eliminated at all sample points at once, by its rows.
class Active {
 public:
  // An entry; its numbers at the sample points stand one after the other.
  struct Entry {
    int column;
    std::size_t values;  // the first of them: the values, then their sizes, m_ij of the header
  };

  Active(const Sparsity& pattern, MatrixSamples samples)
      : rows_(at(pattern.num_rows)), columns_(at(pattern.num_columns)), num_(samples.size()) {
    std::vector<double> largest(rows_.size() * num_, 0.0);
    for_each_entry(pattern, [&](int i, int, std::size_t k) {
      for (std::size_t s = 0; s < num_; ++s) {
        double& of_row = largest[at(i) * num_ + s];
        of_row = std::max(of_row, std::abs(samples[s][k]));
      }
    });
    for_each_entry(pattern, [&](int i, int j, std::size_t k) {
      const auto is_zero = [&](const std::vector<double>& sample) { return sample[k] == 0; };
      if (std::all_of(samples.begin(), samples.end(), is_zero)) return;
      const Entry entry = add_entry(j);
      for (std::size_t s = 0; s < num_; ++s) {
        const double x = samples[s][k];
        value(entry)[s] = x == 0 ? 0 : x / largest[at(i) * num_ + s];
        size(entry)[s] = std::abs(value(entry)[s]);
      }
      rows_[at(i)].push_back(entry);  // entries come by columns
      columns_[at(j)].push_back(i);
    });
  }

  // By columns, in increasing order.
  const std::vector<Entry>& row(int i) const { return rows_[at(i)]; }
  // The rows with an entry there, in any order.
  const std::vector<int>& column(int j) const { return columns_[at(j)]; }
  const Entry* find(int i, int j) const {
    const auto found = place(rows_[at(i)], j);
    return found == rows_[at(i)].end() || found->column != j ? nullptr : &*found;
  }

  // Whether the entry is more than cancellation of the terms it is the sum of, at every point.
  bool is_sound(const Entry& entry) const {
    constexpr double kLost = 1e-9;
    for (std::size_t s = 0; s < num_; ++s) {
      if (!(std::abs(value(entry)[s]) > kLost * size(entry)[s])) return false;
    }
    return true;
  }

  // The entry over the largest of its column, the least of all points.
  double part_of_column(const Entry& entry) const {
    double least = 1;
    for (std::size_t s = 0; s < num_; ++s) {
      double largest = 0;
      for (const int r : column(entry.column)) {
        const Entry& other = *find(r, entry.column);
        if (is_sound(other)) largest = std::max(largest, std::abs(value(other)[s]));
      }
      least = std::min(least, std::abs(value(entry)[s]) / largest);
    }
    return least;
  }

  void eliminate(int i, int j) {
    const std::vector<Entry> pivot_row = std::move(rows_[at(i)]);
    rows_[at(i)].clear();
    for (const Entry& entry : pivot_row) remove(columns_[at(entry.column)], i);
    const Entry pivot = *place(pivot_row, j);
    for (const int r : columns_[at(j)]) subtract(pivot_row, pivot, r);
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
  static std::vector<Entry>::const_iterator place(const std::vector<Entry>& row, int j) {
    return std::lower_bound(row.begin(), row.end(), j,
                            [](const Entry& entry, int column) { return entry.column < column; });
  }
  static void remove(std::vector<int>& from, int i) {
    *std::find(from.begin(), from.end(), i) = from.back();
    from.pop_back();
  }

  // With zeros.
  Entry add_entry(int column) {
    numbers_.resize(numbers_.size() + 2 * num_, 0.0);
    return {column, numbers_.size() - 2 * num_};
  }
  const double* value(const Entry& entry) const { return &numbers_[entry.values]; }
  const double* size(const Entry& entry) const { return &numbers_[entry.values + num_]; }
  double* value(const Entry& entry) { return &numbers_[entry.values]; }
  double* size(const Entry& entry) { return &numbers_[entry.values + num_]; }

  // The multiple of the pivot's row that removes row r's entry in its column.
  void subtract(const std::vector<Entry>& pivot_row, const Entry& pivot, int r) {
    const std::vector<Entry> before = std::move(rows_[at(r)]);
    std::vector<Entry>& row = rows_[at(r)];
    row.clear();
    row.reserve(before.size() + pivot_row.size());
    const Entry below = *place(before, pivot.column);
    auto mine = before.begin();
    for (const Entry& entry : pivot_row) {
      while (mine != before.end() && mine->column < entry.column) row.push_back(*mine++);
      const bool is_there = mine != before.end() && mine->column == entry.column;
      if (entry.column == pivot.column) {
        ++mine;
        continue;
      }
      row.push_back(is_there ? *mine++ : add_entry(entry.column));
      if (!is_there) columns_[at(entry.column)].push_back(r);
      for (std::size_t s = 0; s < num_; ++s) {
        const double term = value(below)[s] / value(pivot)[s] * value(entry)[s];
        value(row.back())[s] -= term;
        size(row.back())[s] += std::abs(term);
      }
    }
    row.insert(row.end(), mine, before.end());
  }

  std::vector<std::vector<Entry>> rows_;
  std::vector<std::vector<int>> columns_;
  std::size_t num_;
  std::vector<double> numbers_;  // of all entries
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
      const std::vector<Active::Entry>& entries = active.row(i);
      for (const Active::Entry& entry : entries) {
        const std::size_t touched = (entries.size() - 1) * (active.column(entry.column).size() - 1);
        if (touched > least || !active.is_sound(entry)) continue;
        if (touched == least && best == 1) continue;  // no part is larger
        const double part = active.part_of_column(entry);
        if (part < kLeast || (touched == least && part <= best)) continue;
        least = touched;
        best = part;
        row = i;
        column = entry.column;
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
