#include <koppel/model/smooth_curve.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

#include <koppel/base/binomial.hpp>
#include <koppel/base/quadrature.hpp>

namespace koppel {
namespace {

using Polynomial = std::vector<double>;  // coefficients, ascending

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  }
  return c;
}

// (1 − τ)ᵐ
Polynomial falling(int m) {
  Polynomial p(static_cast<std::size_t>(m) + 1);
  for (int k = 0; k <= m; ++k)
    p[static_cast<std::size_t>(k)] = (k % 2 == 0 ? 1 : -1) * binomial(m, k);
  return p;
}

double value(const Polynomial& p, double x) {
  double sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * x + p[k];
  return sum;
}

double derivative(const Polynomial& p, int order, double x) {
  double sum = 0;
  for (std::size_t k = p.size(); k-- > static_cast<std::size_t>(order);) {
    double factor = 1;
    for (int i = 0; i < order; ++i) factor *= static_cast<double>(k) - i;
    sum = sum * x + factor * p[k];
  }
  return sum;
}

// The polynomials of (1): L_0 … L_n, then those of the right end. All coefficients are whole
// numbers.
std::vector<Polynomial> make_basis(int n) {
  std::vector<Polynomial> basis;
  for (int k = 0; k <= n; ++k) {
    Polynomial sum(static_cast<std::size_t>(n) + 1, 0.0);
    for (int j = 0; j <= n - k; ++j) sum[static_cast<std::size_t>(k + j)] = binomial(n + j, j);
    basis.push_back(product(sum, falling(n + 1)));
  }
  for (int k = 0; k <= n; ++k) {
    Polynomial mirrored(basis[0].size(), 0.0);
    const Polynomial& left = basis[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < left.size(); ++i) {
      const Polynomial power = falling(static_cast<int>(i));
      for (std::size_t j = 0; j < power.size(); ++j) mirrored[j] += left[i] * power[j];
    }
    for (double& c : mirrored) c *= k % 2 == 0 ? 1 : -1;
    basis.push_back(std::move(mirrored));
  }
  return basis;
}

// The coefficients at all knots, as one vector z: at knot i, z_{i(n+1)+k} = Hᵏ y⁽ᵏ⁾/k!, with H the
// mean length of the pieces, so that they are of like size. (2) is a quadratic form of z.
class Fit {
 public:
  Fit(std::vector<double> knots, int n, CurveEnds ends)
      : knots_(std::move(knots)),
        n_(n),
        ends_(ends),
        basis_(make_basis(n)),
        mean_((knots_.back() - knots_.front()) / static_cast<double>(knots_.size() - 1)),
        size_(static_cast<Eigen::Index>(knots_.size()) * (n + 1)),
        z_(Eigen::VectorXd::Zero(size_)),
        is_given_(static_cast<std::size_t>(size_), false) {
    if (ends == CurveEnds::Rest) {
      for (int k = 1; k <= n; ++k) {
        is_given_[static_cast<std::size_t>(k)] = true;
        is_given_[static_cast<std::size_t>(size_ - 1 - n + k)] = true;
      }
    }
    add_energy();
  }

  void give(std::size_t knot, double y) {
    const std::size_t at = knot * static_cast<std::size_t>(n_ + 1);
    is_given_[at] = true;
    z_(static_cast<Eigen::Index>(at)) = y;
  }

  void add_samples(std::span<const double> x, std::span<const double> y) {
    std::vector<Eigen::Triplet<double>> entries;
    samples_ = Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size()));
    for (std::size_t s = 0; s < x.size(); ++s) {
      const std::size_t i = piece_at(x[s]);
      const double h = knots_[i + 1] - knots_[i];
      for (std::size_t b = 0; b < basis_.size(); ++b) {
        entries.emplace_back(static_cast<int>(s), unknown(i, b),
                             scale(i, b) * value(basis_[b], (x[s] - knots_[i]) / h));
      }
    }
    at_samples_.resize(static_cast<Eigen::Index>(x.size()), size_);
    at_samples_.setFromTriplets(entries.begin(), entries.end());
  }

  // Solves (2) for the coefficients that are not given.
  void solve(double kappa) {
    Matrix A = kappa * energy_;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size_);
    if (at_samples_.rows() > 0) {
      const double each = 1 / static_cast<double>(at_samples_.rows());
      A += each * Matrix(at_samples_.transpose() * at_samples_);
      right = each * (at_samples_.transpose() * samples_);
    }
    Eigen::VectorXd given = Eigen::VectorXd::Zero(size_);
    for (Eigen::Index i = 0; i < size_; ++i) {
      if (is_given_[static_cast<std::size_t>(i)]) given(i) = z_(i);
    }
    right -= A * given;
    // Rows and columns of what is given become those of the unit matrix.
    for (Eigen::Index j = 0; j < size_; ++j) {
      for (Matrix::InnerIterator it(A, j); it; ++it) {
        if (is_given_[static_cast<std::size_t>(it.row())] ||
            is_given_[static_cast<std::size_t>(j)]) {
          it.valueRef() = it.row() == j ? 1 : 0;
        }
      }
      if (is_given_[static_cast<std::size_t>(j)]) right(j) = given(j);
    }
    z_ = Eigen::SimplicialLDLT<Matrix>(A).solve(right);
  }

  double deviation() const { return (at_samples_ * z_ - samples_).lpNorm<Eigen::Infinity>(); }

  Curve curve() const {
    Curve out;
    const bool rests = ends_ == CurveEnds::Rest;
    const std::size_t count = static_cast<std::size_t>(2 * n_ + 2);
    const auto constant = [&](double y) {
      std::vector<double> c(count, 0.0);
      c[0] = y;
      return c;
    };
    if (rests) {
      out.knots.push_back(2 * knots_[0] - knots_[1]);
      out.coefficients.push_back(constant(z_(0)));
    }
    for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
      out.knots.push_back(knots_[i]);
      std::vector<double> c(count, 0.0);
      for (std::size_t b = 0; b < basis_.size(); ++b) {
        const double factor = scale(i, b) * z_(unknown(i, b));
        for (std::size_t k = 0; k < count; ++k) c[k] += factor * basis_[b][k];
      }
      const double h = knots_[i + 1] - knots_[i];
      double power = 1;
      for (double& ck : c) {
        ck /= power;
        power *= h;
      }
      out.coefficients.push_back(std::move(c));
    }
    if (rests) {
      out.knots.push_back(knots_.back());
      out.coefficients.push_back(constant(z_(size_ - 1 - n_)));
    }
    return out;
  }

 private:
  using Matrix = Eigen::SparseMatrix<double>;

  // Where in z the factor of basis polynomial b of piece i stands, and what it is multiplied by.
  int unknown(std::size_t i, std::size_t b) const {
    return static_cast<int>(i) * (n_ + 1) + static_cast<int>(b);
  }
  double scale(std::size_t i, std::size_t b) const {
    const int k = static_cast<int>(b) % (n_ + 1);
    return std::pow((knots_[i + 1] - knots_[i]) / mean_, k);
  }
  std::size_t piece_at(double x) const {
    const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, x);
    return static_cast<std::size_t>(next - knots_.begin()) - 1;
  }

  // Free ends leave polynomials of degree r − 1 without energy of order r; r way-points determine
  // them, so that the order is not above the number of knots.
  void add_energy() {
    const int order =
        ends_ == CurveEnds::Free ? std::min(n_ + 1, static_cast<int>(knots_.size())) : n_ + 1;
    const Quadrature q = gauss(2 * n_ + 2 - order);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
      const double factor = std::pow((knots_[i + 1] - knots_[i]) / mean_, 1 - 2 * order);
      for (std::size_t a = 0; a < basis_.size(); ++a) {
        for (std::size_t b = 0; b < basis_.size(); ++b) {
          double sum = 0;
          for (std::size_t g = 0; g < q.at.size(); ++g) {
            sum += q.weight[g] * derivative(basis_[a], order, q.at[g]) *
                   derivative(basis_[b], order, q.at[g]);
          }
          entries.emplace_back(unknown(i, a), unknown(i, b),
                               factor * scale(i, a) * scale(i, b) * sum);
        }
      }
    }
    energy_.resize(size_, size_);
    energy_.setFromTriplets(entries.begin(), entries.end());
  }

  std::vector<double> knots_;
  int n_;
  CurveEnds ends_;
  std::vector<Polynomial> basis_;
  double mean_;
  Eigen::Index size_;
  Eigen::VectorXd z_, samples_;
  std::vector<bool> is_given_;
  Matrix energy_, at_samples_;
};

}  // namespace

double Curve::operator()(double x) const {
  const auto next = std::upper_bound(knots.begin() + 1, knots.end(), x);
  const auto i = static_cast<std::size_t>(next - knots.begin()) - 1;
  return value(coefficients[i], x - knots[i]);
}

Curve curve_through(std::span<const double> x, std::span<const double> y, int n, CurveEnds ends) {
  Fit fit({x.begin(), x.end()}, n, ends);
  for (std::size_t i = 0; i < y.size(); ++i) fit.give(i, y[i]);
  fit.solve(1);
  return fit.curve();
}

std::optional<NearCurve> curve_near(std::span<const double> x, std::span<const double> y,
                                    double tolerance, int n, CurveEnds ends) {
  constexpr std::size_t kMostPieces = 256;
  // Exponents of κ, in which (2) goes from nearly no energy to nearly nothing else.
  constexpr double kLeast = -14, kMost = 8;
  for (std::size_t pieces = 1; pieces <= kMostPieces && 2 * pieces <= x.size(); pieces *= 2) {
    std::vector<double> knots;
    for (std::size_t i = 0; i <= pieces; ++i) {
      knots.push_back(x.front() + (x.back() - x.front()) * static_cast<double>(i) /
                                      static_cast<double>(pieces));
    }
    Fit fit(std::move(knots), n, ends);
    fit.add_samples(x, y);
    double low = kLeast, high = kMost;
    fit.solve(std::pow(10, low));
    if (!(fit.deviation() <= tolerance)) continue;
    for (int i = 0; i < 12; ++i) {
      const double middle = (low + high) / 2;
      fit.solve(std::pow(10, middle));
      (fit.deviation() <= tolerance ? low : high) = middle;
    }
    fit.solve(std::pow(10, low));
    return NearCurve{fit.curve(), fit.deviation()};
  }
  return {};
}

}  // namespace koppel
