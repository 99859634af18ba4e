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
namespace {}  // namespace

std::string table_head(const Sweep& sweep) {
  std::vector<std::string> parameters, criteria;
  for (const Range& range : sweep.samples.design().ranges) parameters.push_back(range.name);
  for (const Criterion& criterion : sweep.criteria) criteria.push_back(criterion.label);
  return table_head(parameters, criteria);
}

std::string table_head(std::span<const std::string> parameters,
                       std::span<const std::string> criteria) {
  std::string out = "variant";
  for (const std::string& name : parameters) out += ',' + csv_field(name);
  for (const std::string& label : criteria) out += ',' + csv_field(label);
  return out + ",status,error,reason\n";
}

std::string table_line(const Sweep& sweep, std::size_t number, const SweepRow& row) {
  SweepRow alone = row;
  alone.series.clear();
  return journal_line(sweep, number, alone);
}

std::string journal_line(const Sweep& sweep, std::size_t number, const SweepRow& row) {
  std::string out;
  LineWriter(sweep).append(number, row, out);
  return out;
}

void LineWriter::append(std::size_t number, const SweepRow& row, std::string& text) {
  sweep_.samples.point(number, point_);
  append_line(number, point_, sweep_.criteria.size(), row, text);
  if (!row.series.empty()) (text += '\t') += series_text(row.series);
}

void append_line(std::size_t number, std::span<const double> point, std::size_t num_criteria,
                 const SweepRow& row, std::string& text) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  for (const double value : point) {
    text += ',';
    append_number(text, value);
  }
  for (std::size_t i = 0; i < num_criteria; ++i) {
    text += ',';
    if (i < row.values.size() && std::isfinite(row.values[i])) append_number(text, row.values[i]);
  }
  text += ',';
  text += name_of(row.status);
  text += ',';
  text += row.id;
  text += ',';
  if (!row.reason.empty()) text += csv_field(row.reason);
}

std::string_view table_part(std::string_view line) { return line.substr(0, line.find('\t')); }

std::string_view series_part(std::string_view line) {
  const std::size_t tab = line.find('\t');
  return tab == line.npos ? std::string_view() : line.substr(tab + 1);
}

// Fields up to the status are numbers, or empty.
LineReader::LineReader(const Sweep& sweep, std::string_view line) : rest_(line) {
  for (std::size_t i = 0; i <= sweep.samples.num_parameters(); ++i) skip();
}

void LineReader::skip() {
  const std::size_t comma = rest_.find(',');
  rest_.remove_prefix(comma == rest_.npos ? rest_.size() : comma + 1);
}

double LineReader::criterion() {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  skip();
  return value;
}

SweepRow::Status LineReader::status() const {
  const std::string_view said = rest_.substr(0, rest_.find(','));
  for (const auto status : {SweepRow::Status::Done, SweepRow::Status::Doubtful}) {
    if (said == name_of(status)) return status;
  }
  return SweepRow::Status::Failed;
}

SweepRow::Status status_of(const Sweep& sweep, std::string_view line) {
  LineReader reader(sweep, line);
  for (std::size_t i = 0; i < sweep.criteria.size(); ++i) reader.skip();
  return reader.status();
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
