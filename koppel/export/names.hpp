// Identifiers for generated code, made of the names of a model.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace koppel {

// Letters, digits and underscores; a quote (a rate) becomes `d_` in front. May begin with an
// underscore, as C allows.
std::string c_identifier(std::string_view label);

// Text for a comment of C: nothing in it may end the comment.
std::string c_comment(std::string text);
// At the head of sources that are to have the same bits everywhere: where GCC 12 may use fused
// operations, its vectoriser of straight code does (vfmaddsub), whatever -ffp-contract says.
inline constexpr const char* kNoFusedVectors =
    "#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || defined(__aarch64__))\n"
    "#pragma GCC optimize(\"no-tree-slp-vectorize\") /* it fuses products and sums */\n"
    "#endif\n\n";

std::string upper_case(std::string text);

// Distinct identifiers for the fields of one struct or the variables of one function.
class Names {
 public:
  // Of C and C++: their keywords, macros of their headers, and names that generated code uses, are
  // taken; also macros of the code of a model with this name.
  static Names of_c(std::string_view model = "");
  // Of MATLAB and Octave: begins with a letter.
  static Names of_matlab();

  std::string add(std::string_view label, const std::string& prefix = "");

 private:
  std::set<std::string> taken_, used_;  // by the language, by those added
  bool begins_with_letter_ = false, is_for_c_ = false;
};

}  // namespace koppel
