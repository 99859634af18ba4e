// The functions whose passing through zero is an event: values s_i(t, q, v, x), compiled.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/problem/given.hpp>

namespace koppel {

struct EventTerms {
  Expr t;
  std::vector<Expr> y;  // q, v, x
  Given given;
  std::vector<Expr> values;
};

class EventFunctions {
 public:
  struct Workspace {
    std::vector<double> in;  // t, q, v, x, given
    koppel::Workspace values;
  };

  explicit EventFunctions(const EventTerms& terms, CompileOptions options = {});

  std::size_t size() const { return values_.num_outputs(); }
  Workspace make_workspace() const;
  // y as the problem has it: q, v and x first. Does not allocate.
  void evaluate(double t, std::span<const double> y, std::span<double> out, Workspace& work) const;

 private:
  std::size_t num_states_;
  std::vector<double> given_;
  Function values_;
};

}  // namespace koppel
