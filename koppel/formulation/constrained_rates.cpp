#include <koppel/formulation/constrained_rates.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/formulation/reduction.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Exprs = std::vector<Expr>;

Exprs joined(std::initializer_list<const Exprs*> parts) {
  Exprs all;
  for (const Exprs* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// A sparse matrix whose values are a part of a function's outputs.
struct Placed {
  Sparsity pattern;

  template <typename Put>
  void each(const double* values, Put&& put) const {
    for (int j = 0; j < pattern.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
        put(pattern.row[static_cast<std::size_t>(k)], j, values[k]);
      }
    }
  }
};

struct ReductionWorkspace : RateWorkspace {
  std::vector<double> in_position, in_motion, position_values, motion_values;
  koppel::Workspace position, motion;
  MatrixXd M, C;
  VectorXd scale;  // 1/norm of the rows of C
  VectorXd c, v, f, gamma, v_rate, lambda;
  std::unique_ptr<Reduction> reduction;
};

class ConstrainedRates : public RateFunction {
 public:
  ConstrainedRates(const ConstrainedTerms& terms,
                   std::function<std::unique_ptr<Reduction>()> reduction, CompileOptions options)
      : num_q_(terms.q.size()),
        num_v_(terms.v.size()),
        num_x_(terms.x.size()),
        num_rows_(terms.c.size()),
        given_(terms.given.values),
        K_{terms.K.pattern},
        M_{terms.M.pattern},
        C_{terms.C.pattern},
        position_(inputs({terms.t}, {&terms.q, &terms.given.symbols}),
                  joined({&terms.K.values, &terms.M.values, &terms.C.values, &terms.c}), options),
        motion_(inputs({terms.t}, {&terms.q, &terms.v, &terms.x, &terms.given.symbols}),
                joined({&terms.f, &terms.gamma, &terms.r}), options),
        make_reduction_(std::move(reduction)) {}

  int size() const override { return static_cast<int>(num_q_ + num_v_ + num_x_); }
  int num_z() const override { return static_cast<int>(num_v_ + num_rows_); }

  std::unique_ptr<RateWorkspace> make_workspace() const override {
    auto work = std::make_unique<ReductionWorkspace>();
    const auto n = static_cast<Index>(num_v_), m = static_cast<Index>(num_rows_);
    work->in_position.resize(position_.num_inputs());
    work->in_motion.resize(motion_.num_inputs());
    for (std::vector<double>* in : {&work->in_position, &work->in_motion}) {
      std::copy(given_.begin(), given_.end(),
                in->end() - static_cast<std::ptrdiff_t>(given_.size()));
    }
    work->position_values.resize(position_.num_outputs());
    work->motion_values.resize(motion_.num_outputs());
    work->position = position_.make_workspace();
    work->motion = motion_.make_workspace();
    work->M.setZero(n, n);
    work->C.setZero(m, n);
    for (VectorXd* of_rows : {&work->scale, &work->c, &work->gamma, &work->lambda}) {
      of_rows->setZero(m);
    }
    for (VectorXd* of_v : {&work->v, &work->f, &work->v_rate}) of_v->setZero(n);
    work->z.resize(static_cast<std::size_t>(n + m));
    work->reduction = make_reduction_();
    return work;
  }

  bool evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                RateWorkspace& workspace) const override {
    auto& work = static_cast<ReductionWorkspace&>(workspace);
    const auto n = static_cast<Index>(num_v_);
    evaluate_position(t, y, work);
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(num_q_), n, work.v.begin());
    if (!work.M.allFinite() || !work.C.allFinite() || !work.v.allFinite()) return false;
    if (!work.reduction->prepare(work.M, work.C)) return false;
    work.reduction->velocity(work.c, work.v);

    evaluate_motion(t, y, work);
    if (!work.reduction->acceleration(work.f, work.gamma, work.v_rate, work.lambda)) return false;
    work.lambda.array() *= work.scale.array();

    const auto q_rate = y_rate.first(num_q_);
    std::fill(q_rate.begin(), q_rate.end(), 0.0);
    K_.each(work.position_values.data(), [&](int i, int j, double value) {
      q_rate[static_cast<std::size_t>(i)] += value * work.v[j];
    });
    std::copy(work.v_rate.begin(), work.v_rate.end(),
              y_rate.begin() + static_cast<std::ptrdiff_t>(num_q_));
    std::copy_n(work.motion_values.end() - static_cast<std::ptrdiff_t>(num_x_), num_x_,
                y_rate.begin() + static_cast<std::ptrdiff_t>(num_q_ + num_v_));
    std::copy(work.v_rate.begin(), work.v_rate.end(), work.z.begin());
    std::copy(work.lambda.begin(), work.lambda.end(), work.z.begin() + n);
    const auto rates = y_rate.first(num_q_ + num_v_ + num_x_);
    return std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); });
  }

 private:
  static Exprs inputs(Exprs first, std::initializer_list<const Exprs*> parts) {
    const Exprs rest = joined(parts);
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  }

  // K, M, C with rows of norm 1, and c.
  void evaluate_position(double t, std::span<const double> y, ReductionWorkspace& work) const {
    work.in_position[0] = t;
    std::copy_n(y.begin(), num_q_, work.in_position.begin() + 1);
    position_.evaluate(work.in_position, work.position_values, work.position);
    const double* values = work.position_values.data() + K_.pattern.num_entries();
    M_.each(values, [&](int i, int j, double value) { work.M(i, j) = value; });
    values += M_.pattern.num_entries();
    C_.each(values, [&](int i, int j, double value) { work.C(i, j) = value; });
    values += C_.pattern.num_entries();
    for (Index i = 0; i < work.c.size(); ++i) {
      const double norm = work.C.row(i).norm();
      work.scale[i] = norm > 0 ? 1 / norm : 1;
      work.C.row(i) *= work.scale[i];
      work.c[i] = values[i] * work.scale[i];
    }
  }

  // f and γ at the velocities of the reduction.
  void evaluate_motion(double t, std::span<const double> y, ReductionWorkspace& work) const {
    auto to = work.in_motion.begin();
    *to++ = t;
    to = std::copy_n(y.begin(), num_q_, to);
    to = std::copy(work.v.begin(), work.v.end(), to);
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(num_q_ + num_v_), num_x_, to);
    motion_.evaluate(work.in_motion, work.motion_values, work.motion);
    const double* values = work.motion_values.data();
    std::copy_n(values, work.f.size(), work.f.begin());
    std::copy_n(values + work.f.size(), work.gamma.size(), work.gamma.begin());
    work.gamma.array() *= work.scale.array();
  }

  std::size_t num_q_, num_v_, num_x_, num_rows_;
  std::vector<double> given_;
  Placed K_, M_, C_;
  Function position_;  // K, M, C, c
  Function motion_;    // f, γ, r
  std::function<std::unique_ptr<Reduction>()> make_reduction_;
};

}  // namespace

std::shared_ptr<const RateFunction> make_constrained_rates(
    const ConstrainedTerms& terms, std::function<std::unique_ptr<Reduction>()> reduction,
    CompileOptions options) {
  return std::make_shared<const ConstrainedRates>(terms, std::move(reduction), options);
}

}  // namespace koppel
