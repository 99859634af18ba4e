// Fixed-cost steps as maps: straight-line code (problem/fixed_cost.hpp), whose derivatives are
// straight-line code again.
#include <algorithm>
#include <cmath>
#include <optional>

#include <koppel/integrate/clocked_steps.hpp>
#include <koppel/study/step_map.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// What a step is a function of, with parameters before inputs.
struct Parts {
  Parts(const FixedCostTerms& terms, std::size_t num_u) {
    for (const auto* part : {&terms.q, &terms.v, &terms.x, &terms.lambda}) {
      out.insert(out.end(), part->begin(), part->end());
    }
    const auto at = [&](std::size_t i) { return terms.inputs.begin() + static_cast<long>(i); };
    const std::size_t n = out.size();
    clock.assign(at(0), at(2));
    x.assign(at(2), at(2 + n));
    Graph& graph = *clock[0].graph();
    x.insert(x.end(), at(2 + n + num_u), terms.inputs.end());
    x.insert(x.end(), at(2 + n), at(2 + n + num_u));
    dx = make_symbols(graph, "variation.s", x.size());
    w = make_symbols(graph, "weight.out", out.size());
  }

  Exprs with(const Exprs& more) const {
    Exprs all = clock;
    all.insert(all.end(), x.begin(), x.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Exprs clock, x, out, dx, w;  // t and h; state and given
};

class FixedCostMap : public StepMap {
 public:
  FixedCostMap(const Parts& parts, double step, bool has_events, CompileOptions options)
      : shortest_(kShortestStep * step),
        size_(parts.out.size()),
        num_given_(parts.x.size() - parts.out.size()),
        step_(parts.with({}), parts.out, options),
        forward_(parts.with(parts.dx), jacobian_times_vector(parts.out, parts.x, parts.dx),
                 options),
        backward_(parts.with(parts.w), vector_times_jacobian(parts.w, parts.out, parts.x),
                  options) {
    if (!has_events) return;
    Exprs by_times = jacobian_times_vector(parts.out, {&parts.clock[0], 1}, Exprs{1});
    const Exprs by_h = jacobian_times_vector(parts.out, {&parts.clock[1], 1}, Exprs{1});
    by_times.insert(by_times.end(), by_h.begin(), by_h.end());
    by_times_.emplace(parts.with({}), by_times, options);
  }

  std::size_t size() const override { return size_; }
  std::size_t num_given() const override { return num_given_; }

  struct Work : Workspace {
    std::vector<double> in, out;  // t, h, state, given, then their changes, or weights
    koppel::Workspace step, forward, backward;
  };
  std::unique_ptr<Workspace> make_workspace() const override {
    auto work = std::make_unique<Work>();
    work->in.resize(std::max(forward_.num_inputs(), backward_.num_inputs()));
    work->out.resize(size_ + num_given_);
    work->step = step_.make_workspace();
    work->forward = forward_.make_workspace();
    work->backward = backward_.make_workspace();
    return work;
  }

  bool advance(double t, double h, std::span<double> y, std::span<const double> given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    put({t, h, y, {}, given}, work);
    const std::span<const double> in = work.in;
    step_.evaluate(in.first(step_.num_inputs()), y.first(size_), work.step);
    return std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); });
  }

  bool rates(double, std::span<const double>, std::span<const double>, std::span<double>,
             Workspace&) const override {
    return false;
  }

  bool stand_at(const At& at, Workspace& workspace) const override {
    put(at, static_cast<Work&>(workspace));
    return true;
  }

  void tangent(std::span<double> dy, std::span<const double> dgiven,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (is_short(work)) return;
    auto to = work.in.begin() + static_cast<std::ptrdiff_t>(step_.num_inputs());
    to = std::copy(dy.begin(), dy.end(), to);
    std::copy(dgiven.begin(), dgiven.end(), to);
    const std::span<const double> in = work.in;
    forward_.evaluate(in.first(forward_.num_inputs()), dy, work.forward);
  }

  bool adjoint(std::span<double> w, std::span<double> w_given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (is_short(work)) return true;
    std::copy(w.begin(), w.end(),
              work.in.begin() + static_cast<std::ptrdiff_t>(step_.num_inputs()));
    const std::span<const double> in = work.in;
    backward_.evaluate(in.first(backward_.num_inputs()), work.out, work.backward);
    std::copy_n(work.out.begin(), size_, w.begin());
    for (std::size_t i = 0; i < num_given_; ++i) w_given[i] += work.out[size_ + i];
    return true;
  }

  ByTimes by_times(Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (is_short(work)) return {};
    koppel::Workspace own = by_times_->make_workspace();
    std::vector<double> all(2 * size_);
    by_times_->evaluate(std::span<const double>(work.in).first(step_.num_inputs()), all, own);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(size_);
    return {{all.begin(), middle}, {middle, all.end()}};
  }

 private:
  bool is_short(const Work& work) const { return work.in[1] < shortest_; }

  void put(const At& at, Work& work) const {
    auto to = work.in.begin();
    *to++ = at.t;
    *to++ = at.h;
    to = std::copy_n(at.y0.begin(), size_, to);
    std::copy(at.given.begin(), at.given.end(), to);
  }

  double shortest_;
  std::size_t size_, num_given_;
  Function step_, forward_, backward_;
  std::optional<Function> by_times_;  // where there are events: Ψ_t, Ψ_h
};

}  // namespace

std::unique_ptr<StepMap> make_fixed_cost_map(const FixedCostTerms& terms, std::size_t num_u,
                                             double step, bool has_events, CompileOptions options) {
  options.fixed_cost = true;
  return std::make_unique<FixedCostMap>(Parts(terms, num_u), step, has_events, options);
}

}  // namespace koppel
