#include <koppel/study/second_derivatives.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/simulate/assembled_model.hpp>
#include <koppel/study/differences.hpp>
#include <koppel/study/pieces.hpp>
#include <koppel/study/recording.hpp>
#include <koppel/study/start_tangent.hpp>
#include <koppel/study/varied_equations.hpp>

namespace koppel {
namespace {

using Direction = TracedMotion::Direction;

class SecondDerivatives {
 public:
  SecondDerivatives(const StudiedParameters& over, std::span<const double> values,
                    const SensitivityOptions& options)
      : over_(over),
        values_(values.begin(), values.end()),
        options_(options),
        asked_(ask(options)),
        model_(model_at(values_)) {
    for (std::size_t i = 0; i < asked_.of.size(); ++i) {
      if (asked_.of[i].extreme < 0 && !asked_.of[i].is_time) continue;
      throw Error("study.second",
                  fmt::format("'{}' has no second derivatives here: only values at the end, means "
                              "and integrals have.",
                              options.of[i].label));
    }
    SimulateOptions& run = asked_.trace.run;
    if (run.integrator.is_open()) run.integrator = "dop853";
    if (!run.integrator.has_stages() && !run.integrator.is_series()) {
      throw Error("study.integrator",
                  fmt::format("second derivatives go through steps of 'dop853', 'rk4' and "
                              "'taylor', not of '{}'.",
                              run.integrator.text()))
          .because(Cause::Method);
    }
    run.projection = Projection::Full;
    prepared_ = in_pieces(prepare(model_, run), run, asked_.trace.outputs);
    refuse_jumps();
    varied_ = vary(prepared_.independent);
    for (const SwitchTime& one :
         find_switch_times(prepared_.equations, asked_.trace.outputs, prepared_.state.p,
                           prepared_.state.u, prepared_.problem.breakpoints)) {
      if (std::all_of(one.by_p.begin(), one.by_p.end(), [](double by) { return by == 0; }))
        continue;
      throw Error("study.second",
                  fmt::format("a law switches at t = {:.6g} s, a time that depends on parameters: "
                              "there are no second derivatives through it.",
                              one.t));
    }
  }

  std::vector<Matrix> find() {
    const std::vector<Direction> directions =
        directions_at(model_, prepared_.equations, prepared_.state);
    bend(directions);
    const auto n = static_cast<int>(values_.size());
    std::vector<Matrix> out(asked_.of.size(), Matrix(n, n));
    for (std::size_t d = 0; d < directions.size(); ++d) differentiate(directions, d, out);
    for (Matrix& H : out) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) H(i, j) = H(j, i) = 0.5 * (H(i, j) + H(j, i));
      }
    }
    return out;
  }

 private:
  // Corners are passed by all derivatives; where rates jump first derivatives do, too, and the
  // varied equations do not know by how much.
  void refuse_jumps() const {
    const bool has_switches =
        std::any_of(prepared_.equations->events.begin(), prepared_.equations->events.end(),
                    [](const Equations::Event& event) { return event.is_switch; });
    if (!has_switches) return;
    TraceOptions trace = asked_.trace;
    trace.extremes.clear();
    const TracedMotion motion(prepared_, trace);
    if (!motion.first_jump()) return;
    throw Error("study.second",
                fmt::format("at t = {:.6g} s a law jumps because of where the motion is: there are "
                            "no second derivatives through it.",
                            *motion.first_jump()),
                "Ask for a run that ends before, or use a smooth law.");
  }

  Model model_at(const std::vector<double>& values) const {
    Model model = over_.at(values);
    add_quantities(options_.of, {}, model);
    return with_integrals(std::move(model), asked_.trace);
  }

  std::vector<Direction> directions_at(const Model& model, const Equations& e,
                                       const State& state) const {
    return make_directions(start_tangent(model, e, state), over_.directions(model), e);
  }

  // What directions change by with each parameter.
  void bend(const std::vector<Direction>& directions) {
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const double h = 5e-3 * std::max(0.1, std::abs(values_[e]));
      std::vector<Direction>& by = bends_.emplace_back(directions);
      for (Direction& direction : by) {
        std::fill(direction.start.begin(), direction.start.end(), 0.0);
        std::fill(direction.given.begin(), direction.given.end(), 0.0);
      }
      std::string why;
      const std::vector<double> slopes = slope(
          [&](double change) {
            std::vector<double> there = values_, all;
            there[e] += change;
            try {
              const Model model = model_at(there);
              AssembledModel assembled;
              assembled.assemble(model, prepared_.choice.coordinates);
              for (const Direction& moved :
                   directions_at(model, assembled.equations, assembled.state)) {
                all.insert(all.end(), moved.start.begin(), moved.start.end());
                all.insert(all.end(), moved.given.begin(), moved.given.end());
              }
            } catch (const Error& error) {
              why = error.what();
            }
            return all;
          },
          h);
      if (slopes.empty() && !why.empty()) {
        throw Error("study.second", "there is no start beside these values: " + why);
      }
      // Sides of switches, behind the parameters of the model, do not change.
      const std::size_t length = by.empty() ? 0 : slopes.size() / by.size();
      for (std::size_t d = 0; d < by.size(); ++d) {
        const auto first = slopes.begin() + static_cast<std::ptrdiff_t>(d * length);
        const auto middle = first + static_cast<std::ptrdiff_t>(by[d].start.size());
        std::copy(first, middle, by[d].start.begin());
        std::copy(middle, first + static_cast<std::ptrdiff_t>(length), by[d].given.begin());
      }
    }
  }

  // The run of the varied equations in one direction.
  Prepared prepare_varied(const Direction& direction) const {
    const std::size_t num_p = prepared_.equations->p.size();
    Prepared out = prepared_;
    out.equations = out.independent = varied_;
    out.state =
        varied_state(prepared_.state, direction.start, std::span(direction.given).first(num_p));
    out.problem = formulate(varied_, prepared_.choice.formulation, out.state);
    out.problem.breakpoints = prepared_.problem.breakpoints;
    out.problem.energy = {};
    out.start = {out.state.t, out.state.q, {}};
    for (const auto* part : {&out.state.v, &out.state.x}) {
      out.start.y.insert(out.start.y.end(), part->begin(), part->end());
    }
    out.start.y.resize(static_cast<std::size_t>(out.problem.size()), 0.0);
    return out;
  }

  void differentiate(const std::vector<Direction>& directions, std::size_t d,
                     std::vector<Matrix>& out) const {
    TraceOptions trace = asked_.trace;
    for (std::string& name : trace.outputs) name = name_of_change(name);
    const TracedMotion motion(prepare_varied(directions[d]), trace);
    if (motion.status() == Outcome::Status::Failed) {
      throw Error("study.second", "the run of the varied equations failed: " + motion.text());
    }
    if (!motion.events().empty()) {
      throw Error("study.second",
                  fmt::format("an event happens at t = {:.6g} s: there are no second derivatives "
                              "through events.",
                              motion.events()[0].t),
                  "Ask for a run that ends before.");
    }
    const double duration = motion.end() - motion.start().t;
    std::vector<TracedMotion::Weights> weights;
    for (const Asked::Of& of : asked_.of) {
      TracedMotion::Weights& with = weights.emplace_back();
      if (of.integral < 0) {
        with.values.push_back({motion.samples().size() - 1, of.output, 1});
      } else {
        with.integrals.assign(motion.integrals().size(), 0.0);
        with.integrals[static_cast<std::size_t>(of.integral)] = of.is_mean ? 1 / duration : 1;
      }
    }
    const std::vector<Direction> at_start = motion.backward(weights);
    for (std::size_t i = 0; i < at_start.size(); ++i) {
      for (std::size_t e = 0; e < directions.size(); ++e) {
        out[i](static_cast<int>(d), static_cast<int>(e)) =
            product(at_start[i], directions[e], bends_[e][d]);
      }
    }
  }

  // Weights of (q, δq), (v, δv), (x, δx), (p, δp) times what these change by.
  double product(const Direction& weights, const Direction& change, const Direction& bend) const {
    const Equations& e = prepared_.equations;
    double sum = 0;
    const auto add = [&](const std::vector<double>& w, std::size_t first, std::size_t from,
                         std::size_t count, const std::vector<double>& of,
                         const std::vector<double>& bent) {
      for (std::size_t i = 0; i < count; ++i) {
        sum += w[first + i] * of[from + i] + w[first + count + i] * bent[from + i];
      }
    };
    std::size_t from = 0;
    for (const std::size_t count : {e.num_q(), e.num_v(), e.x.size()}) {
      add(weights.start, 2 * from, from, count, change.start, bend.start);
      from += count;
    }
    add(weights.given, 0, 0, e.p.size(), change.given, bend.given);
    return sum;
  }

  const StudiedParameters& over_;
  std::vector<double> values_;
  const SensitivityOptions& options_;
  Asked asked_;
  Model model_;
  Prepared prepared_;
  Shared<Equations> varied_;
  std::vector<std::vector<Direction>> bends_;  // by parameter, then direction
};

}  // namespace

std::vector<Matrix> find_second_derivatives(const StudiedParameters& over,
                                            std::span<const double> values,
                                            const SensitivityOptions& options) {
  return SecondDerivatives(over, values, options).find();
}

}  // namespace koppel
