#include <koppel/formulation/breakpoints.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/expr/function.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/expr/structure.hpp>
#include <koppel/expr/traverse.hpp>

namespace koppel {
namespace {

class Finder {
 public:
  Finder(Expr t, std::span<const Expr> parameters, std::span<const double> values)
      : t_(t), parameters_(parameters), values_(values) {}

  std::vector<double> run(std::span<const Expr> expressions) {
    Graph* graph = graph_of(expressions);
    if (graph == nullptr) return {};
    Postorder order(*graph);
    order.visit(expressions);
    const std::vector<Expr> time = {t_};
    const std::vector<char> varies = dependent_nodes(order, time);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (varies[i]) look_at(order[i]);
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  void look_at(Expr e) {
    switch (e.op()) {
      case Op::Table: {
        const Graph& graph = *e.graph();
        solve(e.operand(0), graph.table_data(graph.node(e.id()).operand[1]).breakpoints());
        break;
      }
      case Op::Abs:
      case Op::Sign: solve(e.operand(0), kZero); break;
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal: solve(e.operand(0) - e.operand(1), kZero); break;
      default: break;
    }
  }

  // The times at which an expression, linear in t, takes one of the values.
  void solve(Expr e, std::span<const double> levels) {
    const std::vector<Expr> f = {e}, time = {t_};
    for (const Expr& symbol : symbols_of(f)) {
      if (symbol == t_) continue;
      if (std::find(parameters_.begin(), parameters_.end(), symbol) == parameters_.end()) return;
    }
    const auto form = linear_form(f, time);
    if (!form || form->A.values.empty()) return;
    const std::vector<Expr> line = {form->A.values[0], form->b[0]};
    const std::vector<double> numbers = Function(parameters_, line)(values_);
    for (const double level : levels) {
      const double at = (level - numbers[1]) / numbers[0];
      if (std::isfinite(at)) found_.push_back(at);
    }
  }

  static constexpr double kZero[] = {0};

  Expr t_;
  std::span<const Expr> parameters_;
  std::span<const double> values_;
  std::vector<double> found_;
};

}  // namespace

std::vector<double> find_breakpoints(std::span<const Expr> expressions, Expr t,
                                     std::span<const Expr> parameters,
                                     std::span<const double> values) {
  return Finder(t, parameters, values).run(expressions);
}

}  // namespace koppel
