#include <koppel/integrate/taylor_passage.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {
namespace {

// The zero of σ along the polynomials by the vectors of `of`: between two values of different sign,
// by the secant; where an end stays, its value counts half from then on, which lets the other one
// pass it [Dowell & Jarratt 1971].
double find_zero(SeriesSolver& here, const SeriesSolver& of, double h) {
  constexpr double kNearRoot = 1e-8;  // of the step
  constexpr int kMost = 60;
  double low = 0, high = h, s = 0;
  double at_low = here.sigma_over(of, low), at_high = here.sigma_over(of, high);
  int stayed = 0;  // the end that the last step has left where it was
  for (int i = 0; i < kMost && at_low != at_high; ++i) {
    const double before = s;
    s = low + (high - low) * (at_low / (at_low - at_high));
    const double at = here.sigma_over(of, s);
    if (at == 0 || std::abs(s - before) <= kNearRoot * h) break;
    if ((at > 0) == (at_low > 0)) {
      low = s, at_low = at;
      if (stayed == 1) at_high *= 0.5;
      stayed = 1;
    } else {
      high = s, at_high = at;
      if (stayed == -1) at_low *= 0.5;
      stayed = -1;
    }
  }
  return s;
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
  constexpr double kSame = 1e-6;  // of the step: nothing is gained by a further look
  constexpr int kMaxLooks = 6;
  std::optional<SingularPassage> found;
  // The vectors turn along the step, so that those of its ends give the zero but roughly; the
  // vectors found there give it better.
  double before = 0;
  for (int i = 0; i < kMaxLooks; ++i) {
    const double s = find_zero(here, *of, h);
    between_->set_time(here.time() + s);
    here.follow(s, *between_);
    const double sigma = between_->weigh(*of);
    if (sigma <= kVanished * std::min(here.sigma(), there.sigma())) {
      found = SingularPassage{here.time() + s, dependent_rows(*between_)};
      if (std::abs(s - before) < kSame * h) break;
    }
    before = s;
    of = between_.get();
    if (here.sigma_over(*of, 0) * here.sigma_over(*of, h) > 0) break;
  }
  return found;
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
