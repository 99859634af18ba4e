#include <koppel/expr/algebra/piecewise.hpp>

#include <string>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

Expr piecewise_polynomial(Graph& graph, std::string_view name, Expr x,
                          std::span<const double> knots,
                          const std::vector<std::vector<double>>& coefficients) {
  const std::string base(name);
  const Expr s = x - graph.add_table(base + ".knot", TableData::held(knots, knots))(x);
  Expr sum = 0;
  std::vector<double> column(knots.size());
  for (std::size_t k = coefficients[0].size(); k-- > 0;) {
    for (std::size_t i = 0; i < knots.size(); ++i) column[i] = coefficients[i][k];
    const Table c =
        graph.add_table(base + ".c[" + std::to_string(k) + ']', TableData::held(knots, column));
    sum = sum * s + c(x);
  }
  return sum;
}

}  // namespace koppel
