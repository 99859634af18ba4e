#include <koppel/problem/event_functions.hpp>

#include <algorithm>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const EventTerms& terms) {
  std::vector<Expr> inputs = {terms.t};
  inputs.insert(inputs.end(), terms.y.begin(), terms.y.end());
  inputs.insert(inputs.end(), terms.given.symbols.begin(), terms.given.symbols.end());
  return inputs;
}

}  // namespace

EventFunctions::EventFunctions(const EventTerms& terms, CompileOptions options)
    : num_states_(terms.y.size()),
      given_(terms.given.values),
      values_(inputs_of(terms), terms.values, options) {}

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
