#include <koppel/model/elements/held_signal.hpp>

#include <algorithm>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/elements/signal_fields.hpp>
#include <koppel/model/signal_faults.hpp>

namespace koppel {
namespace {

// Eq. (1)
std::vector<double> rates_of(const std::vector<double>& t, const std::vector<double>& p) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, t.size() - 1);
    rates.push_back((p[b] - p[a]) / (t[b] - t[a]));
  }
  return rates;
}

std::optional<SignalSamples> sample(ModelWriter& writer, const Numbers& value, double every,
                                    double until) {
  constexpr double kMost = 1e6;
  const std::size_t size = !value.is_list ? 1 : writer.model.is_planar ? 2 : 3;
  if (value.values.size() != size) {
    writer.reject_key("value", "model.wrong-dimension",
                      " must be an expression, or a list of " + std::to_string(size) + ".");
    return {};
  }
  if (!(until / every >= 1) || until / every > kMost) {
    writer.reject_key("every", "model.bad-value",
                      " gives less than two samples, or more than a million, up to `until`.");
    return {};
  }
  SignalSamples out;
  out.is_path = value.is_list;
  out.columns.resize(size);
  const std::vector<Expr> symbols = symbols_of(value.values);
  const Function function(symbols, value.values);
  std::vector<double> in;
  for (const Expr symbol : symbols)
    in.push_back(symbol == writer.model.time ? 0 : writer.built_in(symbol));
  const auto count = static_cast<int>(until / every * (1 + 1e-12));
  for (int i = 0; i <= count; ++i) {
    out.t.push_back(i * every);
    for (std::size_t n = 0; n < symbols.size(); ++n) {
      if (symbols[n] == writer.model.time) in[n] = out.t.back();
    }
    const std::vector<double> now = function(in);
    for (std::size_t k = 0; k < size; ++k) out.columns[k].push_back(now[k]);
  }
  return out;
}

}  // namespace

const std::vector<Field<HeldSignal>>& HeldSignal::fields() {
  using E = HeldSignal;
  const auto fault = [](std::string_view key, std::string_view text, std::string_view unit,
                        std::string_view unless_given) {
    return FieldInfo{.key = key,
                     .text = text,
                     .unit = unit,
                     .unless_given = unless_given,
                     .bound = Bound::NotNegative};
  };
  static const std::vector<Field<E>> kFields =
      sample_fields<E>() +
      std::vector<Field<E>>{
          {{.key = "value",
            .text = "instead of a file: an expression of time, for a path one for each component",
            .unless_given = "`file`",
            .allow = Allow::Time},
           &E::value},
          {{.key = "every",
            .text = "period of the samples of `value`",
            .unit = "s",
            .unless_given = "`file`",
            .bound = Bound::Positive},
           &E::every},
          {{.key = "until",
            .text = "time of the last sample of `value`",
            .unit = "s",
            .unless_given = "`file`",
            .bound = Bound::Positive},
           &E::until},
          {fault("noise", "standard deviation of the values", "", "0"), &E::noise},
          {fault("jitter", "largest random delay of a sample", "s", "0"), &E::jitter},
          {fault("latency", "delay of all samples", "s", "0"), &E::latency},
          {fault("drop_every", "period of drop-outs", "s", "none"), &E::drop_every},
          {fault("drop_for", "time without samples at the end of each period", "s", "0"),
           &E::drop_for},
          {fault("seed", "seed of the random numbers", "", "1"), &E::seed},
          {{.key = "rate_step",
            .text = "the rate `NAME'` is a central difference over this time before and after",
            .unit = "s",
            .unless_given = "over the samples before and after",
            .bound = Bound::Positive},
           &E::rate_step}};
  return kFields;
}

bool HeldSignal::is_complete(ModelWriter& writer) const {
  const bool has_file = file && column.has_value() != columns.is_given();
  const bool has_value = value.is_given() && every && until;
  const bool has_parts_of_both =
      (file || column || columns.is_given()) && (value.is_given() || every || until);
  if (has_file == has_value || has_parts_of_both) {
    writer.reject_missing(" needs file, and column or columns; or value, every and until.");
  } else if (drop_for.value_or(0) > 0 && !drop_every) {
    writer.reject_key("drop_for", "model.bad-value", " needs drop_every, the period.");
  } else if (drop_for && drop_every && !(*drop_for < *drop_every)) {
    writer.reject_key("drop_for", "model.bad-value",
                      " must be shorter than drop_every, or nothing arrives.");
  }
  return !writer.is_rejected();
}

void HeldSignal::add_to(ModelWriter& writer) const {
  if (!is_complete(writer)) return;
  std::optional<SignalSamples> samples = value.is_given()
                                             ? sample(writer, value, *every, *until)
                                             : samples_of(writer, *file, column, columns);
  if (!samples) return;
  const SignalFaults usual;
  add_faults({.noise = noise.value_or(usual.noise),
              .latency = latency.value_or(usual.latency),
              .jitter = jitter.value_or(usual.jitter),
              .drop_every = drop_every.value_or(usual.drop_every),
              .drop_for = drop_for.value_or(usual.drop_for),
              .seed = seed.value_or(usual.seed)},
             samples->t, samples->columns);
  Graph& graph = *writer.model.graph;
  const Expr t = writer.model.time;
  for (std::size_t i = 0; i < samples->columns.size(); ++i) {
    const std::string component = component_of(samples->is_path, i);
    const std::string table = writer.name + component + ".samples";
    const std::vector<double>& values = samples->columns[i];
    const Table p = graph.add_table(table, TableData::held(samples->t, values));
    writer.define(component, p(t));
    if (rate_step) {
      const Expr h = *rate_step;
      writer.define(component + '\'', (p(t + h) - p(t - h)) / (2 * h));  // Eq. (2)
    } else if (samples->t.size() > 1) {
      const TableData rates = TableData::held(samples->t, rates_of(samples->t, values));
      writer.define(component + '\'',
                    graph.add_table(writer.name + component + ".rates", rates)(t));
    }
  }
}

}  // namespace koppel
