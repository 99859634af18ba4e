// Series as C99, of the same expressions as functions (code/emit_c.hpp).
#pragma once

#include <string>
#include <string_view>

#include <koppel/expr/series/series_expansion.hpp>

namespace koppel {

// void NAME(int k, double* c), void NAME_correct(int k, double* c), void NAME_last(int k, double* c)
// Stage k of all values, of those to be corrected, and of the last; c holds the coefficients.
std::string emit_c_series(const SeriesProgram& series, const SeriesLayout& layout,
                          std::string_view name);

// void NAME_expand(int k, int last, double* c, double* in, double* X, double* work)
// Stages k … last: evaluated, solved by NAME_solve(in, X, work), which must come before, and
// corrected. The right-hand sides stand first in `in`.
std::string emit_c_expansion(const SeriesExpansion& expansion, const SeriesLayout& layout,
                             std::string_view name);

}  // namespace koppel
