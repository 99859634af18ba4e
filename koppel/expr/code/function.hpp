// Function: expressions compiled for evaluation.
//
//   Function f({x, y}, {r, phi});
//   f({3, 4});                               // a vector of two numbers
//
//   Workspace work = f.make_workspace();     // in a loop: no allocation, no exception
//   f.evaluate(in, out, work);
//
// A Function is immutable and cheap to copy; it no longer needs the graph. Any number of threads
// may evaluate it, each with its own workspace. Evaluation is by machine code that is generated at
// once (machine_code.hpp); where that is not to be had, by a tape: an array of instructions over
// reused slots. With {.native = Native::Cc} the same instructions are compiled as C (native.hpp).
// Results are the same to the last bit.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

struct Program;
class MachineCode;

// What evaluates. KOPPEL_NATIVE=jit|cc|off in the environment decides for everyone.
//   Auto  generated machine code, which is there in less time than a hundred evaluations on the
//         tape take; the tape for what is shorter than the call of it
//   Jit   the same
//   Cc    C of the system's compiler, which takes a second; where it fails, as Auto
//   Off   the tape
// Where the system gives no executable memory the tape serves, which is told
// (take_native_failure).
enum class Native { Auto, Jit, Cc, Off };

struct CompileOptions {
  Native native = Native::Auto;
  // Functions of libm are those of koppel/runtime in their place, which have the same bits on every
  // machine; sines and cosines take the same number of instructions for all angles.
  bool fixed_cost = false;
};

// Inputs that change rarely: parameters, and the length of steps. What follows from them alone is
// computed once and kept by the workspace, until it is told of a change (rare_inputs_changed);
// results have the same bits. By compiled code it is computed every time.
struct RareInputs {
  std::size_t first = 0, count = 0;
  std::optional<std::size_t> also;  // and this one
  bool operator[](std::size_t i) const { return (i >= first && i < first + count) || also == i; }
};

// How often a workspace is going to be used: machine code is generated for many evaluations only.
enum class Uses { Few, Many };

// What evaluation writes to, made by the Function (or Series) that uses it.
class Workspace {
 public:
  Workspace() = default;

 private:
  friend class Function;
  explicit Workspace(std::size_t size) : data_(size, 0.0) {}
  std::vector<double> data_;
  const MachineCode* machine_ = nullptr;  // that it is for; null: native code or the tape
};

class Function {
 public:
  // Inputs are distinct symbols; outputs depend on no others (Error `expr.unbound-symbol`).
  Function(std::span<const Expr> inputs, std::span<const Expr> outputs, CompileOptions = {});
  Function(std::span<const Expr> inputs, std::span<const Expr> outputs, CompileOptions,
           const RareInputs& rare);
  Function(std::initializer_list<Expr> inputs, std::initializer_list<Expr> outputs,
           CompileOptions = {});

  std::size_t num_inputs() const;
  std::size_t num_outputs() const;
  std::size_t num_instructions() const;
  std::size_t num_slots() const;  // working memory of the tape, in numbers

  bool is_machine_code() const;  // generated (machine_code.hpp); else native or the tape
  bool is_native() const;        // compiled
  // Why native code was asked for but is not used; empty otherwise.
  const std::string& why_not_native() const;

  Workspace make_workspace(Uses uses = Uses::Many) const;
  // out = f(in). Never allocates, never throws; outside the domain the result is NaN or infinite.
  void evaluate(std::span<const double> in, std::span<double> out, Workspace& work) const noexcept;

  // The next evaluation has other rare inputs than the last one.
  void rare_inputs_changed(Workspace& work) const noexcept;

  Workspace make_batch_workspace() const;
  // `count` points at once, each input and output contiguous over the points:
  // in[i·count + p], out[j·count + p]. Always by the tape, whose loops over points are vectorised.
  void evaluate_batch(std::span<const double> in, std::span<double> out, std::size_t count,
                      Workspace& work) const noexcept;

  // For convenience; allocates.
  std::vector<double> operator()(std::span<const double> in) const;
  std::vector<double> operator()(std::initializer_list<double> in) const;

  // The first operation, in order of evaluation, that leaves its domain or overflows at `in`, as a
  // sentence with its text; nothing when all values are finite.
  std::optional<std::string> diagnose(std::span<const double> in) const;

  // The instructions, for code generation.
  const Program& program() const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace koppel
