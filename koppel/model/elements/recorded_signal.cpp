#include <koppel/model/elements/recorded_signal.hpp>

#include <fmt/format.h>

#include <koppel/model/elements/signal_fields.hpp>

namespace koppel {

const std::vector<Field<RecordedSignal>>& RecordedSignal::fields() {
  using E = RecordedSignal;
  static const std::vector<Field<E>> kFields =
      sample_fields<E>() +
      std::vector<Field<E>>{
          {{"tolerance", "largest distance of the curve from a sample"}, &E::tolerance},
          smoothness_field<E>(),
          ends_field<E>("`rest`")};
  return kFields;
}

void RecordedSignal::add_to(ModelWriter& writer) const {
  if (!file || !tolerance || column.has_value() == columns.is_given()) {
    return writer.reject_missing(
        " needs file, tolerance, and column or columns.",
        "The tolerance is how far the smoothed signal may be from a sample.");
  }
  const int n = smoothness_of(writer, smoothness, kMaxCurveSmoothness);
  const std::optional<SignalSamples> samples = samples_of(writer, *file, column, columns);
  for (std::size_t i = 0; samples && i < samples->columns.size(); ++i) {
    const std::string component = component_of(samples->is_path, i);
    const std::optional<NearCurve> near =
        curve_near(samples->t, samples->columns[i], *tolerance, n, ends_of(ends, CurveEnds::Rest));
    if (!near) {
      writer.reject("model.bad-value",
                    fmt::format("{}: no curve with {} continuous derivatives is within {:g} of all "
                                "samples.",
                                component, n, *tolerance),
                    "Raise the tolerance, or write 'ends: free' if the record does not begin and "
                    "end at rest.");
      continue;
    }
    define_curve(writer, component, writer.model.time, near->curve);
    writer.model.remarks.push_back(
        {"model.smoothed",
         fmt::format("{}{} is smoothed to {} continuous derivatives; it is up to {:.2g} away from "
                     "its samples.",
                     writer.what, component, n, near->deviation),
         {},
         writer.where(),
         {}});
  }
}

}  // namespace koppel
