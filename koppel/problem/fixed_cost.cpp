#include <koppel/problem/fixed_cost.hpp>

#include <algorithm>

#include <koppel/runtime/step.h>
#include <koppel/base/lazy.hpp>

namespace koppel {
namespace {

std::vector<Expr> outputs_of(const FixedCostTerms& terms) {
  std::vector<Expr> out;
  for (const auto* part : {&terms.q, &terms.v, &terms.x, &terms.lambda, &terms.eta}) {
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

CompileOptions of_fixed_cost(CompileOptions options) {
  options.fixed_cost = true;
  return options;
}

}  // namespace

FixedCostStep::FixedCostStep(const FixedCostTerms& terms, std::span<const double> u,
                             std::span<const double> p, CompileOptions options)
    : size_(terms.q.size() + terms.v.size() + terms.x.size() + terms.lambda.size()),
      num_eta_(terms.eta.size()),
      given_(u.begin(), u.end()),
      num_u_(given_.size()),
      function_(terms.inputs, outputs_of(terms), of_fixed_cost(options),
                {terms.inputs.size() - p.size(), p.size(), 1}),  // p and h
      num_factorizations_(terms.num_factorizations) {
  given_.insert(given_.end(), p.begin(), p.end());
  for (const std::size_t i : terms.held) held_.push_back(terms.q.size() + terms.v.size() + i);
}

FixedCostStep::Workspace FixedCostStep::make_workspace() const {
  Workspace work{std::vector<double>(function_.num_inputs()),
                 std::vector<double>(function_.num_outputs()), function_.make_workspace()};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void FixedCostStep::set_inputs(std::span<const double> u, Workspace& work) const noexcept {
  std::copy_n(u.begin(), num_u_, work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
}

bool FixedCostStep::advance(double t, double h, std::span<double> y,
                            Workspace& work) const noexcept {
  if (work.in[1] != h) function_.rare_inputs_changed(work.function);
  work.in[0] = t;
  work.in[1] = h;
  std::copy_n(y.begin(), size_, work.in.begin() + 2);
  function_.evaluate(work.in, work.out, work.function);
  std::copy_n(work.out.begin(), std::min(y.size(), work.out.size()), y.begin());
  return koppel_all_finite(work.out.data(), static_cast<int>(size_)) != 0;
}

FixedCostSteps::FixedCostSteps(Make make, std::vector<double> u, std::vector<double> p,
                               CompileOptions options)
    : made_(std::make_shared<Made>()) {
  made_->make = std::move(make);
  made_->u = std::move(u);
  made_->p = std::move(p);
  made_->options = options;
}

FixedCostTerms FixedCostSteps::terms(const FixedCostOptions& options) const {
  const std::lock_guard lock(making());
  return made_->make(options);
}

std::shared_ptr<const FixedCostStep> FixedCostSteps::step(const FixedCostOptions& options) const {
  const std::lock_guard lock(making());
  std::shared_ptr<const FixedCostStep>& place = made_->steps[options];
  if (place == nullptr) {
    place =
        std::make_shared<const FixedCostStep>(terms(options), made_->u, made_->p, made_->options);
  }
  return place;
}

}  // namespace koppel
