#include <koppel/control/inverse.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/control/inverse_run.hpp>

namespace koppel {
namespace {

// Steps are short enough where half of them change the inputs by less than this.
constexpr double kEnough = 0.01;

// By how much the inputs of two solutions differ, of their range: that of 98 % of the rows, since
// methods that step need some nodes after each jump of an input.
double difference(const Inverse& a, const Inverse& b) {
  constexpr double kRows = 0.98, kNoRange = 1e-6;
  const std::size_t rows = std::min(a.trajectory.num_rows(), b.trajectory.num_rows());
  if (rows == 0) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < b.equations->u.size(); ++i) {
    const auto u = a.trajectory.column(a.observation->first_input() + i);
    const auto w = b.trajectory.column(b.observation->first_input() + i);
    const auto [low, high] = std::minmax_element(w.begin(), w.end());
    const double size = std::max(std::abs(*low), std::abs(*high));
    if (!(size > 0)) continue;
    std::vector<double> off;  // from the end: after a singular start the first rows are missing
    for (std::size_t k = 1; k <= rows; ++k)
      off.push_back(std::abs(u[u.size() - k] - w[w.size() - k]));
    const auto at =
        off.begin() + static_cast<std::ptrdiff_t>(kRows * static_cast<double>(rows - 1));
    std::nth_element(off.begin(), at, off.end());
    most = std::max(most, *at / std::max(*high - *low, kNoRange * size));
  }
  return most;
}

struct ChosenStep {
  double step, change;  // change: of the inputs, which is about their error
};

// From a hundredth of the time on steps are halved until the inputs stay as they are. Where
// differences grow again, round-off does: methods that leave a high index divide by powers of h.
std::optional<ChosenStep> choose_step(const Model& model, InverseOptions options,
                                      const SimulateCallbacks& callbacks) {
  constexpr int kMost = 5;
  options.verify = false;
  SimulateCallbacks quiet;
  quiet.progress = callbacks.progress;  // which may stop it
  const auto is_there = [](const Inverse& x) {
    return x.status == Outcome::Status::Done || x.status == Outcome::Status::Doubtful;
  };
  Inverse last = InverseRun(model, options, quiet).go();
  if (!is_there(last)) return {};
  std::optional<ChosenStep> best;
  for (int i = 0; i < kMost; ++i) {
    const double step = last.summary.step;
    options.step = step / 2;
    Inverse next = InverseRun(model, options, quiet).go();
    if (next.status == Outcome::Status::Stopped) return {};
    if (!is_there(next)) break;  // round-off, most likely
    const double change = difference(last, next);
    const bool is_enough = 2 * change <= kEnough;  // an error of order 1 is twice the difference
    if (!best || change < best->change) best = {is_enough ? step : step / 2, change};
    if (is_enough || change > best->change) break;
    last = std::move(next);
  }
  return best;
}

}  // namespace

Inverse inverse(const Model& model, const InverseOptions& options,
                const SimulateCallbacks& callbacks) {
  options.validate();
  const bool steps = find_reduced_method(options.method) != nullptr;
  if (!steps || options.step || !options.health.is_watched) {
    return InverseRun(model, options, callbacks).go();
  }
  const std::optional<ChosenStep> chosen = choose_step(model, options, callbacks);
  if (!chosen) return InverseRun(model, options, callbacks).go();
  InverseOptions with = options;
  with.step = chosen->step;
  Inverse out = InverseRun(model, with, callbacks).go();
  const double limit = options.health.loosen * kEnough;
  if (!(chosen->change > limit) || out.status == Outcome::Status::Stopped) return out;
  const std::string text = fmt::format(
      "the inputs are known to {:.2g} % of their range only (limit {:.2g} %): so much do "
      "they change with steps of half the length. Give a shorter `step`, an integrator "
      "of higher order, or take the method flat.",
      100 * chosen->change, 100 * limit);
  out.text += (out.text.empty() ? "" : " ") + text;
  out.summary.health.reasons.push_back(
      {Health::What::Accuracy, out.summary.begun, chosen->change, limit, text});
  if (out.status == Outcome::Status::Done) {
    out.status = Outcome::Status::Doubtful;
    out.summary.status = name_of(out.status);
    out.summary.health.state = Health::State::Doubtful;
  }
  return out;
}

}  // namespace koppel
