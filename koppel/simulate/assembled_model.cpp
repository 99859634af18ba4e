#include <koppel/simulate/assembled_model.hpp>

#include <fmt/format.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/simulate/passage_log.hpp>

namespace koppel {

void AssembledModel::assemble(const Model& model, const std::string& coordinates) {
  stage("derive", [&] { equations = derive(model, coordinates); });
  stage("compile", [&] { evaluator.emplace(equations); });
  stage("assemble", [&] { find_start(model); });
  stage("rank", [&] { take(analyze_rank(*evaluator, state)); });
}

void AssembledModel::take(RankReport found) {
  rank = std::move(found);
  independent = leave_out(equations, rank.redundant_rows);
}

void AssembledModel::find_start(const Model& model) {
  const Assembly assembly = koppel::assemble(*evaluator, place_bodies(model, equations));
  if (!assembly) throw Error({mistake_of_failed_start(model, assembly)});
  notes.clear();
  if (!assembly.move.empty()) {
    notes.push_back("start: " + assembly.move +
                    " from where it was expected, so that the constraints hold.");
  }
  for (const Gap& wish : assembly.missed) {
    notes.push_back(
        fmt::format("start: the wish for '{}' is missed by {:.3g}.", wish.name, wish.size));
  }
  state = assembly.state;
}

}  // namespace koppel
