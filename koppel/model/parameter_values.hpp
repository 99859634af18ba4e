// Values of expressions of a model's parameters.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include <koppel/model/model.hpp>

namespace koppel {

// A body's frame and a joint's marker in numbers, from the model's expected start.
struct NumericFrame {
  Vec3<double> r;
  Mat3<double> R = Mat3<double>::identity();
};

// Evaluates expressions of a model's parameters (and t = 0). Remembers every node's value: the many
// small expressions of a large model share most of theirs.
class ParameterValues {
 public:
  explicit ParameterValues(const Model& model);
  double operator()(Expr e) const;
  // From now on the value of a symbol, before anything that depends on it is asked for.
  void set(Expr symbol, double value) { known_[symbol.id()] = value; }
  void set_parameter(const Parameter& parameter) {
    known_[parameter.symbol.id()] = parameter.value;
    parameters_.insert(parameter.symbol.id());
  }
  bool is_parameter(Expr symbol) const { return parameters_.contains(symbol.id()); }
  Vec3<double> operator()(const Vec3e& e) const {
    return {(*this)(e.x), (*this)(e.y), (*this)(e.z)};
  }
  Mat3<double> operator()(const Mat3e& e) const;
  NumericFrame body(int index) const;
  NumericFrame marker(const Marker& marker) const;

 private:
  const Model& model_;
  mutable std::unordered_map<NodeId, double> known_;
  std::unordered_set<NodeId> parameters_;
};

}  // namespace koppel
