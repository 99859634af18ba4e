// Dae: a square system of differential-algebraic equations F_i(t, x_j, x_j′, …) = 0 with a symbol
// for every derivative that occurs. What structural analysis (signature.hpp) works on and Taylor
// series expand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/print.hpp>

namespace koppel {

struct Dae {
  struct Unknown {
    std::string name;
    std::vector<Expr> derivative;  // symbols of x, x′, x″, … as far as they occur
  };

  std::shared_ptr<Graph> graph;
  Expr t;
  std::vector<Expr> given;  // parameters, and inputs that are not unknown
  std::vector<Unknown> unknowns;
  std::vector<NamedExpr> residuals;
  // For each equation the unknown that it is the equation of: a motion's coordinate or velocity, a
  // constraint's multiplier; −1 where it is of none. Eliminated in these pairs, multipliers last, a
  // mechanism needs no other pivots (elimination.hpp).
  std::vector<int> partner;
};

// Numbers for all symbols of a Dae.
struct DaePoint {
  double t = 0;
  std::vector<double> given;
  std::vector<std::vector<double>> unknowns;  // by unknown and order of derivative
};

}  // namespace koppel
