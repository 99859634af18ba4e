#include <koppel/problem/event_functions.hpp>

#include <algorithm>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const Equations& e) {
  std::vector<Expr> inputs = {e.t};
  for (const auto* part : {&e.q, &e.v, &e.x, &e.p, &e.u}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return inputs;
}

std::vector<Expr> values_of(const Equations& e) {
  std::vector<Expr> values;
  for (const Equations::Event& event : e.events) values.push_back(event.when);
  return values;
}

}  // namespace

EventFunctions::EventFunctions(const Equations& e, std::span<const double> p,
                               std::span<const double> u, CompileOptions options)
    : num_states_(e.q.size() + e.v.size() + e.x.size()),
      given_(p.begin(), p.end()),
      values_(inputs_of(e), values_of(e), options) {
  given_.insert(given_.end(), u.begin(), u.end());
}

EventFunctions::Workspace EventFunctions::make_workspace() const {
  Workspace work{std::vector<double>(values_.num_inputs()), values_.make_workspace()};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void EventFunctions::evaluate(double t, std::span<const double> y, std::span<double> out,
                              Workspace& work) const {
  work.in[0] = t;
  std::copy_n(y.begin(), num_states_, work.in.begin() + 1);
  values_.evaluate(work.in, out, work.values);
}

}  // namespace koppel
