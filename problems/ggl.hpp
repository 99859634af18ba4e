// Mechanisms by hand in the stabilised index-2 form [Gear, Gupta & Leimkuhler 1985], for IDA:
//
//   0 = q̇ − v + Gᵀη,   0 = M v̇ − f + Gᵀλ,   0 = g,   0 = G v,     y = (q, v, λ, η).       (1)
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace koppel::problems {

class Ggl {
 public:
  virtual ~Ggl() = default;

  int num_q() const { return num_q_; }
  int num_constraints() const { return num_constraints_; }
  int size() const { return 2 * (num_q_ + num_constraints_); }

  // y and its rates at the start, consistent.
  const std::vector<double>& start() const { return start_; }
  const std::vector<double>& start_rate() const { return start_rate_; }

  virtual void residual(const double* y, const double* y_rate, double* F) const = 0;
  // ∂F/∂y + c ∂F/∂ẏ by compressed columns.
  virtual void jacobian(const double* y, const double* y_rate, double c, double* values) const = 0;
  const std::vector<int>& column_start() const { return column_start_; }
  const std::vector<int>& row() const { return row_; }

 protected:
  Ggl(int num_q, int num_constraints) : num_q_(num_q), num_constraints_(num_constraints) {}
  // Position, velocity, acceleration and multipliers at the start.
  void set_start(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                 std::span<const double> lambda);
  // The same from a system for Runge–Kutta methods that knows the multipliers of its last rate.
  template <typename System>
  void set_start_of(System system) {
    const typename System::State y = System::start();
    typename System::State y_rate;
    system.rate(y, y_rate);
    const std::span<const double> all(y), rates(y_rate);
    const auto n = static_cast<std::size_t>(num_q_);
    set_start(all.first(n), all.last(n), rates.last(n), system.multipliers());
  }

  int num_q_, num_constraints_;
  std::vector<double> start_, start_rate_;
  std::vector<int> column_start_, row_;
};

// One whose Jacobian is visited term by term, in an order that is always the same:
//   template <typename Add> void visit_jacobian(y, y_rate, c, Add&& add) const
// calls add(row, column, value).
template <typename Form>
class GglByTerms : public Ggl {
 public:
  using Ggl::Ggl;

  void jacobian(const double* y, const double* y_rate, double c, double* values) const override {
    for (std::size_t k = 0; k < row_.size(); ++k) values[k] = 0;
    const int* slot = slot_.data();
    form().visit_jacobian(y, y_rate, c, [&](int, int, double value) { values[*slot++] += value; });
  }

 protected:
  // Once, with the start known.
  void make_pattern() {
    std::map<std::pair<int, int>, int> place;  // by column and row
    std::vector<std::pair<int, int>> terms;
    form().visit_jacobian(start_.data(), start_rate_.data(), 1, [&](int i, int j, double) {
      place[{j, i}] = 0;
      terms.emplace_back(j, i);
    });
    column_start_.assign(static_cast<std::size_t>(size()) + 1, 0);
    for (auto& [at, k] : place) {
      k = static_cast<int>(row_.size());
      row_.push_back(at.second);
      ++column_start_[static_cast<std::size_t>(at.first) + 1];
    }
    for (std::size_t j = 1; j < column_start_.size(); ++j) column_start_[j] += column_start_[j - 1];
    for (const auto& term : terms) slot_.push_back(place[term]);
  }

 private:
  const Form& form() const { return static_cast<const Form&>(*this); }
  std::vector<int> slot_;  // where the terms belong, in the order of a visit
};

// By IDA with KLU from 0 to `end`: relative and absolute tolerance for positions and velocities,
// multipliers outside the error test and of weight h in Newton's. False where it gives up; y
// becomes the end.
bool integrate_ida(const Ggl& ggl, std::vector<double>& y, double end, double tolerance);

}  // namespace koppel::problems
