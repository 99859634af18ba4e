// Comma-separated values: a header with names, then a line of numbers for each row. Where
// the header has no comma, semicolons or tabs separate, and decimals may have commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koppel {

struct CsvColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // by column; an empty field is not a number
};

// Throws Error `csv.bad-line` with the line; `file` is for the message.
CsvColumns parse_csv(std::string_view text, const std::string& file);

// As it stands in a table: in quotation marks where it has commas, quotation marks or ends of lines.
std::string csv_field(const std::string& text);

}  // namespace koppel
