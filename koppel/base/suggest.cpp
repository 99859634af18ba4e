#include <koppel/base/suggest.hpp>

#include <algorithm>
#include <vector>

namespace koppel {
namespace {

// Optimal string alignment distance, O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

// Whether letters of the candidate have only been left out in the name.
bool has_all_letters(std::string_view candidate, std::string_view name) {
  std::size_t i = 0;
  for (const char c : candidate) {
    if (i < name.size() && name[i] == c) ++i;
  }
  return i == name.size();
}

}  // namespace

std::string suggest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 64;  // nobody misspells a longer name; keeps the cost bounded
  if (name.size() < 2 || name.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = kLongest + 1;
  bool best_is_left_out = false;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t most = std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    const std::size_t distance = edit_distance(name, candidate);
    if (distance > most || distance > best_distance) continue;
    const bool is_left_out = has_all_letters(candidate, name);
    if (distance == best_distance && (!is_left_out || best_is_left_out)) continue;
    best_distance = distance;
    best_is_left_out = is_left_out;
    best = candidate;
  }
  return best;
}

std::string list_choices(std::string_view wrong, std::string_view what,
                         const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 40;
  std::string hint;
  if (known.size() <= kFew && !known.empty()) {
    for (const std::string& name : known) hint += (hint.empty() ? "" : ", ") + name;
    hint = std::string(what) + ": " + hint + ".";
  }
  if (const std::string near = suggest(wrong, known); !near.empty()) {
    hint += (hint.empty() ? "" : " ") + ("Did you mean '" + near + "'?");
  }
  return hint;
}

}  // namespace koppel
