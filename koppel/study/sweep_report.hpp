// The report of a sweep: a page with parallel coordinates and a scatter matrix of all variants, in
// one file that needs nothing else (viewer/).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <koppel/study/sweep.hpp>
#include <koppel/study/sweep_bands.hpp>

namespace koppel {

struct SweepReport {
  std::string title, description;
  std::vector<std::pair<std::string, std::string>> summary;  // labels and texts
  std::vector<std::string> messages, alarms;
  std::size_t num_variants = 0;
};

// Of more than 3,000 variants as many are shown, evenly, and the page says so: their places.
std::vector<std::size_t> rows_in_report(std::size_t num_variants);

// `values`: of these rows by column, parameters first, then criteria; not a number: none.
std::string to_html(const SweepReport& report, const Sweep& sweep,
                    std::span<const std::vector<double>> values, const Bands* bands = nullptr);

}  // namespace koppel
