#include <koppel/expr/series/series_expansion.hpp>

#include <algorithm>

namespace koppel {

SeriesExpansion plan_expansion(const SeriesProgram& series, const SeriesStages& stages,
                               const std::vector<SeriesSolution::Unknown>& unknowns) {
  SeriesExpansion out;
  for (std::size_t i = 0; i < stages.output_leads.size(); ++i) {
    const int c = stages.output_leads[i];
    out.most = std::max(out.most, c);
    out.sides.push_back({i, series.program.outputs[i], c});
  }
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const int d = stages.variable_leads[unknowns[j].first];
    out.most = std::max(out.most, d);
    for (std::size_t l = 0; l < unknowns[j].count; ++l) {
      const std::size_t value = unknowns[j].first + l;
      const int lead = d - static_cast<int>(l);
      if (l > 0 && (lead < 0 || !series.is_read[value])) continue;
      const SeriesExpansion::Term term{j, static_cast<ValueId>(value), lead};
      (series.needs_zero[value] ? out.zeros : out.first_zeros).push_back(term);
      (l == 0 || series.is_read_later[value] ? out.results : out.first_results).push_back(term);
    }
  }
  return out;
}

}  // namespace koppel
