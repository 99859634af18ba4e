// Steps of explicit Runge-Kutta methods as maps. With stages
//
//   k_i = φ(t + c_i h, Y_i, p),   Y_i = y₀ + h Σ_j a_ij k_j,     ŷ₁ = y₀ + h Σ_i b_i k_i      (1)
//
// and the projection y₁ = Π(ŷ₁), changes go through the same sums. Weights go back through them
// [Sandu 2006]: w of ŷ₁ gives, from the last stage to the first,
//
//   κ_i = h b_i w + h Σ_{j>i} a_ji ν_j,   ν_i = φ_yᵀκ_i,     w₀ = w + Σ_i ν_i                (2)
//
// and w_p += Σ_i φ_pᵀκ_i.
#include <algorithm>
#include <cmath>

#include <koppel/runtime/dop853.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/study/projection_map.hpp>
#include <koppel/study/step_map.hpp>

namespace koppel {
namespace {

struct Tableau {
  struct Weight {
    std::size_t stage;
    double value;
  };
  std::vector<double> c;
  std::vector<std::vector<Weight>> a;  // of each stage, then b

  std::size_t num_stages() const { return c.size(); }
  const std::vector<Weight>& b() const { return a.back(); }
};

Tableau dop853() {
  Tableau out;
  for (int i = 0; i <= KOPPEL_DOP853_STAGES; ++i) {
    std::vector<Tableau::Weight> row;
    const koppel_weights& weights = koppel_dop853_a[i];
    for (int k = 0; k < weights.count; ++k) {
      const koppel_weight& weight = weights.weights[k];
      row.push_back({static_cast<std::size_t>(weight.stage), weight.value});
    }
    if (i < KOPPEL_DOP853_STAGES) out.c.push_back(koppel_dop853_c[i]);
    out.a.push_back(std::move(row));
  }
  return out;
}

Tableau rk4() {
  return {{0, 0.5, 0.5, 1},
          {{},
           {{0, 0.5}},
           {{1, 0.5}},
           {{2, 1}},
           {{0, 1.0 / 6}, {1, 1.0 / 3}, {2, 1.0 / 3}, {3, 1.0 / 6}}}};
}

Tableau tableau_of(const Integrator& integrator) {
  const ExplicitRule rule =
      integrator.is_open() ? ExplicitRule::None : integrator.info().explicit_rule;
  if (rule == ExplicitRule::DormandPrince8) return dop853();
  if (rule == ExplicitRule::Classical4) return rk4();
  throw Error("study.integrator",
              "derivatives go through steps of 'dop853', 'rk4' and of fixed cost, not of '" +
                  integrator.text() + "'.")
      .because(Cause::Method);
}

class ExplicitMap : public StepMap {
 public:
  ExplicitMap(const RightHandSideTerms& rates, const ProjectorTerms& projection,
              const Integrator& integrator, CompileOptions options)
      : tableau_(tableau_of(integrator)),
        num_q_(projection.q.size()),
        num_v_(projection.v.size()),
        rates_(rates, rates_of(rates), options),
        projection_(projection, options) {}

  std::size_t size() const override { return rates_.size(); }
  std::size_t num_given() const override { return rates_.num_given(); }

  struct Work : Workspace {
    explicit Work(ProjectionMap::Workspace with) : projection(std::move(with)) {}
    std::vector<SolvedFunction::Workspace> stages;
    std::vector<std::vector<double>> k;  // rates, their changes, or the weights ν
    std::vector<double> y, kappa, sums;
    std::vector<double> given;  // as the stages have them
    std::vector<double> start;  // t, h, y₀ of the step that they are of; empty: of none
    ProjectionMap::Workspace projection;
    double h = 0;
  };

  std::unique_ptr<Workspace> make_workspace() const override {
    auto work = std::make_unique<Work>(projection_.make_workspace());
    work->y.resize(size());
    work->kappa.resize(size());
    work->sums.resize(rates_.num_sums());
    for (std::size_t i = 0; i < tableau_.num_stages(); ++i) {
      work->stages.push_back(rates_.make_workspace());
      work->k.emplace_back(size());
    }
    return work;
  }

  bool advance(double t, double h, std::span<double> y, std::span<const double> given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (!evaluate_stages({t, h, y, {}, given}, work)) return false;
    add(tableau_.b(), h, work.k, y);
    return projection_.project(t + h, y.first(num_q_), y.subspan(num_q_, num_v_), given,
                               work.projection);
  }

  bool rates(double t, std::span<const double> y, std::span<const double> given,
             std::span<double> y_rate, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    work.given.clear();
    work.start.clear();
    return rates_.evaluate(t, y, given, y_rate, work.stages[0]);
  }

  bool stand_at(const At& at, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    work.h = at.h;
    return (has_stages(at, work) || evaluate_stages(at, work)) &&
           projection_.stand_at(at.t + at.h, at.y1.first(num_q_), at.y1.subspan(num_q_, num_v_),
                                at.given, work.projection);
  }

  void tangent(std::span<double> dy, std::span<const double> dgiven,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    for (std::size_t i = 0; i < tableau_.num_stages(); ++i) {
      std::copy(dy.begin(), dy.end(), work.y.begin());
      add(tableau_.a[i], work.h, work.k, work.y);
      rates_.tangent(work.y, dgiven, work.k[i], work.stages[i]);
    }
    add(tableau_.b(), work.h, work.k, dy);
    projection_.tangent(dy.first(num_q_), dy.subspan(num_q_, num_v_), dgiven, work.projection);
  }

  bool adjoint(std::span<double> w, std::span<double> w_given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    projection_.adjoint(w.first(num_q_), w.subspan(num_q_, num_v_), w_given, work.projection);
    const std::size_t s = tableau_.num_stages();
    for (std::vector<double>& nu : work.k) std::fill(nu.begin(), nu.end(), 0.0);
    std::fill(work.sums.begin(), work.sums.end(), 0.0);
    for (std::size_t i = s; i-- > 0;) {
      std::fill(work.kappa.begin(), work.kappa.end(), 0.0);
      add_weighted(tableau_.b(), i, work.h, w, work.kappa);
      for (std::size_t j = i + 1; j < s; ++j) {
        add_weighted(tableau_.a[j], i, work.h, work.k[j], work.kappa);
      }
      const std::span<double> nu(work.k[i]);
      if (!rates_.adjoint(work.kappa, nu, work.sums, work.stages[i])) return false;
    }
    rates_.spread(work.sums, w_given);
    for (const std::vector<double>& nu : work.k) {
      for (std::size_t i = 0; i < w.size(); ++i) w[i] += nu[i];
    }
    return true;
  }

 private:
  static void add(const std::vector<Tableau::Weight>& row, double h,
                  const std::vector<std::vector<double>>& k, std::span<double> y) {
    for (const Tableau::Weight& weight : row) {
      const double by = h * weight.value;
      const std::vector<double>& rate = k[weight.stage];
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * rate[i];
    }
  }
  // h times the weight that the row gives to a stage.
  static void add_weighted(const std::vector<Tableau::Weight>& row, std::size_t stage, double h,
                           std::span<const double> from, std::span<double> to) {
    for (const Tableau::Weight& weight : row) {
      if (weight.stage != stage) continue;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += h * weight.value * from[i];
    }
  }

  // From advance(), which then costs the derivatives of the same step nothing.
  static bool has_stages(const At& at, const Work& work) {
    return !work.start.empty() && work.start[0] == at.t && work.start[1] == at.h &&
           std::equal(at.y0.begin(), at.y0.end(), work.start.begin() + 2, work.start.end()) &&
           std::equal(at.given.begin(), at.given.end(), work.given.begin(), work.given.end());
  }

  // Strictly within the step: laws that switch at its ends are on one side.
  bool evaluate_stages(const At& at, Work& work) const {
    if (!std::equal(at.given.begin(), at.given.end(), work.given.begin(), work.given.end())) {
      work.given.assign(at.given.begin(), at.given.end());
      work.start.clear();
      for (SolvedFunction::Workspace& stage : work.stages) rates_.take(at.given, stage);
    }
    const double first = std::nextafter(at.t, HUGE_VAL);
    const double last = std::nextafter(at.t + at.h, -HUGE_VAL);
    for (std::size_t i = 0; i < tableau_.num_stages(); ++i) {
      std::copy(at.y0.begin(), at.y0.end(), work.y.begin());
      add(tableau_.a[i], at.h, work.k, work.y);
      const double t = std::max(first, std::min(at.t + tableau_.c[i] * at.h, last));
      if (!rates_.evaluate(t, work.y, work.k[i], work.stages[i])) {
        work.start.clear();
        return false;
      }
    }
    work.start = {at.t, at.h};
    work.start.insert(work.start.end(), at.y0.begin(), at.y0.end());
    return true;
  }

  Tableau tableau_;
  std::size_t num_q_, num_v_;
  SolvedFunction rates_;
  ProjectionMap projection_;
};

}  // namespace

std::unique_ptr<StepMap> make_explicit_map(const RightHandSideTerms& rates,
                                           const ProjectorTerms& projection,
                                           const Integrator& integrator, CompileOptions options) {
  return std::make_unique<ExplicitMap>(rates, projection, integrator, options);
}

}  // namespace koppel
