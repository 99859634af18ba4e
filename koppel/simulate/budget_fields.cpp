#include <koppel/results/value_json.hpp>
#include <koppel/simulate/result_fields.hpp>

namespace koppel {
namespace {

struct DriftBound {
  double C0, C1, C2;
  bool holds;
  std::optional<double> limit;
};

const ResultTable& result_fields(const DriftBound* /*of*/) {
  static const ResultTable kFields = {
      field<&DriftBound::C0>("C0", "constant of the bound"),
      field<&DriftBound::C1>("C1", "constant of the bound"),
      field<&DriftBound::C2>("C2", "constant of the bound"),
      field<&DriftBound::holds>("holds", "whether there is a bound at this step"),
      field<&DriftBound::limit>("limit", "the bound of the violation of positions")};
  return kFields;
}

std::optional<DriftBound> drift_bound_of(const Budget& b) {
  if (!b.drift) return {};
  DriftBound out{b.drift->C0, b.drift->C1, b.drift->C2, b.drift->holds(b.step), {}};
  if (out.holds) out.limit = b.drift->limit(b.step);
  return out;
}

std::optional<std::string> unstable_in(const Budget& b) {
  std::optional<std::string> out;
  for (const StableStep& stable : b.stable) {
    if (stable.is_refuted) out = stable.method;
  }
  return out;
}

std::optional<std::vector<std::pair<std::string, std::optional<double>>>> stable_in(
    const Budget& b) {
  if (b.stable.empty()) return {};
  std::vector<std::pair<std::string, std::optional<double>>> out;
  for (const StableStep& stable : b.stable) out.emplace_back(stable.method, stable.largest_step);
  return out;
}

}  // namespace

const ResultTable& result_fields(const OperationCounts* /*of*/) {
  using O = OperationCounts;
  static const ResultTable kFields = {field<[](const O& o) { return o.total(); }>("total", "all"),
                                      field<&O::additions>("sums", "sums and differences"),
                                      field<&O::products>("products", "products"),
                                      field<&O::quotients>("quotients", "quotients"),
                                      field<&O::roots>("roots", "square roots"),
                                      field<&O::functions>("functions", "sine, exponential, …"),
                                      field<&O::others>("others", "comparisons and the like")};
  return kFields;
}

const ResultTable& result_fields(const MethodTrial* /*of*/) {
  using T = MethodTrial;
  static const ResultTable kFields = {
      field<&T::end>("end", "the end of the trial", "s"),
      field<&T::reached>("reached", "the time reached", "s"),
      field<[](const T& t) { return name_of(t.status); }>("state", "how it went"),
      field<&T::text>("text", "why it is not done"),
      field<&T::position_violation>("position_violation", "the largest"),
      field<&T::velocity_violation>("velocity_violation", "the largest"),
      field<&T::energy_error>("energy_error", "of the balance, over the energy that moved"),
      field<&T::error>("error", "against an accurate run")};
  return kFields;
}

const ResultTable& result_fields(const Budget* /*of*/) {
  using B = Budget;
  static const ResultTable kFields = {
      field<&B::model>("model", "the model"),
      field<&B::coordinates>("coordinates", "the coordinates of the equations"),
      field<&B::formulation>("formulation", "the form of the equations"),
      field<&B::integrator>("integrator", "the fixed-cost step"),
      field<&B::step>("step", "its size", "s"),
      field<&B::num_unknowns>("unknowns", "of the linear system: velocities and multipliers"),
      field<&B::num_factorizations>("factorizations", "in a step"),
      field<&B::stiff>("stiff", "the partition of the Jacobian; empty: there is none"),
      field<&B::operations_of_all>("operations_of_all", "with derivatives of all forces"),
      field<&B::operations>("operations", "of a step"),
      field<&B::estimated_seconds>("estimated_seconds", "of a step in machine code", "s"),
      field<&B::measured_seconds>("measured_seconds", "of a step on this machine", "s"),
      field<&B::load>("load", "of one core"),
      field<&B::growth>("growth", "by which a step multiplies errors at the start, at most"),
      field<[](const B& b) { return unstable_in(b); }>(
          "unstable", "the method whose step or trial is unstable"),
      field<[](const B& b) { return drift_bound_of(b); }>(
          "drift", "bound of the violation of positions, where they are projected"),
      field<&B::pivot_error>("pivot_error", "of the fixed order of pivots, at the start"),
      field<&B::warnings>("warnings", "in sentences"),
      field<[](const B& b) { return stable_in(b); }>(
          "stable", "the largest stable step of each method; null: any", "s", IfNothing::LeftOut),
      field<&B::trial>("trial", "a run to the end of the model, or part of it")};
  return kFields;
}

std::string to_json(const Budget& budget) { return to_json(value_of(budget)); }

}  // namespace koppel
