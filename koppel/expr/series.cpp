#include <koppel/expr/series.hpp>

#include <cassert>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/emit_c.hpp>
#include <koppel/expr/native.hpp>
#include <koppel/expr/series_program.hpp>

namespace koppel {

struct Series::Code {
  using Native = void(int k, double* c);

  Code(SeriesProgram p, std::size_t variables, int order)
      : series(std::move(p)),
        num_variables(variables),
        max_order(order),
        stride(static_cast<std::size_t>(order) + 1) {}

  void load_native() {
    const std::string source = emit_c_series(series, "koppel_series", stride);
    NativeResult result = compile_native(emit_c_prelude() + source);
    library = std::move(result.library);
    why_not_native = std::move(result.why_not);
    if (library != nullptr) native = library->find<Native>("koppel_series");
  }

  void evaluate_values(double* c) const noexcept {
    const Program& program = series.program;
    double* r = c + program.num_leaves() * stride;
    for (const Instruction& i : program.code) {
      const double a = c[i.a * stride];
      if (i.op == Op::Table) {
        *r = program.tables[i.b].data.evaluate(a, i.derivative);
      } else {
        *r = operation(i.op).value(a, c[i.b * stride], c[i.c * stride]);
      }
      r += stride;
    }
  }

  void evaluate_order(int k, double* c) const noexcept {
    double* r = c + series.program.num_leaves() * stride;
    for (const SeriesInstruction& i : series.rules) {
      if (i.rule != nullptr) {
        r[k] = i.rule->kernel(r, c + i.a * stride, c + i.b * stride, c + i.c * stride, k);
      }
      r += stride;
    }
  }

  SeriesProgram series;
  std::size_t num_variables;
  int max_order;
  std::size_t stride;
  std::shared_ptr<const NativeLibrary> library;
  Native* native = nullptr;
  std::string why_not_native;
};

Series::Series(std::span<const Expr> variables, std::span<const Expr> parameters,
               std::span<const Expr> outputs, int max_order, CompileOptions options) {
  if (max_order < 0 || max_order > kMaxOrder) {
    throw Error("expr.bad-order", "a series of order " + std::to_string(max_order) +
                                      " was asked for; orders go from 0 to " +
                                      std::to_string(kMaxOrder) + ".");
  }
  auto code = std::make_shared<Code>(lower_series(variables, parameters, outputs), variables.size(),
                                     max_order);
  if (wants_native(options.native)) code->load_native();
  code_ = std::move(code);
}

Series::Series(std::initializer_list<Expr> variables, std::initializer_list<Expr> parameters,
               std::initializer_list<Expr> outputs, int max_order, CompileOptions options)
    : Series(std::span<const Expr>(variables.begin(), variables.size()),
             std::span<const Expr>(parameters.begin(), parameters.size()),
             std::span<const Expr>(outputs.begin(), outputs.size()), max_order, options) {}

int Series::max_order() const { return code_->max_order; }
std::size_t Series::num_instructions() const { return code_->series.program.code.size(); }
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
  return work;
}

void Series::evaluate(int k, SeriesWorkspace& work) const noexcept {
  assert(k >= 0 && k <= code_->max_order);
  double* c = work.data_.data();
  if (code_->native != nullptr) {
    code_->native(k, c);
  } else if (k == 0) {
    code_->evaluate_values(c);
  } else {
    code_->evaluate_order(k, c);
  }
}

}  // namespace koppel
