// Any bytes are columns of equal length or an Error with a line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <koppel/base/csv.hpp>
#include <koppel/base/diagnostic.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koppel;
  try {
    const CsvColumns csv = parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    if (csv.names.empty() || csv.values.size() != csv.names.size()) std::abort();
    for (const auto& column : csv.values) {
      if (column.size() != csv.values[0].size()) std::abort();
    }
  } catch (const Error& error) {
    if (error.diagnostics()[0].where.line < 1) std::abort();
  }
  return 0;
}
