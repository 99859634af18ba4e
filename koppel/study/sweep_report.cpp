#include <koppel/study/sweep_report.hpp>

#include <cassert>
#include <numeric>

#include <fmt/format.h>

#include <koppel/results/json_text.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

extern const char* const kSweepTemplate;  // embedded from viewer/

namespace {

void add_column(JsonText& json, const std::string& name, const char* group) {
  json.raw("{"), json.key("name"), json.string(name);
  json.raw(R"(,"unit":"",)"), json.key("group"), json.string(group), json.raw("}");
}

void add_texts(JsonText& json, const char* name, const std::vector<std::string>& texts) {
  json.raw(","), json.key(name);
  json.list(texts, [&](const std::string& text) { json.string(text); });
}

void add_band(JsonText& json, const Bands& bands, std::size_t quantity) {
  json.raw("{"), json.key("name"), json.string(bands.quantities()[quantity]);
  json.raw(","), json.key("times"), json.numbers(bands.times());
  json.raw(","), json.key("quantiles");
  std::vector<std::size_t> all(bands.times().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  json.list(all, [&](std::size_t i) { json.numbers(bands.at(quantity, i)); });
  json.raw("}");
}

std::string to_json(SweepReport report, const Sweep& sweep,
                    std::span<const std::vector<double>> values, const Bands* bands) {
  const std::size_t num_rows = values.empty() ? 0 : values[0].size();
  if (num_rows < report.num_variants) {
    report.messages.push_back(fmt::format("{} of {} variants are shown; all are in the table.",
                                          num_rows, report.num_variants));
  }
  JsonText json;
  json.raw("{"), json.key("title"), json.string(report.title);
  json.raw(","), json.key("description"), json.string(report.description);
  json.raw(","), json.key("summary");
  json.list(report.summary, [&](const auto& entry) {
    json.raw("{"), json.key("label"), json.string(entry.first);
    json.raw(","), json.key("value"), json.string(entry.second), json.raw("}");
  });
  add_texts(json, "messages", report.messages);
  add_texts(json, "alarms", report.alarms);
  json.raw(","), json.key("columns"), json.raw("[");
  bool is_first = true;
  const auto add = [&](const std::string& name, const char* group) {
    if (!is_first) json.raw(",");
    is_first = false;
    add_column(json, name, group);
  };
  for (const Range& range : sweep.samples.design().ranges) add(range.name, "parameters");
  for (const Criterion& criterion : sweep.criteria) add(criterion.label, "criteria");
  json.raw("],"), json.key("data");
  json.list(values, [&](const std::vector<double>& column) {
    json.list(column, [&](double value) { json.number(value); });
  });
  json.raw(","), json.key("bands"), json.raw("[");
  for (std::size_t q = 0; bands != nullptr && q < bands->quantities().size(); ++q) {
    if (q > 0) json.raw(",");
    add_band(json, *bands, q);
  }
  json.raw("]}");
  return json.take();
}

}  // namespace

std::vector<std::size_t> rows_in_report(std::size_t num_variants) {
  constexpr std::size_t kMostRows = 3000;
  return thin_evenly(num_variants, kMostRows);
}

std::string to_html(const SweepReport& report, const Sweep& sweep,
                    std::span<const std::vector<double>> values, const Bands* bands) {
  constexpr std::string_view kMarker = "/*DATA*/null";
  const std::string_view page = kSweepTemplate;
  const std::size_t place = page.find(kMarker);
  assert(place != std::string_view::npos);
  return std::string(page.substr(0, place)) + to_json(report, sweep, values, bands) +
         std::string(page.substr(place + kMarker.size()));
}

}  // namespace koppel
