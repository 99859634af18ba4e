#include <koppel/expr/algebra/calculus.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// Derivatives of one or more functions with respect to fixed variables.
class Differentiation {
 public:
  Differentiation(Graph& graph, std::span<const Expr> x) : order_(graph), variable_(graph) {
    for (std::size_t j = x.size(); j-- > 0;) {
      if (x[j].graph() != nullptr) variable_.set(graph.adopt(x[j]), static_cast<std::uint32_t>(j));
    }
  }

  // Reverse accumulation [Griewank & Walther 2008, ch. 3]: the adjoint ē = Σ w_i ∂f_i/∂e of every
  // node e, from the functions down:  operand̄ += ē ∂e/∂operand.
  // Calls found(j, x̄_j) for every variable that the functions depend on.
  template <typename Found>
  void reverse(std::span<const Expr> f, std::span<const Expr> w, Found&& found) {
    walk(f);
    std::vector<Expr> adjoint(order_.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f[i].graph() != nullptr) adjoint[order_.position(f[i])] += w[i];
    }
    for (std::size_t p = order_.size(); p-- > 0;) {
      if (!active_[p] || is_variable(p) || adjoint[p].is_constant(0)) continue;
      const Expr e = order_[p];
      for (int i = 0; i < e.num_operands(); ++i) {
        const std::uint32_t q = order_.position(e.operand(i));
        if (active_[q]) adjoint[q] += derivative(e, i, adjoint[p]);
      }
    }
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (is_variable(p)) found(variable_[order_.nodes()[p]], adjoint[p]);
    }
  }

  // Forward accumulation: the tangent ė of every node from those of its operands, given ẋ = d:
  //   ė = Σ ∂e/∂operand · operanḋ.
  std::vector<Expr> forward(std::span<const Expr> f, std::span<const Expr> d) {
    walk(f);
    std::vector<Expr> tangent(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (!active_[p]) continue;
      if (is_variable(p)) {
        tangent[p] = d[variable_[order_.nodes()[p]]];
        continue;
      }
      const Expr e = order_[p];
      for (int i = 0; i < e.num_operands(); ++i) {
        const Expr t = tangent[order_.position(e.operand(i))];
        if (!t.is_constant(0)) tangent[p] += derivative(e, i, t);
      }
    }
    std::vector<Expr> result(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (f[i].graph() != nullptr) result[i] = tangent[order_.position(f[i])];
    }
    return result;
  }

 private:
  bool is_variable(std::size_t p) const { return variable_.contains(order_.nodes()[p]); }

  // The nodes below f, and which of them depend on the variables.
  void walk(std::span<const Expr> f) {
    order_.clear();
    order_.visit(f);
    active_.assign(order_.size(), false);
    for (std::size_t p = 0; p < order_.size(); ++p) {
      const Expr e = order_[p];
      bool active = is_variable(p);
      for (int i = 0; i < e.num_operands() && !active; ++i) {
        active = active_[order_.position(e.operand(i))];
      }
      active_[p] = active;
    }
  }

  Postorder order_;
  NodeIndex variable_;  // node → its place among the variables
  std::vector<char> active_;
};

}  // namespace

Expr SparseExpr::at(int row, int column) const {
  const auto begin = pattern.row.begin() + pattern.column_start[static_cast<std::size_t>(column)];
  const auto end = pattern.row.begin() + pattern.column_start[static_cast<std::size_t>(column) + 1];
  const auto it = std::lower_bound(begin, end, row);
  if (it == end || *it != row) return 0;
  return values[static_cast<std::size_t>(it - pattern.row.begin())];
}

std::vector<Expr> vector_times_jacobian(std::span<const Expr> w, std::span<const Expr> f,
                                        std::span<const Expr> x) {
  assert(w.size() == f.size());
  std::vector<Expr> result(x.size());
  if (Graph* graph = graph_of(f)) {
    Differentiation(*graph, x).reverse(f, w, [&](std::size_t j, Expr e) { result[j] = e; });
  }
  return result;
}

std::vector<Expr> jacobian_times_vector(std::span<const Expr> f, std::span<const Expr> x,
                                        std::span<const Expr> d) {
  assert(x.size() == d.size());
  Graph* graph = graph_of(f);
  if (graph == nullptr) return std::vector<Expr>(f.size());
  return Differentiation(*graph, x).forward(f, d);
}

std::vector<Expr> gradient(Expr f, std::span<const Expr> x) {
  const Expr one = 1;
  return vector_times_jacobian({&one, 1}, {&f, 1}, x);
}

Expr diff(Expr f, Expr x) { return gradient(f, {&x, 1})[0]; }

SparseExpr jacobian(std::span<const Expr> f, std::span<const Expr> x) {
  SparseExpr result;
  Sparsity& pattern = result.pattern;
  pattern.num_rows = static_cast<int>(f.size());
  pattern.num_columns = static_cast<int>(x.size());
  pattern.column_start.assign(x.size() + 1, 0);
  Graph* graph = graph_of(f);
  if (graph == nullptr) return result;

  struct Entry {
    int row, column;
    Expr value;
  };
  std::vector<Entry> entries;  // by rows
  Differentiation differentiation(*graph, x);
  const Expr one = 1;
  for (std::size_t i = 0; i < f.size(); ++i) {
    differentiation.reverse({&f[i], 1}, {&one, 1}, [&](std::size_t j, Expr value) {
      if (value.is_constant(0)) return;
      entries.push_back({static_cast<int>(i), static_cast<int>(j), value});
      ++pattern.column_start[j + 1];
    });
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  std::vector<int> next(pattern.column_start.begin(), pattern.column_start.end() - 1);
  pattern.row.resize(entries.size());
  result.values.resize(entries.size());
  for (const Entry& entry : entries) {
    const auto k = static_cast<std::size_t>(next[static_cast<std::size_t>(entry.column)]++);
    pattern.row[k] = entry.row;
    result.values[k] = entry.value;
  }
  return result;
}

SparseExpr hessian(Expr f, std::span<const Expr> x) { return jacobian(gradient(f, x), x); }

std::vector<Expr> time_derivative(std::span<const Expr> f, std::span<const Expr> x,
                                  std::span<const Expr> rate) {
  return jacobian_times_vector(f, x, rate);
}

Expr time_derivative(Expr f, std::span<const Expr> x, std::span<const Expr> rate) {
  return time_derivative({&f, 1}, x, rate)[0];
}

}  // namespace koppel
