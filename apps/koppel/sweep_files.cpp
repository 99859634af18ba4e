#include "apps/koppel/sweep_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/whole_file.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/study/indices.hpp>
#include <koppel/study/sweep_report.hpp>
#include <koppel/study/sweep_table.hpp>

namespace koppel::app {

std::string summary_json(const Manifest& manifest, const SweepCounts& counts) {
  auto json = nlohmann::ordered_json::parse(to_json(manifest));
  json["failed"] = counts.failed;
  json["doubtful"] = counts.doubtful;
  json["files"] = nlohmann::ordered_json::array({"sweep.csv", "report.html"});
  if (counts.has_indices) json["files"].push_back("indices.csv");
  if (counts.has_hdf5) json["files"].push_back("sweep.h5");
  if (counts.has_bands) json["files"].push_back("bands.csv");
  return json.dump(2) + '\n';
}

std::string count_bad(const SweepCounts& counts) {
  std::string text;
  if (counts.failed > 0) {
    text += fmt::format("{} of {} variants failed", counts.failed, counts.variants);
  }
  if (counts.doubtful > 0) {
    const char* const are = counts.doubtful == 1 ? "is" : "are";
    text += counts.failed > 0 ? fmt::format(", {} {} doubtful", counts.doubtful, are)
                              : fmt::format("{} of {} variants {} doubtful", counts.doubtful,
                                            counts.variants, are);
  }
  return text.empty() ? text : text + '.';
}

namespace {

// The columns of the table, as far as they are numbers; the status as 0 (done), 1 (doubtful) or 2.
Hdf5Table columns_of(const Sweep& sweep, const Manifest& manifest) {
  Hdf5Table out;
  out.about = "manifest";
  out.text = to_json(manifest);
  out.parts = {{"variants", "number", {}}, {"variants", "status", {}}};
  for (const Range& range : sweep.samples.design().ranges) {
    out.parts.push_back({"parameters", range.name, {}});
  }
  for (const Criterion& criterion : sweep.criteria) {
    out.parts.push_back({"criteria", criterion.label, {}});
  }
  return out;
}

void add_row(const Sweep& sweep, std::size_t number, std::string_view line, Hdf5Table& table) {
  std::size_t next = 0;
  const auto add = [&](double value) { table.parts[next++].values.push_back(value); };
  add(static_cast<double>(number));
  add(static_cast<double>(status_of(sweep, line)));
  for (const double value : sweep.samples.point(number)) add(value);
  for (const double value : values_of(sweep, line)) add(value);
}

std::string report_of(const std::string& title, const Sweep& sweep, const SweepCounts& counts,
                      const Bands* bands, const Hdf5Table& table) {
  SweepReport report;
  report.title = title;
  report.description = "A sweep: what comes out of many variants of a model.";
  std::string ranges;
  const Design& design = sweep.samples.design();
  for (const Range& range : design.ranges) {
    ranges += (ranges.empty() ? "" : ", ") +
              (design.kind == Design::Kind::Table ? range.name : to_string(range));
  }
  report.summary = {{"variants", std::to_string(counts.variants)},
                    {"points", name_of(design.kind)},
                    {"parameters", ranges}};
  if (const std::string bad = count_bad(counts); !bad.empty()) report.alarms.push_back(bad);
  std::vector<std::vector<double>> values;
  for (const Hdf5Table::Part& part : table.parts) {
    if (part.group != "variants") values.push_back(part.values);
  }
  return to_html(report, sweep, values, bands);
}

}  // namespace

SweepCounts write_sweep_files(const std::string& title, bool hdf5, const Sweep& sweep,
                              const Manifest& manifest, const SweepJournal& journal,
                              const std::filesystem::path& folder) {
  SweepCounts counts;
  constexpr std::size_t kMost = 3;
  const Design::Kind kind = sweep.samples.design().kind;
  counts.has_indices = kind == Design::Kind::Morris || kind == Design::Kind::Saltelli;
  counts.has_hdf5 = hdf5;
  Hdf5Table table = columns_of(sweep, manifest);
  counts.has_bands = !sweep.band_times.empty();
  Bands bands(quantities_of(sweep.criteria), sweep.band_times);
  journal.write_table(folder / "sweep.csv", table_head(sweep),
                      [&](std::size_t number, std::string_view line) {
                        ++counts.variants;
                        add_row(sweep, number, line, table);
                        if (status_of(sweep, line) != SweepRow::Status::Failed) {
                          bands.add(parse_series(series_part(line)));
                        }
                        const SweepRow::Status status = status_of(sweep, line);
                        if (status == SweepRow::Status::Done) return;
                        ++(status == SweepRow::Status::Failed ? counts.failed : counts.doubtful);
                        if (counts.first.size() < kMost)
                          counts.first.emplace_back(table_part(line));
                      });
  if (counts.has_hdf5) write_hdf5(folder / "sweep.h5", table);
  if (counts.has_indices) {
    std::vector<std::string> labels;
    std::vector<std::vector<double>> values;
    for (const Hdf5Table::Part& part : table.parts) {
      if (part.group != "criteria") continue;
      labels.push_back(part.name);
      values.push_back(part.values);
    }
    write_text(folder / "indices.csv", indices_csv(sweep.samples, labels, values));
  }
  if (counts.has_bands) write_text(folder / "bands.csv", bands_csv(bands));
  write_text(folder / "manifest.json", summary_json(manifest, counts));
  write_text(folder / "report.html",
             report_of(title, sweep, counts, counts.has_bands ? &bands : nullptr, table));
  return counts;
}

}  // namespace koppel::app
