// Steps of `taylor` as maps: the expansion at the beginning of the step, followed over its length,
//
//   x_j⁽ᵒ⁾(t + h)/o! = Σ_m C(m, o) h^{m−o} x_j[m],     o < d_j,                              (1)
//
// and the projection onto the constraints, as `taylor` itself does. Changes and weights go through
// (1) and through the expansion (series_changes.hpp), so that derivatives are those of the step as
// it was taken.
//
// Where round-off keeps the series from the end that the run reached, as beside singular
// configurations, where `taylor` takes lower orders, the step is taken as the flow of the equations
// (flow_map.cpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <koppel/base/lazy.hpp>
#include <koppel/study/projection_map.hpp>
#include <koppel/study/series_changes.hpp>
#include <koppel/study/step_map.hpp>

namespace koppel {
namespace {

using Place = SeriesTerms::Place;

class SeriesMap : public StepMap {
 public:
  SeriesMap(Lazy<SeriesSystem> system, const std::vector<FollowingStart>& following, int order,
            const RightHandSideTerms& rates, const ProjectorTerms& projection, double tolerance,
            CompileOptions options)
      : system_(std::move(system)),
        order_(order),
        falling_(order, order),
        size_(rates.y.size()),
        num_given_(rates.given.symbols.size()),
        num_q_(projection.q.size()),
        num_v_(projection.v.size()),
        allowed_(std::max(tolerance, kRoundOff)),
        projection_(projection, options),
        tangent_([system = system_, following, order, options] {
          return SeriesTangent(*system, following, order, options);
        }),
        adjoint_([system = system_, following, order, options] {
          return SeriesAdjoint(*system, following, order, options);
        }),
        flow_([rates, projection, tolerance, options] {
          return make_flow_map(rates, projection, tolerance, options);
        }) {}

  std::size_t size() const override { return size_; }
  std::size_t num_given() const override { return num_given_; }

  struct Work : Workspace {
    Work(const SeriesSystem& system, int order, ProjectionMap::Workspace with)
        : solver(system, order), changes(solver), projection(std::move(with)) {}
    SeriesSolver solver;
    UnknownSeries changes;  // or weights
    ProjectionMap::Workspace projection;
    std::optional<SeriesTangent::Work> tangent;
    std::optional<SeriesAdjoint::Work> adjoint;
    std::unique_ptr<Workspace> flow;
    bool is_flow = false;
    bool has_transposed = false;
    double h = 0;
    std::vector<double> given, end;
    std::vector<double> start;  // t, y₀ of the expansion; empty: of none
  };

  std::unique_ptr<Workspace> make_workspace() const override {
    auto work = std::make_unique<Work>(*system_, order_, projection_.make_workspace());
    work->end.resize(size_);
    return work;
  }

  bool advance(double t, double h, std::span<double> y, std::span<const double> given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (expand({t, h, y, {}, given}, work)) {
      follow(h, work);
      std::vector<double> projected = work.end;
      const std::span<double> to = projected;
      if (projection_.project(t + h, to.first(num_q_), to.subspan(num_q_, num_v_), given,
                              work.projection) &&
          is_near(work.end, projected)) {
        std::copy(projected.begin(), projected.end(), y.begin());
        return true;
      }
    }
    return flow_of(work).advance(t, h, y, given, *work.flow);
  }

  bool rates(double t, std::span<const double> y, std::span<const double> given,
             std::span<double> y_rate, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    return flow_of(work).rates(t, y, given, y_rate, *work.flow);
  }

  bool stand_at(const At& at, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    work.h = at.h;
    work.is_flow = !expand(at, work);
    if (!work.is_flow) {
      follow(at.h, work);
      work.is_flow = !is_near(work.end, at.y1);
    }
    if (work.is_flow) return flow_of(work).stand_at(at, *work.flow);
    return projection_.stand_at(at.t + at.h, at.y1.first(num_q_), at.y1.subspan(num_q_, num_v_),
                                at.given, work.projection);
  }

  void tangent(std::span<double> dy, std::span<const double> dgiven,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (work.is_flow) return flow_of(work).tangent(dy, dgiven, *work.flow);
    if (!work.tangent) work.tangent.emplace(*tangent_);
    for (std::size_t i = 0; i < size_; ++i) {
      const auto [j, o] = place(i);
      work.changes.of(j)[o] = dy[i] / falling_(o, o);
    }
    tangent_->go(work.solver, work.given, dgiven, work.changes, *work.tangent);
    for (std::size_t i = 0; i < size_; ++i) {
      dy[i] = 0;
      for_each_term(i, work,
                    [&](int j, int m, double factor) { dy[i] += factor * work.changes.of(j)[m]; });
    }
    projection_.tangent(dy.first(num_q_), dy.subspan(num_q_, num_v_), dgiven, work.projection);
  }

  bool adjoint(std::span<double> w, std::span<double> w_given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (work.is_flow) return flow_of(work).adjoint(w, w_given, *work.flow);
    if (!work.adjoint) work.adjoint.emplace(*adjoint_);
    if (!work.has_transposed && !adjoint_->stand_at(work.solver, *work.adjoint)) return false;
    work.has_transposed = true;
    projection_.adjoint(w.first(num_q_), w.subspan(num_q_, num_v_), w_given, work.projection);
    work.changes.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      for_each_term(i, work,
                    [&](int j, int m, double factor) { work.changes.of(j)[m] += factor * w[i]; });
    }
    adjoint_->go(work.solver, work.given, work.changes, w_given, *work.adjoint);
    for (std::size_t i = 0; i < size_; ++i) {
      const auto [j, o] = place(i);
      w[i] = work.changes.of(j)[o] / falling_(o, o);
    }
    return true;
  }

 private:
  // What positions and rates of a consistent point can be told to.
  static constexpr double kRoundOff = 1e3 * std::numeric_limits<double>::epsilon();

  const Place& place(std::size_t i) const { return system_->terms().y[i]; }

  // y_i at the end of the step is Σ factor x_j[m], (1).
  template <typename F>
  void for_each_term(std::size_t i, const Work& work, F&& f) const {
    const auto [j, o] = place(i);
    double power = 1;
    for (int m = o; m <= work.solver.degree(j); ++m, power *= work.h) {
      f(j, m, falling_(m, o) * power);
    }
  }

  const StepMap& flow_of(Work& work) const {
    if (!work.flow) work.flow = (*flow_)->make_workspace();
    return **flow_;
  }

  // At the beginning of a step, where laws that switch there have done so; by the expansion that
  // the run had there, where it was kept. False where that is impossible.
  bool expand(const At& at, Work& work) const {
    const bool has_given =
        std::equal(at.given.begin(), at.given.end(), work.given.begin(), work.given.end());
    if (has_given && !work.start.empty() && work.start[0] == at.t &&
        std::equal(work.start.begin() + 1, work.start.end(), at.y0.begin())) {
      return true;
    }
    work.start.clear();
    work.has_transposed = false;
    if (!has_given) {
      work.given.assign(at.given.begin(), at.given.end());
      work.solver.take(at.given);
    }
    work.solver.set_time(std::nextafter(at.t, HUGE_VAL));
    const bool is_known = work.solver.put_expansion(at.expansion);
    if (!is_known) {
      for (std::size_t i = 0; i < size_; ++i) {
        const auto [j, o] = place(i);
        work.solver.set(j, o, at.y0[i] / falling_(o, o));
      }
    }
    if (work.solver.make_consistent() != SeriesSolver::Status::Ok ||
        (!is_known && work.solver.expand() != SeriesSolver::Status::Ok)) {
      return false;
    }
    work.start.push_back(at.t);
    work.start.insert(work.start.end(), at.y0.begin(),
                      at.y0.begin() + static_cast<std::ptrdiff_t>(size_));
    return true;
  }

  void follow(double h, Work& work) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const auto [j, o] = place(i);
      work.end[i] = falling_(o, o) * work.solver.evaluate(j, o, h);
    }
  }

  bool is_near(std::span<const double> a, std::span<const double> b) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(std::abs(a[i] - b[i]) <= allowed_ * std::max(1.0, std::abs(b[i])))) return false;
    }
    return true;
  }

  Lazy<SeriesSystem> system_;
  int order_;
  FallingFactorials falling_;
  std::size_t size_, num_given_, num_q_, num_v_;
  double allowed_;
  ProjectionMap projection_;
  Lazy<SeriesTangent> tangent_;
  Lazy<SeriesAdjoint> adjoint_;
  Lazy<std::unique_ptr<StepMap>> flow_;
};

}  // namespace

std::unique_ptr<StepMap> make_series_map(const Lazy<SeriesSystem>& system, int order,
                                         const RightHandSideTerms& rates,
                                         const ProjectorTerms& projection, double tolerance,
                                         CompileOptions options) {
  const auto following = find_following_starts(*system, rates.y.size());
  if (!following || !SeriesAdjoint::can(*system, order)) {
    return make_flow_map(rates, projection, tolerance, options);
  }
  return std::make_unique<SeriesMap>(system, *following, order, rates, projection, tolerance,
                                     options);
}

}  // namespace koppel
