#include <koppel/study/batch.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include <koppel/runtime/step.h>
#include <koppel/analysis/structure/dae.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/threads.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/integrate/advance.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/study/batch_on_card.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {

// What a batch is made of.
struct Batch::Parts {
  Parts(const Model& given, const std::vector<ParameterOrigin>& from, const BatchOptions& options)
      : model(given), origins(from), observed(options.observed), lanes(options.lanes) {
    if (!options.run.step) {
      throw Error("study.bad-option", "the copies of a batch step together, and no step is given.",
                  "Give one, such as `step = 1e-3`.");
    }
    std::vector<Criterion> asked;
    for (const std::string& text : observed) asked.push_back({text, text, Reduce::Final});
    add_quantities(asked, {}, model);
    if (observed.empty()) {
      for (const Output& output : model.outputs) observed.push_back(output.name);
    }
    step = std::make_shared<const StepModel>(
        make_step_model(model, options.run, "", StepKind::FixedCost, origins));
    refuse_events(step->prepared.equations);
    if (!options.observes_health) return;
    assert(!options.on_card);
    health = make_batch_health_terms(*step).now;
    observed.clear();
    for (std::size_t i = 0; i < health.size(); ++i)
      observed.push_back(fmt::format("health[{}]", i));
  }

  LaneFunction advance() const {
    return LaneFunction(step->tolerance ? step->rates : step->advance, Native::Auto, lanes);
  }

  // Beside the step.
  LaneFunction observe(std::size_t width) const {
    if (!health.empty()) {
      return LaneFunction(lower(step->layout, health, true), Native::Auto, width);
    }
    const Equations& e = step->prepared.equations;
    Exprs values, left_out;
    for (const std::string& name : observed) {
      const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                   [&](const auto& output) { return output.name == name; });
      values.push_back(it->value);
    }
    for (const Equations::LeftOut& left : step->prepared.independent->left_out) {
      left_out.push_back(multiplier_symbol(e, left.row));
    }
    // With the sines that a step has, which go through lanes.
    return LaneFunction(
        lower(step->layout, substitute(values, left_out, Exprs(left_out.size(), Expr(0))), true),
        Native::Auto, width);
  }

  Model model;
  std::vector<ParameterOrigin> origins;
  std::vector<std::string> observed;
  std::shared_ptr<const StepModel> step;
  Exprs health;  // where it is observed
  std::size_t lanes;
};

Batch::~Batch() = default;

Batch::Batch(const Model& model, const std::vector<ParameterOrigin>& origins, std::size_t count,
             const BatchOptions& options)
    : Batch(Parts(model, origins, options), count, options) {}

Batch::Batch(const Parts& parts, std::size_t count, const BatchOptions& options)
    : count_(count),
      step_(parts.step->step),
      method_(parts.step->method),
      jobs_(options.jobs),
      observed_(parts.observed),
      model_(parts.model),
      origins_(parts.origins),
      step_model_(parts.step),
      num_state_(parts.step->state_size()),
      first_input_(2 + num_state_),
      first_parameter_(first_input_ + parts.step->prepared.equations->u.size()),
      num_layout_(parts.step->layout.size()),
      step_function_(parts.advance()),
      observe_function_(parts.observe(step_function_.lanes())),
      width_(step_function_.lanes()) {
  assert(observe_function_.lanes() == width_);
  const StepModel& step = *parts.step;
  if (step.tolerance) {
    accurate_.emplace(step_function_, LaneFunction(step.project, Native::Auto, width_), num_state_,
                      step.num_rows > 0 ? step.q.size() + step.v.size() : 0, *step.tolerance,
                      absolute_scale_for(step.prepared.equations, step.prepared.state));
  }
  if (jobs_ < 1) throw Error("study.bad-option", "a batch needs at least one thread.");
  const Prepared& prepared = parts.step->prepared;
  for (const Expr& u : prepared.equations->u) inputs_.emplace_back(u.name());
  first_.assign(num_layout_, 0.0);
  first_[0] = prepared.start.t;
  first_[1] = step_;
  std::copy_n(prepared.start.y.begin(), num_state_, first_.begin() + 2);
  std::copy(prepared.state.p.begin(), prepared.state.p.end(),
            first_.begin() + static_cast<std::ptrdiff_t>(first_parameter_));
  resize(count);
  for (int i = 0; i < jobs_; ++i) work_.push_back(make_work());
  if (options.on_card) on_card_ = std::make_unique<OnCard>(step, count, observed_);
}

void Batch::resize(std::size_t count) {
  if (count == 0) throw Error("study.bad-option", "a batch needs at least one copy.");
  assert(!on_card_);
  count_ = count;
  Block whole;
  whole.size = width_;
  for (const double value : first_) whole.start.insert(whole.start.end(), width_, value);
  whole.now = whole.start;
  whole.counts.assign(width_, 0);
  whole.failures.assign(width_, {});
  blocks_.assign((count + width_ - 1) / width_, whole);
  blocks_.back().size = count - (blocks_.size() - 1) * width_;
}

Batch::Work Batch::make_work() const {
  const std::vector<double> numbers(width_ * observe_function_.num_outputs());
  return {step_function_.make_work(),
          observe_function_.make_work(),
          accurate_ ? accurate_->make_work() : LaneDop853::Work{},
          std::vector<double>(width_ * step_function_.num_outputs()),
          std::vector<double>(width_),
          numbers,
          numbers,
          numbers,
          numbers,
          std::vector<int>(width_)};
}

template <typename Do>
void Batch::for_blocks(std::size_t operations, Do&& work) const {
  constexpr std::size_t kWorthIt = 200'000;  // operations, in the time that threads take to start
  std::atomic<std::size_t> next = 0;
  const auto run = [&](Work& with) {
    for (std::size_t i; (i = next++) < blocks_.size();) work(i, with);
  };
  const std::size_t jobs = std::min(static_cast<std::size_t>(jobs_), blocks_.size());
  if (jobs <= 1 || operations * count_ < kWorthIt) return run(work_[0]);
  std::atomic<std::size_t> helper = 1;
  const std::vector<std::jthread> others =
      start_threads(static_cast<int>(jobs) - 1, [&] { run(work_[helper++]); });
  run(work_[0]);
}

void Batch::advance(Block& block, std::span<const double> inputs, int steps, Work& work) const {
  const std::size_t n = width_, num_u = inputs_.size();
  for (std::size_t copy = 0; !inputs.empty() && copy < block.size; ++copy) {
    for (std::size_t i = 0; i < num_u; ++i) {
      block.now[(first_input_ + i) * n + copy] = inputs[copy * num_u + i];
    }
  }
  for (int k = 0; k < steps; ++k) {
    if (accurate_) {
      step_accurately(block, work);
      continue;
    }
    step_function_.evaluate(block.now.data(), work.out.data(), work.step.data());
    std::copy_n(work.out.begin(), num_state_ * n,
                block.now.begin() + static_cast<std::ptrdiff_t>(2 * n));
    for (std::size_t copy = 0; copy < n; ++copy) {
      block.now[copy] = koppel_time(block.start[copy], step_, ++block.counts[copy]);
    }
  }
}

void Batch::note_failure(Failure& to, int reason, std::uint64_t count) {
  if (to.reason == 0) to = {reason, count};
}

Batch::Failure Batch::failure(std::size_t copy) const {
  return blocks_[copy / width_].failures[copy % width_];
}

std::string Batch::describe(const Failure& failure) const {
  return fmt::format("in the step from t = {:.8g} s: {}.",
                     koppel_time(step_model_->start_time, step_, failure.count),
                     describe_dop853_failure(failure.reason));
}

// Lanes that are nobody's stay at their start.
void Batch::step_accurately(Block& block, Work& work) const {
  for (std::size_t copy = 0; copy < width_; ++copy) {
    work.ends[copy] = copy < block.size
                          ? koppel_time(block.start[copy], step_, ++block.counts[copy])
                          : block.now[copy];
  }
  accurate_->advance(block.now, work.ends, work.reasons, work.accurate);
  for (std::size_t copy = 0; copy < block.size; ++copy) {
    block.now[copy] = work.ends[copy];
    if (work.reasons[copy] == 0) continue;
    note_failure(block.failures[copy], work.reasons[copy], block.counts[copy] - 1);
    for (std::size_t i = 0; i < num_state_; ++i) block.now[(2 + i) * width_ + copy] = NAN;
  }
}

void Batch::advance(std::span<const double> inputs, int steps) {
  const std::size_t num_u = inputs_.size();
  if (!inputs.empty() && inputs.size() != num_u * count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies with {} inputs is given {} numbers.", count_,
                            num_u, inputs.size()));
  }
  if (steps < 0) throw Error("study.bad-option", "the number of steps must not be negative.");
  if (on_card_) return advance_on_card(inputs, steps);
  const std::size_t operations =
      step_function_.num_instructions() * static_cast<std::size_t>(steps);
  for_blocks(operations, [&](std::size_t i, Work& work) {
    const std::size_t first = inputs.empty() ? 0 : i * width_ * num_u;
    const std::size_t length = inputs.empty() ? 0 : blocks_[i].size * num_u;
    advance(blocks_[i], inputs.subspan(first, length), steps, work);
  });
}

void Batch::observe(std::span<double> to) const {
  const std::size_t num_observed = observed_.size();
  if (on_card_ && on_card_->is_ahead) return observe_on_card(to);
  for_blocks(observe_function_.num_instructions(), [&](std::size_t i, Work& work) {
    const Block& block = blocks_[i];
    observe_function_.evaluate(block.now.data(), work.observed.data(), work.observe.data());
    for (std::size_t copy = 0; copy < block.size; ++copy) {
      for (std::size_t k = 0; k < num_observed; ++k) {
        to[(i * width_ + copy) * num_observed + k] = work.observed[k * width_ + copy];
      }
    }
  });
}

Batch::Reduction Batch::advance_and_reduce(std::uint64_t steps, const BatchHealth* health) {
  change_blocks();
  const std::size_t m = observed_.size();
  const std::vector<double> zeros(count_ * m, 0.0);
  Reduction out{zeros, zeros, zeros, zeros, std::vector<std::uint8_t>(count_, 0)};
  const std::size_t operations =
      (step_function_.num_instructions() + observe_function_.num_instructions()) *
      static_cast<std::size_t>(steps);
  for_blocks(operations, [&](std::size_t i, Work& work) {
    Block& block = blocks_[i];
    const std::size_t n = width_;
    const std::span<double> now = work.observed;
    if (health != nullptr) health->begin(block.now.data(), work.look);
    for (std::uint64_t k = 0; k < steps; ++k) {
      if (is_stop_requested()) return;
      advance(block, {}, 1, work);
      if (health != nullptr && (k + 1 == steps || BatchHealth::is_look(k + 1))) {
        health->look(block.now.data(), work.look);
        health->mark_suspects(block.now[0], static_cast<double>(k + 1), work.look,
                              std::span(out.is_suspect).subspan(i * n, block.size));
      }
      observe_function_.evaluate(block.now.data(), now.data(), work.observe.data());
      for (std::size_t j = 0; j < n * m; ++j) {
        work.low[j] = k == 0 || now[j] < work.low[j] ? now[j] : work.low[j];
        work.high[j] = k == 0 || now[j] > work.high[j] ? now[j] : work.high[j];
        work.sum[j] = k == 0 ? now[j] : work.sum[j] + now[j];
      }
    }
    for (std::size_t copy = 0; copy < block.size; ++copy) {
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t from = k * n + copy, to = (i * n + copy) * m + k;
        out.last[to] = now[from];
        out.low[to] = work.low[from];
        out.high[to] = work.high[from];
        out.sum[to] = work.sum[from];
      }
    }
  });
  check_stop();
  return out;
}

std::vector<double> Batch::measure_start(const BatchHealth& health) const {
  const std::size_t k = health.num_start();
  std::vector<double> out(count_ * k);
  for_blocks(observe_function_.num_instructions(), [&](std::size_t i, Work& work) {
    const Block& block = blocks_[i];
    health.begin(block.start.data(), work.look);
    for (std::size_t copy = 0; copy < block.size; ++copy) {
      for (std::size_t j = 0; j < k; ++j) {
        out[(i * width_ + copy) * k + j] = work.look.start[j * width_ + copy];
      }
    }
  });
  return out;
}

void Batch::get(std::size_t row, std::span<double> out) const {
  bring_back();
  for (std::size_t copy = 0; copy < count_; ++copy) {
    const Block& block = blocks_[copy / width_];
    out[copy] = block.now[row * width_ + copy % width_];
  }
}

void Batch::set_state(std::size_t place, std::span<const double> values) {
  if (place >= num_state_ || values.size() != count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies with {} states is given {} values of state {}.",
                            count_, num_state_, values.size(), place));
  }
  change_blocks();
  for (std::size_t copy = 0; copy < count_; ++copy) {
    blocks_[copy / width_].now[(2 + place) * width_ + copy % width_] = values[copy];
  }
}

void Batch::times(std::span<double> out) const { get(0, out); }

void Batch::reset() {
  change_blocks();
  for (Block& block : blocks_) restart(block);
}

void Batch::restart(Block& block) {
  std::copy(block.start.begin(), block.start.end(), block.now.begin());
  std::fill(block.counts.begin(), block.counts.end(), 0);
  std::fill(block.failures.begin(), block.failures.end(), Failure{});
}

void Batch::reset(std::span<const std::uint8_t> marked) {
  if (marked.size() != count_) {
    throw Error("study.bad-option",
                fmt::format("a batch of {} copies is given {} marks.", count_, marked.size()));
  }
  change_blocks();
  for (std::size_t copy = 0; copy < count_; ++copy) {
    if (marked[copy] != 0) restart(copy);
  }
}

void Batch::restart(std::size_t copy) {
  Block& block = blocks_[copy / width_];
  block.counts[copy % width_] = 0;
  block.failures[copy % width_] = {};
  for (std::size_t i = 0; i < num_layout_; ++i) {
    const std::size_t at = i * width_ + copy % width_;
    block.now[at] = block.start[at];
  }
}

// Multipliers are what the first step begins to look for: 0.
void Batch::put_start(std::size_t copy, const State& state) {
  double* at = blocks_[copy / width_].start.data() + 2 * width_ + copy % width_;
  std::size_t row = 2;
  for (const std::vector<double>* part : {&state.q, &state.v, &state.x}) {
    for (const double value : *part) *at = value, at += width_, ++row;
  }
  for (; row < first_input_; ++row) *at = 0, at += width_;
}

// Of these copies, which start anew.
std::vector<Batch::Impossible> Batch::put_parameters(std::size_t first, std::size_t last,
                                                     std::span<const double> values,
                                                     VariedStarts::Work& work) {
  const std::size_t n = varied_->num_varied();
  std::vector<Impossible> impossible;
  std::vector<double> p(num_parameters());
  for (std::size_t copy = first; copy < last; ++copy) {
    double* const at =
        blocks_[copy / width_].start.data() + first_parameter_ * width_ + copy % width_;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = at[i * width_];
    if (const auto fault = varied_->put(values.subspan(copy * n, n), p, work)) {
      impossible.push_back({copy, fault->id, fault->message});
      continue;
    }
    for (std::size_t i = 0; i < p.size(); ++i) at[i * width_] = p[i];
    restart(copy);
  }
  return impossible;
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
  if (!varied_ || varied_->names() != parameters) {
    varied_.emplace(model_, origins_, step_model_, parameters);
  }
  change_blocks();
  if (varied_->moves()) return assemble_all(values);
  std::vector<VariedStarts::Work> works;
  for (int i = 0; i < jobs_; ++i) works.push_back(varied_->make_work());
  std::vector<std::vector<Impossible>> of_parts(works.size());
  for_parts(count_, {.jobs = jobs_, .least = 2000, .multiple = width_},
            [&](std::size_t part, std::size_t first, std::size_t last) {
              of_parts[part] = put_parameters(first, last, values, works[part]);
            });
  check_stop();
  std::vector<Impossible> impossible;
  for (auto& part : of_parts) std::move(part.begin(), part.end(), std::back_inserter(impossible));
  return impossible;
}

std::vector<Batch::Impossible> Batch::assemble_all(std::span<const double> values) {
  const std::size_t n = varied_->num_varied();
  std::vector<Impossible> impossible;
  std::vector<double> p(num_parameters());
  VariedStarts::Work work = varied_->make_work();
  for (std::size_t copy = 0; copy < count_; ++copy) {
    check_stop();
    double* const at =
        blocks_[copy / width_].start.data() + first_parameter_ * width_ + copy % width_;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = at[i * width_];
    std::optional<Diagnostic> fault = varied_->put(values.subspan(copy * n, n), p, work);
    try {
      if (!fault) put_start(copy, varied_->assemble(p));
    } catch (const Error& error) {
      fault = error.diagnostics().front();
    }
    if (fault) {
      impossible.push_back({copy, fault->id, fault->message});
      continue;
    }
    for (std::size_t i = 0; i < p.size(); ++i) at[i * width_] = p[i];
    restart(copy);
  }
  return impossible;
}

}  // namespace koppel
