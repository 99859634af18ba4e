#include <koppel/expr/dae/signature.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>

#include <koppel/base/at.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

constexpr int kInfinity = std::numeric_limits<int>::max() / 4;

struct Place {
  int unknown, order;
};

std::unordered_map<NodeId, Place> places_of(const Dae& dae) {
  std::unordered_map<NodeId, Place> places;
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    const auto& symbols = dae.unknowns[j].derivative;
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      places[symbols[k].id()] = {static_cast<int>(j), static_cast<int>(k)};
    }
  }
  return places;
}

Signature make_signature(const Dae& dae) {
  const auto places = places_of(dae);
  Signature s;
  std::vector<int> highest(dae.unknowns.size(), -1);
  Postorder below(*dae.graph);
  for (const NamedExpr& residual : dae.residuals) {
    std::vector<int> columns;
    below.clear();
    below.visit(residual.value);
    for (const NodeId node : below.nodes()) {
      const auto it = places.find(node);
      if (it == places.end()) continue;
      int& order = highest[at(it->second.unknown)];
      if (order < 0) columns.push_back(it->second.unknown);
      order = std::max(order, it->second.order);
    }
    std::sort(columns.begin(), columns.end());
    for (const int j : columns) {
      s.column.push_back(j);
      s.order.push_back(highest[at(j)]);
      highest[at(j)] = -1;
    }
    s.row_start.push_back(static_cast<int>(s.column.size()));
  }
  return s;
}

// The transversal of largest Σσ by shortest augmenting paths [Jonker & Volgenant 1987], on costs
// max σ − σ_ij ≥ 0 with potentials that keep reduced costs nonnegative.
class Assignment {
 public:
  Assignment(const Signature& s, int num_columns)
      : s_(s),
        row_of_(at(num_columns), -1),
        column_of_(s.row_start.size() - 1, -1),
        u_(s.row_start.size() - 1, 0),
        v_(at(num_columns), 0),
        distance_(at(num_columns), kInfinity),
        parent_(at(num_columns), -1) {
    top_ = s.order.empty() ? 0 : *std::max_element(s.order.begin(), s.order.end());
    for (std::size_t i = 0; i < column_of_.size(); ++i) start(static_cast<int>(i));
    for (std::size_t i = 0; i < column_of_.size(); ++i) {
      if (column_of_[i] < 0) augment(static_cast<int>(i));
    }
  }

  const std::vector<int>& column_of() const { return column_of_; }
  const std::vector<int>& row_of() const { return row_of_; }

 private:
  // The potential of a row is its smallest cost; a free column of that cost is taken at once.
  void start(int row) {
    const int first = s_.row_start[at(row)], last = s_.row_start[at(row) + 1];
    int& u = u_[at(row)] = kInfinity;
    for (int k = first; k < last; ++k) u = std::min(u, top_ - s_.order[at(k)]);
    for (int k = first; k < last; ++k) {
      const int j = s_.column[at(k)];
      if (top_ - s_.order[at(k)] != u || row_of_[at(j)] >= 0) continue;
      row_of_[at(j)] = row;
      column_of_[at(row)] = j;
      return;
    }
  }

  // Assigns row `start`, reassigning others along the cheapest path; leaves it where none exists.
  void augment(int start) {
    using Entry = std::pair<int, int>;  // distance, column
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    std::vector<int> touched, scanned;
    int row = start, base = 0, sink = -1;
    for (;;) {
      for (int k = s_.row_start[at(row)]; k < s_.row_start[at(row) + 1]; ++k) {
        const int j = s_.column[at(k)];
        const int d = base + top_ - s_.order[at(k)] - u_[at(row)] - v_[at(j)];
        if (d >= distance_[at(j)]) continue;
        if (distance_[at(j)] == kInfinity) touched.push_back(j);
        distance_[at(j)] = d;
        parent_[at(j)] = row;
        heap.emplace(d, j);
        if (d == base && row_of_[at(j)] < 0) sink = j;  // nothing can be nearer
      }
      if (sink >= 0) break;
      while (!heap.empty() && heap.top().first > distance_[at(heap.top().second)]) heap.pop();
      if (heap.empty()) break;
      const int j = heap.top().second;
      heap.pop();
      if (row_of_[at(j)] < 0) {
        sink = j;
        break;
      }
      scanned.push_back(j);
      base = distance_[at(j)];
      row = row_of_[at(j)];
    }
    if (sink >= 0) {
      const int length = distance_[at(sink)];
      u_[at(start)] += length;
      for (const int j : scanned) {
        u_[at(row_of_[at(j)])] += length - distance_[at(j)];
        v_[at(j)] -= length - distance_[at(j)];
      }
      for (int j = sink; j >= 0;) {
        const int i = parent_[at(j)];
        row_of_[at(j)] = i;
        std::swap(j, column_of_[at(i)]);
      }
    }
    for (const int j : touched) distance_[at(j)] = kInfinity;
  }

  const Signature& s_;
  std::vector<int> row_of_, column_of_, u_, v_, distance_, parent_;
  int top_ = 0;
};

// The smallest offsets, by Pryce's fixed point: d_j = max_i (σ_ij + c_i), c_i = d_T(i) − σ_i,T(i).
void find_offsets(const Signature& s, Structure& out, std::size_t num_unknowns) {
  const std::size_t n = out.transversal.size();
  out.c.assign(n, 0);
  out.d.assign(num_unknowns, 0);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
        int& d = out.d[at(s.column[at(k)])];
        d = std::max(d, s.order[at(k)] + out.c[i]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
        if (s.column[at(k)] != out.transversal[i]) continue;
        const int c = out.d[at(s.column[at(k)])] - s.order[at(k)];
        changes = changes || c != out.c[i];
        out.c[i] = c;
      }
    }
  }
}

std::string list(const std::vector<std::string>& names, std::size_t most = 6) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i > 0 ? ", '" : "'") + names[i] + "'";
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

// Equations that an unassigned one reaches by alternating paths: they share too few unknowns
// [Dulmage & Mendelsohn 1958].
void find_overdetermined(const Dae& dae, const std::vector<int>& row_of, Structure& out) {
  const Signature& s = out.signature;
  std::vector<char> is_seen(out.transversal.size(), false);
  std::vector<char> unknown_seen(dae.unknowns.size(), false);
  std::vector<int> front;
  for (std::size_t i = 0; i < is_seen.size(); ++i) {
    if (out.transversal[i] >= 0) continue;
    is_seen[i] = true;
    front.push_back(static_cast<int>(i));
  }
  while (!front.empty()) {
    const int i = front.back();
    front.pop_back();
    out.overdetermined.push_back(i);
    for (int k = s.row_start[at(i)]; k < s.row_start[at(i) + 1]; ++k) {
      const int j = s.column[at(k)];
      unknown_seen[at(j)] = true;
      const int next = row_of[at(j)];
      if (next < 0 || is_seen[at(next)]) continue;
      is_seen[at(next)] = true;
      front.push_back(next);
    }
  }
  std::sort(out.overdetermined.begin(), out.overdetermined.end());
  std::vector<std::string> equations, unknowns;
  for (const int i : out.overdetermined) equations.push_back(dae.residuals[at(i)].name);
  for (std::size_t j = 0; j < unknown_seen.size(); ++j) {
    if (unknown_seen[j]) unknowns.push_back(dae.unknowns[j].name);
  }
  out.problem = std::to_string(equations.size()) + " equations (" + list(equations) +
                ") have only " + std::to_string(unknowns.size()) +
                (unknowns.size() == 1 ? " unknown" : " unknowns") +
                (unknowns.empty() ? "" : " (" + list(unknowns) + ")") + ".";
}

}  // namespace

Structure analyze_structure(const Dae& dae) {
  Structure out;
  out.signature = make_signature(dae);
  const Assignment assignment(out.signature, static_cast<int>(dae.unknowns.size()));
  out.transversal = assignment.column_of();
  out.is_regular =
      dae.residuals.size() == dae.unknowns.size() &&
      std::find(out.transversal.begin(), out.transversal.end(), -1) == out.transversal.end();
  if (!out.is_regular) {
    find_overdetermined(dae, assignment.row_of(), out);
    return out;
  }
  find_offsets(out.signature, out, dae.unknowns.size());
  out.index = 0;
  out.degrees_of_freedom = 0;
  bool some_zero = false;
  for (const int c : out.c) {
    out.index = std::max(out.index, c);
    out.degrees_of_freedom -= c;
  }
  for (const int d : out.d) {
    some_zero = some_zero || d == 0;
    out.degrees_of_freedom += d;
  }
  if (some_zero) ++out.index;
  return out;
}

SparseExpr system_jacobian(const Dae& dae, const Structure& s) {
  // Equations with the same c take the derivatives of order d_j − c of all unknowns.
  std::map<int, std::vector<int>> rows_of_c;
  for (std::size_t i = 0; i < s.c.size(); ++i) rows_of_c[s.c[i]].push_back(static_cast<int>(i));
  std::vector<std::vector<std::pair<int, Expr>>> columns(dae.unknowns.size());
  for (const auto& [c, rows] : rows_of_c) {
    std::vector<Expr> residuals, symbols;
    std::vector<std::size_t> unknown_of;
    for (const int i : rows) residuals.push_back(dae.residuals[at(i)].value);
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      const int order = s.d[j] - c;
      if (order < 0 || at(order) >= dae.unknowns[j].derivative.size()) continue;
      symbols.push_back(dae.unknowns[j].derivative[at(order)]);
      unknown_of.push_back(j);
    }
    const SparseExpr part = jacobian(residuals, symbols);
    for (std::size_t n = 0; n < symbols.size(); ++n) {
      for (int k = part.pattern.column_start[n]; k < part.pattern.column_start[n + 1]; ++k) {
        columns[unknown_of[n]].emplace_back(rows[at(part.pattern.row[at(k)])], part.values[at(k)]);
      }
    }
  }
  SparseExpr J;
  J.pattern.num_rows = static_cast<int>(dae.residuals.size());
  J.pattern.num_columns = static_cast<int>(dae.unknowns.size());
  for (auto& entries : columns) {
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [row, value] : entries) {
      J.pattern.row.push_back(row);
      J.values.push_back(value);
    }
    J.pattern.column_start.push_back(J.pattern.num_entries());
  }
  return J;
}

}  // namespace koppel
