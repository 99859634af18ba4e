#include <koppel/base/quoted.hpp>

#include <algorithm>

namespace koppel {

std::string quoted(std::span<const std::string> names) {
  constexpr std::size_t kMost = 6;
  const std::size_t told = std::min(names.size(), kMost);
  std::string text;
  for (std::size_t i = 0; i < told; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
  if (names.size() > told) text += " and " + std::to_string(names.size() - told) + " more";
  return text;
}

}  // namespace koppel
