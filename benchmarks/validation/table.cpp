#include "benchmarks/validation/table.hpp"

#include <cstdio>

namespace koppel::benchmarks {

void print_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  std::puts(line.c_str());
}

void print_head(const std::vector<std::string>& cells, std::size_t num_texts) {
  std::puts("");
  print_row(cells);
  std::vector<std::string> rule(cells.size(), "---:");
  for (std::size_t i = 0; i < num_texts; ++i) rule[i] = "---";
  print_row(rule);
}

}  // namespace koppel::benchmarks
