// Tables of Markdown on standard output, which tools/validation reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace koppel::benchmarks {

void print_row(const std::vector<std::string>& cells);
// After an empty line. The first `num_texts` columns are texts, the others numbers.
void print_head(const std::vector<std::string>& cells, std::size_t num_texts);

}  // namespace koppel::benchmarks
