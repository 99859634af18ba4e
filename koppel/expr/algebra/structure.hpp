// What an expression is made of: which symbols, of which is it independent, in which is it linear;
// and replacing parts of it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// The symbols below f, in the order in which the graph got them.
std::vector<Expr> symbols_of(std::span<const Expr> f);
std::vector<Expr> symbols_of(Expr f);

// The number of operations below f: nodes that are neither symbols nor numbers, each once.
std::size_t num_operations(std::span<const Expr> f);
std::size_t num_operations(Expr f);

// Whether any of x occurs in f.
bool depends_on(std::span<const Expr> f, std::span<const Expr> x);
bool depends_on(Expr f, std::span<const Expr> x);
bool depends_on(Expr f, Expr x);
// Whether something below f is piecewise (tables, select, comparisons, abs, sign, min, max) in x.
bool has_switches(std::span<const Expr> f, std::span<const Expr> x);
// The same, or of functions that are constant to round-off where their arguments are large (exp,
// tanh): there neither values nor derivatives show that they come to life elsewhere.
bool may_sleep(std::span<const Expr> f, std::span<const Expr> x);

// f with every from[i] replaced by to[i], all at once. The replaced parts may be symbols or whole
// subexpressions; what is put in is not searched again.
std::vector<Expr> substitute(std::span<const Expr> f, std::span<const Expr> from,
                             std::span<const Expr> to);
Expr substitute(Expr f, Expr from, Expr to);

// f = A x + b with A and b free of x, or nothing where f is not (recognisably) linear in x.
struct LinearForm {
  SparseExpr A;
  std::vector<Expr> b;
};
std::optional<LinearForm> linear_form(std::span<const Expr> f, std::span<const Expr> x);
bool is_linear(Expr f, std::span<const Expr> x);

}  // namespace koppel
