#include <koppel/simulate/stiff_choice.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/saddle_builder.hpp>
#include <koppel/formulation/fixed_cost/stiff_parts.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/simulate/problem_state.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Jacobian = FixedCostOptions::Jacobian;
using Updates = FixedCostOptions::Updates;

MatrixXd dense(const Matrix& m) {
  return Eigen::Map<const MatrixXd>(m.values.data(), m.rows, m.columns);
}

// (1) at a place: Q_k and V_k.
struct Place {
  std::vector<MatrixXd> Q, V;
};

// The functions that give them.
class Linearization {
 public:
  explicit Linearization(const Descriptor& d)
      : M_(d.equations, *d.equations->M), C_(d.equations, constraint_matrix(d.equations)) {
    const Equations& e = d.equations;
    const std::vector<Expr> nothing(d.lambda.size());
    for (const Equations::ForcePart& part : *e.parts) {
      const std::vector<Expr> f = substitute(part.f, d.lambda, nothing);
      Q_.emplace_back(e, product(jacobian(f, e.q), e.K));
      V_.emplace_back(e, jacobian(f, e.v));
    }
  }

  Place at(const State& state) const {
    const MatrixXd M = dense(M_(state)), C = dense(C_(state));
    MatrixXd N = MatrixXd::Identity(M.rows(), M.rows());
    if (C.rows() > 0) N = Eigen::FullPivLU<MatrixXd>(C).kernel();
    const Eigen::LDLT<MatrixXd> mass(N.transpose() * M * N);
    Place out;
    for (const MatrixFunction& q : Q_) {
      out.Q.emplace_back(mass.solve(N.transpose() * dense(q(state)) * N));
    }
    for (const MatrixFunction& v : V_) {
      out.V.emplace_back(mass.solve(N.transpose() * dense(v(state)) * N));
    }
    return out;
  }

 private:
  MatrixFunction M_, C_;
  std::vector<MatrixFunction> Q_, V_;
};

MatrixXd sum_of(const std::vector<MatrixXd>& parts, const std::vector<char>& taken) {
  MatrixXd out = MatrixXd::Zero(parts[0].rows(), parts[0].cols());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (taken[k]) out += parts[k];
  }
  return out;
}

// ROS2 (rosenbrock_step.hpp) for ẏ = B y with the matrix A.
MatrixXd rosenbrock_map(const MatrixXd& A, const MatrixXd& B, double h) {
  const MatrixXd I = MatrixXd::Identity(A.rows(), A.rows());
  const Eigen::PartialPivLU<MatrixXd> W(I - (1 - std::sqrt(0.5)) * h * A);
  const MatrixXd k1 = W.solve(B), k2 = W.solve(B * (I + h * k1) - 2 * k1);
  return I + h * (1.5 * k1 + 0.5 * k2);
}

// A step (euler_step.hpp) as a map of (z, ż): F are all forces, J those in its Jacobian.
MatrixXd euler_map(const FixedCostOptions& o, const MatrixXd& Fq, const MatrixXd& Fv,
                   const MatrixXd& Jq, const MatrixXd& Jv, double h) {
  const Eigen::Index n = Fq.rows();
  const MatrixXd I = MatrixXd::Identity(n, n), O = MatrixXd::Zero(n, n);
  MatrixXd A = I;
  if (o.jacobian != Jacobian::None && o.jacobian != Jacobian::J3) A -= h * Jv;
  if (o.jacobian == Jacobian::J2 || o.jacobian == Jacobian::Exact) A -= h * h * Jq;
  MatrixXd by_z = Fq, by_rate = Fv;
  if (o.updates == Updates::PositionsFirst && o.jacobian != Jacobian::None) by_rate += h * Jq;
  if (o.updates == Updates::NewPositions) by_rate += h * Fq;
  const Eigen::PartialPivLU<MatrixXd> lu(A);
  const MatrixXd rate_z = h * lu.solve(by_z), rate_rate = I + h * lu.solve(by_rate);
  const bool uses_new = o.updates == Updates::VelocitiesFirst ||
                        (o.updates == Updates::PositionsFirst && o.jacobian == Jacobian::Exact);
  MatrixXd out(2 * n, 2 * n);
  out << (uses_new ? I + h * rate_z : I), (uses_new ? h * rate_rate : h * I), rate_z, rate_rate;
  return out;
}

// ln ρ / h.
double growth(const FixedCostOptions& options, const Place& place, const StiffParts& stiff,
              double h) {
  const std::vector<char> all(place.Q.size(), true);
  const MatrixXd Fq = sum_of(place.Q, all), Fv = sum_of(place.V, all);
  const MatrixXd Jq = sum_of(place.Q, stiff.by_q), Jv = sum_of(place.V, stiff.by_v);
  MatrixXd map;
  if (options.rule == FixedCostOptions::Rule::Rosenbrock) {
    const Eigen::Index n = Fq.rows();
    MatrixXd A = MatrixXd::Zero(2 * n, 2 * n), B = A;
    A.topRightCorner(n, n) = B.topRightCorner(n, n) = MatrixXd::Identity(n, n);
    A.bottomRows(n) << Jq, Jv;
    B.bottomRows(n) << Fq, Fv;
    map = rosenbrock_map(A, B, h);
  } else {
    map = euler_map(options, Fq, Fv, Jq, Jv, h);
  }
  if (!map.allFinite()) return INFINITY;
  const double radius = dense::eigenvalues_only(map).values.cwiseAbs().maxCoeff();
  return std::log(radius) / h;
}

class Search {
 public:
  Search(const FixedCostOptions& options, std::vector<Place> places, double h)
      : options_(options), places_(std::move(places)), h_(h) {
    const std::size_t n = places_[0].Q.size();
    kept_ = {std::vector<char>(n, true), std::vector<char>(n, true)};
    constexpr double kMore = 1e-3;  // 1/s
    for (const double step : steps()) limits_.push_back(std::max(worst(step), 0.0) + kMore);
  }

  StiffParts find() {
    struct Candidate {
      std::size_t part;
      bool is_q;
      double size;
    };
    std::vector<Candidate> candidates;
    for (std::size_t k = 0; k < kept_.by_q.size(); ++k) {
      double q = 0, v = 0;
      for (const Place& place : places_) {
        q = std::max(q, h_ * h_ * place.Q[k].norm());
        v = std::max(v, h_ * place.V[k].norm());
      }
      candidates.push_back({k, true, q});
      candidates.push_back({k, false, v});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.size < b.size; });
    for (const Candidate& c : candidates) {
      char& is_kept = (c.is_q ? kept_.by_q : kept_.by_v)[c.part];
      is_kept = false;
      is_kept = c.size > 0 && !is_stable();
    }
    return kept_;
  }

 private:
  std::vector<double> steps() const { return {h_, 1.5 * h_}; }
  double worst(double step) const {
    double out = -INFINITY;
    for (const Place& place : places_) out = std::max(out, growth(options_, place, kept_, step));
    return out;
  }
  bool is_stable() const {
    const std::vector<double> all = steps();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!(worst(all[i]) <= limits_[i])) return false;
    }
    return true;
  }

  FixedCostOptions options_;
  std::vector<Place> places_;
  double h_;
  StiffParts kept_;
  std::vector<double> limits_;
};

// States of a motion with all derivatives, the start first.
std::vector<State> try_out(const Problem& problem, const State& values,
                           const Integrator& integrator, const Start& start, double h, double end,
                           Projection projection) {
  std::vector<State> out;
  const auto add = [&](double t, std::span<const double> y) {
    State state = values;
    take_motion(problem, t, y, state);
    out.push_back(std::move(state));
  };
  add(start.t, start.y);
  constexpr int kSteps = 2000, kPlaces = 8;
  const double last = std::min(end, start.t + kSteps * h);
  std::vector<double> y(start.y.size());
  IntegrateOptions options;
  options.step = h;
  options.projection = projection;
  int next = 1;
  integrate(problem, integrator, start, last, options, [&](const Step& step) {
    if (step.t1 < start.t + next * (last - start.t) / kPlaces) return true;
    step.evaluate(step.t1, y);
    add(step.t1, y);
    ++next;
    return true;
  });
  return out;
}

}  // namespace

std::string StiffChoice::text() const {
  return fmt::format(
      "at a step of {:g} s the forces treated implicitly are {}; explicitly, {} (by stability at "
      "{} points).",
      h, stiff, left_out, num_places);
}

StiffChoice choose_stiff(const Problem& problem, const Descriptor& d, const Integrator& integrator,
                         const Start& start, double h, double end, Projection projection) {
  assert(d.equations->parts);  // derived ones have them
  const std::vector<Equations::ForcePart>& parts = *d.equations->parts;
  Integrator with_all = integrator;
  with_all.variant.stiff = "all";
  const Linearization linearization(d);
  std::vector<Place> places;
  for (const State& state : try_out(problem, d.state, with_all, start, h, end, projection)) {
    places.push_back(linearization.at(state));
  }
  StiffChoice out;
  out.h = h;
  out.num_places = static_cast<int>(places.size());
  StiffParts kept{std::vector<char>(parts.size()), std::vector<char>(parts.size())};
  if (!parts.empty() && places[0].Q[0].rows() > 0) {
    kept = Search(with_all.fixed_cost(projection), std::move(places), h).find();
  }
  StiffParts others = kept;
  for (auto* list : {&others.by_q, &others.by_v}) {
    for (char& taken : *list) taken = !taken;
  }
  out.stiff = write_stiff(parts, kept);
  out.left_out = write_stiff(parts, others);
  return out;
}

}  // namespace koppel
