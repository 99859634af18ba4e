#include <koppel/control/servo/servo_terms.hpp>

#include <algorithm>
#include <map>

#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

using Place = SeriesTerms::Place;

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

// The columns that Gaussian elimination with column pivoting would solve for.
std::vector<int> independent_columns(const Eigen::MatrixXd& A) {
  std::vector<int> columns = dense::independent_columns(A);
  if (static_cast<Eigen::Index>(columns.size()) < A.rows()) return {};
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace

Exprs servo_symbols(Graph& graph, const std::string& name, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(graph.symbol("servo." + name + '[' + std::to_string(i) + ']'));
  }
  return out;
}

ServoTerms::ServoTerms(const Equations& equations, const State& at, const ServoProblem& problem)
    : e(equations), state(at), servo(problem) {
  y = e.q;
  append(y, e.v);
  append(y, e.x);
  rate = servo_symbols(*e.graph, "rate", y.size());
  for (std::size_t j = 0; j < e.num_v(); ++j) v_rate.push_back(rate[e.num_q() + j]);
  lambda = servo_symbols(*e.graph, "multiplier", e.num_rows());
  for (std::size_t i = 0; i < e.s.size(); ++i) error.push_back(e.s[i].value - e.reference[i]);
  error_rate = rate_of(e, error);
  error_gamma = rate_of(e, error_rate);
  S = jacobian(error_rate, e.v);
}

Exprs ServoTerms::motion(const Exprs& accelerations, const Exprs& multipliers) const {
  const std::span<const Expr> all = multipliers;
  Exprs out = multiply(*e.M, accelerations);
  const Exprs by_g = multiply_transposed(e.G, all.first(e.num_g()));
  const Exprs by_a = multiply_transposed(e.a, all.subspan(e.num_g()));
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += by_g[j] + by_a[j] - e.f[j];
  return out;
}

Exprs ServoTerms::servo_acceleration(const Exprs& accelerations) const {
  Exprs out = multiply(S, accelerations);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += error_gamma[i];
  return out;
}

Exprs ServoTerms::constraints() const {
  Exprs all = e.g;
  const Exprs av = multiply(e.a, e.v);
  for (std::size_t i = 0; i < av.size(); ++i) all.push_back(av[i] + e.b[i]);
  return all;
}

Exprs ServoTerms::constraint_acceleration(const Exprs& accelerations) const {
  Exprs all = multiply(e.G, accelerations);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += e.gamma[i];
  Exprs av = multiply(e.a, e.v);
  for (std::size_t i = 0; i < av.size(); ++i) av[i] += e.b[i];
  const Exprs alpha = rate_of(e, av), aa = multiply(e.a, accelerations);
  for (std::size_t i = 0; i < aa.size(); ++i) all.push_back(aa[i] + alpha[i]);
  return all;
}

ResidualBuilder::ResidualBuilder(const ServoTerms& terms)
    : terms_(terms), places_(terms.servo.problem.series->terms().y) {
  ResidualTerms& out = form_.residual;
  out.t = terms.e.t;
  out.y = terms.y;
  out.index.assign(terms.y.size(), 0);
  form_.start.assign(places_.begin(), places_.begin() + static_cast<long>(terms.y.size()));
}

void ResidualBuilder::add(const std::string& what, const Exprs& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    form_.residual.F.push_back({what + ' ' + std::to_string(i), rows[i]});
  }
}

void ResidualBuilder::add_motion(const Exprs& rows) {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    form_.residual.F.push_back({"motion of " + std::string(terms_.e.v[j].name()), rows[j]});
  }
}

void ResidualBuilder::add_rates(const std::vector<int>& without) {
  const Equations& e = terms_.e;
  std::vector<char> is_counted(e.h.size(), false);
  std::map<std::size_t, Expr> counted;
  for (const Equations::Counted& c : e.counted) {
    is_counted[static_cast<std::size_t>(c.h)] = true;
    counted[static_cast<std::size_t>(c.q)] = e.h[static_cast<std::size_t>(c.h)];
  }
  Exprs others;
  for (std::size_t k = 0; k < e.h.size(); ++k) {
    if (!is_counted[k]) others.push_back(e.h[k]);
  }
  eta_ = servo_symbols(*e.graph, "eta", others.size());
  add("invariant", others);
  const Exprs Kv = multiply(e.K, e.v);
  const Exprs by_eta = multiply_transposed(jacobian(others, e.q), eta_);
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    if (std::binary_search(without.begin(), without.end(), static_cast<int>(i))) continue;
    const std::string name = "rate of " + std::string(e.q[i].name());
    if (const auto it = counted.find(i); it != counted.end()) {
      form_.residual.F.push_back({name, it->second});
      form_.residual.index[i] = 1;
    } else {
      form_.residual.F.push_back({name, terms_.rate[i] - Kv[i] - by_eta[i]});
    }
  }
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    form_.residual.F.push_back(
        {"rate of " + std::string(e.x[i].name()), terms_.rate[e.num_q() + e.num_v() + i] - e.r[i]});
  }
}

void ResidualBuilder::add_constraints() {
  const Exprs rows = terms_.constraints();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    form_.residual.F.push_back({terms_.e.rows[i].name, rows[i]});
  }
}

void ResidualBuilder::add_servo(const Exprs& rows, const char* level) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    form_.residual.F.push_back({level + terms_.e.s[i].name, rows[i]});
  }
}

void ResidualBuilder::add_unknowns(const Exprs& unknowns, int index,
                                   const std::vector<Place>& places) {
  append(form_.residual.y, unknowns);
  form_.residual.index.resize(form_.residual.y.size(), index);
  form_.start.insert(form_.start.end(), places.begin(), places.end());
  form_.start.resize(form_.residual.y.size(), Place{-1, 0});
}

std::vector<Place> ResidualBuilder::multiplier_places() const {
  const auto first = places_.begin() + static_cast<long>(terms_.y.size());
  return {first, first + static_cast<long>(terms_.e.num_rows())};
}

std::vector<Place> ResidualBuilder::acceleration_places() const {
  std::vector<Place> out;
  for (std::size_t j = 0; j < terms_.e.num_v(); ++j) {
    const Place& v = places_[terms_.e.num_q() + j];
    out.push_back({v.unknown, v.order + 1});
  }
  return out;
}

void ResidualBuilder::add_multipliers() { add_unknowns(terms_.lambda, 3, multiplier_places()); }

void ResidualBuilder::add_inputs() {
  add_unknowns(eta_, 2, {});
  add_unknowns(terms_.e.u, 3,
               {places_.end() - static_cast<long>(terms_.e.u.size()), places_.end()});
}

ReducedForm ResidualBuilder::finish() {
  ResidualTerms& out = form_.residual;
  out.y_rate = terms_.rate;
  append(out.y_rate, servo_symbols(*terms_.e.graph, "no_rate", out.y.size() - terms_.rate.size()));
  out.given.symbols = terms_.e.p;
  out.given.values = terms_.state.p;
  return std::move(form_);
}

// Where inputs act, velocities should have rates: their accelerations are what the inputs come
// from. Others are taken before them.
Dependent choose_dependent(const ServoTerms& terms) {
  const Equations& e = terms.e;
  const Eigen::MatrixXd by_q =
      dense::view(MatrixFunction(e, jacobian(terms.error, e.q))(terms.state));
  Eigen::MatrixXd by_v = dense::view(MatrixFunction(e, terms.S)(terms.state));
  // Where velocities are the rates of positions, those of the same positions.
  const bool is_same = by_q.cols() == by_v.cols() && by_q == by_v;
  const Eigen::MatrixXd B = dense::view(MatrixFunction(e, jacobian(e.f, e.u))(terms.state));
  constexpr double kLater = 1e-3;
  for (Eigen::Index j = 0; j < by_v.cols(); ++j) {
    if (!B.row(j).isZero(0)) by_v.col(j) *= kLater;
  }
  Dependent out;
  out.v = independent_columns(by_v);
  out.q = is_same ? out.v : independent_columns(by_q);
  if (!out.v.empty() && !out.q.empty()) return out;
  throw Error("control.dependent-outputs",
              "the outputs of '" + e.model +
                  "' are not independent of each other at the start: one follows from the rest.",
              "Prescribe others, or begin elsewhere.");
}

}  // namespace koppel
