#include <koppel/analysis/examine.hpp>

#include <algorithm>

#include <koppel/analysis/assembly/loop.hpp>
#include <koppel/analysis/rank/branches.hpp>
#include <koppel/analysis/rank/dead_point.hpp>
#include <koppel/analysis/rank/massless.hpp>
#include <koppel/analysis/structure/dae.hpp>
#include <koppel/analysis/structure/hidden_equations.hpp>
#include <koppel/analysis/structure/numeric_index.hpp>
#include <koppel/analysis/structure/regularity.hpp>
#include <koppel/equations/leave_out.hpp>

namespace koppel {
namespace {

IndexReport find_index(const Evaluator& evaluator, const Examination& found, bool with_servo) {
  const Dae dae = make_dae(leave_out(evaluator.equations, found.rank.redundant_rows),
                           {.with_servo = with_servo});
  const Structure structure = analyze_structure(dae);
  // Invariants hold by themselves: the norm of a quaternion is no value to choose.
  const int num_invariants = static_cast<int>(evaluator.equations->h.size());
  IndexReport report{structure.index, structure.degrees_of_freedom - num_invariants,
                     IndexReport::Evidence::StructureOnly, structure.problem};
  // What is singular at the start alone says nothing about the index.
  if (found.rank.is_singular() || found.rank.is_degenerate) return report;
  const DaePoint point = make_point(dae, evaluator, found.start.state);
  if (structure.is_regular && check_regularity(dae, structure, point).is_regular) {
    report.evidence = IndexReport::Evidence::Structure;
    return report;
  }
  // What a parameter of value 0 multiplies is not there.
  const Dae valued = with_values(dae, point);
  if (const Structure of = analyze_structure(valued);
      with_servo && of.is_regular && check_regularity(valued, of, point).is_regular) {
    return {of.index, of.degrees_of_freedom - num_invariants, IndexReport::Evidence::Structure, {}};
  }
  const NumericIndex numeric = find_numeric_index(dae, point);
  if (numeric.index >= 0) {
    report.index = numeric.index;
    report.num_free = numeric.degrees_of_freedom - num_invariants;
    report.evidence = IndexReport::Evidence::Ranks;
  }
  return report;
}

}  // namespace

Diagnostic mistake_of_failed_start(const Model& model, const Assembly& failed) {
  Diagnostic out{"assembly.impossible", {}, {}, {}, {}};
  for (const Gap& gap : failed.gaps) {
    out.message = explain_open_loop(model, gap.owner, &out.subject);
    if (!out.message.empty()) return out;
  }
  const std::string reason = explain_dead_point(model, failed);
  out.message = reason.empty() ? failed.text : failed.text + ' ' + reason;
  if (failed.gaps.empty()) return out;
  const Gap& first = failed.gaps.front();
  out.subject = first.is_initial ? first.name : first.owner;
  if (first.is_initial) out.cause = Cause::InitialValue;
  return out;
}

std::string explain_failed_start(const Model& model, const Assembly& failed) {
  return mistake_of_failed_start(model, failed).message;
}

Examination examine(const Shared<Equations>& equations, const Placement& placement) {
  const Evaluator evaluator(equations);
  Examination found;
  found.start = assemble(evaluator, placement);
  found.rank =
      analyze_rank(evaluator, found.start.state, {.here_only = !found.start.positions_found});
  if (found.rank.is_degenerate) {
    found.singular = describe_degenerate(evaluator, found.start.state);
  } else if (found.rank.is_singular()) {
    found.singular = describe_singular(evaluator, found.start.state, found.rank) + ' ' +
                     describe(find_branches(evaluator, found.start.state, found.rank));
  }
  found.massless = find_massless(evaluator, found.start.state);
  found.forward = find_index(evaluator, found, false);
  if (!equations->s.empty()) found.servo = find_index(evaluator, found, true);
  return found;
}

}  // namespace koppel
