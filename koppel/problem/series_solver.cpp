#include <koppel/problem/series_solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace koppel {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
// Newton's method squares errors: after a correction this small, relative to the unknown, the next
// would be round-off.
constexpr double kQuadratic = 1e-9;
constexpr int kMaxIterations = 25;
// So many are on the tape, where it is not known how many there will be. Generating takes 0.5 µs an
// operation, an expansion on the tape 0.05 µs an operation more than in machine code; an
// integration has two solvers that take turns.
constexpr int kFewExpansions = 4;
constexpr double kMany = 20;  // of an integration: machine code pays from the first one on
constexpr int kFewMatrices = 30;

}  // namespace

SeriesSolver::SeriesSolver(const SeriesSystem& system, int order, double tolerance)
    : system_(&system),
      order_(order),
      last_stage_(order - system.max_d()),
      series_(system.compiled(order)),
      work_(series_->make_workspace(Uses::Few)),
      c_(system.terms().structure.c),
      J_work_(system.J().make_workspace(Uses::Few)),
      linear_(system.pattern()) {
  const SeriesTerms& terms = system.terms();
  time_ = work_.variable(0).data();
  std::size_t next = 1;
  const auto add_zero = [&](std::size_t variable, int lead) {
    if (lead < 0) return;
    (series_->needs_zero(variable) ? zeros_ : first_zeros_)
        .push_back({work_.variable(variable).data(), lead});
  };
  for (std::size_t j = 0; j < terms.dae.unknowns.size(); ++j) {
    const std::size_t count = terms.dae.unknowns[j].derivative.size();
    add_zero(next, terms.structure.d[j]);
    const int first = static_cast<int>(derivatives_.size());
    unknowns_.push_back({terms.structure.d[j], work_.variable(next).data(), first,
                         first + static_cast<int>(count) - 1});
    for (std::size_t l = 1; l < count; ++l) {
      derivatives_.push_back(
          {static_cast<int>(l), terms.structure.d[j], j, work_.variable(next + l).data()});
      if (!series_->reads_variable(next + l)) continue;
      read_.push_back(derivatives_.size() - 1);
      if (series_->reads_variable_later(next + l)) read_later_.push_back(derivatives_.size() - 1);
      add_zero(next + l, terms.structure.d[j] - static_cast<int>(l));
    }
    next += count;
  }
  for (std::size_t i = 0; i < c_.size(); ++i) residuals_.push_back(work_.output(i));
  factorial_.assign(1, 1.0);
  for (int k = 1; k <= order + 1; ++k) factorial_.push_back(factorial_.back() * k);
  set_scales();
  J_in_.resize(system.J().num_inputs());
  take(terms.given);
  J_values_.resize(system.J().num_outputs());
  row_scale_.resize(c_.size());
  // Round-off of every row, and some growth of the entries.
  const double round_off = kEps * static_cast<double>(c_.size());
  most_defect_ = std::clamp(0.1 * tolerance, 100 * round_off, 1000 * round_off);
  if (series_->has_solution()) {
    factors_work_ = system.factors()->make_workspace(Uses::Few);
    factors_.resize(system.factors()->num_outputs());
    b_ = work_.right_side();
    saved_b_.resize(b_.size());
    difference_.resize(b_.size());
    size_.resize(b_.size());
  } else {
    own_b_.resize(c_.size());
    b_ = own_b_;
  }
  find_rows();
}

void SeriesSolver::set_scales() {
  max_offset_ = std::max(system_->max_d(), system_->max_c());
  for (int k = 0; k <= last_stage_; ++k) {
    double factor = 1;  // (k + o)!/k!
    for (int o = 0; o <= max_offset_; ++o) {
      scale_.push_back(factor);
      over_.push_back(1 / factor);
      factor *= k + o + 1;
    }
  }
  // Velocities without mass, as y has them, are of higher order than any offset.
  int highest = max_offset_;
  for (const auto [unknown, o] : system_->terms().y) highest = std::max(highest, o);
  for (int o = 0; o <= highest; ++o) {
    auto& choose = choose_.emplace_back();  // C(n, o)
    for (int n = 0; n <= order_; ++n) {
      choose.push_back(n < o ? 0 : n == o ? 1 : choose.back() * n / (n - o));
    }
  }
}

void SeriesSolver::take(std::span<const double> given) {
  for (std::size_t i = 0; i < given.size(); ++i) work_.parameter(i) = given[i];
  std::copy(given.begin(), given.end(), J_in_.end() - static_cast<std::ptrdiff_t>(given.size()));
}

void SeriesSolver::set_time(double t) {
  time_[0] = t;
  if (order_ > 0) time_[1] = 1;
}

void SeriesSolver::put(const Unknown& unknown, int o, double coefficient) {
  unknown.x[o] = coefficient;
  double factor = 1;  // o!/(o − l)!
  for (int n = unknown.first; n < unknown.last; ++n) {
    const Derivative& derivative = derivatives_[static_cast<std::size_t>(n)];
    if (derivative.l > o) break;
    factor *= o - derivative.l + 1;
    derivative.series[o - derivative.l] = factor * coefficient;
  }
}

void SeriesSolver::set(int j, int o, double coefficient) {
  put(unknowns_[static_cast<std::size_t>(j)], o, coefficient);
}

void SeriesSolver::list_point() {
  std::size_t next = 0;
  J_in_[next++] = time_[0];
  for (const Unknown& unknown : unknowns_) {
    J_in_[next++] = unknown.x[0];
    for (int n = unknown.first; n < unknown.last; ++n) {
      J_in_[next++] = derivatives_[static_cast<std::size_t>(n)].series[0];
    }
  }
}

void SeriesSolver::put_point() {
  list_point();
  ++num_factorizations_;
}

std::span<const double> SeriesSolver::jacobian() {
  list_point();
  if (++num_matrices_ == kFewMatrices) J_work_ = system_->J().make_workspace();
  system_->J().evaluate(J_in_, J_values_, J_work_);
  return J_values_;
}

std::span<const double> SeriesSolver::solve(std::span<const double> b) {
  std::copy(b.begin(), b.end(), b_.begin());
  return {solve(), b_.size()};
}

SeriesSolver::Status SeriesSolver::factor() {
  put_point();
  is_in_code_ = series_->has_solution() && factor_in_code();
  if (is_in_code_) return Status::Ok;
  if (++num_matrices_ == kFewMatrices) J_work_ = system_->J().make_workspace();
  system_->J().evaluate(J_in_, J_values_, J_work_);
  if (!linear_.factor(J_values_)) {
    const bool finite =
        std::all_of(J_values_.begin(), J_values_.end(), [](double x) { return std::isfinite(x); });
    return finite ? Status::Singular : Status::NotFinite;
  }
  set_row_scales();
  return Status::Ok;
}

// What a residual can be at best: round-off of its terms, of the size max_j |J_ij| max(1, |x_j|).
void SeriesSolver::set_row_scales() {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  const Sparsity& pattern = system_->pattern();
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const double size = std::max(1.0, std::abs(unknowns_[j].x[0]));
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      double& scale =
          row_scale_[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])];
      scale = std::max(scale, size * std::abs(J_values_[static_cast<std::size_t>(e)]));
    }
  }
}

// After corrections so small, relative to the unknowns, the order of pivots serves as it did
// before: where they would change that, the defect was too large already.
SeriesSolver::Status SeriesSolver::factor_again() {
  if (!is_in_code_ || largest_correction_ > kQuadratic) return factor();
  put_point();
  evaluate_factors();
  return Status::Ok;
}

void SeriesSolver::evaluate_factors() {
  system_->factors()->evaluate(J_in_, factors_, factors_work_);
  const std::span<double> entries = work_.entries();
  std::copy_n(factors_.data(), entries.size(), entries.data());
}

bool SeriesSolver::factor_in_code() {
  evaluate_factors();
  std::copy(factors_.end() - static_cast<std::ptrdiff_t>(J_values_.size()), factors_.end(),
            J_values_.begin());
  if (!(measure_defect() <= most_defect_)) return false;
  set_row_scales();
  return true;
}

// The backward error of the solution of J x = b in code, summed over the rows, for one b of the
// size of J:
//   Σ_i |Σ_j J_ij x_j − b_i| / (Σ_j |J_ij| |x_j| + b_i),     b_i = Σ_j |J_ij|.
// It is large where entries grow, and also where rows of constraints are nearly dependent: their
// Schur complement has the square of their condition, and the error shows in their own rows,
// which the large multipliers do not enter.
double SeriesSolver::measure_defect() {
  const Sparsity& pattern = system_->pattern();
  const auto for_each_entry = [&](auto&& f) {
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
        const auto k = static_cast<std::size_t>(e);
        f(static_cast<std::size_t>(pattern.row[k]), j, J_values_[k]);
      }
    }
  };
  std::copy(b_.begin(), b_.end(), saved_b_.begin());  // it may be in use
  std::fill(b_.begin(), b_.end(), 0.0);
  for_each_entry([&](std::size_t i, std::size_t, double value) { b_[i] += std::abs(value); });
  series_->solve(work_);
  const std::span<const double> x = work_.solution();
  for (std::size_t i = 0; i < b_.size(); ++i) {
    difference_[i] = -b_[i];
    size_[i] = b_[i];
  }
  for_each_entry([&](std::size_t i, std::size_t j, double value) {
    const double term = value * x[j];
    difference_[i] += term;
    size_[i] += std::abs(term);
  });
  double sum = 0;
  for (std::size_t i = 0; i < b_.size(); ++i) sum += std::abs(difference_[i]) / size_[i];
  std::copy(saved_b_.begin(), saved_b_.end(), b_.begin());
  return sum;
}

// The solution for b, which it may overwrite.
const double* SeriesSolver::solve() {
  if (!is_in_code_) {
    linear_.solve(b_);
    return b_.data();
  }
  series_->solve(work_);
  return work_.solution().data();
}

// b = −R of (1) divided by k! (for k ≥ 0), 0 for equations that are not active. Returns the largest
// residual in units of its round-off.
double SeriesSolver::right_side(int k) {
  const double over = k > 0 ? 1 / factorial_[static_cast<std::size_t>(k)] : 1;
  double largest = 0;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const int o = k + c_[i];
    if (o < 0) {
      b_[i] = 0;
      continue;
    }
    b_[i] = -residuals_[i][static_cast<std::size_t>(o)] *
            (factorial_[static_cast<std::size_t>(o)] * over);
    largest = std::max(largest, std::abs(b_[i]) / row_scale_[i]);
  }
  return largest / kEps;
}

// Newton's method in stage k < 0, from the values that are there.
SeriesSolver::Status SeriesSolver::correct_stage(int k) {
  bool is_fresh = true;  // the matrix is that of the present point, but for small corrections
  double last = std::numeric_limits<double>::infinity();
  series_->evaluate(k, work_);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double residual = right_side(k);
    if (!std::isfinite(residual)) return Status::NotFinite;
    if (residual <= 2) return Status::Ok;
    if (!is_fresh) {
      if (const Status status = factor(); status != Status::Ok) return status;
    }
    const double* const X = solve();
    double correction = 0;
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& unknown = unknowns_[j];
      const int o = k + unknown.d;
      if (o < 0) continue;
      const double delta = X[j] / factorial_[static_cast<std::size_t>(o)];
      correction = std::max(correction, std::abs(delta) / std::max(1.0, std::abs(unknown.x[o])));
      put(unknown, o, unknown.x[o] + delta);
    }
    if (!std::isfinite(correction)) return Status::NotFinite;
    largest_correction_ = std::max(largest_correction_, correction);
    series_->evaluate(k, work_);
    if (correction < kQuadratic) return Status::Ok;
    // Where corrections no longer become smaller, they are round-off of a nearly singular matrix.
    if (correction > 0.5 * last && correction < 1e-6) return Status::Ok;
    last = correction;
    is_fresh = false;
  }
  return Status::NotConverged;
}

SeriesSolver::Status SeriesSolver::make_consistent() {
  largest_correction_ = 0;
  if (const Status status = factor(); status != Status::Ok) return status;
  for (int k = -system_->max_c(); k < 0; ++k) {
    if (const Status status = correct_stage(k); status != Status::Ok) return status;
  }
  // The matrix of the stages to come must be that of the point they start from: where it is nearly
  // singular, the smallest correction shows.
  if (largest_correction_ > 4 * kEps) return factor_again();
  return Status::Ok;
}

// Stage 0 where F is not linear in its unknowns: Newton's method from the values that are there.
SeriesSolver::Status SeriesSolver::solve_first_stage() {
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (const Status status = factor(); status != Status::Ok) return status;
    series_->evaluate(0, work_);
    const double residual = right_side(0);
    if (!std::isfinite(residual)) return Status::NotFinite;
    const double* const X = solve();
    double correction = 0;
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& unknown = unknowns_[j];
      const double delta = X[j] / factorial_[static_cast<std::size_t>(unknown.d)];
      const double size = std::max(1.0, std::abs(unknown.x[unknown.d]));
      correction = std::max(correction, std::abs(delta) / size);
      put(unknown, unknown.d, unknown.x[unknown.d] + delta);
    }
    if (!std::isfinite(correction)) return Status::NotFinite;
    if (correction < 10 * kEps || (correction < kQuadratic && iteration > 0)) {
      if (const Status status = factor(); status != Status::Ok) return status;
      series_->evaluate(0, work_);
      return Status::Ok;
    }
  }
  return Status::NotConverged;
}

void SeriesSolver::expect(double num_expansions) {
  if (!(num_expansions >= kMany) || num_expansions_ >= kFewExpansions) return;
  num_expansions_ = kFewExpansions;
  use_machine_code();
}

void SeriesSolver::use_machine_code() {
  series_->use_machine_code(work_);
  if (series_->has_solution()) factors_work_ = system_->factors()->make_workspace();
}

SeriesSolver::Status SeriesSolver::expand(int last) {
  int k = 0;
  followed_ = last;
  if (++num_expansions_ == kFewExpansions) use_machine_code();
  if (!system_->is_quasilinear()) {
    if (const Status status = solve_first_stage(); status != Status::Ok) return status;
    k = 1;
  }
  const int in_code = is_in_code_ ? std::max(k, series_->expands_from(work_)) : last + 1;
  expand_stages(k, std::min(in_code - 1, last));
  if (in_code <= last) series_->expand(in_code, last, work_);
  for (const Unknown& unknown : unknowns_) {
    if (!std::isfinite(unknown.x[last + unknown.d])) return Status::NotFinite;
  }
  return Status::Ok;
}

void SeriesSolver::append_expansion(std::vector<double>& to) const {
  for (int j = 0; j < num_unknowns(); ++j) {
    const double* const x = unknowns_[static_cast<std::size_t>(j)].x;
    to.insert(to.end(), x, x + degree(j) + 1);
  }
}

// Of derivatives, stages k < 0 and the matrix read the lowest coefficients only.
bool SeriesSolver::put_expansion(std::span<const double> coefficients) {
  std::size_t size = 0;
  for (int j = 0; j < num_unknowns(); ++j) size += static_cast<std::size_t>(degree(j)) + 1;
  if (coefficients.size() != size) return false;
  const double* next = coefficients.data();
  for (int j = 0; j < num_unknowns(); ++j) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(j)];
    const int lowest = std::max(unknown.d, unknown.last - unknown.first);
    for (int o = 0; o <= std::min(lowest, degree(j)); ++o) put(unknown, o, next[o]);
    std::copy_n(next, degree(j) + 1, unknown.x);
    next += degree(j) + 1;
  }
  followed_ = last_stage_;
  return true;
}

// As generated code does (series_expansion.hpp), to the last bit.
void SeriesSolver::expand_stages(int k, int last) {
  for (; k <= last; ++k) {
    if (k == 0) {
      for (const Zero& zero : first_zeros_) zero.x[zero.lead] = 0;
    }
    for (const Zero& zero : zeros_) zero.x[k + zero.lead] = 0;
    series_->evaluate(k, work_);
    const double* const scale = scale_.data() + k * (max_offset_ + 1);  // (k + o)!/k!
    for (std::size_t i = 0; i < b_.size(); ++i) {
      b_[i] = -residuals_[i][static_cast<std::size_t>(k + c_[i])] * scale[c_[i]];
    }
    const double* const X = solve();
    const double* const over = over_.data() + k * (max_offset_ + 1);
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      unknowns_[j].x[k + unknowns_[j].d] = X[j] * over[unknowns_[j].d];
    }
    for (const std::size_t n : k == 0 ? read_ : read_later_) {
      // x⁽ˡ⁾[o] = k!/o! X
      const Derivative& derivative = derivatives_[n];
      const int lead = derivative.d - derivative.l;
      if (lead >= 0) derivative.series[k + lead] = X[derivative.unknown] * over[lead];
    }
    series_->correct(k, work_);
  }
}

// Horner's rule for a polynomial and its derivatives: of the coefficients from the n-th on, with
//   p_o = Σ_{i ≥ n} C(i − n, o) x_i h^{i−n−o},     p_o ← h p_o + p_{o−1},   p_0 ← h p_0 + x_{n−1}.
void SeriesSolver::follow(double h, SeriesSolver& there) const {
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Unknown& unknown = unknowns_[j];
    const Unknown& to = there.unknowns_[j];
    const double* const x = unknown.x;
    const int last = followed_ + unknown.d;
    if (unknown.d == 2) {  // the coordinates of a mechanism
      double value = x[last], rate = 0;
      for (int n = last - 1; n >= 0; --n) {
        rate = rate * h + value;
        value = value * h + x[n];
      }
      there.put(to, 0, value);
      there.put(to, 1, rate);
    } else {
      for (int o = 0; o < std::max(1, unknown.d); ++o) {
        there.put(to, o, evaluate(static_cast<int>(j), o, h));
      }
    }
  }
}

namespace {

using Two = double __attribute__((vector_size(16)));

Two two_from(const double* x) {
  Two out;
  std::memcpy(&out, x, sizeof out);
  return out;
}

// Σ_{i≤n} c_i hⁱ: above the first, which is added last for the sake of round-off, by Horner's rule
// in h⁴ for every fourth term, four short sums side by side. `one(i)` is c_i, `two(i)` c_i and the
// next.
template <typename One, typename Pair>
double sum_powers(int n, double h, One&& one, Pair&& two) {
  Two low = {}, high = {};
  int i = n & ~3;
  if (n - i > 0) low[0] = one(i + 1);
  if (n - i > 1) low[1] = one(i + 2);
  if (n - i > 2) high[0] = one(i + 3);
  const double square = h * h, fourth = square * square;
  while ((i -= 4) >= 0) {
    low = low * fourth + two(i + 1);
    high = high * fourth + two(i + 3);
  }
  return one(0) + h * ((low[0] + h * low[1]) + square * (high[0] + h * high[1]));
}

// Σ_{i≤n} a_i b_i, the first added last; 0 for n < 0.
double sum_products(int n, const double* a, const double* b) {
  if (n < 0) return 0;
  Two low = {}, high = {};
  int i = n;
  for (; i >= 4; i -= 4) {
    low += two_from(a + i - 3) * two_from(b + i - 3);
    high += two_from(a + i - 1) * two_from(b + i - 1);
  }
  double sum = (high[0] + high[1]) + (low[0] + low[1]);
  for (; i > 0; --i) sum += a[i] * b[i];
  return a[0] * b[0] + sum;
}

}  // namespace

double SeriesSolver::evaluate(int j, int o, double h) const {
  const Unknown& unknown = unknowns_[static_cast<std::size_t>(j)];
  const double* const x = unknown.x + o;
  const int n = followed_ + unknown.d - o;
  if (n < 0) return 0;
  if (o == 0) {
    return sum_powers(
        n, h, [&](int i) { return x[i]; }, [&](int i) { return two_from(x + i); });
  }
  const double* const choose = choose_[static_cast<std::size_t>(o)].data() + o;
  return sum_powers(
      n, h, [&](int i) { return choose[i] * x[i]; },
      [&](int i) { return two_from(choose + i) * two_from(x + i); });
}

void SeriesSolver::evaluate(std::span<const SeriesTerms::Place> places, double h,
                            std::span<double> x) const {
  std::array<double, Series::kMaxOrder + 1> factors;  // m!/(m − o)! hᵐ⁻ᵒ at m − o
  int known = -1;
  const bool overflows = std::pow(std::abs(h), order_) > 1e200;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [unknown, o] = places[i];
    const Unknown& of = unknowns_[static_cast<std::size_t>(unknown)];
    if (overflows) {
      x[i] = factorial_[static_cast<std::size_t>(o)] * evaluate(unknown, o, h);
      continue;
    }
    if (o != known) {
      double power = factorial_[static_cast<std::size_t>(o)];
      for (int m = o; m <= order_; ++m, power *= h) {
        factors[static_cast<std::size_t>(m - o)] =
            choose_[static_cast<std::size_t>(o)][static_cast<std::size_t>(m)] * power;
      }
      known = o;
    }
    x[i] = sum_products(followed_ + of.d - o, of.x + o, factors.data());
  }
}

}  // namespace koppel
