#include <koppel/study/batch_health.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/energy_terms.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/simulate/row_size.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// Places in what is measured.
enum Place : std::size_t { kKinetic, kPotential, kSum, kSpeed, kRows };

// With other values of parameters too: damping that is zero in the model may be varied.
bool is_conservative(const Prepared& prepared) {
  State other = prepared.state;
  for (std::size_t i = 0; i < other.p.size(); ++i) {
    other.p[i] = other.p[i] == 0 ? 0.1 : other.p[i] * (1 + beside(i) / 3);
  }
  for (const State& state : {prepared.state, other}) {
    const EnergyBalance balance(make_energy_terms(*prepared.independent, state));
    if (!balance.is_known() || !balance.is_conservative()) return false;
  }
  return true;
}

// As row_sizes() has it.
Exprs size_terms(const ProjectorTerms& rows) {
  constexpr double kSmall = 0.1;
  Expr mean = 0;
  for (const Expr q : rows.q) mean += abs(q) / static_cast<double>(rows.q.size());
  mean = max(mean, Expr(kSmall));
  Exprs out(rows.position.size(), Expr(0));
  for (const double side : {-1.0, 1.0}) {
    Exprs moved;
    for (std::size_t i = 0; i < rows.q.size(); ++i) {
      moved.push_back(rows.q[i] + side * beside(i) * max(abs(rows.q[i]), mean));
    }
    const Exprs there = substitute(rows.position, rows.q, moved);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = max(out[i], abs(there[i] - rows.position[i]) / kBeside);
    }
  }
  return out;
}

Exprs rate_terms(const ProjectorTerms& rows) {
  Exprs moved;
  for (std::size_t i = 0; i < rows.v.size(); ++i) moved.push_back(rows.v[i] * (1 + beside(i)));
  Exprs out = substitute(rows.velocity, rows.v, moved);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = abs(out[i] - rows.velocity[i]) / kBeside;
  }
  return out;
}

// A row that is round-off altogether says nothing.
double size_of_row(double measured) {
  constexpr double kRoundOff = 8 * std::numeric_limits<double>::epsilon();
  return measured > kRoundOff && measured <= std::numeric_limits<double>::max() ? measured : 1;
}

void append(const Exprs& from, Exprs& to) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

BatchHealthTerms make_batch_health_terms(const StepModel& model) {
  const Prepared& prepared = model.prepared;
  const Equations& e = *prepared.independent;
  BatchHealthTerms out;
  Expr kinetic = 0, potential = 0, unit_kinetic = 0, speed = 0;
  if (is_conservative(prepared)) {
    kinetic = e.kinetic;
    potential = e.potential;
    unit_kinetic = substitute(Exprs{kinetic}, e.v, Exprs(e.v.size(), Expr(1)))[0];
  }
  for (const Expr v : e.v) speed = max(speed, abs(v));
  out.now = {kinetic, potential, kinetic + potential, speed};
  out.start = {unit_kinetic};
  for (const Equations::Row& row : prepared.equations->rows) out.row_names.push_back(row.name);
  if (out.row_names.empty()) return out;
  const ProjectorTerms rows = make_projector_terms(e, prepared.state.p, prepared.state.u);
  out.num_positions = rows.position.size();
  append(rows.position, out.now);
  out.has_velocities = prepared.choice.integrator.info().form != IntegratorInfo::Form::Steps;
  if (out.has_velocities) {
    append(rows.velocity, out.now);
    append(rate_terms(rows), out.now);
  }
  append(size_terms(rows), out.start);
  return out;
}

BatchHealth::BatchHealth(const StepModel& model, const HealthOptions& options, std::size_t lanes)
    : BatchHealth(model, options, lanes, make_batch_health_terms(model)) {}

BatchHealth::BatchHealth(const StepModel& model, const HealthOptions& options, std::size_t lanes,
                         const BatchHealthTerms& terms)
    : rules_{model.tolerance, options.loosen, false},
      judges_velocities_(options.judges_velocities && terms.has_velocities),
      row_names_(terms.row_names),
      num_positions_(terms.num_positions),
      now_(lower(model.layout, terms.now, true), Native::Auto, lanes),
      start_(lower(model.layout, terms.start, true), Native::Auto, now_.lanes()) {}

bool BatchHealth::is_look(std::uint64_t step) {
  while (step > 1 && step % 4 == 0) step /= 4;
  return step == 1;
}

void BatchHealth::begin(const double* layout, Look& look) const {
  if (look.now.empty()) {
    look.now.resize(lanes() * num_now());
    look.start.resize(lanes() * num_start());
    look.work_now = now_.make_work();
    look.work_start = start_.make_work();
  }
  start_.evaluate(layout, look.start.data(), look.work_start.data());
  now_.evaluate(layout, look.now.data(), look.work_now.data());
  look.first = look.now;
}

void BatchHealth::look(const double* layout, Look& look) const {
  now_.evaluate(layout, look.now.data(), look.work_now.data());
}

// As judge() has it, with what is seen at the start and now; in lanes, since it is done often.
void BatchHealth::mark_suspects(double t, double steps, Look& look,
                                std::span<std::uint8_t> suspects) const {
  const HealthLimits limits = rules_.doubtful(t, steps);
  const std::size_t n = lanes(), num_g = num_positions_, num_rows = row_names_.size();
  const auto at = [n](std::vector<double>& values, std::size_t i) { return values.data() + i * n; };
  const auto mark = [&](auto&& is_good) {
    for (std::size_t lane = 0; lane < suspects.size(); ++lane) {
      suspects[lane] |= static_cast<std::uint8_t>(!is_good(lane));
    }
  };
  const double* const speed = at(look.now, kSpeed);
  mark([&](std::size_t lane) { return speed[lane] <= kFastest; });
  for (std::size_t i = 0; i < num_g; ++i) {
    const double *g = at(look.now, kRows + i), *size = at(look.start, 1 + i);
    mark([&](std::size_t lane) {
      return std::abs(g[lane]) <= limits.position * size_of_row(size[lane]);
    });
  }
  for (std::size_t i = 0; judges_velocities_ && i < num_rows; ++i) {
    const double* const rate = at(look.now, kRows + num_g + i);
    // By this row alone: the rate of others may be larger.
    const double *now = at(look.now, kRows + num_g + num_rows + i),
                 *first = at(look.first, kRows + num_g + num_rows + i);
    const double* const size = i < num_g ? at(look.start, 1 + i) : nullptr;
    mark([&](std::size_t lane) {
      const double least = kSlowRate * (size != nullptr ? size_of_row(size[lane]) : 1);
      return std::abs(rate[lane]) <= limits.velocity * std::max({now[lane], first[lane], least});
    });
  }
  const double *T = at(look.now, kKinetic), *T0 = at(look.first, kKinetic);
  const double *V = at(look.now, kPotential), *V0 = at(look.first, kPotential);
  const double *E = at(look.now, kSum), *E0 = at(look.first, kSum), *unit = at(look.start, 0);
  mark([&](std::size_t lane) {
    const double potential = std::max(std::abs(V[lane]), std::abs(V0[lane]));
    const double most = std::max(T[lane], T0[lane]);
    const double moved =
        std::max({most, std::abs(V[lane] - V0[lane]), least_energy(unit[lane], potential)});
    const double counted = moved + (rules_.tolerance ? std::sqrt(most * unit[lane]) : 0);
    return std::abs(E[lane] - E0[lane]) <= limits.energy * counted;
  });
}

BatchHealth::Verdict BatchHealth::judge(const Seen& seen, double end, double steps) const {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  for (const std::span<const double> all : {seen.low, seen.high}) {
    if (std::all_of(all.begin(), all.end(), is_finite) && all[kSpeed] <= kFastest) continue;
    return {
        Health::State::Failed,
        "a velocity grows beyond any physical scale: the integration is unstable, or the motion "
        "does not exist to the end."};
  }
  const HealthLimits doubtful = rules_.doubtful(end, steps), failed = rules_.failed(steps);
  Verdict out;
  const auto exceed = [&](Health::What what, double value, double limit, double fails,
                          const std::string& row) {
    if (!(std::abs(value) > limit)) return;
    if (out.state != Health::State::Failed) {
      out.state = value > fails ? Health::State::Failed : Health::State::Doubtful;
    }
    out.text += (out.text.empty() ? "" : " ") +
                describe(Health::Reason{what, end, value, limit, {}}, "over the run", row);
  };
  // The worst of rows, relative to their sizes.
  const std::size_t num_g = num_positions_, num_rows = row_names_.size();
  const auto largest = [&](std::size_t place) {
    return std::max(std::abs(seen.low[place]), std::abs(seen.high[place]));
  };
  const auto size = [&](std::size_t i) { return size_of_row(seen.start[1 + i]); };
  const auto worst = [&](std::size_t first, std::size_t count, auto&& scale) {
    std::pair<double, std::size_t> most{0, 0};
    for (std::size_t i = 0; i < count; ++i) {
      most = std::max(most, {largest(first + i) / scale(i), i});
    }
    return most;
  };
  const std::size_t velocities = kRows + num_g, changes = velocities + num_rows;
  if (num_g > 0) {
    const auto [most, row] = worst(kRows, num_g, size);
    exceed(Health::What::Position, most, doubtful.position, failed.position, row_names_[row]);
  }
  if (judges_velocities_ && num_rows > 0) {
    double rate = kSlowRate, slip = kSlowRate;
    for (std::size_t i = 0; i < num_rows; ++i) {
      if (i < num_g) rate = std::max(rate, seen.high[changes + i] / size(i));
      if (i >= num_g) slip = std::max(slip, seen.high[changes + i]);
    }
    const auto [most, row] = worst(
        velocities, num_rows, [&](std::size_t i) { return i < num_g ? size(i) * rate : slip; });
    exceed(Health::What::Velocity, most, doubtful.velocity, failed.velocity, row_names_[row]);
  }
  const double moved = std::max({seen.high[kKinetic], seen.high[kPotential] - seen.low[kPotential],
                                 least_energy(seen.start[0], largest(kPotential))});
  const double counted =
      moved + (rules_.tolerance ? std::sqrt(seen.high[kKinetic] * seen.start[0]) : 0);
  if (!(counted > 0)) return out;
  const double gain = seen.high[kSum] - seen.first[kSum], loss = seen.low[kSum] - seen.first[kSum];
  exceed(Health::What::Energy, (gain > -loss ? gain : loss) / counted, doubtful.energy,
         failed.energy, "");
  return out;
}

}  // namespace koppel
