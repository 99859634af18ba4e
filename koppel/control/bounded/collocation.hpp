// Collocation with Lobatto's points, order 4, for boundary value problems of index 1: (3) of
// bounded.hpp on all intervals of a grid at once, by Newton's method with the exact Jacobian.
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/SparseCore>

#include <koppel/control/bounded/index_one_system.hpp>

namespace koppel {

// Conditions L (z − z̄) = 0 at an end.
struct CollocationEnd {
  Eigen::VectorXd y;  // the equilibrium; z̄ is a part of it
  Eigen::MatrixXd L;
};

class Collocation {
 public:
  // Both ends together have as many conditions as z has entries.
  Collocation(IndexOneSystem& system, const std::vector<double>& nodes, const CollocationEnd& first,
              const CollocationEnd& last);

  // Starting values: z on the line between the equilibria, and what F_a makes of that. False: none.
  bool guess();
  // Those of a grid of half as many intervals.
  void guess(const std::vector<Eigen::VectorXd>& coarse);

  // False: no convergence.
  bool solve();

  // Nodes, and middles between them.
  const std::vector<double>& t() const { return t_; }
  const std::vector<Eigen::VectorXd>& y() const { return y_; }

 private:
  // An interval that a point belongs to; the point is its begin, middle or end.
  struct Membership {
    Eigen::Index interval;
    int place;
    double h;
  };
  std::vector<Membership> intervals_of(Eigen::Index point) const;
  Eigen::Index row_of(Eigen::Index interval, int which, Eigen::Index k) const;
  double time(std::size_t point) const { return system_.inside(t_[point], t_.back()); }
  void put(Eigen::Index row, Eigen::Index point, int column, double value);

  void assemble();
  void add_values(Eigen::Index point, const std::vector<Membership>& in);
  void add_derivatives(Eigen::Index point, const std::vector<Membership>& in);
  void add_end(const CollocationEnd& end, Eigen::Index point, Eigen::Index& row);

  IndexOneSystem& system_;
  const CollocationEnd &first_, &last_;
  Eigen::Index n_, n_a_, n_z_;
  std::vector<Eigen::Index> algebraic_place_, rate_place_;  // of the rows of the system
  std::vector<double> t_;
  std::vector<Eigen::VectorXd> y_;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::VectorXd right_;
};

// Newton's method for some rows of (1) and some of y. False: no convergence.
bool solve_rows(IndexOneSystem& system, double t, const std::vector<int>& rows,
                const std::vector<int>& columns, Eigen::VectorXd& y);

}  // namespace koppel
