#include <koppel/study/sweep_on_card.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/runtime/step.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/export/step_model.hpp>

namespace koppel {
namespace {

std::vector<std::string> names_of(const Sweep& sweep) {
  std::vector<std::string> out;
  for (const Range& range : sweep.samples.design().ranges) out.push_back(range.name);
  return out;
}

Card::Which which(const Criterion& criterion) {
  switch (criterion.reduction) {
    case Reduce::Final: return Card::Which::Final;
    case Reduce::Min: return Card::Which::Minimum;
    case Reduce::Max: return Card::Which::Maximum;
    case Reduce::Mean:
    case Reduce::Integral:
    case Reduce::Time: break;
  }
  return Card::Which::Mean;
}

}  // namespace

SweepOnCard::SweepOnCard(const Sweep& sweep, const Model& model,
                         const std::vector<ParameterOrigin>& origins, const Batch& batch, int jobs)
    : sweep_(sweep),
      batch_(batch),
      step_(batch.shared_step_model()),
      starts_(model, origins, step_, names_of(sweep)),
      jobs_(jobs),
      card_(*step_,
            {.reduces = std::any_of(sweep.criteria.begin(), sweep.criteria.end(), needs_first)}),
      changed_(starts_.changed()),
      common_start_(
          step_->prepared.start.y.begin(),
          step_->prepared.start.y.begin() + static_cast<std::ptrdiff_t>(step_->state_size())),
      common_parameters_(step_->prepared.state.p) {
  find_wanted();
  column_of_.assign(common_parameters_.size(), changed_.size());
  for (std::size_t k = 0; k < changed_.size(); ++k) column_of_[changed_[k]] = k;
}

void SweepOnCard::find_wanted() {
  for (const Criterion& criterion : sweep_.criteria) {
    const auto it =
        std::find_if(step_->outputs.begin(), step_->outputs.end(),
                     [&](const CVariable& output) { return output.label == criterion.quantity; });
    wanted_.push_back({static_cast<std::size_t>(it - step_->outputs.begin()), which(criterion)});
  }
  for (std::size_t c = 0; c < sweep_.criteria.size(); ++c) {
    last_of_.push_back(wanted_[c].which == Card::Which::Mean ? wanted_.size() : c);
    if (last_of_[c] != c) wanted_.push_back({wanted_[c].output, Card::Which::Final});
  }
}

std::size_t SweepOnCard::best_count() const {
  constexpr std::size_t kAbout = 2'000'000;
  const std::size_t once = card_.num_at_once();
  return std::max<std::size_t>((kAbout + once / 2) / once, 1) * once;
}

void SweepOnCard::make_columns(std::size_t count) {
  count_ = count;
  parameters_.resize(changed_.size(), card_.make_numbers(0));
  states_.resize(starts_.moves() ? step_->state_size() : 0, card_.make_numbers(0));
  for (Card::Numbers& column : parameters_) column.resize(count);
  for (Card::Numbers& column : states_) column.resize(count);
}

// A variant that is impossible runs as the model is, for nobody.
void SweepOnCard::put_parameters(std::span<const std::size_t> numbers, BatchRows& rows) {
  std::vector<VariedStarts::Work> works;
  for (int i = 0; i < jobs_; ++i) works.push_back(starts_.make_work());
  std::vector<std::vector<std::pair<std::size_t, Diagnostic>>> impossible(works.size());
  for_parts(numbers.size(), {.jobs = jobs_, .multiple = 64},
            [&](std::size_t part, std::size_t first, std::size_t last) {
              std::vector<double> values(starts_.num_varied()), p = common_parameters_;
              for (std::size_t i = first; i < last; ++i) {
                sweep_.samples.point(numbers[i], values);
                std::optional<Diagnostic> fault = starts_.put(values, p, works[part]);
                for (std::size_t k = 0; k < changed_.size(); ++k) {
                  parameters_[k][i] = (fault ? common_parameters_ : p)[changed_[k]];
                }
                if (fault) impossible[part].emplace_back(i, std::move(*fault));
              }
            });
  for (const auto& part : impossible) {
    for (const auto& [i, fault] : part) rows.refuse(i, fault.id, fault.message);
  }
}

// Multipliers are what the first step begins to look for: 0. A variant that cannot be assembled
// runs as the model is, for nobody.
void SweepOnCard::assemble(std::span<const std::size_t> numbers, BatchRows& rows) {
  std::vector<double> p = common_parameters_;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    check_stop();
    for (std::size_t k = 0; k < changed_.size(); ++k) p[changed_[k]] = parameters_[k][i];
    try {
      const State state = starts_.assemble(p);
      std::size_t row = 0;
      for (const std::vector<double>* part : {&state.q, &state.v, &state.x}) {
        for (const double value : *part) states_[row++][i] = value;
      }
      while (row < states_.size()) states_[row++][i] = 0;
    } catch (const Error& error) {
      const Diagnostic& first = error.diagnostics().front();
      rows.refuse(i, first.id, first.message);
      for (std::size_t row = 0; row < states_.size(); ++row) states_[row][i] = common_start_[row];
      for (std::size_t k = 0; k < changed_.size(); ++k) {
        parameters_[k][i] = common_parameters_[changed_[k]];
      }
    }
  }
}

Card::Variants SweepOnCard::variants() const {
  Card::Variants out;
  out.count = count_;
  for (std::size_t i = 0; i < common_start_.size(); ++i) {
    out.states.push_back(states_.empty() ? std::span(&common_start_[i], 1)
                                         : std::span<const double>(states_[i]));
  }
  for (const double& value : common_parameters_) out.parameters.emplace_back(&value, 1);
  for (std::size_t k = 0; k < changed_.size(); ++k) out.parameters[changed_[k]] = parameters_[k];
  return out;
}

void SweepOnCard::run(std::span<const std::size_t> numbers, std::uint64_t steps, BatchRows& rows,
                      double& seconds) {
  steps_ = steps;
  make_columns(numbers.size());
  put_parameters(numbers, rows);
  if (starts_.moves()) assemble(numbers, rows);
  const Card::Variants variants = this->variants();
  const std::size_t num_criteria = sweep_.criteria.size();
  if (std::any_of(sweep_.criteria.begin(), sweep_.criteria.end(), needs_first)) {
    std::vector<Card::Wanted> starts(wanted_.begin(),
                                     wanted_.begin() + static_cast<std::ptrdiff_t>(num_criteria));
    for (Card::Wanted& one : starts) one.which = Card::Which::Final;
    const Card::Results& found = card_.run(variants, 0, starts);
    first_ = found.values;
    seconds += found.seconds;
  }
  const Card::Results& found = card_.run(variants, steps, wanted_);
  seconds += found.seconds;
  for_parts(
      numbers.size(), {.jobs = jobs_, .multiple = 64},
      [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::span<double> values = rows.values(i);
          for (std::size_t c = 0; c < num_criteria; ++c) {
            const double of = found.values[c][i], at_end = found.values[last_of_[c]][i];
            const Course course{first_.empty() ? Course::kNone : first_[c][i], at_end, of, of, of};
            values[c] = value_of(sweep_.criteria[c], course, steps, step_->step);
          }
          rows.finish(i, found.failures[i] != 0);
        }
      });
  for (std::size_t i = 0; batch_.is_accurate() && i < numbers.size(); ++i) {
    if (found.failures[i] == 0) continue;
    const Batch::Failure failure{found.failures[i], found.counts[i]};
    rows.refuse(i, "simulate.failed", batch_.describe(failure));
  }
}

// The layout: t, h, states, inputs, parameters. Inputs are held at zero.
double SweepOnCard::start_number(std::size_t place, std::size_t variant) const {
  const std::size_t num_states = step_->state_size(), num_inputs = step_->inputs.size();
  if (place == 0) return step_->start_time;
  if (place == 1) return step_->step;
  place -= 2;
  if (place < num_states) return states_.empty() ? common_start_[place] : states_[place][variant];
  place -= num_states;
  if (place < num_inputs) return 0;
  place -= num_inputs;
  const std::size_t column = column_of_[place];
  return column < changed_.size() ? parameters_[column][variant] : common_parameters_[place];
}

void SweepOnCard::look(const BatchHealth& health, std::span<std::uint8_t> is_suspect) {
  const Card::Variants variants = this->variants();
  const std::vector<Card::Wanted> one = {{wanted_[0].output, Card::Which::Final}};
  ends_.resize(step_->state_size(), card_.make_numbers(0));
  for (Card::Numbers& column : ends_) column.resize(count_);
  const auto look_now = [&](std::uint64_t step) {
    for (std::size_t i = 0; i < ends_.size(); ++i) card_.get_state(i, ends_[i]);
    look_at(step, health, is_suspect);
  };
  look_now(steps_);  // the run has just ended
  for (std::uint64_t step = 1; step < steps_; ++step) {
    if (!BatchHealth::is_look(step)) continue;
    card_.run(variants, step, one);
    look_now(step);
  }
}

// Through lanes, as many variants at a time as there are.
void SweepOnCard::look_at(std::uint64_t step, const BatchHealth& health,
                          std::span<std::uint8_t> is_suspect) const {
  const std::size_t n = health.lanes(), num_layout = step_->layout.size();
  const double t = koppel_time(step_->start_time, step_->step, step);
  for_parts(
      count_, {.jobs = jobs_, .multiple = 64},
      [&](std::size_t, std::size_t first, std::size_t last) {
        std::vector<double> layout(n * num_layout);
        BatchHealth::Look look;
        for (std::size_t begin = first; begin < last; begin += n) {
          const std::size_t size = std::min(n, last - begin);
          const auto variant = [&](std::size_t lane) { return begin + std::min(lane, size - 1); };
          for (std::size_t i = 0; i < n * num_layout; ++i) {
            layout[i] = start_number(i / n, variant(i % n));
          }
          health.begin(layout.data(), look);
          std::fill_n(layout.begin(), n, t);
          for (std::size_t i = 0; i < n * ends_.size(); ++i) {
            layout[2 * n + i] = ends_[i / n][variant(i % n)];
          }
          health.look(layout.data(), look);
          health.mark_suspects(t, static_cast<double>(step), look, is_suspect.subspan(begin, size));
        }
      });
}

}  // namespace koppel
