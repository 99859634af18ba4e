#include <koppel/study/series_changes.hpp>

#include <climits>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <koppel/base/at.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// The symbols of all x_j⁽ˡ⁾, by unknown and order.
Exprs motion_of(const Dae& dae) {
  Exprs out;
  for (const Dae::Unknown& unknown : dae.unknowns) {
    out.insert(out.end(), unknown.derivative.begin(), unknown.derivative.end());
  }
  return out;
}

Exprs residuals_of(const Dae& dae) {
  Exprs out;
  for (const NamedExpr& residual : dae.residuals) out.push_back(residual.value);
  return out;
}

// The largest r in m!/(m − r)!: orders of derivatives, and offsets.
int most_factors(const SeriesSystem& system) {
  std::size_t most = static_cast<std::size_t>(system.max_d());
  for (const Dae::Unknown& unknown : system.terms().dae.unknowns) {
    most = std::max(most, unknown.derivative.size());
  }
  return static_cast<int>(most);
}

// Time and motion are known to all orders.
std::vector<int> known_leads(const Dae& dae) {
  return std::vector<int>(1 + motion_of(dae).size(), INT_MAX);
}

// Gives a series time, the motion that was expanded and what is given.
void put_motion(const SeriesSystem& system, const SeriesSolver& from, std::span<const double> given,
                const FallingFactorials& falling, const Series& series, SeriesWorkspace& work) {
  work.variable(0)[0] = from.time();
  work.variable(0)[1] = 1;
  std::size_t variable = 1;
  for (int j = 0; j < from.num_unknowns(); ++j) {
    const int count = static_cast<int>(system.terms().dae.unknowns[at(j)].derivative.size());
    for (int l = 0; l < count; ++l, ++variable) {
      if (!series.reads_variable(variable)) continue;
      const std::span<double> x = work.variable(variable);
      for (int m = l; m <= from.degree(j); ++m) {
        x[at(m - l)] = falling(m, l) * from.coefficient(j, m);
      }
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) work.parameter(i) = given[i];
}

Exprs change_symbols(const Dae& dae) {
  return make_symbols(*dae.graph, "series.change", motion_of(dae).size());
}
Exprs given_change_symbols(const Dae& dae) {
  return make_symbols(*dae.graph, "series.change.p", dae.given.size());
}

Series make_tangent(const SeriesSystem& system, int order, CompileOptions options) {
  const Dae& dae = system.terms().dae;
  const Structure& structure = system.terms().structure;
  const Exprs x = motion_of(dae), dx = change_symbols(dae), dp = given_change_symbols(dae);
  SeriesStages stages{known_leads(dae), structure.c};
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
    for (std::size_t l = 0; l < dae.unknowns[j].derivative.size(); ++l) {
      stages.variable_leads.push_back(structure.d[j] - static_cast<int>(l));
    }
  }
  const Exprs changes =
      jacobian_times_vector(residuals_of(dae), join({x, dae.given}), join({dx, dp}));
  return Series(join({{dae.t}, x, dx}), join({dae.given, dp}), changes, order, options, stages);
}

// For each entry of J the one in the mirrored place, with each equation in the place of its
// partner; nothing where not every entry has one.
std::vector<std::size_t> mirrored_entries(const Dae& dae, const Sparsity& J) {
  const std::size_t n = dae.unknowns.size();
  std::vector<int> equation(n, -1);  // of each unknown
  if (dae.partner.size() != n) return {};
  for (std::size_t i = 0; i < n; ++i) {
    if (dae.partner[i] < 0 || equation[at(dae.partner[i])] >= 0) return {};
    equation[at(dae.partner[i])] = static_cast<int>(i);
  }
  std::map<std::pair<int, int>, std::size_t> entries;
  for (int j = 0; j < J.num_columns; ++j) {
    for (int k = J.column_start[at(j)]; k < J.column_start[at(j) + 1]; ++k) {
      entries.emplace(std::pair(j, J.row[at(k)]), at(k));
    }
  }
  std::vector<std::size_t> out;  // in the order of the pattern
  for (const auto& [place, k] : entries) {
    const auto [j, i] = place;
    const auto mirrored = entries.find({dae.partner[at(i)], equation[at(j)]});
    if (mirrored == entries.end()) return {};
    out.resize(std::max(out.size(), k + 1));
    out[k] = mirrored->second;
  }
  return out;
}

}  // namespace

FallingFactorials::FallingFactorials(int most_m, int most_r) : stride_(most_r + 1) {
  for (int m = 0; m <= most_m; ++m) {
    double product = 1;
    for (int r = 0; r <= most_r; ++r) {
      values_.push_back(product);
      product *= m - r;  // 0 from r > m on
    }
  }
}

std::optional<std::vector<FollowingStart>> find_following_starts(const SeriesSystem& system,
                                                                 std::size_t size) {
  const SeriesTerms& terms = system.terms();
  const std::vector<int>&c = terms.structure.c, &d = terms.structure.d;
  std::vector<std::vector<char>> is_in_y;
  for (const int offset : d) is_in_y.emplace_back(at(offset), false);
  for (std::size_t i = 0; i < size; ++i) {
    const auto [j, o] = terms.y[i];
    if (o >= d[at(j)]) return std::nullopt;
    is_in_y[at(j)][at(o)] = true;
  }
  std::vector<FollowingStart> out;
  for (std::size_t i = 0; i < terms.dae.partner.size(); ++i) {
    const int j = terms.dae.partner[i];
    if (j < 0) continue;
    for (int o = 0; o < d[at(j)]; ++o) {
      if (is_in_y[at(j)][at(o)] || o - d[at(j)] + c[i] < 0) continue;
      out.push_back({static_cast<int>(i), j, o - d[at(j)]});
      is_in_y[at(j)][at(o)] = true;
    }
  }
  for (const std::vector<char>& of_unknown : is_in_y) {
    if (std::count(of_unknown.begin(), of_unknown.end(), false) > 0) return std::nullopt;
  }
  if (out.empty()) return out;
  // Each by its own equation.
  const SparseExpr J = system_jacobian(terms.dae, terms.structure);
  for (const FollowingStart& a : out) {
    for (const FollowingStart& b : out) {
      if (a.stage == b.stage && J.at(a.equation, b.unknown) != Expr(a.unknown == b.unknown)) {
        return std::nullopt;
      }
    }
  }
  return out;
}

SeriesTangent::SeriesTangent(const SeriesSystem& system, std::vector<FollowingStart> following,
                             int order, CompileOptions options)
    : system_(system),
      following_(std::move(following)),
      falling_(order, most_factors(system)),
      series_(make_tangent(system, order, options)) {
  const Dae& dae = system.terms().dae;
  std::size_t variable = 1 + motion_of(dae).size();
  for (const Dae::Unknown& unknown : dae.unknowns) {
    variables_.push_back({variable, static_cast<int>(unknown.derivative.size())});
    variable += unknown.derivative.size();
  }
}

// δx_j[m], and δx_j⁽ˡ⁾[m − l] with it.
void SeriesTangent::put(int j, int m, double value, SeriesWorkspace& series) const {
  const auto [first, count] = variables_[at(j)];
  for (int l = 0; l < count && l <= m; ++l) {
    series.variable(first + at(l))[at(m - l)] = falling_(m, l) * value;
  }
}

void SeriesTangent::go(SeriesSolver& from, std::span<const double> given,
                       std::span<const double> dgiven, UnknownSeries& dx, Work& work) const {
  const std::vector<int>& c = system_.terms().structure.c;
  SeriesWorkspace& series = work.series;
  put_motion(system_, from, given, falling_, series_, series);
  for (std::size_t i = 0; i < dgiven.size(); ++i) series.parameter(given.size() + i) = dgiven[i];
  for (const auto [i, j, stage] : following_) dx.of(j)[stage + from.offset(j)] = 0;
  for (int j = 0; j < from.num_unknowns(); ++j) {
    const auto [first, count] = variables_[at(j)];
    for (int l = 0; l < count; ++l) {
      const std::span<double> values = series.variable(first + at(l));
      std::fill(values.begin(), values.end(), 0.0);
    }
    for (int m = 0; m < from.offset(j); ++m) put(j, m, dx.of(j)[m], series);
  }
  for (int k = -system_.max_c(); k < 0; ++k) {
    series_.evaluate(k, series);
    bool has_found = false;
    for (const auto [i, j, stage] : following_) {
      if (stage != k) continue;
      const int n = k + c[at(i)], m = k + from.offset(j);
      dx.of(j)[m] = -series.output(at(i))[at(n)] * falling_(n, n) / falling_(m, m);
      put(j, m, dx.of(j)[m], series);
      has_found = true;
    }
    if (has_found) series_.evaluate(k, series);
  }
  for (int k = 0; k <= from.last_stage(); ++k) {
    series_.evaluate(k, series);
    for (std::size_t i = 0; i < c.size(); ++i) {
      work.b[i] = -falling_(k + c[i], c[i]) * series.output(i)[at(k + c[i])];
    }
    const std::span<const double> X = from.solve(work.b);
    for (int j = 0; j < from.num_unknowns(); ++j) {
      const int d = from.offset(j);
      dx.of(j)[k + d] = X[at(j)] / falling_(k + d, d);
      put(j, k + d, dx.of(j)[k + d], series);
    }
    series_.correct(k, series);
  }
}

// What is compiled, as expressions.
struct SeriesAdjoint::Parts {
  explicit Parts(const SeriesSystem& system) {
    const Dae& dae = system.terms().dae;
    const Structure& structure = system.terms().structure;
    const Exprs S = make_symbols(*dae.graph, "series.weight", dae.residuals.size());
    const Exprs x = motion_of(dae);
    variables = join({{dae.t}, x, S});
    stages.variable_leads = known_leads(dae);
    for (const int c : structure.c) stages.variable_leads.push_back(system.max_d() - c);
    const Exprs all = vector_times_jacobian(S, residuals_of(dae), join({x, dae.given}));
    std::size_t next = 0;
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      for (std::size_t r = 0; r < dae.unknowns[j].derivative.size(); ++r, ++next) {
        if (all[next].is_constant(0)) continue;
        outputs.push_back({static_cast<int>(j), static_cast<int>(r)});
        L.push_back(all[next]);
        stages.output_leads.push_back(system.max_d() - structure.d[j] + static_cast<int>(r));
      }
    }
    stages.first_last = L.size();
    sums = WeightSums(std::span(all).subspan(next));
    L.insert(L.end(), sums.sums().begin(), sums.sums().end());
    stages.output_leads.resize(L.size(), 0);
  }

  Exprs variables, L;
  SeriesStages stages;
  std::vector<Output> outputs;
  WeightSums sums;
};

SeriesAdjoint::SeriesAdjoint(const SeriesSystem& system, std::vector<FollowingStart> following,
                             int order, CompileOptions options)
    : SeriesAdjoint(system, std::move(following), order, Parts(system), options) {}

SeriesAdjoint::SeriesAdjoint(const SeriesSystem& system, std::vector<FollowingStart> following,
                             int order, const Parts& parts, CompileOptions options)
    : system_(system),
      following_(std::move(following)),
      falling_(order, most_factors(system)),
      first_(1 + motion_of(system.terms().dae).size()),
      outputs_(parts.outputs),
      sums_(parts.sums),
      series_(parts.variables, system.terms().dae.given, parts.L, order + system.max_d(), options,
              parts.stages),
      mirrored_(mirrored_entries(system.terms().dae, system.pattern())),
      transposed_(system.pattern()) {}

SeriesAdjoint::Work::Work(const SeriesAdjoint& of)
    : series(of.series_.make_workspace()),
      b(of.system_.terms().dae.unknowns.size()),
      s(b.size()),
      sums(of.sums_.size()),
      values(of.transposed_.from.size()) {}

bool SeriesAdjoint::stand_at(SeriesSolver& from, Work& work) const {
  const std::span<const double> J = from.jacobian();
  work.J.assign(J.begin(), J.end());
  work.is_symmetric = is_symmetric(J);
  if (work.is_symmetric) return true;
  if (!work.transposed) {
    work.transposed = std::make_unique<LinearSolver<double>>(transposed_.pattern);
  }
  transposed_.take(J, work.values);
  return work.transposed->factor(work.values);
}

// To round-off of a few products: mass matrices are symmetric, but not always written so.
bool SeriesAdjoint::is_symmetric(std::span<const double> J) const {
  constexpr double kRoundOff = 16 * std::numeric_limits<double>::epsilon();
  if (mirrored_.size() != J.size()) return false;
  for (std::size_t k = 0; k < J.size(); ++k) {
    const double a = J[k], b = J[mirrored_[k]];
    if (!(std::abs(a - b) <= kRoundOff * std::abs(a))) return false;
  }
  return true;
}

// s of Jᵀs = b.
std::span<const double> SeriesAdjoint::solve(SeriesSolver& from, Work& work) const {
  if (!work.is_symmetric) {
    work.transposed->solve(work.b);
    return work.b;
  }
  const std::vector<int>& partner = system_.terms().dae.partner;
  for (std::size_t i = 0; i < partner.size(); ++i) work.s[i] = work.b[at(partner[i])];
  const std::span<const double> X = from.solve(work.s);
  for (std::size_t i = 0; i < partner.size(); ++i) work.s[i] = X[at(partner[i])];
  return work.s;
}

// Adds the sums of (3) to the weights of the x_j[m], m = N + d_j − stage.
void SeriesAdjoint::weigh(int stage, int N, UnknownSeries& w, Work& work) const {
  const std::vector<int>& d = system_.terms().structure.d;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto [j, r] = outputs_[i];
    const int m = N + d[at(j)] - stage;
    if (m < r) continue;
    const int order = stage + system_.max_d() - d[at(j)] + r;
    w.of(j)[m] += falling_(m, r) * work.series.output(i)[at(order)];
  }
}

// Weights of starts that follow from others, to these: the multipliers of their equations.
void SeriesAdjoint::pass_on(int stage, int N, UnknownSeries& w, Work& work) const {
  const std::vector<int>&c = system_.terms().structure.c, &d = system_.terms().structure.d;
  const Sparsity& J = system_.pattern();
  const int k = N - stage;
  for (const auto [i, unknown, of_stage] : following_) {
    if (of_stage != k) continue;
    const int n = k + c[at(i)], m = k + d[at(unknown)];
    const double s = -std::exchange(w.of(unknown)[m], 0) / falling_(m, m);
    work.series.variable(first_ + at(i))[at(stage + system_.max_d() - c[at(i)])] =
        falling_(n, n) * s;
    for (int j = 0; j < J.num_columns; ++j) {
      if (j == unknown || k + d[at(j)] < 0) continue;
      for (int e = J.column_start[at(j)]; e < J.column_start[at(j) + 1]; ++e) {
        if (J.row[at(e)] != i) continue;
        w.of(j)[k + d[at(j)]] += falling_(k + d[at(j)], k + d[at(j)]) * work.J[at(e)] * s;
      }
    }
  }
}

void SeriesAdjoint::go(SeriesSolver& from, std::span<const double> given, UnknownSeries& w,
                       std::span<double> w_given, Work& work) const {
  const std::vector<int>& c = system_.terms().structure.c;
  const int C = system_.max_d(), N = from.last_stage();
  put_motion(system_, from, given, falling_, series_, work.series);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::span<double> S = work.series.variable(first_ + i);
    std::fill(S.begin(), S.end(), 0.0);
  }
  for (int stage = -C; stage < 0; ++stage) series_.evaluate(stage, work.series);
  for (int stage = 0; stage <= N; ++stage) {
    series_.evaluate(stage, work.series);
    weigh(stage, N, w, work);
    const int k = N - stage;
    for (int j = 0; j < from.num_unknowns(); ++j) {
      const int d = from.offset(j);
      work.b[at(j)] = -w.of(j)[k + d] / falling_(k + d, d);  // (4)
    }
    const std::span<const double> s = solve(from, work);
    for (std::size_t i = 0; i < c.size(); ++i) {
      work.series.variable(first_ + i)[at(stage + C - c[i])] = falling_(k + c[i], c[i]) * s[i];
    }
    series_.correct(stage, work.series);
  }
  // What is left are weights of the x_j[m], m < d_j.
  for (int stage = N + 1; stage <= N + C; ++stage) {
    series_.evaluate(stage, work.series);
    weigh(stage, N, w, work);
    pass_on(stage, N, w, work);
    series_.correct(stage, work.series);
  }
  series_.evaluate_last(N + C, work.series);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    work.sums[i] = work.series.output(outputs_.size() + i)[at(N + C)];
  }
  sums_.spread(work.sums, w_given);
}

}  // namespace koppel
