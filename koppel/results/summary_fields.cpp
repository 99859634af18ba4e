#include <koppel/results/summary_fields.hpp>

#include <koppel/results/value_json.hpp>

namespace koppel {
namespace {

struct Operations {
  long jit, cc, interpreter;
};

const ResultTable& result_fields(const Operations* /*of*/) {
  static const ResultTable kFields = {
      field<&Operations::jit>("jit", "in machine code made at once"),
      field<&Operations::cc>("cc", "in code of the C compiler"),
      field<&Operations::interpreter>("interpreter", "interpreted")};
  return kFields;
}

}  // namespace

const ResultTable& result_fields(const Summary::Code* /*of*/) {
  using S = Summary::Code;
  static const ResultTable kFields = {
      field<&S::asked>("asked", "'auto', 'jit', 'cc' or 'off', of `native`"),
      field<&S::taken>("taken",
                       "'jit': machine code generated in the process, 'cc': code of the C "
                       "compiler, 'interpreter'; what runs a few times only is interpreted all the "
                       "same"),
      field<&S::why>("why", "the reason"), field<[](const S& s) {
        return Operations{s.generated, s.compiled, s.interpreted};
      }>("operations", "how many operations of the programs that ran in loops each of them had")};
  return kFields;
}

const ResultTable& result_fields(const Summary::Event* /*of*/) {
  static const ResultTable kFields = {field<&Summary::Event::name>("name", "which"),
                                      field<&Summary::Event::t>("t", "when", "s")};
  return kFields;
}

const ResultTable& result_fields(const Summary::Passage* /*of*/) {
  static const ResultTable kFields = {
      field<&Summary::Passage::t>("t", "when", "s"),
      field<&Summary::Passage::constraints>("constraints", "that depend on each other there")};
  return kFields;
}

const ResultTable& result_fields(const Health::Reason* /*of*/) {
  using R = Health::Reason;
  static const ResultTable kFields = {
      field<[](const R& r) { return name_of(r.what); }>("what", "the quantity"),
      field<&R::t>("t", "when its limit was first exceeded", "s"),
      field<&R::value>("value", "the largest, relative"),
      field<&R::limit>("limit", "its limit there"),
      field<&R::text>("text", "all this in a sentence")};
  return kFields;
}

const ResultTable& result_fields(const Health* /*of*/) {
  static const ResultTable kFields = {
      field<[](const Health& h) { return name_of(h.state); }>(
          "state", "'good', 'doubtful', 'failed' or 'unwatched'"),
      field<&Health::reasons>("reasons", "which limits were exceeded")};
  return kFields;
}

const ResultTable& result_fields(const Excess* /*of*/) {
  static const ResultTable kFields = {field<&Excess::name>("name", "the column"),
                                      field<&Excess::from>("from", "when it begins", "s"),
                                      field<&Excess::to>("to", "when it ends", "s"),
                                      field<&Excess::bound>("bound", "the bound"),
                                      field<&Excess::worst>("worst", "the value farthest beyond"),
                                      field<&Excess::at>("at", "its time", "s")};
  return kFields;
}

const ResultTable& result_fields(const ColumnStatistics* /*of*/) {
  using C = ColumnStatistics;
  static const ResultTable kFields = {field<&C::min>("min", "the least"),
                                      field<&C::max>("max", "the largest"),
                                      field<&C::rms>("rms", "root mean square over time"),
                                      field<&C::final>("final", "in the last row")};
  return kFields;
}

const ResultTable& result_fields(const Summary* /*of*/) {
  using S = Summary;
  static const ResultTable kFields = {
      field<&S::model>("model", "what was simulated"),
      field<&S::status>("status",
                        "'done', 'doubtful' (finished, but a health limit was exceeded), 'stopped' "
                        "(interrupted) or 'failed'"),
      field<&S::health>("health", "what the run found out about itself"),
      field<&S::end>("end", "the requested end time", "s"),
      field<&S::reached>("reached", "the time reached", "s"),
      field<&S::dof>("dof", "degrees of freedom at the start"),
      field<&S::index>("index", "of the equations of motion; −1: not found"),
      field<&S::coordinates>("coordinates", "the coordinates of the equations"),
      field<&S::formulation>("formulation", "the form of the equations"),
      field<&S::projection>("projection", "onto the constraints after each step"),
      field<&S::integrator>("integrator", "the integration method"),
      field<&S::choice>("choice", "the reason, where something was chosen automatically"),
      field<&S::tolerance>("tolerance", "of the integration"),
      field<[](const S& s) { return 0 < s.step ? std::optional(s.step) : std::nullopt; }>(
          "step", "of the integration; null for adaptive steps", "s"),
      field<&S::order>("order", "the highest that was used"),
      field<&S::steps>("steps", "how many"),
      field<&S::rejected>("rejected", "steps that were repeated"),
      field<&S::evaluations>("evaluations", "of the equations"),
      field<&S::jacobians>("jacobians", "evaluations of Jacobians"),
      field<&S::factorizations>("factorizations", "of matrices"),
      field<&S::iterations>("iterations", "of Newton's method"),
      field<&S::native>("native", "what evaluated the equations"),
      field<&S::setup_seconds>("setup_seconds", "derivation, analysis, compilation", "s"),
      field<&S::wall_seconds>("wall_seconds", "the integration alone, without writing rows", "s"),
      field<&S::max_position_violation>("max_position_violation",
                                        "the largest of $\\lvert g\\rvert$ at the ends of steps"),
      field<&S::max_velocity_violation>("max_velocity_violation",
                                        "the largest of $\\lvert\\dot g\\rvert$ and $\\lvert a v + "
                                        "b\\rvert$ at the ends of steps"),
      field<&S::max_position_violation_between>(
          "max_position_violation_between",
          "the same of positions in rows between steps, where interpolation adds its own error"),
      field<&S::max_velocity_violation_between>("max_velocity_violation_between",
                                                "the same of velocities"),
      field<&S::energy_drift>(
          "energy_drift",
          "the largest error of the energy balance E − E₀ − ∫P dt − (energy given by events), "
          "relative to the energy that moved in the whole run; null where there is no balance"),
      field<&S::is_conservative>("is_conservative",
                                 "whether P, the power of all that does not conserve energy, "
                                 "vanishes, and no event happened"),
      field<&S::samples>("samples", "the number of rows"),
      field<&S::redundant>("redundant", "redundant constraints, left out, by name"),
      field<&S::messages>("messages", "notes and warnings"),
      field<&S::events>("events", "that happened, in order"),
      field<&S::singular_passages>("singular_passages", "singular configurations that were passed"),
      field<&S::final>("final", "the outputs in the last row"),
      field<&S::statistics>("statistics", "of outputs, energies and violations"),
      field<&S::files>("files", "the other files")};
  return kFields;
}

std::string to_json(const Summary& summary) { return to_json(value_of(summary)); }

}  // namespace koppel
