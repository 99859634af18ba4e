#include <koppel/integrate/taylor_passage.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {
namespace {

// The zero of σ along the polynomials by the vectors of `of`, by bisection: σ is nearly linear in a
// step, but nothing is lost by certainty.
double find_zero(SeriesSolver& here, const SeriesSolver& of, double h) {
  double low = 0, high = h;
  const bool is_positive = here.sigma_over(of, 0) > 0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    ((here.sigma_over(of, middle) > 0) == is_positive ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::optional<SingularPassage> TaylorPassage::find(SeriesSolver& here, SeriesSolver& there,
                                                   double h) {
  // Both, since the combination that vanishes in between may be the weakest at one end only.
  const SeriesSolver* of = nullptr;
  if (here.sigma_over(there) < 0) of = &there;
  if (of == nullptr && there.sigma_over(here) < 0) of = &here;
  if (of == nullptr) return {};
  if (!between_) between_ = std::make_unique<SeriesSolver>(*problem_.series, here.order());
  // σ = 0 but for round-off and the error of the polynomials, which are not on the constraints.
  constexpr double kVanished = 0.05;
  constexpr int kMaxLooks = 4;
  // The vectors turn along the step, so that those of its ends give the zero but roughly; the
  // vectors found there give it better.
  for (int i = 0; i < kMaxLooks; ++i) {
    const double s = find_zero(here, *of, h);
    between_->set_time(here.time() + s);
    here.follow(s, *between_);
    const double sigma = between_->weigh(*of);
    if (sigma <= kVanished * std::min(here.sigma(), there.sigma())) {
      return SingularPassage{here.time() + s, dependent_rows(*between_)};
    }
    of = between_.get();
    if (here.sigma_over(*of, 0) * here.sigma_over(*of, h) > 0) break;
  }
  return {};
}

// The rows of [λ; μ] whose part in the combination counts.
std::vector<int> TaylorPassage::dependent_rows(const SeriesSolver& at) const {
  constexpr double kCounts = 0.1;
  double largest = 0;
  for (const double u : at.dependence()) largest = std::max(largest, std::abs(u));
  const std::vector<SeriesTerms::Place>& y = problem_.series->terms().y;
  std::vector<int> rows;
  for (std::size_t r = 0; r < at.dependence().size(); ++r) {
    if (std::abs(at.dependence()[r]) < kCounts * largest) continue;
    for (int i = 0; i < problem_.num_lambda + problem_.num_mu; ++i) {
      const SeriesTerms::Place& place =
          y[static_cast<std::size_t>(problem_.num_differential() + i)];
      if (place.unknown == at.multiplier(r) && place.order == 0) rows.push_back(i);
    }
  }
  return rows;
}

}  // namespace koppel
