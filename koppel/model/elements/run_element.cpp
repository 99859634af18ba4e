#include <koppel/model/elements/run_element.hpp>

#include <cmath>

namespace koppel {

const std::vector<Field<RunElement>>& RunElement::fields() {
  using E = RunElement;
  const auto positive = [](std::string_view key, std::string_view text, std::string_view unit,
                           std::string_view unless_given) {
    return FieldInfo{.key = key,
                     .text = text,
                     .unit = unit,
                     .unless_given = unless_given,
                     .bound = Bound::Positive};
  };
  static const std::vector<Field<E>> kFields = {
      {positive("end", "end time", "s", "10"), &E::end},
      {positive("step", "step of integrators with fixed steps", "s", "chosen"), &E::step},
      {positive("tolerance", "tolerance of integrators that choose their steps", "", "1e-8"),
       &E::tolerance},
      {positive("samples", "number of rows of the result", "", "1001"), &E::samples},
      {{"coordinates", "coordinates of the equations", {}, "automatic"}, &E::coordinates},
      {{"formulation", "the form of the equations", {}, "automatic"}, &E::formulation},
      {{"integrator", "integration method", {}, "automatic"}, &E::integrator}};
  return kFields;
}

void RunElement::add_to(ModelWriter& writer) const {
  RunSettings& run = writer.model.run;
  if (end) run.end = writer.value(*end);
  if (step) run.step = writer.value(*step);
  if (tolerance) run.tolerance = writer.value(*tolerance);
  if (samples) {
    const double n = writer.value(*samples);
    if (n == std::floor(n) && n <= 1e9) {
      run.samples = static_cast<int>(n);
    } else if (n > 0) {
      writer.reject_key("samples", "model.bad-value", " must be a whole number.");
    }
  }
  run.coordinates = coordinates.value_or("");
  run.formulation = formulation.value_or("");
  run.integrator = integrator.value_or("");
}

}  // namespace koppel
