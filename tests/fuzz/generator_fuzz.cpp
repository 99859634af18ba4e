// All that evaluates a list of instructions (instructions.hpp) gives the same bits: the tape,
// generated machine code, batches in lanes, the two parts of a program that is split, the graph
// node by node and, for a sample, compiled C; and for series the tape and generated code, order by
// order.
#include <algorithm>
#include <limits>
#include <memory>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/split.hpp>
#include <koppel/expr/series/series.hpp>
#include <tests/expr/plain_evaluation.hpp>
#include <tests/fuzz/instructions.hpp>

namespace {

using namespace koppel;
using namespace koppel::testing;

constexpr std::size_t kMostOutputs = 12;
constexpr std::size_t kNumPoints = 9;  // of a batch: whole lanes and a rest
constexpr int kOrder = 5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEdges[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};

bool is_compiled() {
  constexpr unsigned kFirst = 3, kEach = 50000;
  static unsigned count = 0;
  ++count;
  return count <= kFirst || count % kEach == 0;
}

std::vector<double> make_points(Bytes& bytes) {
  std::vector<double> in(kNumInputs * kNumPoints);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t byte = bytes.next() + 7 * i;
    in[i] = byte % 16 == 0 ? kEdges[byte / 16 % std::size(kEdges)]
            : byte % 4 == 0
                ? kNumbers[byte / 4 % std::size(kNumbers)]
                : 0.37 * static_cast<double>(i % 13) - 1.9 + 1e-3 * static_cast<double>(byte);
  }
  return in;
}

// A program as machine code, where it is long enough for that.
class Generated {
 public:
  explicit Generated(const Program& program)
      : num_outputs_(program.outputs.size()), code_(MachineCode::generate(program)) {
    if (code_ != nullptr) work_.resize(code_->work_size());
  }
  explicit operator bool() const { return code_ != nullptr; }
  std::vector<double> operator()(std::span<const double> in) {
    std::vector<double> out(num_outputs_);
    code_->run(in.data(), out.data(), work_.data());
    return out;
  }

 private:
  std::size_t num_outputs_;
  std::unique_ptr<const MachineCode> code_;
  std::vector<double> work_;
};

// What follows from the last inputs alone first, then the rest.
class InParts {
 public:
  static constexpr std::size_t kNumStatic = 2;

  explicit InParts(const Program& program)
      : parts_(split(program, [](std::size_t i) { return i >= kNumInputs - kNumStatic; })),
        prepare_(parts_.prepare),
        rest_(parts_.rest) {}
  explicit operator bool() const { return prepare_ && rest_; }
  std::vector<double> operator()(std::span<const double> in) {
    std::vector<double> given(in.begin(), in.end() - kNumStatic);
    const std::vector<double> prepared = prepare_(in.last(kNumStatic));
    given.insert(given.end(), prepared.begin(), prepared.end());
    return rest_(given);
  }

 private:
  SplitProgram parts_;
  Generated prepare_, rest_;
};

void check_functions(std::span<const Expr> inputs, std::span<const Expr> outputs,
                     std::span<const double> in, bool fixed_cost) {
  const Function tape(inputs, outputs, {.native = Native::Off, .fixed_cost = fixed_cost});
  const Function code(inputs, outputs, {.native = Native::Jit, .fixed_cost = fixed_cost});
  std::vector<double> lanes(outputs.size() * kNumPoints), batch(lanes.size());
  Workspace lane_work = code.make_batch_workspace(), batch_work = tape.make_batch_workspace();
  code.evaluate_batch(in, lanes, kNumPoints, lane_work);
  tape.evaluate_batch(in, batch, kNumPoints, batch_work);
  InParts in_parts(tape.program());
  for (std::size_t p = 0; p < kNumPoints; ++p) {
    std::vector<double> point;
    for (std::size_t i = 0; i < kNumInputs; ++i) point.push_back(in[i * kNumPoints + p]);
    const std::vector<double> value = tape(point), generated = code(point);
    const std::vector<double> joined = in_parts ? in_parts(point) : value;
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      compare(value[j], generated[j], "machine code");
      compare(value[j], lanes[j * kNumPoints + p], "lanes");
      compare(value[j], batch[j * kNumPoints + p], "batch on the tape");
      compare(value[j], joined[j], "in two parts");
      if (!fixed_cost && p == 0) {
        compare(value[j], evaluate_plainly(outputs[j], inputs, point), "graph");
      }
    }
  }
  if (!is_compiled()) return;
  const Function native(inputs, outputs, {.native = Native::Cc, .fixed_cost = fixed_cost});
  if (!native.is_native()) {
    std::cerr << "not compiled: " << native.why_not_native() << '\n';
    std::abort();
  }
  std::vector<double> point;
  for (std::size_t i = 0; i < kNumInputs; ++i) point.push_back(in[i * kNumPoints]);
  const std::vector<double> value = tape(point), compiled = native(point);
  for (std::size_t j = 0; j < outputs.size(); ++j) compare(value[j], compiled[j], "compiled");
}

void check_series(std::span<const Expr> inputs, std::span<const Expr> outputs,
                  std::span<const double> in) {
  constexpr std::size_t kVariables = 2;
  const auto variables = inputs.first(kVariables), parameters = inputs.subspan(kVariables);
  const Series tape(variables, parameters, outputs, kOrder, {.native = Native::Off});
  const Series code(variables, parameters, outputs, kOrder, {.native = Native::Jit});
  SeriesWorkspace a = tape.make_workspace(), b = code.make_workspace();
  std::size_t at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    a.parameter(i) = b.parameter(i) = in[at++];
  }
  for (int k = 0; k <= kOrder; ++k) {
    const auto K = static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < kVariables; ++i) a.variable(i)[K] = b.variable(i)[K] = in[at++];
    tape.evaluate(k, a);
    code.evaluate(k, b);
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      compare(a.output(j)[K], b.output(j)[K], "series as machine code");
    }
  }
  // Half of the outputs at the last order only.
  const SeriesStages stages{std::vector<int>(kVariables, std::numeric_limits<int>::max()),
                            std::vector<int>(outputs.size(), 0), outputs.size() / 2};
  for (const Native native : {Native::Off, Native::Jit}) {
    const Series some(variables, parameters, outputs, kOrder, {.native = native}, stages);
    SeriesWorkspace work = some.make_workspace();
    for (std::size_t i = 0; i < parameters.size(); ++i) work.parameter(i) = a.parameter(i);
    for (int k = 0; k <= kOrder; ++k) {
      const auto K = static_cast<std::size_t>(k);
      for (std::size_t i = 0; i < kVariables; ++i) work.variable(i)[K] = a.variable(i)[K];
      some.evaluate(k, work);
    }
    some.evaluate_last(kOrder, work);
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      compare(a.output(j)[kOrder], work.output(j)[kOrder], "the last order of a series");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const bool fixed_cost = bytes.next() % 2 == 1;
  const std::vector<double> in = make_points(bytes);
  Graph graph;
  const auto inputs = graph.symbols("a", "b", "c", "d");
  const std::vector<Expr> values = make_values(graph, inputs, bytes);
  const std::size_t count = std::min(values.size(), kMostOutputs);
  const std::span<const Expr> outputs = std::span(values).last(count);
  check_functions(inputs, outputs, in, fixed_cost);
  check_series(inputs, outputs, in);
  return 0;
}
