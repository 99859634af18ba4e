#include <koppel/model/elements/signal_fields.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/piecewise.hpp>

namespace koppel {

int smoothness_of(ModelWriter& writer, const std::optional<double>& given, int most) {
  constexpr int kUsual = 4;  // what index 5 asks for
  if (!given) return kUsual;
  const double n = *given;
  if (n == std::floor(n) && n >= 1 && n <= most) return static_cast<int>(n);
  writer.reject_key("smoothness", "model.bad-value",
                    " must be a whole number from 1 to " + std::to_string(most) + ".",
                    "It is the number of derivatives that are continuous.");
  return kUsual;
}

CurveEnds ends_of(const Word& word, CurveEnds unless_given) {
  return word.value < 0 ? unless_given : word.value == 0 ? CurveEnds::Rest : CurveEnds::Free;
}

std::string component_of(bool is_path, std::size_t i) {
  return is_path ? std::string(".") + "xyz"[i] : "";
}

void define_path(ModelWriter& writer, const Vec3e& path) {
  for (std::size_t i = 0; i < (writer.model.is_planar ? 2U : 3U); ++i) {
    writer.define(component_of(true, i), path[i]);
  }
}

void define_curve(ModelWriter& writer, const std::string& component, Expr x, const Curve& curve) {
  writer.define(component,
                piecewise_polynomial(*writer.model.graph, writer.name + component + ".curve", x,
                                     curve.knots, curve.coefficients));
}

std::optional<SignalSamples> samples_of(ModelWriter& writer, const SampleFile& file,
                                        const std::optional<std::string>& column,
                                        const Texts& columns) {
  SignalSamples out;
  out.is_path = !column;
  const std::size_t size = column ? 1 : writer.model.is_planar ? 2 : 3;
  if (!column && (!columns.is_list || columns.values.size() != size)) {
    writer.reject_key("columns", "model.wrong-dimension",
                      " must be a list of " + std::to_string(size) + " names.");
    return {};
  }
  const CsvColumns& csv = file.data;
  if (csv.names.empty()) return {};  // reported
  out.t = csv.values[0];
  for (std::size_t i = 0; i < size; ++i) {
    const std::string& wanted = column ? *column : columns.values[i];
    const auto found = std::find(csv.names.begin(), csv.names.end(), wanted);
    if (found == csv.names.end()) {
      writer.reject_at(column ? "column" : "columns[" + std::to_string(i) + ']',
                       "model.unknown-column",
                       ": " + file.name + " has no column '" + wanted + "'.",
                       list_choices(wanted, "columns", csv.names));
      return {};
    }
    out.columns.push_back(csv.values[static_cast<std::size_t>(found - csv.names.begin())]);
  }
  const auto refuse = [&](const std::string& why) -> std::optional<SignalSamples> {
    writer.reject("model.bad-table", ": " + file.name + why);
    return {};
  };
  if (out.t.size() < 2) return refuse(" has less than two samples.");
  for (std::size_t i = 0; i < out.t.size(); ++i) {
    const std::string row = ", row " + std::to_string(i + 1) + " below the names: ";
    bool is_finite = std::isfinite(out.t[i]);
    for (const auto& values : out.columns) is_finite = is_finite && std::isfinite(values[i]);
    if (!is_finite) return refuse(row + "a field is empty or not a finite number.");
    if (i > 0 && !(out.t[i] > out.t[i - 1])) {
      return refuse(row + "times must ascend; this one is not after the one before.");
    }
  }
  return out;
}

}  // namespace koppel
