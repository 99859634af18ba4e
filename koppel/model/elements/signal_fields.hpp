// What signals have in common: smoothness, ends, components and samples from files.
#pragma once

#include <koppel/model/elements/model_writer.hpp>
#include <koppel/model/smooth_curve.hpp>

namespace koppel {

template <typename E>
Field<E> smoothness_field() {
  return {{"smoothness", "the number of continuous derivatives", {}, "4"}, &E::smoothness};
}

template <typename E>
Field<E> ends_field(std::string_view unless_given) {
  return {{.key = "ends",
           .text = "whether derivatives vanish at the ends",
           .unless_given = unless_given,
           .words = {"rest", "free"}},
          &E::ends};
}

template <typename E>
Field<E> law_field() {
  return {{.key = "law",
           .text = "progress along it as a function of time, from 0 to 1",
           .allow = Allow::Time},
          &E::law};
}

// `file`, `column` and `columns`.
template <typename E>
std::vector<Field<E>> sample_fields() {
  return {{{"file", "CSV file beside the model, with the time in the first column"}, &E::file},
          {{"column", "name of the column", {}, "`columns`"}, &E::column},
          {{"columns", "for a path: one column for each component", {}, "`column`"}, &E::columns}};
}

// From 1 to `most`; else it is a mistake.
int smoothness_of(ModelWriter& writer, const std::optional<double>& given, int most);
CurveEnds ends_of(const Word& word, CurveEnds unless_given);

// Of a path `r` the components are r.x, r.y and r.z.
std::string component_of(bool is_path, std::size_t i);
void define_path(ModelWriter& writer, const Vec3e& path);
void define_curve(ModelWriter& writer, const std::string& component, Expr x, const Curve& curve);

struct SignalSamples {
  std::vector<double> t;
  std::vector<std::vector<double>> columns;
  bool is_path = false;
};
// Nothing: there is a mistake.
std::optional<SignalSamples> samples_of(ModelWriter& writer, const SampleFile& file,
                                        const std::optional<std::string>& column,
                                        const Texts& columns);

}  // namespace koppel
