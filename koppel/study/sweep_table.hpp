// The table of a sweep: a line for each variant,
//
//   variant,l,m,x:final,y:max,status,error,reason
//   0,0.5,1,-0.31,0.02,done,,
//   1,0.5,2,,,failed,assembly.impossible,"loop 'rod' cannot close: …"
//
// Numbers are as short as they can be to be read back as the same.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/study/samples.hpp>
#include <koppel/study/sweep.hpp>

namespace koppel {

std::string table_head(const Sweep& sweep);  // with its end
std::string table_head(std::span<const std::string> parameters,
                       std::span<const std::string> criteria);
std::string table_line(const Sweep& sweep, std::size_t number, const SweepRow& row);  // without

// Appends the same with the values of the parameters, without its end.
void append_line(std::size_t number, std::span<const double> point, std::size_t num_criteria,
                 const SweepRow& row, std::string& text);

// What the journal keeps of a row: the line of the table and, behind a tab, the series of bands.
std::string journal_line(const Sweep& sweep, std::size_t number, const SweepRow& row);
std::string_view table_part(std::string_view line);
std::string_view series_part(std::string_view line);  // empty: none

// Appends such lines to texts, one after the other.
class LineWriter {
 public:
  explicit LineWriter(const Sweep& sweep) : sweep_(sweep), point_(sweep.samples.num_parameters()) {}
  void append(std::size_t number, const SweepRow& row, std::string& text);

 private:
  const Sweep& sweep_;
  std::vector<double> point_;
};

// What a line says: its criteria one after the other, not a number where there is none, and then
// its status.
class LineReader {
 public:
  LineReader(const Sweep& sweep, std::string_view line);
  double criterion();
  void skip();  // a criterion
  SweepRow::Status status() const;

 private:
  std::string_view rest_;
};
SweepRow::Status status_of(const Sweep& sweep, std::string_view line);

// Points from a file of comma-separated values, whose columns are parameters. Throws Error
// `study.bad-points`: no rows, values that are missing.
Design design_from_csv(const std::filesystem::path& path);

}  // namespace koppel
