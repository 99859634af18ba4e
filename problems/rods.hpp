// Thin rods between points of the plane in the stabilised index-2 form [Gear, Gupta & Leimkuhler
// 1985], written by hand for IDA:
//
//   0 = q̇ − v + Gᵀη,   0 = M v̇ − f + Gᵀλ,   0 = g,   0 = G v                             (1)
//
// with the constant M and the quadratic constraints of slider_crank.hpp. For a rod with d = the
// difference of its ends, g = ½ (d² − l²), G v = d·ḋ, and the second derivatives of g are 1 on its
// ends and −1 between them.
#pragma once

#include <utility>
#include <vector>

#include <problems/slider_crank.hpp>

namespace koppel::problems {

class Rods {
 public:
  // A coordinate of a point: an unknown, or fixed (index −1) at a value.
  struct Coordinate {
    int index = -1;
    double value = 0;
  };
  struct Rod {
    Coordinate from[2], to[2];  // x, y
    double length;
    double mass;
  };

  Rods(std::vector<Rod> rods, std::vector<double> start, std::vector<double> start_rate,
       std::vector<std::pair<int, double>> more_mass = {});

  int num_q() const { return static_cast<int>(q_.size()); }
  int size() const { return 2 * num_q() + 2 * static_cast<int>(rods_.size()); }

  // y = (q, v, λ, η) and its rates at the start, consistent.
  const std::vector<double>& start() const { return start_; }
  const std::vector<double>& start_rate() const { return start_rate_; }

  void residual(const double* y, const double* y_rate, double* F) const;
  // ∂F/∂y + c ∂F/∂ẏ by compressed columns.
  void jacobian(const double* y, double c, double* values) const;
  const std::vector<int>& column_start() const { return column_start_; }
  const std::vector<int>& row() const { return row_; }

 private:
  template <typename Add>
  void visit_jacobian(const double* y, double c, Add&& add) const;
  void make_pattern();
  void find_start_rates();

  std::vector<Rod> rods_;
  std::vector<double> q_, v_;
  struct Entry {
    int i, j;
    double value;
  };
  std::vector<Entry> M_;
  std::vector<double> f_;
  std::vector<double> start_, start_rate_;
  std::vector<int> column_start_, row_;
  std::vector<int> slot_;  // where the terms of the Jacobian belong, in the order of a visit
};

Rods make_rods(const SliderCrank& data);
Rods make_four_bar_rods(int N);

// By IDA with KLU from 0 to `end`: relative and absolute tolerance for positions and velocities,
// multipliers outside the error test and loose in Newton's. False where it gives up; y becomes the
// end.
bool integrate_ida(const Rods& rods, std::vector<double>& y, double end, double tolerance);

}  // namespace koppel::problems
