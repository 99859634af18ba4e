// The workspace of a SeriesSystem: an expansion point, and the solution's Taylor coefficients
// there.
//
//   SeriesSolver s(system, 20);
//   s.set_time(t);  s.set(j, o, value); …     // x_j[o] for o < d_j: a point, nearly consistent
//   s.make_consistent();                      // stages k < 0
//   s.expand();                               // stages k ≥ 0
//   s.coefficient(j, o)
//
// The first expansions are on the tape, since most runs of a few steps are over before machine code
// would pay; later ones have the same bits. Nothing is allocated after construction, but for that
// code and by KLU when it chooses new pivots.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/problem/series_system.hpp>

namespace koppel {

class SeriesSolver {
 public:
  enum class Status {
    Ok,
    Singular,      // the system Jacobian
    NotConverged,  // no consistent point near the given one
    NotFinite,     // an operation left its domain
  };

  // Coefficients up to `order` for unknowns with the largest d, right to round-off or, where that
  // saves time, somewhat below the tolerance.
  SeriesSolver(const SeriesSystem& system, int order, double tolerance = 0);

  int order() const { return order_; }
  int last_stage() const { return last_stage_; }
  int num_unknowns() const { return static_cast<int>(unknowns_.size()); }
  int offset(int j) const { return unknowns_[static_cast<std::size_t>(j)].d; }
  // The highest coefficient of x_j that expand() gives.
  int degree(int j) const { return last_stage_ + offset(j); }

  // Other values of what the equations are given than those of the system.
  void take(std::span<const double> given);
  void set_time(double t);
  double time() const { return time_[0]; }
  void set(int j, int o, double coefficient);
  double coefficient(int j, int o) const { return unknowns_[static_cast<std::size_t>(j)].x[o]; }

  // Moves the x_j[o], o < d_j, to the nearest consistent point. Sets up the matrix as well.
  Status make_consistent();
  // The stages 0 … last: make_consistent() must have come before.
  Status expand(int last);
  Status expand() { return expand(last_stage_); }
  // How many expansions an integration will take: where they are many, they are in machine code
  // from now on, else after the first few.
  void expect(double num_expansions);

  // All coefficients of an expansion, one unknown after the other; and an expansion of before in
  // the place of one, where they are as many. The matrix is not set up by that.
  void append_expansion(std::vector<double>& to) const;
  bool put_expansion(std::span<const double> coefficients);

  // The stages whose coefficients count in the polynomials; all of them after expand().
  void truncate(int last) { followed_ = last; }
  int followed() const { return followed_; }
  // Gives another solver the point that the polynomials reach at t + h, but for its time.
  void follow(double h, SeriesSolver& there) const;
  // x_j⁽ᵒ⁾(t + h)/o! of the polynomial, for o up to the largest offset or order in y.
  double evaluate(int j, int o, double h) const;
  // x_j⁽ᵒ⁾(t + h) for all these (j, o), which share the powers of h.
  void evaluate(std::span<const SeriesTerms::Place> places, double h, std::span<double> x) const;
  // The coefficient of hⁱ in evaluate(j, o, h).
  double term(int j, int o, int i) const {
    return choose_[static_cast<std::size_t>(o)][static_cast<std::size_t>(i + o)] *
           coefficient(j, i + o);
  }

  // J there, by its pattern, and X of J X = b, until the next call.
  std::span<const double> jacobian();
  std::span<const double> solve(std::span<const double> b);

  // How close the rows of the constraints are to being dependent (series_dependence.cpp).
  // The smallest singular value σ of the constraints in the mass metric at the point that was made
  // consistent, by inverse iteration from the vectors of a solver that was near. 1 without any.
  double find_dependence(const SeriesSolver& near);
  double sigma() const { return sigma_; }
  // The same at a point that is not made consistent; 0 where it is singular to round-off.
  double weigh(const SeriesSolver& near);
  // Its singular vector u: the combination of constraints that vanishes first; of length 1, and the
  // multipliers they belong to, as unknowns.
  std::span<const double> dependence() const { return u_; }
  int multiplier(std::size_t row) const { return rows_[row].multiplier; }
  // σ here over that of another point, followed along the motion between them: negative where the
  // constraints were dependent in between. The second one: at t + h of the polynomials.
  double sigma_over(const SeriesSolver& other);
  double sigma_over(const SeriesSolver& other, double h);
  // Whether σ may have vanished on the way to another point, by the singular vectors alone; it is
  // seldom true where it has not, and never false where the vectors are followed.
  bool may_vanish_before(const SeriesSolver& other) const;

  int num_factorizations() const { return num_factorizations_; }
  // Of make_consistent(), relative to unknowns above 1.
  double largest_correction() const { return largest_correction_; }

 private:
  struct Unknown {
    int d;
    double* x;        // its coefficients
    int first, last;  // its derivatives among derivatives_
  };
  // The series of x_j⁽ˡ⁾, l ≥ 1, which expressions read: l-fold shifted coefficients.
  struct Derivative {
    int l, d;
    std::size_t unknown;
    double* series;
  };

  void find_rows();
  void measure_rows();
  void iterate_dependence();
  double sum_along(const SeriesSolver& other, std::span<const double> J) const;
  void set_scales();
  void put(const Unknown& unknown, int o, double coefficient);
  void list_point();
  void put_point();
  void use_machine_code();
  Status factor();
  Status factor_again();
  void evaluate_factors();
  bool factor_in_code();
  double measure_defect();
  void set_row_scales();
  const double* solve();
  double right_side(int k);
  Status correct_stage(int k);
  Status solve_first_stage();
  void expand_stages(int k, int last);

  const SeriesSystem* system_;
  int order_, last_stage_, followed_ = 0;
  std::shared_ptr<const Series> series_;
  SeriesWorkspace work_;
  double* time_;
  std::vector<Unknown> unknowns_;
  std::vector<Derivative> derivatives_;
  // Those of them that the residuals depend on, and from stage 1 on.
  std::vector<std::size_t> read_, read_later_;
  struct Zero {
    double* x;
    int lead;
  };
  std::vector<Zero> zeros_, first_zeros_;  // set to 0 at order k + lead before stage k, and stage 0
  std::vector<SeriesWorkspace::Output> residuals_;
  std::vector<int> c_;
  std::vector<double> factorial_;
  int max_offset_ = 0;
  std::vector<double> scale_, over_;         // (k + o)!/k! at k (max_offset + 1) + o; its inverse
  std::vector<std::vector<double>> choose_;  // C(n, o) by o and n

  Workspace J_work_, factors_work_;
  std::vector<double> J_in_, J_values_, row_scale_, factors_;
  std::vector<double> own_b_;  // where the series has no place for it
  std::span<double> b_;
  std::vector<double> saved_b_, difference_, size_;  // for the defect
  LinearSolver<double> linear_;
  double most_defect_;       // of factors in code
  bool is_in_code_ = false;  // the factors of the matrix are those of the compiled series
  double largest_correction_ = 0;
  int num_factorizations_ = 0;
  int num_expansions_ = 0, num_matrices_ = 0;  // on the tape

  struct Row {
    int equation, multiplier;
    double size;  // ‖g_i‖ in the mass metric, at the first point
  };
  std::vector<Row> rows_;      // of constraints
  std::vector<int> row_of_;    // among rows_, of each equation; −1: it is none
  std::vector<double> u_, n_;  // singular vectors, n over σ, of all unknowns
  std::vector<double> other_in_, other_values_;
  double sigma_ = 1;
};

}  // namespace koppel
