// Thin rods between points of the plane in the stabilised form of ggl.hpp, with the constant M and
// the quadratic constraints of slider_crank.hpp. For a rod with d = the difference of its ends,
// g = ½ (d² − l²), G v = d·ḋ, and the second derivatives of g are 1 on its ends and −1 between
// them.
#pragma once

#include <utility>
#include <vector>

#include <problems/ggl.hpp>
#include <problems/slider_crank.hpp>

namespace koppel::problems {

class Rods : public GglByTerms<Rods> {
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

  void residual(const double* y, const double* y_rate, double* F) const override;
  template <typename Add>
  void visit_jacobian(const double* y, const double* y_rate, double c, Add&& add) const;

 private:
  void find_start();

  std::vector<Rod> rods_;
  std::vector<double> q_, v_;
  struct Entry {
    int i, j;
    double value;
  };
  std::vector<Entry> M_;
  std::vector<double> f_;
};

extern template class GglByTerms<Rods>;

Rods make_rods(const SliderCrank& data);
Rods make_four_bar_rods(int N);

}  // namespace koppel::problems
