#include "tests/outcomes/judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <koppel/equations/derive.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/outcomes/motion.hpp"

namespace koppel::testing {
namespace {

constexpr double kPerTolerance = 1000, kPerDifference = 4;
// Never more than this, of the motion: in general, and for coarse methods that converge.
constexpr double kLargest = 0.1, kLargestOfCoarse = 0.25;
constexpr double kFloor = 1e-10;     // the tolerance that makes the floor of errors with steps
constexpr double kAgreement = 1e-7;  // of two accurate runs
constexpr double kMostGrowth = 100, kMostTurns = 8;
constexpr double kDelta = 1e-6;
constexpr int kMostHalvings = 6;
constexpr double kReferenceSeconds = 20;

// The accurate motion with its sizes: of what is compared, and of its sensitivity.
struct Accurate {
  Motion motion;
  double place = 1, velocity = 1;
  double place_growth = 1, velocity_growth = 1;

  // The larger of both errors over its size, and what is allowed at a tolerance.
  double error_of(const Motion& m) const {
    return std::max(distance(m.places, motion.places) / place,
                    distance(m.velocities, motion.velocities) / velocity);
  }
  double allowed(double tolerance) const {
    const double w = std::max(std::max({1.0, place, place_growth}) / place,
                              std::max({1.0, velocity, velocity_growth}) / velocity);
    return kPerTolerance * tolerance * w;
  }
  double difference(const Motion& a, const Motion& b) const {
    return std::max(distance(a.places, b.places) / place,
                    distance(a.velocities, b.velocities) / velocity);
  }
  double growth() const { return std::max(place_growth / place, velocity_growth / velocity); }
  double turns = 1;  // rate_of times the end
};

double largest(const std::vector<std::vector<double>>& columns, bool is_range) {
  double out = 0;
  for (const auto& column : columns) {
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    out = std::max(out, is_range ? *high - *low : std::max(std::abs(*low), std::abs(*high)));
  }
  return out;
}

// Changes of velocity over velocity: how fast things happen.
double rate_of(const std::vector<std::vector<double>>& places, double end) {
  double change = 0, size = 1e-3 / end;
  for (const auto& column : places) {
    const double h = end / static_cast<double>(column.size() - 1);
    for (std::size_t k = 1; k + 1 < column.size(); ++k) {
      size = std::max(size, std::abs(column[k + 1] - column[k - 1]) / (2 * h));
      change = std::max(change, std::abs(column[k + 1] - 2 * column[k] + column[k - 1]) / (h * h));
    }
  }
  return change / size;
}

struct Reference {
  std::optional<Accurate> accurate;
  double end = 0;
  std::string text;
};

std::vector<Trial> accurate_trials(const Model& model) {
  const std::vector<std::string> sets = coordinate_sets(model);
  if (sets.size() == 1) {
    return {{sets[0], "", "dop853", 1e-12},
            {sets[0], "", "taylor", 1e-13},
            {sets[0], "", "radau5", 1e-11}};
  }
  return {{"joint", "", "dop853", 1e-12},    {"natural", "", "taylor", 1e-13},
          {"absolute", "", "dop853", 1e-12}, {"joint", "", "taylor", 1e-13},
          {"natural", "", "dop853", 1e-12},  {"absolute", "", "taylor", 1e-13},
          {"joint", "", "radau5", 1e-11},    {"absolute", "", "radau5", 1e-11}};
}

std::string name_of(const Trial& trial) { return trial.coordinates + "/" + trial.integrator; }

void measure(const Model& model, const Trial& trial, double end, const Columns& columns,
             Accurate& out) {
  out.place =
      std::max({largest(out.motion.places, true), 0.02 * largest(out.motion.places, false), 1e-3});
  out.velocity = std::max(largest(out.motion.velocities, false), out.place / end);
  constexpr int kFine = 401;
  const RunOutcome fine = run(model, trial, end, columns, kReferenceSeconds, kFine);
  out.turns = end * rate_of(fine.motion.places, end);
  const RunOutcome other = run(disturbed(model, kDelta), trial, end, columns, kReferenceSeconds);
  if (other.status != "done") return;
  out.place_growth = distance(other.motion.places, out.motion.places) / kDelta;
  out.velocity_growth = distance(other.motion.velocities, out.motion.velocities) / kDelta;
}

// Two accurate runs, in other coordinates where the model has others, and by other integrators,
// that agree up to `end`; with the story of those that did not.
Reference find_reference(const Model& model, const Columns& columns, double end) {
  Reference out;
  out.end = end;
  std::vector<std::pair<Trial, RunOutcome>> runs;
  for (const Trial& trial : accurate_trials(model)) {
    RunOutcome now = run(model, trial, end, columns, kReferenceSeconds);
    if (now.status != "done" || now.motion.num_rows() == 0) {
      out.text += fmt::format("{}: {} {}; ", name_of(trial), now.status, now.text);
      continue;
    }
    for (const auto& [before, other] : runs) {
      const bool is_other =
          before.integrator != trial.integrator &&
          (before.coordinates != trial.coordinates || coordinate_sets(model).size() == 1);
      if (!is_other) continue;
      Accurate accurate{now.motion};
      measure(model, trial, end, columns, accurate);
      const double apart = accurate.error_of(other.motion);
      if (apart < kAgreement) {
        out.text += fmt::format("{} and {} agree to {:.1e}, growth {:.1f}", name_of(before),
                                name_of(trial), apart, accurate.growth());
        out.accurate = std::move(accurate);
        return out;
      }
      out.text +=
          fmt::format("{} and {} differ by {:.1e}; ", name_of(before), name_of(trial), apart);
    }
    runs.emplace_back(trial, std::move(now));
  }
  return out;
}

Reference settle_reference(const Model& model, const Columns& columns, double end) {
  Reference out;
  for (int i = 0; i < kMostHalvings; ++i, end /= 2) {
    out = find_reference(model, columns, end);
    if (out.accurate && out.accurate->growth() < kMostGrowth && out.accurate->turns < kMostTurns) {
      return out;
    }
  }
  return out;
}

bool is_low_order(std::string_view integrator) {
  return integrator.find("euler") != std::string_view::npos || integrator == "linear-implicit";
}

std::vector<Trial> trials_of(const std::string& coordinates, const IntegratorInfo& info,
                             const Reference& reference, int num_settings) {
  std::vector<Trial> out;
  const std::string name(info.name);
  if (info.has_adaptive_step) {
    const double first = is_low_order(name) ? 1e-4 : 1e-5, factor = is_low_order(name) ? 0.1 : 0.01;
    for (int k = 0; k < num_settings; ++k) {
      out.push_back({coordinates, "", name, first * std::pow(factor, k)});
    }
    return out;
  }
  // Rows shall fall on ends of steps: there are 20 intervals.
  const double turns = reference.accurate ? reference.accurate->turns : 4;
  const double blocks = std::ceil(std::max(turns, 1.0) * (is_low_order(name) ? 5 : 1));
  for (int k = 0; k < num_settings; ++k) {
    out.push_back({coordinates, "", name, 0, reference.end / (20 * blocks * std::pow(2, k))});
  }
  return out;
}

class Judge {
 public:
  Judge(const Mechanism& mechanism, const Reference& reference)
      : mechanism_(mechanism), reference_(reference) {}

  // Runs that differ in their tolerance or step only.
  void judge(const std::vector<Trial>& trials, const std::vector<RunOutcome>& runs,
             std::vector<Judged>& out) const {
    for (std::size_t k = 0; k < trials.size(); ++k) {
      Judged judged{trials[k]};
      judged.text = runs[k].text;
      if (runs[k].status != "done") {
        judged.verdict = runs[k].status == "refused" ? Verdict::Refused
                         : runs[k].status == "slow"  ? Verdict::Slow
                                                     : Verdict::Told;
      } else if (!reference_.accurate) {
        judged.verdict = Verdict::Wrong;
        judged.text = mechanism_.is_impossible ? "done, though it has no motion"
                                               : "done, where accurate runs do not agree";
      } else {
        compare(trials, runs, k, judged);
      }
      out.push_back(std::move(judged));
    }
  }

 private:
  void compare(const std::vector<Trial>& trials, const std::vector<RunOutcome>& runs, std::size_t k,
               Judged& out) const {
    const Accurate& a = *reference_.accurate;
    out.error = a.error_of(runs[k].motion);
    // Order 1 with error control by step: 10 √τ in the place of 1000 τ.
    const double tolerance = is_low_order(trials[k].integrator)
                                 ? std::sqrt(trials[k].tolerance) / 100
                                 : trials[k].tolerance;
    const double bound = trials[k].step ? bound_of_step(runs, k) : a.allowed(tolerance);
    const bool is_coarse = trials[k].step || is_low_order(trials[k].integrator);
    out.bound = std::min(bound, is_coarse && converge(runs) ? kLargestOfCoarse : kLargest);
    if (!(out.error <= out.bound)) out.verdict = Verdict::Wrong;
  }

  // Whether runs differ less and less, by half at least from setting to setting.
  bool converge(const std::vector<RunOutcome>& runs) const {
    const Accurate& a = *reference_.accurate;
    for (std::size_t k = 0; k + 1 < runs.size(); ++k) {
      if (runs[k].status != "done" || runs[k + 1].status != "done") return false;
      if (k == 0) continue;
      const double before = a.difference(runs[k - 1].motion, runs[k].motion);
      if (!(a.difference(runs[k].motion, runs[k + 1].motion) <= before / 2)) return false;
    }
    return runs.size() >= 3;
  }

  // Of neighbours in steps; nothing but the largest bound where no neighbour is done.
  double bound_of_step(const std::vector<RunOutcome>& runs, std::size_t k) const {
    const Accurate& a = *reference_.accurate;
    const std::size_t other = k + 1 < runs.size() ? k + 1 : k - 1;
    if (runs.size() < 2 || runs[other].status != "done") return kLargest;
    return kPerDifference * a.difference(runs[k].motion, runs[other].motion) + a.allowed(kFloor);
  }

  const Mechanism& mechanism_;
  const Reference& reference_;
};

Columns columns_of(const Model& truth) {
  Columns out;
  for (const Output& output : truth.outputs) out.places.push_back(output.name);
  return out;
}

std::string option_of(const Trial& t) {
  return t.step ? fmt::format("--step {:.17g}", *t.step) : fmt::format("--tol {:g}", t.tolerance);
}

}  // namespace

int Judgement::count(Verdict verdict) const {
  return static_cast<int>(std::count_if(runs.begin(), runs.end(),
                                        [&](const Judged& r) { return r.verdict == verdict; }));
}

Judgement judge(const Mechanism& mechanism, const Model& given, const Plan& plan) {
  Model model = given;
  Columns columns;
  Reference reference;
  reference.end = mechanism.end;
  if (!mechanism.truth.empty()) {
    const Model truth = read_model_text(mechanism.truth, mechanism.name);
    columns = columns_of(truth);
    reference = settle_reference(truth, columns, mechanism.end);
  } else {
    columns = add_probes(model);
    if (!mechanism.is_impossible) reference = settle_reference(model, columns, mechanism.end);
  }
  Judgement out{mechanism.name,
                {},
                reference.end,
                reference.text,
                mechanism.is_impossible || reference.accurate.has_value()};
  const Judge judge(mechanism, reference);
  for (const std::string& coordinates : coordinate_sets(model)) {
    for (const IntegratorInfo& info : integrators()) {
      const bool is_wanted =
          plan.integrators.empty() || std::find(plan.integrators.begin(), plan.integrators.end(),
                                                info.name) != plan.integrators.end();
      if (!is_wanted) continue;
      const std::vector<Trial> trials = trials_of(coordinates, info, reference, plan.num_settings);
      std::vector<RunOutcome> runs;
      for (const Trial& trial : trials) {
        runs.push_back(run(model, trial, reference.end, columns, plan.seconds));
      }
      judge.judge(trials, runs, out.runs);
    }
  }
  return out;
}

std::string describe(const Judgement& j, const std::string& file) {
  std::string out = fmt::format(
      "{:<20} {:>4} runs to {:.3g} s: {} right, {} refused, {} told, {} slow, {} WRONG; {}\n",
      j.name, j.runs.size(), j.end, j.count(Verdict::Right), j.count(Verdict::Refused),
      j.count(Verdict::Told), j.count(Verdict::Slow), j.count(Verdict::Wrong), j.reference);
  // Why runs were refused or ended early, and how many for each reason.
  std::map<std::string, int> reasons;
  for (const Judged& r : j.runs) {
    if (r.verdict == Verdict::Refused || r.verdict == Verdict::Told) ++reasons[r.text];
  }
  for (const auto& [text, count] : reasons) {
    out += fmt::format("  {} times: {}\n", count, text.substr(0, text.find('\n')));
  }
  // One line for each pair of coordinates and integrator: the setting that is worst.
  for (auto r = j.runs.begin(); r != j.runs.end();) {
    const auto last = std::find_if(r, j.runs.end(), [&](const Judged& other) {
      return other.trial.coordinates != r->trial.coordinates ||
             other.trial.integrator != r->trial.integrator;
    });
    const auto is_wrong = [](const Judged& run) { return run.verdict == Verdict::Wrong; };
    const auto wrong = std::count_if(r, last, is_wrong);
    const auto worst = std::max_element(r, last, [&](const Judged& a, const Judged& b) {
      return std::pair(is_wrong(a), a.error) < std::pair(is_wrong(b), b.error);
    });
    if (wrong > 0) {
      out += fmt::format(
          "  {} of {}, error {:.1e}, allowed {:.1e}{}: koppel run '{}' --end {:.17g} --coordinates "
          "{} --integrator {} {}\n",
          wrong, last - r, worst->error, worst->bound,
          worst->text.empty() ? "" : " (" + worst->text + ")", file, j.end,
          worst->trial.coordinates, worst->trial.integrator, option_of(worst->trial));
    }
    r = last;
  }
  return out;
}

}  // namespace koppel::testing
