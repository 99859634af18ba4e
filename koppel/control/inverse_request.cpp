#include <koppel/control/inverse_request.hpp>

namespace koppel {
namespace {

Option samples_of_inverse(OptionMember member) {
  Option out = samples_option(member);
  out.info.text = "Number of equally spaced rows";
  out.info.unless_given = "1001";
  return out;
}

}  // namespace

const OptionTable& InverseRequest::options() {
  using O = InverseRequest;
  static const OptionTable kOptions =
      OptionTable{
          coordinates_option(&O::coordinates),
          {{.name = "method",
            .text = "Method: auto (default), flat, projection, projection:null-space, "
                    "minimal-extension, minimal-extension:twice",
            .value = "M"},
           &O::method},
          {{.name = "integrator",
            .text = "Integrator of projection and minimal-extension: implicit-euler (default), "
                    "bdf2, bdf3, bdf4, bdf5, radau5, midpoint; of internal dynamics: taylor "
                    "(default), radau5",
            .value = "I"},
           &O::integrator},
          {{.name = "step",
            .text = "Fixed step",
            .value = "H",
            .unit = "s",
            .unless_given = "duration/100"},
           &O::step},
          end_option(&O::end),
          {{.name = "tolerance",
            .text = "Error tolerance of integrated internal dynamics",
            .value = "X",
            .unless_given = "1e-10",
            .typed = "tol"},
           &O::tolerance},
          samples_of_inverse(&O::samples),
          {{.name = "verify", .text = "Simulate with the computed inputs and compare the outputs"},
           &O::verify},
          {{.name = "bounded",
            .text = "Compute the bounded solution of unstable internal dynamics"},
           &O::bounded}} +
      within(&O::health) +
      OptionTable{{{.name = "across_jumps",
                    .text = "Continue where a reference is not smooth enough to be followed"},
                   &O::across_jumps}} +
      within(&O::native);
  return kOptions;
}

InverseOptions InverseRequest::options_for(const Model& model) const {
  InverseOptions out = inverse_options_of(model);
  if (!coordinates.empty()) out.coordinates = coordinates;
  if (!method.empty()) out.method = method;
  if (!integrator.empty()) out.integrator = integrator;
  if (step) out.step = step;
  if (end) out.end = *end;
  if (tolerance) out.tolerance = *tolerance;
  out.sampling = sampling_of(samples, out.sampling);
  out.verify = verify;
  out.bounded = bounded;
  out.across_jumps = across_jumps;
  out.health = health.health();
  out.native = native.native();
  return out;
}

}  // namespace koppel
