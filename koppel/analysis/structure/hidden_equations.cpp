#include <koppel/analysis/structure/hidden_equations.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include <koppel/analysis/structure/regularity.hpp>
#include <koppel/base/at.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {
namespace {

constexpr double kCancelling = 1e-9;  // relative to the terms that cancel
constexpr int kMaxRounds = 8;

// The given point, and points around it.
std::vector<DaePoint> points_around(const DaePoint& near) {
  std::vector<DaePoint> points = {near};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0.1, 0.4);
  const auto move = [&](double& x) { x += part(random) * (1 + std::abs(x)); };
  constexpr int kMore = 3;
  for (int n = 0; n < kMore; ++n) {
    DaePoint moved = near;
    move(moved.t);
    for (auto& of : moved.unknowns) std::for_each(of.begin(), of.end(), move);
    points.push_back(std::move(moved));
  }
  return points;
}

// Values of expressions at these points.
class Samples {
 public:
  Samples(const Dae& dae, const DaePoint& near) {
    symbols_.push_back(dae.t);
    for (const Dae::Unknown& unknown : dae.unknowns) {
      symbols_.insert(symbols_.end(), unknown.derivative.begin(), unknown.derivative.end());
    }
    symbols_.insert(symbols_.end(), dae.given.begin(), dae.given.end());
    for (const DaePoint& point : points_around(near)) {
      std::vector<double>& values = points_.emplace_back(1, point.t);
      for (const auto& of : point.unknowns) values.insert(values.end(), of.begin(), of.end());
      values.insert(values.end(), point.given.begin(), point.given.end());
    }
  }

  std::size_t size() const { return points_.size(); }
  // By point and expression.
  std::vector<std::vector<double>> operator()(const std::vector<Expr>& expressions) const {
    const Function function(symbols_, expressions);
    std::vector<std::vector<double>> out;
    for (const auto& point : points_) out.push_back(function(point));
    return out;
  }

 private:
  std::vector<Expr> symbols_;
  std::vector<std::vector<double>> points_;
};

// A row of J under elimination: entries and their values at the samples, and the combination of
// rows of J that it is.
struct Row {
  struct Entry {
    Expr value;
    std::vector<double> at;
  };
  int equation = 0;
  std::map<int, Entry> entries;
  std::map<int, Expr> w;
  int pivot = -1;
  std::size_t num_subtracted = 0;  // rows before it
};

class Elimination {
 public:
  Elimination(const Dae& dae, const Structure& structure, const Samples& samples)
      : samples_(samples), structure_(structure) {
    const SparseExpr J = system_jacobian(dae, structure);
    const auto values = samples(J.values);
    rows_.resize(dae.residuals.size());
    for (int column = 0; column < J.pattern.num_columns; ++column) {
      for (int k = J.pattern.column_start[at(column)]; k < J.pattern.column_start[at(column) + 1];
           ++k) {
        Row::Entry entry{J.values[at(k)], {}};
        for (const auto& of : values) entry.at.push_back(of[at(k)]);
        rows_[at(J.pattern.row[at(k)])].entries[column] = std::move(entry);
      }
    }
    count_.assign(dae.unknowns.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].equation = static_cast<int>(i);
      rows_[i].w[static_cast<int>(i)] = 1;
      for (const auto& [column, entry] : rows_[i].entries) ++count_[at(column)];
    }
  }

  // Rows that vanish, as combinations of equations; the last in order of those it combines.
  std::vector<Row> run() {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0u);
    // The least c last: such an equation is what is replaced. Among equals, those with an unknown
    // of their own (an input, say) first: they need not be eliminated from others.
    const auto is_alone = [&](const Row& row) {
      return std::any_of(row.entries.begin(), row.entries.end(),
                         [&](const auto& entry) { return count_[at(entry.first)] == 1; });
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (structure_.c[a] != structure_.c[b]) return structure_.c[a] > structure_.c[b];
      return is_alone(rows_[a]) && !is_alone(rows_[b]);
    });
    std::vector<Row> vanished;
    std::vector<const Row*> done;
    while (!order.empty()) {
      const std::size_t next = next_row(order, done);
      Row& row = rows_[order[next]];
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(next));
      if (row.entries.empty()) {
        vanished.push_back(row);
        continue;
      }
      if (row.pivot < 0) row.pivot = row.entries.begin()->first;  // any is better than none
      done.push_back(&row);
    }
    return vanished;
  }

 private:
  // Of those with the same c as the first, a row whose pivot is 0 at some sample, or small beside
  // what others have for that unknown, waits: the angle of a drone that hovers is next to 0, and
  // its sine no pivot where another equation has its cosine.
  std::size_t next_row(const std::vector<std::size_t>& order, const std::vector<const Row*>& done) {
    std::size_t count = 0;
    for (; count < order.size() && structure_.c[order[count]] == structure_.c[order[0]]; ++count) {
      Row& row = rows_[order[count]];
      for (; row.num_subtracted < done.size(); ++row.num_subtracted) {
        subtract(*done[row.num_subtracted], row);
      }
      choose_pivot(row);
    }
    std::size_t second = count;
    for (std::size_t k = 0; k < count; ++k) {
      const Row& row = rows_[order[k]];
      if (row.entries.empty()) return k;
      if (row.pivot < 0) continue;
      if (is_large(row, std::span(order).first(count))) return k;
      second = std::min(second, k);
    }
    return second < count ? second : 0;
  }

  bool is_large(const Row& row, std::span<const std::size_t> among) const {
    constexpr double kLarge = 0.1;
    for (std::size_t n = 0; n < samples_.size(); ++n) {
      double largest = 0;
      for (const std::size_t i : among) {
        const auto found = rows_[i].entries.find(row.pivot);
        if (found != rows_[i].entries.end()) {
          largest = std::max(largest, std::abs(found->second.at[n]));
        }
      }
      if (std::abs(row.entries.at(row.pivot).at[n]) < kLarge * largest) return false;
    }
    return true;
  }

  void subtract(const Row& by, Row& row) {
    const auto it = row.entries.find(by.pivot);
    if (it == row.entries.end()) return;
    const Row::Entry head = it->second;
    const Row::Entry& pivot = by.entries.at(by.pivot);
    const Expr factor = head.value / pivot.value;
    for (const auto& [column, entry] : by.entries) {
      if (column == by.pivot) continue;
      Row::Entry& target = row.entries[column];
      if (target.at.empty()) target = {0, std::vector<double>(samples_.size(), 0.0)};
      target.value = target.value - factor * entry.value;
      bool is_zero = true;
      for (std::size_t n = 0; n < samples_.size(); ++n) {
        const double term = head.at[n] / pivot.at[n] * entry.at[n];
        const double size = std::abs(target.at[n]) + std::abs(term);
        target.at[n] -= term;
        is_zero = is_zero && !(std::abs(target.at[n]) > kCancelling * size);
      }
      if (is_zero) row.entries.erase(column);
    }
    row.entries.erase(by.pivot);
    for (const auto& [i, w] : by.w) {
      const auto found = row.w.find(i);
      row.w[i] = (found == row.w.end() ? Expr(0) : found->second) - factor * w;
    }
  }

  // The entry that stays farthest from 0 at all samples, relative to the row, if one does; unknowns
  // that few equations have are better.
  void choose_pivot(Row& row) const {
    row.pivot = -1;
    double best = 0;
    for (const auto& [column, entry] : row.entries) {
      double least = 1;
      for (std::size_t n = 0; n < samples_.size(); ++n) {
        double largest = 0;
        for (const auto& [other, of] : row.entries) {
          largest = std::max(largest, std::abs(of.at[n]));
        }
        least = std::min(least, largest > 0 ? std::abs(entry.at[n]) / largest : 0);
      }
      constexpr double kLeast = 1e-3;
      if (least < kLeast) continue;
      const double merit = least / count_[at(column)];
      if (merit > best) {
        best = merit;
        row.pivot = column;
      }
    }
  }

  const Samples& samples_;
  const Structure& structure_;
  std::vector<Row> rows_;
  std::vector<int> count_;
};

// d/dt, with a symbol for every derivative that occurs.
Expr derivative_of(Expr F, Dae& dae) {
  std::vector<Expr> moving = {dae.t}, rates = {1};
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    auto& symbols = dae.unknowns[j].derivative;
    if (depends_on(F, symbols.back())) {
      symbols.push_back(dae.graph->symbol("derivative[" + std::to_string(j) + "][" +
                                          std::to_string(symbols.size()) + ']'));
    }
    for (std::size_t l = 0; l + 1 < symbols.size(); ++l) {
      moving.push_back(symbols[l]);
      rates.push_back(symbols[l + 1]);
    }
  }
  return time_derivative(F, moving, rates);
}

// Unknowns that have cancelled are replaced by a number: derivatives by 0, values, which may stand
// in quotients, by theirs at the point.
Expr without_cancelled(Expr F, const Dae& dae, const DaePoint& near) {
  std::vector<Expr> present, numbers;
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    const auto& symbols = dae.unknowns[j].derivative;
    for (std::size_t l = 0; l < symbols.size(); ++l) {
      if (!depends_on(F, symbols[l])) continue;
      present.push_back(symbols[l]);
      numbers.push_back(l == 0 ? near.unknowns[j][0] : 0.0);
    }
  }
  const auto values = Samples(dae, near)(gradient(F, present));
  std::vector<Expr> cancelled, by;
  for (std::size_t k = 0; k < present.size(); ++k) {
    bool is_zero = true;
    for (const auto& of : values) {
      double largest = 0;
      for (const double g : of) largest = std::max(largest, std::abs(g));
      is_zero = is_zero && !(std::abs(of[k]) > kCancelling * largest);
    }
    if (!is_zero) continue;
    cancelled.push_back(present[k]);
    by.push_back(numbers[k]);
  }
  return substitute(std::vector<Expr>{F}, cancelled, by)[0];
}

void fit(DaePoint& point, const Dae& dae) {
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    point.unknowns[j].resize(dae.unknowns[j].derivative.size(), 0.0);
  }
}

// (1)
void replace(const Row& row, RevealedDae& out, DaePoint& near) {
  const std::vector<int>& c = out.structure.c;
  const auto l = at(row.equation);
  Expr sum = 0;
  std::map<int, int> differentiated;
  for (const auto& [i, w] : row.w) {
    if (w.is_constant(0)) continue;
    Expr F = out.dae.residuals[at(i)].value;
    const int times = c[at(i)] - c[l];
    for (int k = 0; k < times; ++k) F = derivative_of(F, out.dae);
    sum += w * F;
    for (const auto& [original, order] : out.differentiated[at(i)]) {
      int& most = differentiated[original];
      most = std::max(most, order + times);
    }
  }
  fit(near, out.dae);
  out.dae.residuals[l] = {"hidden in " + out.dae.residuals[l].name,
                          without_cancelled(sum, out.dae, near)};
  out.differentiated[l] = std::move(differentiated);
  ++out.num_hidden;
}

// Further derivatives that were needed on the way and have cancelled.
void drop_unused(const std::vector<std::size_t>& num_before, Dae& dae) {
  std::vector<Expr> all;
  for (const NamedExpr& residual : dae.residuals) all.push_back(residual.value);
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    auto& symbols = dae.unknowns[j].derivative;
    while (symbols.size() > num_before[j] && !depends_on(all, std::span(&symbols.back(), 1))) {
      symbols.pop_back();
    }
  }
}

// Where values make equations depend on fewer derivatives than their symbols do.
void put_in_values(RevealedDae& out, const DaePoint& near) {
  Dae dae = with_values(out.dae, near);
  Structure structure = analyze_structure(dae);
  const Signature &a = structure.signature, &b = out.structure.signature;
  if (a.row_start == b.row_start && a.column == b.column && a.order == b.order) return;
  out.dae = std::move(dae);
  out.structure = std::move(structure);
}

void count_orders(RevealedDae& out) {
  out.order.assign(out.dae.residuals.size(), 0);
  for (std::size_t i = 0; i < out.differentiated.size(); ++i) {
    for (const auto& [original, order] : out.differentiated[i]) {
      int& most = out.order[at(original)];
      most = std::max(most, order + out.structure.c[i]);
    }
  }
  const std::vector<int>& d = out.structure.d;
  const bool has_algebraic = std::find(d.begin(), d.end(), 0) != d.end();
  out.index = *std::max_element(out.order.begin(), out.order.end()) + (has_algebraic ? 1 : 0);
}

}  // namespace

bool is_regular_around(const Dae& dae, const Structure& structure, const DaePoint& near) {
  const std::vector<DaePoint> points = points_around(near);
  return std::any_of(points.begin(), points.end(), [&](const DaePoint& point) {
    return check_regularity(dae, structure, point).is_regular;
  });
}

Dae with_values(const Dae& dae, const DaePoint& point) {
  std::vector<Expr> symbols, numbers, residuals;
  for (std::size_t i = 0; i < dae.given.size(); ++i) {
    if (!std::isfinite(point.given[i])) continue;
    symbols.push_back(dae.given[i]);
    numbers.emplace_back(point.given[i]);
  }
  for (const NamedExpr& residual : dae.residuals) residuals.push_back(residual.value);
  residuals = substitute(residuals, symbols, numbers);
  Dae out = dae;
  for (std::size_t i = 0; i < residuals.size(); ++i) out.residuals[i].value = residuals[i];
  return out;
}

RevealedDae reveal_hidden_equations(Dae dae, const DaePoint& at_start) {
  RevealedDae out{std::move(dae), {}, 0, {}, {}, -1};
  DaePoint near = at_start;
  for (std::size_t i = 0; i < out.dae.residuals.size(); ++i) {
    out.differentiated.push_back({{static_cast<int>(i), 0}});
  }
  std::vector<std::size_t> num_before;
  for (const Dae::Unknown& unknown : out.dae.unknowns) {
    num_before.push_back(unknown.derivative.size());
  }
  out.structure = analyze_structure(out.dae);
  if (out.structure.is_regular && !is_regular_around(out.dae, out.structure, near)) {
    put_in_values(out, near);
  }
  for (int round = 0; round < kMaxRounds && out.structure.is_regular; ++round) {
    if (is_regular_around(out.dae, out.structure, near)) break;
    const std::vector<Row> vanished =
        Elimination(out.dae, out.structure, Samples(out.dae, near)).run();
    if (vanished.empty()) break;
    for (const Row& row : vanished) replace(row, out, near);
    drop_unused(num_before, out.dae);
    fit(near, out.dae);
    out.structure = analyze_structure(out.dae);
  }
  if (out.structure.is_regular) count_orders(out);
  return out;
}

}  // namespace koppel
