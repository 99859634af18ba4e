// Names in the texts of expressions, without parsing them. Internal to the reader.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace koppel::yaml {

struct Name {
  std::string_view text;  // with indices and quotes: link[2].A.x'
  std::size_t offset;
  bool is_call;  // an opening parenthesis follows
};

// The names of an expression, in order. Indices are numbers already.
std::vector<Name> names_in(std::string_view expression);

// The text with the names `i` replaced by numbers, also within indices: x[i-1] + i.
std::string with_numbers(std::string_view text,
                         const std::map<std::string, long, std::less<>>& numbers);

// The text with every index that is not a number replaced by the value that `evaluate` gives for
// its text: link[n-1] becomes link[4].
std::string with_indices(std::string_view text,
                         const std::function<long(std::string_view)>& evaluate);

}  // namespace koppel::yaml
