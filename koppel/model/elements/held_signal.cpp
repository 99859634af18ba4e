#include <koppel/model/elements/held_signal.hpp>

#include <koppel/model/elements/signal_fields.hpp>
#include <koppel/model/signal_faults.hpp>

namespace koppel {

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
          {fault("noise", "standard deviation of the values", "", "0"), &E::noise},
          {fault("jitter", "largest random delay of a sample", "s", "0"), &E::jitter},
          {fault("latency", "delay of all samples", "s", "0"), &E::latency},
          {fault("drop_every", "period of drop-outs", "s", "none"), &E::drop_every},
          {fault("drop_for", "time without samples at the end of each period", "s", "0"),
           &E::drop_for},
          {fault("seed", "seed of the random numbers", "", "1"), &E::seed}};
  return kFields;
}

void HeldSignal::add_to(ModelWriter& writer) const {
  if (!file || column.has_value() == columns.is_given()) {
    return writer.reject("model.missing-key", " needs file, and column or columns.");
  }
  std::optional<Samples> samples = samples_of(writer, *file, column, columns);
  if (!samples) return;
  const SignalFaults usual;
  add_faults({.noise = noise.value_or(usual.noise),
              .latency = latency.value_or(usual.latency),
              .jitter = jitter.value_or(usual.jitter),
              .drop_every = drop_every.value_or(usual.drop_every),
              .drop_for = drop_for.value_or(usual.drop_for),
              .seed = seed.value_or(usual.seed)},
             samples->t, samples->columns);
  for (std::size_t i = 0; i < samples->columns.size(); ++i) {
    const std::string component = component_of(samples->is_path, i);
    writer.define(component,
                  writer.model.graph->add_table(
                      writer.name + component + ".samples",
                      TableData::held(samples->t, samples->columns[i]))(writer.model.time));
  }
}

}  // namespace koppel
