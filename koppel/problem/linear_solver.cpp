#include <koppel/problem/linear_solver.hpp>

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace koppel {
namespace {

// Below this size a dense factorisation costs less than KLU's bookkeeping.
constexpr int kAlwaysDense = 24;
// Above it only matrices that are nearly full are treated as dense.
constexpr int kDenseLimit = 64;

bool wants_sparse(const Sparsity& pattern) {
  const int n = pattern.num_rows;
  if (n <= kAlwaysDense) return false;
  const double filled = pattern.num_entries() / (static_cast<double>(n) * n);
  return n > kDenseLimit ? filled < 0.5 : filled < 0.15;
}

// LU with partial pivoting of a matrix by columns, rows scaled to the largest entry 1.
template <typename Scalar>
class DenseLu {
 public:
  explicit DenseLu(const Sparsity& pattern)
      : pattern_(pattern),
        n_(static_cast<std::size_t>(pattern.num_rows)),
        a_(n_ * n_),
        scale_(n_),
        row_(n_),
        inverse_(n_),
        x_(n_) {}

  bool factor(std::span<const Scalar> values) {
    std::fill(a_.begin(), a_.end(), Scalar(0));
    std::fill(scale_.begin(), scale_.end(), 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
        const auto i = static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)]);
        a_[i + j * n_] = values[static_cast<std::size_t>(k)];
        scale_[i] = std::max(scale_[i], std::abs(values[static_cast<std::size_t>(k)]));
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(scale_[i] > 0) || !std::isfinite(scale_[i])) return false;
      scale_[i] = 1 / scale_[i];
    }
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < n_; ++i) a_[i + j * n_] *= scale_[i];
    }
    for (std::size_t i = 0; i < n_; ++i) row_[i] = i;
    switch (n_) {
      case 1: factor_of_size<1>(); break;
      case 2: factor_of_size<2>(); break;
      case 3: factor_of_size<3>(); break;
      case 4: factor_of_size<4>(); break;
      case 5: factor_of_size<5>(); break;
      case 6: factor_of_size<6>(); break;
      case 7: factor_of_size<7>(); break;
      case 8: factor_of_size<8>(); break;
      default: factor_of_size<0>(); break;
    }
    return is_regular_;
  }

  double quality() const { return quality_; }

  void solve(Scalar* b) const {
    switch (n_) {
      case 1: return solve_of_size<1>(b);
      case 2: return solve_of_size<2>(b);
      case 3: return solve_of_size<3>(b);
      case 4: return solve_of_size<4>(b);
      case 5: return solve_of_size<5>(b);
      case 6: return solve_of_size<6>(b);
      case 7: return solve_of_size<7>(b);
      case 8: return solve_of_size<8>(b);
      default: return solve_of_size<0>(b);
    }
  }

 private:
  // N: the size where it is small, so that the loops are unrolled; 0: any.
  template <std::size_t N>
  void factor_of_size() {
    const std::size_t n = N == 0 ? n_ : N;
    is_regular_ = false;
    double smallest = INFINITY, largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      Scalar* const column = a_.data() + k * n;
      std::size_t best = k;
      double size = std::abs(column[k]);
      for (std::size_t i = k + 1; i < n; ++i) {
        if (const double s = std::abs(column[i]); s > size) {
          size = s;
          best = i;
        }
      }
      if (!(size > 0) || !std::isfinite(size)) return;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
      if (best != k) {
        std::swap(row_[k], row_[best]);
        for (std::size_t j = 0; j < n; ++j) std::swap(a_[k + j * n], a_[best + j * n]);
      }
      inverse_[k] = Scalar(1) / column[k];
      for (std::size_t i = k + 1; i < n; ++i) column[i] *= inverse_[k];
      for (std::size_t j = k + 1; j < n; ++j) {
        Scalar* const other = a_.data() + j * n;
        const Scalar factor = other[k];
        if (factor == Scalar(0)) continue;
        for (std::size_t i = k + 1; i < n; ++i) other[i] -= factor * column[i];
      }
    }
    quality_ = n == 0 ? 1 : smallest / largest;
    is_regular_ = true;
  }

  template <std::size_t N>
  void solve_of_size(Scalar* b) const {
    const std::size_t n = N == 0 ? n_ : N;
    Scalar* const x = x_.data();
    for (std::size_t i = 0; i < n; ++i) x[i] = scale_[row_[i]] * b[row_[i]];
    for (std::size_t k = 0; k < n; ++k) {
      const Scalar* const column = a_.data() + k * n;
      for (std::size_t i = k + 1; i < n; ++i) x[i] -= x[k] * column[i];
    }
    for (std::size_t k = n; k-- > 0;) {
      const Scalar* const column = a_.data() + k * n;
      x[k] *= inverse_[k];
      for (std::size_t i = 0; i < k; ++i) x[i] -= x[k] * column[i];
    }
    std::copy(x, x + n, b);
  }

  Sparsity pattern_;
  std::size_t n_;
  std::vector<Scalar> a_;  // L below the diagonal, U on and above it
  std::vector<double> scale_;
  std::vector<std::size_t> row_;  // of the matrix, for each pivot
  std::vector<Scalar> inverse_;   // of U's diagonal
  mutable std::vector<Scalar> x_;
  double quality_ = 0;
  bool is_regular_ = false;
};

// KLU for both kinds of numbers.
template <typename Scalar>
class SparseLu {
 public:
  explicit SparseLu(const Sparsity& pattern) : pattern_(pattern) {
    klu_defaults(&common_);
    common_.halt_if_singular = 1;
    common_.scale = 2;  // rows by their largest entry
    // The diagonal is preferred, for little fill, where it is not smaller than this part of its
    // column. Each elimination may multiply round-off by the inverse; with KLU's own 0.001 three
    // digits of Taylor coefficients are lost here and there.
    common_.tol = 0.1;
    symbolic_ =
        klu_analyze(pattern_.num_rows, pattern_.column_start.data(), pattern_.row.data(), &common_);
  }
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;
  ~SparseLu() {
    free_numeric();
    if (symbolic_ != nullptr) klu_free_symbolic(&symbolic_, &common_);
  }

  bool factor(std::span<const Scalar> values) {
    if (symbolic_ == nullptr) return false;  // structurally singular
    if (numeric_ != nullptr && refactor(values) && measure() > 0 &&
        growth(values) > kPoorPivots * good_growth_) {
      return true;
    }
    free_numeric();
    auto* const data = numbers(values);
    int* const start = pattern_.column_start.data();
    int* const row = pattern_.row.data();
    if constexpr (std::is_same_v<Scalar, double>) {
      numeric_ = klu_factor(start, row, data, symbolic_, &common_);
    } else {
      numeric_ = klu_z_factor(start, row, data, symbolic_, &common_);
    }
    if (numeric_ == nullptr) return false;
    good_growth_ = std::max(growth(values), 0.5 * good_growth_);
    return measure() > 0;
  }

  double quality() const { return quality_; }

  void solve(Scalar* b) const {
    auto* const data = reinterpret_cast<double*>(b);
    if constexpr (std::is_same_v<Scalar, double>) {
      klu_solve(symbolic_, numeric_, pattern_.num_rows, 1, data, &common_);
    } else {
      klu_z_solve(symbolic_, numeric_, pattern_.num_rows, 1, data, &common_);
    }
  }

 private:
  // The old pivots serve until growth() falls below this part of what new ones had, a digit. Their
  // best is forgotten by halves, so that one poor moment sets no standard, and a matrix that has
  // changed for good does not ask for new pivots for ever.
  static constexpr double kPoorPivots = 0.1;

  static double* numbers(std::span<const Scalar> values) {
    return const_cast<double*>(reinterpret_cast<const double*>(values.data()));
  }

  bool refactor(std::span<const Scalar> values) {
    int* const start = pattern_.column_start.data();
    int* const row = pattern_.row.data();
    if constexpr (std::is_same_v<Scalar, double>) {
      return klu_refactor(start, row, numbers(values), symbolic_, numeric_, &common_) != 0;
    } else {
      return klu_z_refactor(start, row, numbers(values), symbolic_, numeric_, &common_) != 0;
    }
  }

  double measure() {
    if constexpr (std::is_same_v<Scalar, double>) {
      klu_rcond(symbolic_, numeric_, &common_);
    } else {
      klu_z_rcond(symbolic_, numeric_, &common_);
    }
    return quality_ = std::isfinite(common_.rcond) ? common_.rcond : 0;
  }

  // The largest entry of a column of A over that of U, the least of all columns: its inverse is how
  // much elimination has enlarged numbers, and with them round-off.
  double growth(std::span<const Scalar> values) {
    int* const start = pattern_.column_start.data();
    int* const row = pattern_.row.data();
    if constexpr (std::is_same_v<Scalar, double>) {
      klu_rgrowth(start, row, numbers(values), symbolic_, numeric_, &common_);
    } else {
      klu_z_rgrowth(start, row, numbers(values), symbolic_, numeric_, &common_);
    }
    return common_.rgrowth;
  }

  void free_numeric() {
    if (numeric_ == nullptr) return;
    if constexpr (std::is_same_v<Scalar, double>) {
      klu_free_numeric(&numeric_, &common_);
    } else {
      klu_z_free_numeric(&numeric_, &common_);
    }
  }

  Sparsity pattern_;
  mutable klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double quality_ = 0, good_growth_ = 0;
};

}  // namespace

template <typename Scalar>
struct LinearSolver<Scalar>::Impl {
  explicit Impl(const Sparsity& pattern) : size(pattern.num_rows) {
    if (wants_sparse(pattern)) {
      sparse = std::make_unique<SparseLu<Scalar>>(pattern);
    } else {
      dense = std::make_unique<DenseLu<Scalar>>(pattern);
    }
  }

  int size;
  std::unique_ptr<DenseLu<Scalar>> dense;
  std::unique_ptr<SparseLu<Scalar>> sparse;
};

template <typename Scalar>
LinearSolver<Scalar>::LinearSolver(const Sparsity& pattern)
    : impl_(std::make_unique<Impl>(pattern)) {}
template <typename Scalar>
LinearSolver<Scalar>::~LinearSolver() = default;
template <typename Scalar>
LinearSolver<Scalar>::LinearSolver(LinearSolver&&) noexcept = default;
template <typename Scalar>
LinearSolver<Scalar>& LinearSolver<Scalar>::operator=(LinearSolver&&) noexcept = default;

template <typename Scalar>
int LinearSolver<Scalar>::size() const {
  return impl_->size;
}
template <typename Scalar>
bool LinearSolver<Scalar>::is_sparse() const {
  return impl_->sparse != nullptr;
}
template <typename Scalar>
bool LinearSolver<Scalar>::factor(std::span<const Scalar> values) {
  return impl_->dense ? impl_->dense->factor(values) : impl_->sparse->factor(values);
}
template <typename Scalar>
double LinearSolver<Scalar>::quality() const {
  return impl_->dense ? impl_->dense->quality() : impl_->sparse->quality();
}
template <typename Scalar>
void LinearSolver<Scalar>::solve(std::span<Scalar> b) const {
  if (impl_->dense) {
    impl_->dense->solve(b.data());
  } else {
    impl_->sparse->solve(b.data());
  }
}

template class LinearSolver<double>;
template class LinearSolver<std::complex<double>>;

}  // namespace koppel
