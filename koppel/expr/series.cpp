#include <koppel/expr/series.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/emit_c.hpp>
#include <koppel/expr/native.hpp>
#include <koppel/expr/series_program.hpp>

namespace koppel {

namespace {

using SeriesFunction = void(int k, double* c);
using SolveFunction = void(const double* in, double* out, double* work);
using ExpandFunction = void(int k, int last, double* c, double* in, double* X, double* work);

// A group of instructions, ready to be interpreted. The commonest recurrences have a code of their
// own, so that the interpreter need not call them.
struct StagedTape {
  enum class Kind : std::uint8_t { Static, Zero, Add, Sub, Scale, Mul, Square, Other };
  struct Step {
    Kind kind;
    std::uint32_t instruction;
    std::uint32_t r, a, b, c;  // where the coefficients of result and operands begin
    TaylorRule::Kernel kernel;
  };
  int lead;
  std::vector<Step> steps;
};

StagedTape::Kind kind_of(const TaylorRule* rule) {
  using Kind = StagedTape::Kind;
  if (rule == nullptr) return Kind::Static;
  if (rule == &operation(Op::Add).taylor) return Kind::Add;
  if (rule == &operation(Op::Sub).taylor) return Kind::Sub;
  if (rule == &operation(Op::Mul).taylor) return Kind::Mul;
  if (rule == &operations::kScale) return Kind::Scale;
  if (rule == &operations::kSquare) return Kind::Square;
  return Kind::Other;
}

std::vector<StagedTape> make_tapes(const SeriesProgram& series,
                                   const std::vector<SeriesGroup>& groups, std::size_t stride) {
  const auto place = [&](std::size_t value) { return static_cast<std::uint32_t>(value * stride); };
  std::vector<StagedTape> tapes;
  for (const SeriesGroup& group : groups) {
    StagedTape& tape = tapes.emplace_back(StagedTape{group.lead, {}});
    for (const std::uint32_t n : group.instructions) {
      const SeriesInstruction& i = series.rules[n];
      tape.steps.push_back({kind_of(i.rule), n, place(series.program.num_leaves() + n), place(i.a),
                            place(i.b), place(i.c), i.rule == nullptr ? nullptr : i.rule->kernel});
    }
    for (const std::uint32_t n : group.zeros) {
      tape.steps.insert(
          tape.steps.begin(),
          {StagedTape::Kind::Zero, n, place(series.program.num_leaves() + n), 0, 0, 0, nullptr});
    }
  }
  return tapes;
}

void evaluate_values(const Program& program, const StagedTape& tape, std::size_t stride,
                     double* c) noexcept {
  for (const StagedTape::Step& step : tape.steps) {
    const Instruction& i = program.code[step.instruction];
    const double a = c[i.a * stride];
    c[step.r] = i.op == Op::Table ? program.tables[i.b].data.evaluate(a, i.variant)
                                  : operation(i.op).value(a, c[i.b * stride], c[i.c * stride]);
  }
}

void evaluate_order(const StagedTape& tape, int k, double* c) noexcept {
  using Kind = StagedTape::Kind;
  for (const StagedTape::Step& step : tape.steps) {
    double* const r = c + step.r;
    const double* const x = c + step.a;
    const double* const y = c + step.b;
    switch (step.kind) {
      case Kind::Static: break;
      case Kind::Zero: r[k] = 0; break;
      case Kind::Add: r[k] = x[k] + y[k]; break;
      case Kind::Sub: r[k] = x[k] - y[k]; break;
      case Kind::Scale: r[k] = x[0] * y[k]; break;
      case Kind::Mul: r[k] = koppel_sum(x, y, k, 0, k); break;
      case Kind::Square: r[k] = koppel_symmetric_sum(x, k, 0); break;
      case Kind::Other: r[k] = step.kernel(r, x, y, c + step.c, k); break;
    }
  }
}

void evaluate_stage(const Program& program, const std::vector<StagedTape>& tapes,
                    std::size_t stride, int k, double* c) noexcept {
  for (const StagedTape& tape : tapes) {
    const int order = k + tape.lead;
    if (order == 0) {
      evaluate_values(program, tape, stride, c);
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
        stages(make_tapes(series, series.groups, stride)),
        later(make_tapes(series, series.later, stride)),
        corrections(make_tapes(series, series.corrections, stride)) {}

  void load_native(const SeriesSolution& solution, const SeriesStages& leads) {
    std::string source = emit_c_prelude() + emit_c_series(series, "koppel_series", stride);
    const bool solves = !solution.X.empty();
    if (solves) {
      std::vector<Expr> inputs = solution.b;
      inputs.insert(inputs.end(), solution.entries.begin(), solution.entries.end());
      const CCode solve_code = emit_c(lower(inputs, solution.X), "koppel_series_solve");
      source += solve_code.source +
                emit_c_expansion(series, "koppel_series", stride, leads, solution.unknowns);
      num_b = solution.b.size();
      num_entries = solution.entries.size();
      solve_work_size = solve_code.work_size;
    }
    NativeResult result = compile_native(source);
    library = std::move(result.library);
    why_not_native = std::move(result.why_not);
    if (library == nullptr) return;
    native = library->find<SeriesFunction>("koppel_series");
    native_correction = library->find<SeriesFunction>("koppel_series_correct");
    if (!solves) return;
    native_solve = library->find<SolveFunction>("koppel_series_solve");
    native_expansion = library->find<ExpandFunction>("koppel_series_expand");
  }

  SeriesProgram series;
  std::size_t num_variables;
  int max_order;
  std::size_t stride;
  std::vector<StagedTape> stages, later, corrections;
  std::shared_ptr<const NativeLibrary> library;
  SeriesFunction* native = nullptr;
  SeriesFunction* native_correction = nullptr;
  SolveFunction* native_solve = nullptr;
  ExpandFunction* native_expansion = nullptr;
  std::size_t num_b = 0, num_entries = 0, solve_work_size = 0;
  std::string why_not_native;
};

Series::Series(std::span<const Expr> variables, std::span<const Expr> parameters,
               std::span<const Expr> outputs, int max_order, CompileOptions options,
               const SeriesStages& stages, const SeriesSolution& solution) {
  if (max_order < 0 || max_order > kMaxOrder) {
    throw Error("expr.bad-order", "a series of order " + std::to_string(max_order) +
                                      " was asked for; orders go from 0 to " +
                                      std::to_string(kMaxOrder) + ".");
  }
  auto code = std::make_shared<Code>(lower_series(variables, parameters, outputs, stages),
                                     variables.size(), max_order);
  if (wants_native(options.native)) code->load_native(solution, stages);
  code_ = std::move(code);
}

Series::Series(std::initializer_list<Expr> variables, std::initializer_list<Expr> parameters,
               std::initializer_list<Expr> outputs, int max_order, CompileOptions options)
    : Series(std::span<const Expr>(variables.begin(), variables.size()),
             std::span<const Expr>(parameters.begin(), parameters.size()),
             std::span<const Expr>(outputs.begin(), outputs.size()), max_order, options) {}

int Series::max_order() const { return code_->max_order; }
std::size_t Series::num_instructions() const { return code_->series.program.code.size(); }
bool Series::reads_variable(std::size_t i) const { return code_->series.is_read[i] != 0; }
bool Series::is_native() const { return code_->native != nullptr; }
const std::string& Series::why_not_native() const { return code_->why_not_native; }

SeriesWorkspace Series::make_workspace() const {
  const Program& program = code_->series.program;
  SeriesWorkspace work;
  work.stride_ = code_->stride;
  work.data_.assign(program.num_values() * work.stride_, 0.0);
  std::size_t v = program.num_inputs();
  for (const double number : program.constants) work.data_[v++ * work.stride_] = number;
  work.num_variables_ = code_->num_variables;
  work.outputs_ = program.outputs;
  work.num_b_ = code_->num_b;
  work.system_.assign(code_->num_b + code_->num_entries, 0.0);
  work.X_.assign(code_->num_b, 0.0);
  work.solve_work_.assign(code_->solve_work_size, 0.0);
  return work;
}

void Series::evaluate(int k, SeriesWorkspace& work) const noexcept {
  double* c = work.data_.data();
  if (code_->native != nullptr) {
    code_->native(k, c);
  } else {
    evaluate_stage(code_->series.program, k > 0 ? code_->later : code_->stages, code_->stride, k,
                   c);
  }
}

void Series::correct(int k, SeriesWorkspace& work) const noexcept {
  double* c = work.data_.data();
  if (code_->native_correction != nullptr) {
    code_->native_correction(k, c);
  } else {
    evaluate_stage(code_->series.program, code_->corrections, code_->stride, k, c);
  }
}

bool Series::has_solution() const { return code_->native_expansion != nullptr; }

void Series::solve(SeriesWorkspace& work) const noexcept {
  code_->native_solve(work.system_.data(), work.X_.data(), work.solve_work_.data());
}

void Series::expand(int first, int last, SeriesWorkspace& work) const noexcept {
  code_->native_expansion(first, last, work.data_.data(), work.system_.data(), work.X_.data(),
                          work.solve_work_.data());
}

}  // namespace koppel
