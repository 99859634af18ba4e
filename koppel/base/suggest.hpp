// The known name that a misspelt one most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koppel {

// The candidate nearest to `name` by edit distance (a swap of neighbours counts as one edit), or
// an empty string when none is near enough to be meant: more than a third of the longer of the two
// (and more than one letter) is wrong. Of those that are equally near, one of which letters are
// left out goes first: `sgn` means `sign`, not `sin`. For a single letter nothing is suggested.
std::string suggest(std::string_view name, std::span<const std::string> candidates);

// What is there in place of `wrong`, where it is not too much to list, and which of them was meant:
// "points: A, B. Did you mean 'A'?"
std::string list_choices(std::string_view wrong, std::string_view what,
                         const std::vector<std::string>& known);

}  // namespace koppel
