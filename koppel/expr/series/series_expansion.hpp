// What stands around the solution of a stage (SeriesSolution), for generators that write whole
// expansions: with s_o = (k + o)!/k!, stage k is
//   b_i = −s_c F_i[k + c],   J X = b,   x_j[k + d] = X_j / s_d,   x_j⁽ˡ⁾[k + d − l] = X_j /
//   s_{d−l},
// where the coefficients to be found are 0 in the evaluation of F.
#pragma once

#include <vector>

#include <koppel/expr/series/series_program.hpp>

namespace koppel {

struct SeriesExpansion {
  // The coefficient k + lead of a value, and the right-hand side or unknown it belongs to.
  struct Term {
    std::size_t number;
    ValueId value;
    int lead;
  };
  std::vector<Term> sides;
  std::vector<Term> results, first_results;  // in every stage; in stage 0 only
  std::vector<Term> zeros, first_zeros;      // the same
  int most = 0;                              // the largest o of s_o
};

SeriesExpansion plan_expansion(const SeriesProgram& series, const SeriesStages& stages,
                               const std::vector<SeriesSolution::Unknown>& unknowns);

}  // namespace koppel
