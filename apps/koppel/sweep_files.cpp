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
Hdf5Table columns_of(const Sweep& sweep, const Manifest& manifest, std::size_t num_rows) {
  Hdf5Table out;
  out.about = "manifest";
  out.text = to_json(manifest);
  const auto add = [&](const char* group, const std::string& name) {
    out.parts.push_back({group, name, std::vector<double>(num_rows)});
  };
  add("variants", "number");
  add("variants", "status");
  for (const Range& range : sweep.samples.design().ranges) add("parameters", range.name);
  for (const Criterion& criterion : sweep.criteria) add("criteria", criterion.label);
  return out;
}

SweepRow::Status put_row(const Sweep& sweep, std::size_t place, std::size_t number,
                         std::string_view line, Hdf5Table& table) {
  std::size_t next = 2;
  const auto put = [&](double value) { table.parts[next++].values[place] = value; };
  for (std::size_t i = 0; i < sweep.samples.num_parameters(); ++i) {
    put(sweep.samples.value(number, i));
  }
  LineReader reader(sweep, line);
  for (std::size_t i = 0; i < sweep.criteria.size(); ++i) put(reader.criterion());
  table.parts[0].values[place] = static_cast<double>(number);
  table.parts[1].values[place] = static_cast<double>(reader.status());
  return reader.status();
}

// Of the columns of numbers and statuses.
void count(const SweepJournal& journal, const Hdf5Table& table, SweepCounts& counts) {
  constexpr std::size_t kMost = 3;
  const std::vector<double>&numbers = table.parts[0].values, &statuses = table.parts[1].values;
  counts.variants = numbers.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto status = static_cast<SweepRow::Status>(statuses[i]);
    if (status == SweepRow::Status::Done) continue;
    ++(status == SweepRow::Status::Failed ? counts.failed : counts.doubtful);
    if (counts.first.size() == kMost) continue;
    const std::string line = journal.line(static_cast<std::size_t>(numbers[i]));
    counts.first.emplace_back(table_part(line));
  }
}

std::string report_of(const std::string& title, const Sweep& sweep, const SweepCounts& counts,
                      const Bands* bands, Hdf5Table table) {
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
  for (Hdf5Table::Part& part : table.parts) {
    if (part.group != "variants") values.push_back(std::move(part.values));
  }
  return to_html(report, sweep, values, bands);
}

}  // namespace

SweepCounts write_sweep_files(const std::string& title, bool hdf5, const Sweep& sweep,
                              const Manifest& manifest, const SweepJournal& journal,
                              const std::filesystem::path& folder, int jobs) {
  SweepCounts counts;
  const Design::Kind kind = sweep.samples.design().kind;
  counts.has_indices = kind == Design::Kind::Morris || kind == Design::Kind::Saltelli;
  counts.has_hdf5 = hdf5;
  Hdf5Table table = columns_of(sweep, manifest, journal.num_done());
  counts.has_bands = !sweep.band_times.empty();
  Bands bands(quantities_of(sweep.criteria), sweep.band_times);
  // Bands take one row at a time.
  journal.write_table(folder / "sweep.csv", table_head(sweep), counts.has_bands ? 1 : jobs,
                      [&](std::size_t place, std::size_t number, std::string_view line) {
                        const auto status = put_row(sweep, place, number, line, table);
                        if (!counts.has_bands || status == SweepRow::Status::Failed) return;
                        bands.add(parse_series(series_part(line)));
                      });
  count(journal, table, counts);
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
  write_text(
      folder / "report.html",
      report_of(title, sweep, counts, counts.has_bands ? &bands : nullptr, std::move(table)));
  return counts;
}

}  // namespace koppel::app
