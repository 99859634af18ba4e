#include <koppel/export/names.hpp>

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include <koppel/base/text.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Macros of the headers that generated code includes (math.h, stdint.h, stdio.h, string.h), and of
// compilers that do not keep to the standard: in their place would stand something else.
bool is_macro(const std::string& name) {
  static const std::set<std::string> kMacros = {
      "NULL",       "NAN",          "INFINITY",  "HUGE_VAL",     "HUGE_VALF",   "HUGE_VALL",
      "HUGE",       "DOMAIN",       "SING",      "OVERFLOW",     "UNDERFLOW",   "PLOSS",
      "TLOSS",      "MAXFLOAT",     "M_E",       "M_LOG2E",      "M_LOG10E",    "M_LN2",
      "M_LN10",     "M_PI",         "M_PI_2",    "M_PI_4",       "M_1_PI",      "M_2_PI",
      "M_2_SQRTPI", "M_SQRT2",      "M_SQRT1_2", "FP_NAN",       "FP_INFINITE", "FP_ZERO",
      "FP_NORMAL",  "FP_SUBNORMAL", "FP_ILOGB0", "FP_ILOGBNAN",  "MATH_ERRNO",  "MATH_ERREXCEPT",
      "EOF",        "BUFSIZ",       "FOPEN_MAX", "FILENAME_MAX", "L_tmpnam",    "TMP_MAX",
      "P_tmpdir",   "SEEK_SET",     "SEEK_CUR",  "SEEK_END",     "stdin",       "stdout",
      "stderr",     "signgam",      "errno",     "linux",        "unix",        "i386"};
  if (kMacros.contains(name)) return true;
  const auto starts = [&](std::string_view with) { return name.starts_with(with); };
  // Of koppel/runtime and of what generated code defines for it.
  for (const char* own : {"KOPPEL_", "MODEL_", "START_"}) {
    if (starts(own)) return true;
  }
  const bool is_limit =
      name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_WIDTH");
  return is_limit && (starts("INT") || starts("UINT") || starts("SIZE_") || starts("PTRDIFF_") ||
                      starts("SIG_ATOMIC_") || starts("WCHAR_") || starts("WINT_"));
}

}  // namespace

std::string c_identifier(std::string_view label) {
  std::string out;
  while (!label.empty() && label.back() == '\'') {
    out += "d_";
    label.remove_suffix(1);
  }
  for (const char c : label) {
    if (is_letter(c) || is_digit(c)) {
      if (out.empty() && is_digit(c)) out += '_';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      out += fmt::format("x{:02x}", static_cast<unsigned char>(c));
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.size() > 1 && out.back() == '_') out.pop_back();
  return out.empty() ? "_" : out;
}

std::string c_comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text[at] = '+';
  for (std::size_t at = 0; (at = text.find("/*", at)) != std::string::npos;) text[at] = '|';
  // A trigraph, of which compilers warn in comments too.
  for (std::size_t at = 0; (at = text.find("?\?/", at)) != std::string::npos;) text[at + 1] = ' ';
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

Names Names::of_c(std::string_view model) {
  Names names;
  const std::string prefix = upper_case(std::string(model));
  names.is_for_c_ = true;
  names.taken_ = {
      "auto",     "break",  "case",   "char",       "const",  "continue",  "default",  "do",
      "double",   "else",   "enum",   "extern",     "float",  "for",       "goto",     "if",
      "inline",   "int",    "long",   "register",   "return", "short",     "signed",   "sizeof",
      "static",   "struct", "switch", "typedef",    "union",  "unsigned",  "restrict", "void",
      "volatile", "while",  "t",      "start_time", "count",  "inner_step"};
  for (const char* word : {"alignas",
                           "alignof",
                           "and",
                           "and_eq",
                           "asm",
                           "bitand",
                           "bitor",
                           "bool",
                           "catch",
                           "char16_t",
                           "char32_t",
                           "char8_t",
                           "class",
                           "co_await",
                           "co_return",
                           "co_yield",
                           "compl",
                           "concept",
                           "const_cast",
                           "consteval",
                           "constexpr",
                           "constinit",
                           "decltype",
                           "delete",
                           "dynamic_cast",
                           "explicit",
                           "export",
                           "false",
                           "friend",
                           "mutable",
                           "namespace",
                           "new",
                           "noexcept",
                           "not",
                           "not_eq",
                           "nullptr",
                           "operator",
                           "or",
                           "or_eq",
                           "private",
                           "protected",
                           "public",
                           "reinterpret_cast",
                           "requires",
                           "static_assert",
                           "static_cast",
                           "template",
                           "this",
                           "thread_local",
                           "throw",
                           "true",
                           "try",
                           "typeid",
                           "typename",
                           "using",
                           "virtual",
                           "wchar_t",
                           "xor",
                           "xor_eq"}) {
    names.taken_.insert(word);
  }
  for (const char* end : {"_H", "_STEP", "_START_BYTES"}) names.taken_.insert(prefix + end);
  return names;
}

Names Names::of_matlab() {
  Names names;
  names.begins_with_letter_ = true;
  names.taken_ = {"break",
                  "case",
                  "catch",
                  "classdef",
                  "continue",
                  "do",
                  "else",
                  "elseif",
                  "end",
                  "endfunction",
                  "endif",
                  "for",
                  "function",
                  "global",
                  "if",
                  "otherwise",
                  "parfor",
                  "persistent",
                  "return",
                  "spmd",
                  "switch",
                  "try",
                  "unwind_protect",
                  "until",
                  "while",
                  "zeros",
                  "pi",
                  "inf",
                  "nan",
                  "koppel_table",
                  "out",
                  "w",
                  "koppel_select",
                  "t",
                  "q",
                  "v",
                  "x",
                  "u",
                  "p"};
  for (const Operation& operation : operations::kTable) names.taken_.insert(operation.name);
  return names;
}

std::string Names::add(std::string_view label, const std::string& prefix) {
  std::string name = prefix + c_identifier(label);
  if (begins_with_letter_ && name[0] == '_') name = 'x' + name;
  if (taken_.contains(name) || (is_for_c_ && is_macro(name))) name += '_';
  const std::string base = name;
  for (int k = 2; !used_.insert(name).second; ++k) name = base + '_' + std::to_string(k);
  return name;
}

}  // namespace koppel
