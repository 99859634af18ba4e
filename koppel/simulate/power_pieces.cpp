#include <koppel/simulate/power_pieces.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {

PowerPieces::PowerPieces(const EnergyBalance& energy)
    : energy_(energy),
      work_(energy.make_workspace()),
      at_start_(energy.num_switches()),
      at_end_(energy.num_switches()),
      between_(energy.num_switches()) {}

const std::vector<double>& PowerPieces::find_corners(double t0, double t1, const At& at) {
  constexpr std::ptrdiff_t kMost = 64;  // of a table: one that is finer is as good as smooth
  corners_.clear();
  if (energy_.num_switches() > 0) {
    energy_.arguments(t0, at(t0), work_, at_start_);
    energy_.arguments(t1, at(t1), work_, at_end_);
  }
  for (std::size_t i = 0; i < energy_.num_switches(); ++i) {
    const auto [low, high] = std::minmax(at_start_[i], at_end_[i]);
    const auto pieces = energy_.pieces(i);
    const auto first = std::upper_bound(pieces.begin(), pieces.end(), low);
    const auto last = std::upper_bound(first, pieces.end(), high);
    if (last - first > kMost) continue;
    for (auto value = first; value != last; ++value) {
      corners_.push_back(find_corner(i, *value, t0, t1, at));
    }
  }
  std::sort(corners_.begin(), corners_.end());
  corners_.push_back(t1);
  return corners_;
}

// When an argument passes a value between those at the ends of the step, by bisection.
double PowerPieces::find_corner(std::size_t argument, double value, double t0, double t1,
                                const At& at) {
  constexpr int kHalvings = 46;
  const bool is_above = at_start_[argument] > value;
  for (int k = 0; k < kHalvings; ++k) {
    const double t = (t0 + t1) / 2;
    energy_.arguments(t, at(t), work_, between_);
    ((between_[argument] > value) == is_above ? t0 : t1) = t;
  }
  return t1;
}

}  // namespace koppel
