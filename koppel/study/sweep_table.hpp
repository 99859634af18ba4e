// The table of a sweep: a line for each variant,
//
//   variant,l,m,x:final,y:max,status,error,reason
//   0,0.5,1,-0.31,0.02,done,,
//   1,0.5,2,,,failed,assembly.impossible,"loop 'rod' cannot close: …"
//
// Numbers are as short as they can be to be read back as the same.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/study/samples.hpp>
#include <koppel/study/sweep.hpp>

namespace koppel {

std::string table_head(const Sweep& sweep);  // with its end
std::string table_line(const Sweep& sweep, std::size_t number, const SweepRow& row);  // without

// What the journal keeps of a row: the line of the table and, behind a tab, the series of bands.
std::string journal_line(const Sweep& sweep, std::size_t number, const SweepRow& row);
std::string_view table_part(std::string_view line);
std::string_view series_part(std::string_view line);  // empty: none

// The criteria that a line says; not a number where there is none.
std::vector<double> values_of(const Sweep& sweep, std::string_view line);
// The status that a line says.
SweepRow::Status status_of(const Sweep& sweep, std::string_view line);

// Points from a file of comma-separated values, whose columns are parameters. Throws Error
// `study.bad-points`: no rows, values that are missing.
Design design_from_csv(const std::filesystem::path& path);

}  // namespace koppel
