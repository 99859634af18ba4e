#include <koppel/study/sweep_table.hpp>

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/csv.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/sweep_bands.hpp>

namespace koppel {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

std::string table_head(const Sweep& sweep) {
  std::string out = "variant";
  for (const Range& range : sweep.samples.design().ranges) out += ',' + quoted(range.name);
  for (const Criterion& criterion : sweep.criteria) out += ',' + quoted(criterion.label);
  return out + ",status,error,reason\n";
}

std::string table_line(const Sweep& sweep, std::size_t number, const SweepRow& row) {
  std::string out = std::to_string(number);
  for (const double value : sweep.samples.point(number)) {
    out += ',';
    append_number(out, value);
  }
  for (std::size_t i = 0; i < sweep.criteria.size(); ++i) {
    out += ',';
    if (i < row.values.size() && std::isfinite(row.values[i])) append_number(out, row.values[i]);
  }
  return out + fmt::format(",{},{},{}", name_of(row.status), row.id, quoted(row.reason));
}

std::string journal_line(const Sweep& sweep, std::size_t number, const SweepRow& row) {
  const std::string line = table_line(sweep, number, row);
  return row.series.empty() ? line : line + '\t' + series_text(row.series);
}

std::string_view table_part(std::string_view line) { return line.substr(0, line.find('\t')); }

std::string_view series_part(std::string_view line) {
  const std::size_t tab = line.find('\t');
  return tab == line.npos ? std::string_view() : line.substr(tab + 1);
}

// Fields up to the status are numbers, or empty.
std::vector<double> values_of(const Sweep& sweep, std::string_view line) {
  std::vector<double> out;
  const std::size_t first = 1 + sweep.samples.num_parameters();
  for (std::size_t i = 0, at = 0; i < first + sweep.criteria.size(); ++i) {
    const std::size_t end = line.find(',', at);
    if (i >= first) {
      double value = std::numeric_limits<double>::quiet_NaN();
      std::from_chars(line.data() + at, line.data() + end, value);
      out.push_back(value);
    }
    at = end + 1;
  }
  return out;
}

SweepRow::Status status_of(const Sweep& sweep, std::string_view line) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < 1 + sweep.samples.num_parameters() + sweep.criteria.size(); ++i) {
    at = line.find(',', at) + 1;
  }
  for (const auto status : {SweepRow::Status::Done, SweepRow::Status::Doubtful}) {
    if (line.substr(at).starts_with(std::string(name_of(status)) + ',')) return status;
  }
  return SweepRow::Status::Failed;
}

Design design_from_csv(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const CsvColumns csv = parse_csv(read_text(path, kMostBytes, "study.bad-points"), path.string());
  Design out{.kind = Design::Kind::Table};
  const auto refuse = [&](const std::string& why, const char* hint) {
    throw Error("study.bad-points", path.string() + ' ' + why, hint);
  };
  if (csv.names.empty() || csv.values[0].empty()) {
    refuse("has no rows.",
           "It needs a line with the names of parameters, then a line for each "
           "variant.");
  }
  for (std::size_t i = 0; i < csv.names.size(); ++i) {
    for (std::size_t row = 0; row < csv.values[i].size(); ++row) {
      if (std::isfinite(csv.values[i][row])) continue;
      refuse(fmt::format("has no value of '{}' in row {}.", csv.names[i], row + 1),
             "Each row needs a value for every parameter.");
    }
    out.ranges.push_back({.name = csv.names[i]});
    out.table.push_back(csv.values[i]);
  }
  return out;
}

}  // namespace koppel
