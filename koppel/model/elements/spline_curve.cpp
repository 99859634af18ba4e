#include <koppel/model/elements/spline_curve.hpp>

#include <koppel/model/elements/signal_fields.hpp>

namespace koppel {

const std::vector<Field<SplineCurve>>& SplineCurve::fields() {
  using E = SplineCurve;
  static const std::vector<Field<E>> kFields = {
      {{"at", "ascending values of its argument at the way-points", "s"}, &E::at},
      {{"through", "the way-points: numbers, or points of a path"}, &E::through},
      {{.key = "of",
        .text = "its argument",
        .unless_given = "the time",
        .allow = Allow::Time,
        .called = "argument"},
       &E::of},
      smoothness_field<E>(),
      ends_field<E>("`rest`; with `of` `free`")};
  return kFields;
}

void SplineCurve::add_to(ModelWriter& writer) const {
  constexpr std::size_t kMost = 1000;
  const std::vector<double>& x = at.values;
  if (x.size() < 2 || x.size() > kMost || x.size() != through.size()) {
    return writer.reject_missing(
        " needs lists 'at' and 'through' of equal length, from 2 to 1000 points.");
  }
  const int n = smoothness_of(writer, smoothness, kMaxCurveSmoothness);
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (!(x[i] > x[i - 1])) {
      return writer.reject_item("at", i, "model.bad-value", " must ascend.");
    }
  }
  // A path that a time law follows rests by itself.
  const CurveEnds shape = ends_of(ends, of ? CurveEnds::Free : CurveEnds::Rest);
  for (std::size_t i = 0; i < through.components.size(); ++i) {
    define_curve(writer, component_of(through.is_path, i), of.value_or(writer.model.time),
                 curve_through(x, through.components[i], n, shape));
  }
}

}  // namespace koppel
