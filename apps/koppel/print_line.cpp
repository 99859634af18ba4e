#include "apps/koppel/print_line.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/koppel/with_flags.hpp"

namespace koppel::app {

void print_line(const std::string& label, const std::string& said) {
  const std::string text = with_flags(said);
  constexpr std::size_t kWidth = 80, kIndent = 15;
  std::printf("  %-12s", label.c_str());
  std::size_t column = kIndent - 1, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column >= kIndent && column + 1 + end - begin > kWidth) {
      std::printf("\n%*s", static_cast<int>(kIndent) - 1, "");
      column = kIndent - 1;
    }
    std::printf(" %s", text.substr(begin, end - begin).c_str());
    column += 1 + end - begin;
    begin = end + 1;
  }
  std::printf("\n");
}

}  // namespace koppel::app
