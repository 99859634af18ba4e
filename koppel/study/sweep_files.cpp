#include <koppel/study/sweep_files.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/whole_file.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/study/indices.hpp>
#include <koppel/study/sweep_report.hpp>
#include <koppel/study/sweep_table.hpp>

namespace koppel {

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

// Columns of so many rows of the table, as far as they are numbers; the status as 0 (done), 1
// (doubtful) or 2.
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

void put_row(const Sweep& sweep, std::size_t row, std::size_t number, std::string_view line,
             Hdf5Table& table) {
  std::size_t next = 2;
  const auto put = [&](double value) { table.parts[next++].values[row] = value; };
  for (std::size_t i = 0; i < sweep.samples.num_parameters(); ++i) {
    put(sweep.samples.value(number, i));
  }
  LineReader reader(sweep, line);
  for (std::size_t i = 0; i < sweep.criteria.size(); ++i) put(reader.criterion());
  table.parts[0].values[row] = static_cast<double>(number);
  table.parts[1].values[row] = static_cast<double>(reader.status());
}

// Of the statuses of the rows that are done.
void count_statuses(const SweepJournal& journal, std::span<const std::uint8_t> statuses,
                    SweepCounts& counts) {
  constexpr std::size_t kMost = 3;
  counts.variants = statuses.size();
  for (std::size_t number = 0, row = 0; row < statuses.size(); ++number) {
    if (!journal.is_done()[number]) continue;
    const auto status = static_cast<SweepRow::Status>(statuses[row++]);
    if (status == SweepRow::Status::Done) continue;
    ++(status == SweepRow::Status::Failed ? counts.failed : counts.doubtful);
    if (counts.first.size() < kMost) counts.first.emplace_back(table_part(journal.line(number)));
  }
}

std::string report_of(const std::string& title, const Sweep& sweep, const SweepCounts& counts,
                      const Bands* bands, const Hdf5Table& table,
                      std::span<const std::size_t> rows) {
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
  report.num_variants = counts.variants;
  if (const std::string bad = count_bad(counts); !bad.empty()) report.alarms.push_back(bad);
  std::vector<std::vector<double>> values;
  for (const Hdf5Table::Part& part : table.parts) {
    if (part.group == "variants") continue;
    std::vector<double>& shown = values.emplace_back();
    for (const std::size_t row : rows) shown.push_back(part.values[row]);
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
  counts.has_bands = !sweep.band_times.empty();
  Bands bands(quantities_of(sweep.criteria), sweep.band_times);
  std::vector<std::uint8_t> statuses(journal.num_done());
  // All numbers are kept where they are asked for, else those of the report.
  const bool keeps_all = counts.has_hdf5 || counts.has_indices;
  std::vector<std::size_t> shown = rows_in_report(statuses.size());
  Hdf5Table table = columns_of(sweep, manifest, keeps_all ? statuses.size() : shown.size());
  const auto see = [&](std::size_t place, std::size_t number, std::string_view line) {
    const SweepRow::Status status = status_of(sweep, line);
    statuses[place] = static_cast<std::uint8_t>(status);
    if (keeps_all) {
      put_row(sweep, place, number, line, table);
    } else if (const auto it = std::lower_bound(shown.begin(), shown.end(), place);
               it != shown.end() && *it == place) {
      put_row(sweep, static_cast<std::size_t>(it - shown.begin()), number, line, table);
    }
    if (!counts.has_bands || status == SweepRow::Status::Failed) return;
    bands.add(parse_series(series_part(line)));  // one row at a time
  };
  journal.write_table(folder / "sweep.csv", table_head(sweep), counts.has_bands ? 1 : jobs, see);
  count_statuses(journal, statuses, counts);
  if (!keeps_all) std::iota(shown.begin(), shown.end(), std::size_t{0});
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
             report_of(title, sweep, counts, counts.has_bands ? &bands : nullptr, table, shown));
  return counts;
}

}  // namespace koppel
