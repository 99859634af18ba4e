#include <koppel/study/batch.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include <koppel/runtime/step.h>
#include <koppel/analysis/structure/dae.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/integrate/advance.hpp>
#include <koppel/study/batch_device.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// What is observed, of the layout of a step.
std::vector<Expr> observed_terms(const StepModel& step, const std::vector<std::string>& observed) {
  const Equations& e = step.prepared.equations;
  Exprs values, left_out;
  for (const std::string& name : observed) {
    const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                 [&](const auto& output) { return output.name == name; });
    values.push_back(it->value);
  }
  for (const Equations::LeftOut& left : step.prepared.independent->left_out) {
    left_out.push_back(multiplier_symbol(e, left.row));
  }
  return substitute(values, left_out, Exprs(left_out.size(), Expr(0)));
}

}  // namespace

Batch::~Batch() = default;

Batch::Batch(const Model& model, const std::vector<ParameterOrigin>& origins, std::size_t count,
             const BatchOptions& options)
    : count_(count),
      jobs_(options.jobs),
      observed_(options.observed),
      model_(model),
      origins_(origins) {
  if (!options.run.step) {
    throw Error("study.bad-option", "the copies of a batch step together, and no step is given.",
                "Give one, such as `step = 1e-3`.");
  }
  if (jobs_ < 1) throw Error("study.bad-option", "a batch needs at least one thread.");
  std::vector<Criterion> asked;
  for (const std::string& text : observed_) asked.push_back({text, text, Reduce::Final});
  add_quantities(asked, {}, model_);
  if (observed_.empty()) {
    for (const Output& output : model_.outputs) observed_.push_back(output.name);
  }
  step_model_ = std::make_shared<const StepModel>(
      make_step_model(model_, options.run, "", StepKind::FixedCost, origins_));
  const StepModel& step = *step_model_;
  refuse_events(step.prepared.equations);
  for (const Expr& u : step.prepared.equations->u) inputs_.emplace_back(u.name());
  if (options.on_card) {
    assert(!options.observes_health);
    device_ = make_batch_on_card(step, observed_, options);
  } else if (options.observes_health) {
    const std::vector<Expr> health = make_batch_health_terms(step).now;
    observed_.clear();
    for (std::size_t i = 0; i < health.size(); ++i) {
      observed_.push_back(fmt::format("health[{}]", i));
    }
    device_ = make_batch_in_lanes(step, health, options);
  } else {
    device_ = make_batch_in_lanes(step, observed_terms(step, observed_), options);
  }
  resize(count);
}

std::size_t Batch::lanes() const { return device_->lanes(); }
std::size_t Batch::best_count() const { return device_->best_count(); }
double Batch::step() const { return step_model_->step; }
const std::string& Batch::method() const { return step_model_->method; }
bool Batch::is_accurate() const { return step_model_->tolerance.has_value(); }
std::size_t Batch::num_states() const { return device_->starts.num_states; }
std::size_t Batch::num_parameters() const {
  return device_->starts.num_rows() - device_->starts.first_parameter;
}

void Batch::resize(std::size_t count) {
  if (count == 0) throw Error("study.bad-option", "a batch needs at least one copy.");
  count_ = count;
  device_->starts.resize(count);
  device_->reset();
}

Batch::Failure Batch::failure(std::size_t copy) const { return device_->failure(copy); }

std::string Batch::describe(const Failure& failure) const {
  return fmt::format("in the step from t = {:.8g} s: {}.",
                     koppel_time(step_model_->start_time, step(), failure.count),
                     describe_dop853_failure(failure.reason));
}

void Batch::advance(std::span<const double> inputs, int steps) {
  if (!inputs.empty() && inputs.size() != inputs_.size() * count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies with {} inputs is given {} numbers.", count_,
                            inputs_.size(), inputs.size()));
  }
  if (steps < 0) throw Error("study.bad-option", "the number of steps must not be negative.");
  device_->advance(inputs, steps);
}

void Batch::observe(std::span<double> out) const { device_->observe(out); }

const Batch::Reduction& Batch::advance_and_reduce(std::uint64_t steps,
                                                  std::span<const Wanted> wanted,
                                                  const BatchHealth* health) {
  return device_->reduce(steps, wanted, health);
}

std::vector<double> Batch::measure_start(const BatchHealth& health) const {
  const std::size_t n = health.lanes(), k = health.num_start();
  std::vector<double> out(count_ * k);
  for_parts(count_, {.jobs = jobs_, .multiple = n},
            [&](std::size_t, std::size_t first, std::size_t last) {
              std::vector<double> layout(n * device_->starts.num_rows());
              BatchHealth::Look look;
              for (std::size_t begin = first; begin < last; begin += n) {
                const std::size_t size = std::min(n, last - begin);
                device_->starts.get(begin, size, n, layout);
                health.begin(layout.data(), look);
                for (std::size_t i = 0; i < size * k; ++i) {
                  out[begin * k + i] = look.start[i % k * n + i / k];
                }
              }
            });
  return out;
}

void Batch::get_state(std::size_t place, std::span<double> out) const {
  device_->get(2 + place, out);
}

void Batch::get_parameter(std::size_t place, std::span<double> out) const {
  device_->get(device_->starts.first_parameter + place, out);
}

void Batch::times(std::span<double> out) const { device_->get(0, out); }

void Batch::set_state(std::size_t place, std::span<const double> values) {
  if (place >= num_states() || values.size() != count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies with {} states is given {} values of state {}.",
                            count_, num_states(), values.size(), place));
  }
  device_->set(2 + place, values);
}

void Batch::reset() { device_->reset(); }

void Batch::reset(std::span<const std::uint8_t> marked) {
  if (marked.size() != count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies is given {} marks.", count_, marked.size()));
  }
  device_->reset(marked);
}

void Batch::set(const std::string& parameter, std::span<const double> values) {
  set_all({parameter}, values);
}

void Batch::set_all(const std::vector<std::string>& parameters, std::span<const double> values) {
  const std::size_t n = parameters.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error("study.bad-option", fmt::format("copy {} is given {} for '{}', which is no number.",
                                                i / n, values[i], parameters[i % n]));
  }
  const std::vector<Impossible> impossible = set(parameters, values);
  if (impossible.empty()) return;
  const std::size_t first = impossible[0].copy;
  std::string given;
  for (std::size_t i = 0; i < n; ++i) {
    given += fmt::format("{}{} = {:g}", i > 0 ? ", " : "", parameters[i], values[first * n + i]);
  }
  throw Error("study.batch-start",
              fmt::format("{} of {} copies cannot take their values, the first is copy "
                          "{} with {}: {} They keep what they had.",
                          impossible.size(), count_, first, given, impossible[0].why));
}

std::vector<Batch::Impossible> Batch::set(const std::vector<std::string>& parameters,
                                          std::span<const double> values) {
  const std::size_t n = parameters.size();
  if (values.size() != n * count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies is given {} values of {} {}.", count_,
                            values.size(), n, n == 1 ? "parameter" : "parameters"));
  }
  return set(parameters, [&](std::size_t copy, std::span<double> of) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(copy * n), n, of.begin());
  });
}

// Rows of the layout that are set, and those among them that had one number for all copies.
struct Batch::Changed {
  std::vector<std::size_t> rows;
  std::vector<char> is_new;
};

std::vector<Batch::Impossible> Batch::set(const std::vector<std::string>& parameters,
                                          const ValuesOf& values) {
  if (!varied_ || varied_->names() != parameters) {
    varied_.emplace(model_, origins_, step_model_, parameters);
  }
  BatchStarts& starts = device_->starts;
  Changed changed;
  for (const std::size_t place : varied_->changed()) {
    changed.rows.push_back(starts.first_parameter + place);
  }
  for (std::size_t i = 0; varied_->moves() && i < starts.num_states; ++i) {
    changed.rows.push_back(2 + i);
  }
  for (const std::size_t row : changed.rows) changed.is_new.push_back(starts.make_own(row) ? 1 : 0);
  // Equations are derived in one graph: copies are assembled one after the other.
  const PartOptions parts{.jobs = varied_->moves() ? 1 : jobs_, .least = 2000, .multiple = 64};
  std::vector<VariedStarts::Work> works;
  for (std::size_t i = 0; i < num_parts(count_, parts); ++i) works.push_back(varied_->make_work());
  std::vector<std::vector<Impossible>> of_parts(works.size());
  for_parts(count_, parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    of_parts[part] = put(first, last, values, changed, works[part]);
  });
  check_stop();
  std::vector<Impossible> impossible;
  for (auto& part : of_parts) std::move(part.begin(), part.end(), std::back_inserter(impossible));
  std::vector<std::uint8_t> marked(count_, 1);
  for (const Impossible& one : impossible) marked[one.copy] = 0;
  device_->reset(marked);
  return impossible;
}

// Of these copies. Multipliers are what the first step begins to look for: 0.
std::vector<Batch::Impossible> Batch::put(std::size_t first, std::size_t last,
                                          const ValuesOf& values, const Changed& changed,
                                          VariedStarts::Work& work) {
  BatchStarts& starts = device_->starts;
  const std::size_t first_parameter = starts.first_parameter;
  std::vector<std::size_t> differing;
  std::vector<double> of(varied_->num_varied()), p, row(starts.num_rows());
  for (std::size_t i = 0; i < num_parameters(); ++i) {
    p.push_back(starts.common(first_parameter + i));
    if (starts.row(first_parameter + i).size() > 1 || count_ == 1) differing.push_back(i);
  }
  std::vector<char> is_new(starts.num_rows(), 0);
  for (std::size_t k = 0; k < changed.rows.size(); ++k) is_new[changed.rows[k]] = changed.is_new[k];
  std::vector<Impossible> impossible;
  for (std::size_t copy = first; copy < last; ++copy) {
    for (const std::size_t i : differing) {
      const std::size_t at = first_parameter + i;
      p[i] = is_new[at] != 0 ? starts.common(at) : starts.at(at, copy);
    }
    values(copy, of);
    std::optional<Diagnostic> fault = varied_->put(of, p, work);
    std::fill(row.begin(), row.end(), 0.0);
    try {
      if (!fault && varied_->moves()) {
        check_stop();
        const State state = varied_->assemble(p);
        auto next = row.begin() + 2;
        for (const std::vector<double>* part : {&state.q, &state.v, &state.x}) {
          next = std::copy(part->begin(), part->end(), next);
        }
      }
    } catch (const Error& error) {
      fault = error.diagnostics().front();
    }
    std::copy(p.begin(), p.end(), row.begin() + static_cast<std::ptrdiff_t>(first_parameter));
    for (const std::size_t at : changed.rows) {
      if (!fault) starts.set(at, copy, row[at]);
      if (fault && is_new[at] != 0) starts.set(at, copy, starts.common(at));
    }
    if (fault) impossible.push_back({copy, fault->id, fault->message});
  }
  return impossible;
}

BatchStarts::BatchStarts(const StepModel& model, const CardNumbers& empty)
    : num_states(model.state_size()),
      first_input(2 + num_states),
      first_parameter(first_input + model.prepared.equations->u.size()),
      common_(model.layout.size(), 0.0),
      own_(model.layout.size(), empty) {
  const Prepared& prepared = model.prepared;
  common_[0] = prepared.start.t;
  common_[1] = model.step;
  std::copy_n(prepared.start.y.begin(), num_states, common_.begin() + 2);
  std::copy(prepared.state.p.begin(), prepared.state.p.end(),
            common_.begin() + static_cast<std::ptrdiff_t>(first_parameter));
}

void BatchStarts::resize(std::size_t count) {
  count_ = count;
  for (CardNumbers& own : own_) own.clear();
}

bool BatchStarts::make_own(std::size_t i) {
  if (!own_[i].empty()) return false;
  own_[i].resize(count_);
  return true;
}

void BatchStarts::get(std::size_t first, std::size_t size, std::size_t width,
                      std::span<double> out) const {
  for (std::size_t i = 0; i < num_rows(); ++i) {
    const std::span<const double> from = row(i);
    double* const to = out.data() + i * width;
    if (from.size() == 1) {
      std::fill_n(to, width, from[0]);
    } else {
      std::copy_n(from.data() + first, size, to);
      std::fill_n(to + size, width - size, from[first + size - 1]);
    }
  }
}

}  // namespace koppel
