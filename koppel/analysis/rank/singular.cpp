#include <koppel/analysis/rank/singular.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>

namespace koppel {
namespace {

class Path {
 public:
  Path(const Evaluator& evaluator, std::span<const State> states)
      : evaluator_(evaluator), states_(states) {
    for (const State& state : states) {
      rank_ = std::max(rank_, analyze_rank(evaluator, state, {.here_only = true}).rank);
    }
  }

  // Between two states: t, q and v interpolated, q closed.
  State at(double place) const {
    const auto last = static_cast<double>(states_.size() - 1);
    place = std::clamp(place, 0.0, last);
    const auto i = static_cast<std::size_t>(std::min(place, last - 1));
    const double part = place - static_cast<double>(i);
    State state = states_[i];
    const State& next = states_[i + 1];
    state.t += part * (next.t - state.t);
    for (std::size_t k = 0; k < state.q.size(); ++k) state.q[k] += part * (next.q[k] - state.q[k]);
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] += part * (next.v[k] - state.v[k]);
    close_positions(evaluator_, state);
    return state;
  }

  double pivot(const State& state) const {
    const RankReport report = analyze_rank(evaluator_, state, {.here_only = true});
    if (rank_ == 0) return 1;
    if (report.pivots.empty()) return report.rank < rank_ ? 0 : report.smallest_pivot;
    return report.pivots[static_cast<std::size_t>(rank_ - 1)];
  }

 private:
  const Evaluator& evaluator_;
  std::span<const State> states_;
  int rank_ = 0;
};

// The minimum in [a, b] by golden sections.
double find_minimum(const Path& path, double a, double b, double tolerance) {
  constexpr double kGolden = 1 / std::numbers::phi;
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a);
  double at_c = path.pivot(path.at(c)), at_d = path.pivot(path.at(d));
  while (b - a > tolerance) {
    if (at_c < at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = b - kGolden * (b - a);
      at_c = path.pivot(path.at(c));
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = a + kGolden * (b - a);
      at_d = path.pivot(path.at(d));
    }
  }
  return at_c < at_d ? c : d;
}

void name_owners(const Evaluator& evaluator, SingularPlace& place) {
  // What would be redundant if the small pivot were none.
  const RankReport report = analyze_rank(
      evaluator, place.state, {.tolerance = std::max(1e-7, 3 * place.pivot), .here_only = true});
  std::vector<std::string>& names = place.owners;
  for (const Redundancy& r : report.redundant) {
    names.push_back(r.owner);
    names.insert(names.end(), r.repeats.begin(), r.repeats.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  place.text = place.pivot < 1e-6 ? "singular" : "nearly singular";
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    place.text += (i == 0 ? "; the equations of '" : ", '") + names[i] + "'";
  }
  if (names.size() > kMost) place.text += " and " + std::to_string(names.size() - kMost) + " more";
  if (!names.empty()) place.text += " become dependent";
  place.text += '.';
}

}  // namespace

std::vector<SingularPlace> find_singular_places(const Evaluator& evaluator,
                                                std::span<const State> states,
                                                const SingularOptions& options) {
  std::vector<SingularPlace> places;
  if (states.size() < 2 || evaluator.equations->num_rows() == 0) {
    return places;
  }
  const Path path(evaluator, states);
  std::vector<double> pivots;
  for (const State& state : states) pivots.push_back(path.pivot(state));
  const std::size_t n = states.size();
  for (std::size_t i = 0; i < n; ++i) {
    // One of equal neighbours counts, the first.
    if ((i > 0 && pivots[i - 1] <= pivots[i]) || (i + 1 < n && pivots[i + 1] < pivots[i])) continue;
    const double a = i > 0 ? static_cast<double>(i) - 1 : 0;
    const double b = static_cast<double>(std::min(i + 1, n - 1));
    SingularPlace place;
    place.place = find_minimum(path, a, b, options.tolerance);
    place.state = path.at(place.place);
    place.pivot = path.pivot(place.state);
    if (pivots[i] <= place.pivot) {  // the minimum is at the state itself
      place.place = static_cast<double>(i);
      place.state = states[i];
      place.pivot = pivots[i];
    }
    if (place.pivot > options.limit) continue;
    name_owners(evaluator, place);
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace koppel
