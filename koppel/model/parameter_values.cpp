#include <koppel/model/parameter_values.hpp>

#include <koppel/expr/graph/operations.hpp>

namespace koppel {

ParameterValues::ParameterValues(const Model& model) : model_(model) {
  for (const Parameter& parameter : model.parameters) {
    set_parameter(parameter);
  }
  known_.emplace(model.time.id(), 0.0);
}

double ParameterValues::operator()(Expr e) const {
  if (e.is_constant()) return e.value();
  const Graph& graph = *model_.graph;
  std::vector<NodeId> open = {e.id()};  // nodes to evaluate, operands on top of what uses them
  while (!open.empty()) {
    const Expr node(*model_.graph, open.back());
    if (known_.contains(open.back())) {
      open.pop_back();
      continue;
    }
    double x[3] = {};
    bool is_ready = true;
    for (int i = 0; i < node.num_operands(); ++i) {
      const Expr operand = node.operand(i);
      const auto it = known_.find(operand.id());
      if (operand.is_constant()) {
        x[i] = operand.value();
      } else if (it != known_.end()) {
        x[i] = it->second;
      } else {
        open.push_back(operand.id());
        is_ready = false;
      }
    }
    if (!is_ready) continue;
    if (node.is_symbol()) {
      throw Error("equations.unknown-value",
                  "'" + std::string(node.name()) + "' is not a parameter, but a number is needed.");
    }
    const Node& raw = graph.node(node.id());
    known_[node.id()] =
        node.is(Op::Table)
            ? graph.table_data(raw.operand[1]).evaluate(x[0], static_cast<int>(raw.operand[2]))
            : operation(node.op()).value(x[0], x[1], x[2]);
    open.pop_back();
  }
  return known_.at(e.id());
}

Mat3<double> ParameterValues::operator()(const Mat3e& e) const {
  return {{(*this)(e.column[0]), (*this)(e.column[1]), (*this)(e.column[2])}};
}

NumericFrame ParameterValues::body(int index) const {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  return {(*this)(body.position), (*this)(body.rotation)};
}

NumericFrame ParameterValues::marker(const Marker& marker) const {
  const NumericFrame frame = body(marker.body);
  return {frame.r + frame.R * (*this)(marker.point), frame.R * (*this)(marker.axes)};
}

}  // namespace koppel
