#include <koppel/expr/series/series.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/series/emit_c_series.hpp>
#include <koppel/expr/series/series_machine_code.hpp>
#include <koppel/expr/series/series_program.hpp>

namespace koppel {

namespace {

using SeriesFunction = void(int k, double* c);
using SolveFunction = void(const double* in, double* out, double* work);
using ExpandFunction = void(int k, int last, double* c, double* in, double* X, double* work);

// A group of instructions, ready to be interpreted. The commonest recurrences have a code of their
// own, so that the interpreter need not call them. A stage of a large model goes through all of it,
// so it is kept small.
struct StagedTape {
  enum Kind : std::uint32_t {
    kZero,
    kCopy,
    kNeg,
    kAdd,
    kSub,
    kScale,
    kDivStatic,
    kMul,
    kMulOpen,
    kMulInner,
    kSquare,
    kSquareInner,
    kOther,  // this and what is above: others[kind − kOther]
  };
  struct Step {
    std::uint32_t kind;
    SeriesPlace r, a, b;  // of result and operands
  };
  struct Other {
    TaylorRule::Kernel kernel;
    SeriesPlace c;
  };
  int lead;
  std::vector<std::uint32_t> values;  // the instructions at order 0
  std::vector<Step> steps;            // at higher orders
  std::vector<Other> others;
};

std::uint32_t kind_of(const TaylorRule* rule) {
  if (rule == &operation(Op::Neg).taylor) return StagedTape::kNeg;
  if (rule == &operation(Op::Add).taylor) return StagedTape::kAdd;
  if (rule == &operation(Op::Sub).taylor) return StagedTape::kSub;
  if (rule == &operation(Op::Mul).taylor) return StagedTape::kMul;
  if (rule == &operations::kCopy) return StagedTape::kCopy;
  if (rule == &operations::kScale) return StagedTape::kScale;
  if (rule == &operations::kDivStatic) return StagedTape::kDivStatic;
  if (rule == &operations::kMulOpen) return StagedTape::kMulOpen;
  if (rule == &operations::kMulInner) return StagedTape::kMulInner;
  if (rule == &operations::kSquare) return StagedTape::kSquare;
  if (rule == &operations::kSquareInner) return StagedTape::kSquareInner;
  return StagedTape::kOther;
}

std::vector<StagedTape> make_tapes(const SeriesProgram& series,
                                   const std::vector<SeriesGroup>& groups,
                                   const std::vector<SeriesPlace>& place) {
  const std::size_t leaves = series.program.num_leaves();
  std::vector<StagedTape> tapes;
  for (const SeriesGroup& group : groups) {
    StagedTape& tape = tapes.emplace_back(StagedTape{group.lead, {}, {}, {}});
    for (const std::uint32_t n : group.zeros) {
      tape.steps.push_back({StagedTape::kZero, place[leaves + n], {}, {}});
    }
    for (const auto& [n, by] : group.entries) {
      tape.values.push_back(n);
      if (by.rule == nullptr) continue;
      std::uint32_t kind = kind_of(by.rule);
      if (kind == StagedTape::kOther) {
        kind += static_cast<std::uint32_t>(tape.others.size());
        tape.others.push_back({by.rule->kernel, place[by.c]});
      }
      tape.steps.push_back({kind, place[leaves + n], place[by.a], place[by.b]});
    }
  }
  return tapes;
}

void evaluate_values(const Program& program, const StagedTape& tape,
                     const std::vector<SeriesPlace>& place, double* c) noexcept {
  const std::size_t leaves = program.num_leaves();
  for (const std::uint32_t n : tape.values) {
    const Instruction& i = program.code[n];
    const double a = c[place[i.a].offset()];
    c[place[leaves + n].offset()] =
        i.op == Op::Table
            ? program.tables[i.b].data.evaluate(a, i.variant)
            : operation(i.op).value(a, c[place[i.b].offset()], c[place[i.c].offset()]);
  }
}

// Linear operations read the coefficient of this order, wherever it stands; the others' operands
// have all orders.
void evaluate_order(const StagedTape& tape, int k, double* c) noexcept {
  const auto at = [&](SeriesPlace place) -> double& { return c[place.of_order(k)]; };
  for (const StagedTape::Step& step : tape.steps) {
    const double* const x = c + step.a.offset();
    const double* const y = c + step.b.offset();
    double& r = at(step.r);
    switch (step.kind) {
      case StagedTape::kZero: r = 0; break;
      case StagedTape::kCopy: r = at(step.a); break;
      case StagedTape::kNeg: r = -at(step.a); break;
      case StagedTape::kAdd: r = at(step.a) + at(step.b); break;
      case StagedTape::kSub: r = at(step.a) - at(step.b); break;
      case StagedTape::kScale: r = x[0] * at(step.b); break;
      case StagedTape::kDivStatic: r = at(step.a) / y[0]; break;
      case StagedTape::kMul: r = koppel_sum(x, y, k, 0, k); break;
      case StagedTape::kMulOpen: r = koppel_sum(x, y, k, 1, k); break;
      case StagedTape::kMulInner: r = koppel_sum(x, y, k, 1, k - 1); break;
      case StagedTape::kSquare: r = koppel_symmetric_sum(x, k, 0); break;
      case StagedTape::kSquareInner: r = koppel_symmetric_sum(x, k, 1); break;
      default: {
        const StagedTape::Other& other = tape.others[step.kind - StagedTape::kOther];
        r = other.kernel(c + step.r.offset(), x, y, c + other.c.offset(), k);
      }
    }
  }
}

void evaluate_stage(const Program& program, const std::vector<StagedTape>& tapes,
                    const std::vector<SeriesPlace>& place, int k, double* c) noexcept {
  for (const StagedTape& tape : tapes) {
    const int order = k + tape.lead;
    if (order == 0) {
      evaluate_values(program, tape, place, c);
    } else if (order > 0) {
      evaluate_order(tape, order, c);
    }
  }
}

}  // namespace

struct Series::Code {
  Code(SeriesProgram p, std::size_t variables, int order)
      : series(std::move(p)),
        num_variables(variables),
        max_order(order),
        stride(static_cast<std::size_t>(order) + 1),
        layout(lay_out(series, stride)),
        stages(make_tapes(series, series.groups, layout.place)),
        later(make_tapes(series, series.later, layout.place)),
        corrections(make_tapes(series, series.corrections, layout.place)),
        last(make_tapes(series, series.last, layout.place)) {}

  void add_solution(const SeriesSolution& solution, const SeriesStages& leads) {
    if (!solution.X.empty()) expansion = plan_expansion(series, leads, solution.unknowns);
    substitution = solution.substitution;
    num_b = solution.b.size();
    num_entries = solution.entries.size();
    solve_work_size = num_b;
  }

  static Program lower_solution(const SeriesSolution& solution) {
    std::vector<Expr> inputs = solution.b;
    inputs.insert(inputs.end(), solution.entries.begin(), solution.entries.end());
    return lower(inputs, solution.X);
  }

  // Null: there is none. Made when it is first asked for; generating takes as long as ten
  // expansions on the tape.
  const SeriesMachineCode* machine() const {
    std::call_once(has_machine_, [&] { generate(); });
    return machine_.get();
  }
  const MachineCode* machine_solve() const { return machine_solve_.get(); }

  void load_native(const SeriesSolution& solution) {
    std::string source = emit_c_prelude() + emit_c_series(series, layout, "koppel_series");
    const bool solves = !solution.X.empty();
    if (solves) {
      const CCode solve_code = emit_c(lower_solution(solution), "koppel_series_solve");
      source += solve_code.source + emit_c_expansion(expansion, layout, "koppel_series");
      solve_work_size = std::max(solve_work_size, solve_code.work_size);
    }
    NativeResult result = compile_native(source, NativeKind::Series);
    library = std::move(result.library);
    why_not_native = std::move(result.why_not);
    if (library == nullptr) return;
    note_compiled(series.program.code.size());
    native = library->find<SeriesFunction>("koppel_series");
    native_correction = library->find<SeriesFunction>("koppel_series_correct");
    native_last = library->find<SeriesFunction>("koppel_series_last");
    if (!solves) return;
    native_solve = library->find<SolveFunction>("koppel_series_solve");
    native_expansion = library->find<ExpandFunction>("koppel_series_expand");
  }

  SeriesProgram series;
  std::size_t num_variables;
  int max_order;
  std::size_t stride;
  SeriesLayout layout;
  std::vector<StagedTape> stages, later, corrections, last;
  Substitution substitution;
  SeriesExpansion expansion;
  Program solve_program;
  std::shared_ptr<const LoadedLibrary> library;
  SeriesFunction* native = nullptr;
  SeriesFunction* native_correction = nullptr;
  SeriesFunction* native_last = nullptr;
  SolveFunction* native_solve = nullptr;
  ExpandFunction* native_expansion = nullptr;
  std::size_t num_b = 0, num_entries = 0, solve_work_size = 0;
  std::string why_not_native;
  bool may_generate = false;
  mutable std::atomic<bool> is_generated = false, is_noted = false;

 private:
  void generate() const {
    if (!may_generate) return;
    const auto start = std::chrono::steady_clock::now();
    try {
      if (!solve_program.outputs.empty()) machine_solve_ = MachineCode::generate(solve_program);
      std::optional<SeriesMachineCode::Solution> solution;
      if (machine_solve_ != nullptr)
        solution.emplace(SeriesMachineCode::Solution{*machine_solve_, expansion});
      machine_ = SeriesMachineCode::generate(series, layout, solution);
      if (machine_ == nullptr) return;
    } catch (const std::bad_alloc&) {  // the tape needs less
      return;
    }
    note_generated(series.program.code.size() + solve_program.code.size(), start);
    is_generated = true;
  }

  mutable std::once_flag has_machine_;
  mutable std::unique_ptr<const MachineCode> machine_solve_;
  mutable std::unique_ptr<const SeriesMachineCode> machine_;
};

Series::Series(std::span<const Expr> variables, std::span<const Expr> parameters,
               std::span<const Expr> outputs, int max_order, CompileOptions options,
               const SeriesStages& stages, const SeriesSolution& solution) {
  check_stop();
  if (max_order < 0 || max_order > kMaxOrder) {
    throw Error("expr.bad-order", "a series of order " + std::to_string(max_order) +
                                      " was asked for; orders go from 0 to " +
                                      std::to_string(kMaxOrder) + ".");
  }
  auto code = std::make_shared<Code>(lower_series(variables, parameters, outputs, stages),
                                     variables.size(), max_order);
  code->add_solution(solution, stages);
  const Native by = decide_native(options.native);
  if (by == Native::Cc) code->load_native(solution);
  if (code->native == nullptr && by != Native::Off) {
    code->may_generate = true;
    if (!solution.X.empty()) code->solve_program = Code::lower_solution(solution);
  }
  code_ = std::move(code);
  if (by == Native::Jit) code_->machine();
}

Series::Series(std::initializer_list<Expr> variables, std::initializer_list<Expr> parameters,
               std::initializer_list<Expr> outputs, int max_order, CompileOptions options)
    : Series(std::span<const Expr>(variables.begin(), variables.size()),
             std::span<const Expr>(parameters.begin(), parameters.size()),
             std::span<const Expr>(outputs.begin(), outputs.size()), max_order, options) {}

int Series::max_order() const { return code_->max_order; }
std::size_t Series::num_instructions() const { return code_->series.program.code.size(); }
bool Series::reads_variable(std::size_t i) const { return code_->series.is_read[i] != 0; }
bool Series::reads_variable_later(std::size_t i) const {
  return code_->series.is_read_later[i] != 0;
}
bool Series::needs_zero(std::size_t i) const { return code_->series.needs_zero[i] != 0; }
bool Series::is_machine_code() const { return code_->machine() != nullptr; }
bool Series::is_native() const { return code_->native != nullptr; }
const std::string& Series::why_not_native() const { return code_->why_not_native; }

SeriesWorkspace Series::make_workspace(Uses uses) const {
  const Program& program = code_->series.program;
  SeriesWorkspace work;
  const std::vector<SeriesPlace>& place = code_->layout.place;
  work.stride_ = code_->stride;
  work.data_.assign(code_->layout.size, 0.0);
  std::size_t v = program.num_inputs();
  for (const double number : program.constants) work.data_[place[v++].offset()] = number;
  work.num_variables_ = code_->num_variables;
  work.num_inputs_ = program.num_inputs();
  const auto add = [&](std::size_t value) {
    work.places_.push_back({place[value].offset(), place[value].mask()});
  };
  for (std::size_t i = 0; i < program.num_inputs(); ++i) add(i);
  for (const ValueId output : program.outputs) add(output);
  work.num_b_ = code_->num_b;
  work.system_.assign(code_->num_b + code_->num_entries, 0.0);
  work.X_.assign(code_->num_b, 0.0);
  work.solve_work_.assign(code_->solve_work_size, 0.0);
  if (uses == Uses::Many || code_->is_generated) use_machine_code(work);
  if (work.machine_ == nullptr && !is_native() && !code_->is_noted.exchange(true)) {
    note_interpreted(program.code.size());
  }
  return work;
}

void Series::use_machine_code(SeriesWorkspace& work) const {
  work.machine_ = code_->machine();
  work.machine_solve_ = code_->machine_solve();
  if (work.machine_solve_ == nullptr) return;
  work.solve_work_.resize(std::max(work.solve_work_.size(), work.machine_solve_->work_size()));
}

void Series::evaluate(int k, SeriesWorkspace& work) const noexcept {
  double* c = work.data_.data();
  if (code_->native != nullptr) {
    code_->native(k, c);
  } else if (work.machine_ != nullptr) {
    work.machine_->evaluate(k, c);
  } else {
    evaluate_stage(code_->series.program, k > 0 ? code_->later : code_->stages, code_->layout.place,
                   k, c);
  }
}

void Series::correct(int k, SeriesWorkspace& work) const noexcept {
  double* c = work.data_.data();
  if (code_->native_correction != nullptr) {
    code_->native_correction(k, c);
  } else if (work.machine_ != nullptr) {
    work.machine_->correct(k, c);
  } else {
    evaluate_stage(code_->series.program, code_->corrections, code_->layout.place, k, c);
  }
}

void Series::evaluate_last(int k, SeriesWorkspace& work) const noexcept {
  double* c = work.data_.data();
  if (code_->native_last != nullptr) {
    code_->native_last(k, c);
  } else if (work.machine_ != nullptr) {
    work.machine_->evaluate_last(k, c);
  } else {
    evaluate_stage(code_->series.program, code_->last, code_->layout.place, k, c);
  }
}

bool Series::has_solution() const { return code_->num_b > 0; }
int Series::expands_from(const SeriesWorkspace& work) const {
  if (code_->native_expansion != nullptr) return 0;
  return work.machine_ != nullptr ? work.machine_->expands_from() : SeriesMachineCode::kNever;
}

void Series::solve(SeriesWorkspace& work) const noexcept {
  if (code_->native_solve != nullptr) {
    code_->native_solve(work.system_.data(), work.X_.data(), work.solve_work_.data());
  } else if (work.machine_solve_ != nullptr) {
    work.machine_solve_->run(work.system_.data(), work.X_.data(), work.solve_work_.data());
  } else {
    code_->substitution.solve(work.system_.data() + code_->num_b, work.system_.data(),
                              work.X_.data(), work.solve_work_.data());
  }
}

void Series::expand(int first, int last, SeriesWorkspace& work) const noexcept {
  double* const c = work.data_.data();
  double *const in = work.system_.data(), *const X = work.X_.data();
  if (code_->native_expansion != nullptr) {
    code_->native_expansion(first, last, c, in, X, work.solve_work_.data());
  } else {
    work.machine_->expand(first, last, c, in, X, work.solve_work_.data());
  }
}

}  // namespace koppel
