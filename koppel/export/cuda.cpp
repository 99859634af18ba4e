#include <koppel/export/cuda.hpp>

#include <fmt/format.h>

#include <koppel/export/c.hpp>
#include <koppel/export/names.hpp>
#include <koppel/export/runtime_text.hpp>
#include <koppel/expr/code/emit_c.hpp>

namespace koppel {
namespace {

// Steps of more operations are compiled in parts: as one piece they take minutes, and need far more
// registers than there are.
constexpr std::size_t kLargeStep = 12000;

// Blocks of 128 threads that each multiprocessor is to hold at once, for which the compiler keeps
// fewer values in registers: while one thread waits for a result, others go on. Steps in a second
// on an H200, against what the compiler chooses by itself:
//
//   operations                 blocks of its choice   with 4     with 5
//   218 (linear-implicit)      4                                 + 5 %
//   259 (rattle)               4                                 + 2 %
//   346 (double pendulum)      3                      + 10 %     + 10 %
//   370 (rotary crane)         3                      + 6 %      + 3 %
//   740 (rotary crane, rk4)    2                      + 24 %     + 21 %
//   1055 (four-bar)            2                      - 21 %     - 51 %
//
// Reductions of the first two need more registers: + 8 % and + 6 % with 4 blocks, - 34 % with 5.
struct LeastBlocks {
  int plain = 1, reducing = 1;
};
LeastBlocks least_blocks(std::size_t num_operations) {
  if (num_operations <= 300) return {5, 4};
  return {num_operations <= 800 ? 4 : 1, 1};
}

class CudaWriter {
 public:
  CudaWriter(const StepModel& model, bool is_float)
      : m_(model),
        is_float_(is_float),
        real_(is_float ? "float" : "double"),
        upper_(upper_case(model.name)) {}

  CudaFiles write() const { return {header(), source(), example()}; }

 private:
  std::string head(const char* about) const {
    return fmt::format("/* {}\n * {}\n *\n{} */\n", c_comment(m_.title), c_comment(m_.method),
                       about);
  }

  // enum { NAME_STATE_x, … }, the places of fields.
  std::string places(const char* what, const std::vector<CVariable>& fields) const {
    std::string out = fmt::format("#define {}_NUM_{}S {}\n", upper_, what, fields.size());
    if (fields.empty()) return out + '\n';
    out += "enum {\n";
    for (const CVariable& f : fields) {
      out += fmt::format("  {}_{}_{}, /* {}{} */\n", upper_, what, f.name, c_comment(f.label),
                         f.unit.empty() ? "" : ", " + c_comment(f.unit));
    }
    return out + "};\n\n";
  }

  std::string header() const {
    std::string out =
        head(
            " * Written by koppel. Many variants of the model, one a thread of a card:\n"
            " *   nvcc -O3 -arch=native -fmad=false -c NAME.cu\n"
            " * or, by a C++ compiler, one after the other on the host:\n"
            " *   c++ -O2 -ffp-contract=off -x c++ -c NAME.cu\n") +
        fmt::format(
            "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
            "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
            "/* The step, in seconds. */\n#define {0}_STEP {1}\n"
            "/* The time after no steps. */\n#define {0}_START_TIME {2}\n"
            "/* Operations of {4}, as written; sines, cosines and roots count as one each. */\n"
            "#define {0}_NUM_OPERATIONS {3}\n\n",
            upper_, number(m_.step), number(m_.start_time), num_operations(),
            m_.tolerance ? "the rates" : "a step");
    out += fmt::format("/* Positions, velocities, further states{}. */\n",
                       m_.multipliers.empty() ? "" : ", and multipliers of the last step");
    out += places("STATE", state());
    out += fmt::format("#define {0}_FIRST_VELOCITY {1}\n#define {0}_NUM_VELOCITIES {2}\n\n", upper_,
                       m_.q.size(), m_.v.size());
    out += places("PARAMETER", m_.parameters) + places("INPUT", m_.inputs) +
           places("OUTPUT", m_.outputs);
    return out + declarations() + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  }

  std::string declarations() const {
    return fmt::format(
        R"(typedef {1} {0}_real;
typedef struct {0}_batch {0}_batch;

/* Functions that return int return 0, or a number that this explains. */
const char* {0}_message(int failure);

/* Memory for so many variants, all at the model's start with its parameters and inputs. */
int {0}_create({0}_batch** batch, int64_t variants);
void {0}_destroy({0}_batch* batch);
/* All variants back to the model's start. Parameters and inputs stay. */
int {0}_restart({0}_batch* batch);

/* Values of a field, by its place in the lists above: one for each variant, or, with a count of 1,
 * one for all. Other parameters may need another start: NAME_start of the exported C finds it. */
int {0}_set_state({0}_batch* batch, int state, const {0}_real* values, int64_t count);
int {0}_set_parameter({0}_batch* batch, int parameter, const {0}_real* values, int64_t count);
int {0}_set_input({0}_batch* batch, int input, const {0}_real* values, int64_t count);
/* How many steps each variant has made since the start, and so its time: for variants that start
 * anew beside others that go on. */
int {0}_set_counts({0}_batch* batch, const uint64_t* counts);

/* Which outputs are recorded and reduced; all of them at first. */
int {0}_choose_outputs({0}_batch* batch, const int* outputs, int count);

/* Steps all variants, with inputs held. The chosen outputs are recorded after every record_every-th
 * step of the run, and enter minimum, maximum and mean after every reduce_every-th; 0: never. A
 * variant stops before a step that would give a value that is not finite; what it lacks is NaN. */
int {0}_run({0}_batch* batch, uint64_t steps, uint64_t record_every, uint64_t reduce_every);

/* One value for each variant. */
int {0}_get_state(const {0}_batch* batch, int state, {0}_real* values);
int {0}_get_counts(const {0}_batch* batch, uint64_t* counts); /* of steps since the start */
int {0}_get_failures(const {0}_batch* batch, int* failures);  /* not 0: the last run stopped;{3} */
enum {{ {2}_FINAL, {2}_MINIMUM, {2}_MAXIMUM, {2}_MEAN }};
int {0}_get_output(const {0}_batch* batch, int output, int which, {0}_real* values);
uint64_t {0}_num_records(const {0}_batch* batch);
int {0}_get_record(const {0}_batch* batch, uint64_t record, int output, {0}_real* values);

/* Where the states stand on the card: all variants of the first, of the second, … */
{0}_real* {0}_states_on_card({0}_batch* batch);

/* How many variants the card steps at the same time, in runs with reductions or without: where the
 * number of variants is a multiple of it, no part of the card is idle at the end. */
int64_t {0}_num_at_once(int reduces);
/* Memory of the host from which and to which values travel at full speed. */
int {0}_allocate_on_host(void** memory, size_t bytes);
void {0}_release_on_host(void* memory);

)",
        m_.name, real_, upper_,
        m_.tolerance ? "\n * " + describe_accurate_failures() : " a value is not finite");
  }

  std::string source() const {
    std::string out = head(" * Written by koppel. How to compile it: see the header.\n");
    out += kNoFusedVectors;
    if (num_operations() > kLargeStep) out += "#define KOPPEL_BATCH_IS_LARGE\n";
    const LeastBlocks blocks =
        m_.tolerance || is_float_ ? LeastBlocks{} : least_blocks(num_operations());
    out += fmt::format("#define KOPPEL_LEAST_BLOCKS {}\n#define KOPPEL_LEAST_BLOCKS_REDUCING {}\n",
                       blocks.plain, blocks.reducing);
    out += fmt::format(
        "#define KOPPEL_REAL {0}\n{1}\n#include \"{2}.h\"\n\n"
        "#define KOPPEL_OF(x) {2}_##x\n#define KOPPEL_BATCH_STEP {3}_STEP\n"
        "#define KOPPEL_BATCH_START_TIME {3}_START_TIME\n#define KOPPEL_BATCH_NUM_STATES "
        "{3}_NUM_STATES\n"
        "#define KOPPEL_BATCH_NUM_PARAMETERS {3}_NUM_PARAMETERS\n"
        "#define KOPPEL_BATCH_NUM_INPUTS {3}_NUM_INPUTS\n#define KOPPEL_BATCH_NUM_OUTPUTS "
        "{3}_NUM_OUTPUTS\n\n",
        real_, kCardText, m_.name, upper_);
    const CStep step = write_c_step_for_card(m_, is_float_);
    std::vector<CVariable> fields = m_.parameters;
    fields.insert(fields.end(), m_.inputs.begin(), m_.inputs.end());
    return out + step.types + step.functions + '\n' + starts("koppel_model_starts", state()) +
           starts("koppel_model_field_starts", fields) + '\n' + load() + store() + observe() +
           kCudaRunText + '\n' + kCudaBatchText;
  }

  std::string starts(const char* name, const std::vector<CVariable>& fields) const {
    std::string out = fmt::format("static const koppel_real {}[] = {{", name);
    for (const CVariable& f : fields) out += number(f.start) + ", ";
    return out + "0};\n";
  }

  std::string load() const {
    std::string out = fmt::format(
        "KOPPEL_INLINE void koppel_model_load(const koppel_field* parameter, const koppel_field* "
        "input,\n"
        "    const koppel_field* start, int64_t i, {0}_state* state, {0}_parameters* parameters,\n"
        "    {0}_inputs* inputs) {{\n"
        "  (void)parameter; (void)input; (void)start; (void)i; (void)state;\n",
        m_.name);
    const auto add = [&](const std::vector<CVariable>& fields, const char* from, const char* to) {
      for (std::size_t k = 0; k < fields.size(); ++k) {
        out += fmt::format("  {0}->{1} = {2}[{3}].values[{2}[{3}].stride * i];\n", to,
                           fields[k].name, from, k);
      }
    };
    const auto add_or_none = [&](const auto& fields, const char* from, const char* to) {
      add(fields, from, to);
      if (fields.empty()) out += fmt::format("  {}->none = 0;\n", to);
    };
    add(state(), "start", "state");
    add_or_none(m_.parameters, "parameter", "parameters");
    add_or_none(m_.inputs, "input", "inputs");
    return out + "}\n\n";
  }

  std::string store() const {
    std::string out = fmt::format(
        "KOPPEL_INLINE void koppel_model_store(const {}_state* state, koppel_real* states, int64_t "
        "variants,\n    int64_t i) {{\n  (void)state; (void)states; (void)variants; (void)i;\n",
        m_.name);
    const std::vector<CVariable> state = this->state();
    for (std::size_t k = 0; k < state.size(); ++k) {
      out += fmt::format("  states[{} * variants + i] = state->{};\n", k, state[k].name);
    }
    return out + "}\n\n";
  }

  std::string observe() const {
    std::string out = fmt::format(
        "KOPPEL_INLINE void koppel_model_observe(const {0}_state* state, const {0}_inputs* "
        "inputs,\n"
        "    const {0}_prepared* prepared, koppel_real* out) {{\n  {0}_outputs outputs;\n"
        "  {0}_observe(state, inputs, prepared, &outputs);\n  (void)out;\n",
        m_.name);
    for (std::size_t k = 0; k < m_.outputs.size(); ++k) {
      out += fmt::format("  out[{}] = outputs.{};\n", k, m_.outputs[k].name);
    }
    return out + "}\n\n";
  }

  // Variants that differ in speed; time and outputs of the first as CSV.
  std::string example() const {
    return fmt::format(
        R"(/* Runs variants of {1}
 * that differ in speed by up to a tenth, and prints the outputs of the first, which has the model's
 * start: example [VARIANTS [STEPS [EVERY]]] */
#include <stdio.h>
#include <stdlib.h>

#include "{0}.h"

static {0}_batch* batch;

static void check(int failure) {{
  if (failure == 0) return;
  fprintf(stderr, "%s\n", {0}_message(failure));
  {0}_destroy(batch);
  exit(1);
}}

int main(int argc, char** argv) {{
  const long variants = argc > 1 ? atol(argv[1]) : 1000;
  const long steps = argc > 2 ? atol(argv[2]) : 1000;
  const long every = argc > 3 ? atol(argv[3]) : 1;
  {0}_real* values;
  int* failures;
  long i, k, num_failed = 0;
  int j;
  check({0}_create(&batch, variants));
  values = ({0}_real*)malloc((size_t)variants * sizeof *values);
  failures = (int*)malloc((size_t)variants * sizeof *failures);
  if (values == NULL || failures == NULL) check(1);
  for (j = {2}_FIRST_VELOCITY; j < {2}_FIRST_VELOCITY + {2}_NUM_VELOCITIES; ++j) {{
    check({0}_get_state(batch, j, values));
    for (i = 0; i < variants; ++i) values[i] *= 1 + ({0}_real)i / (10 * ({0}_real)variants);
    check({0}_set_state(batch, j, values, variants));
  }}
  check({0}_run(batch, (uint64_t)steps, (uint64_t)every, 0));
{3}  for (k = 0; k < (long){0}_num_records(batch); ++k) {{
    printf("%.17g", {2}_START_TIME + (double)((k + 1) * every) * {2}_STEP);
    for (j = 0; j < {2}_NUM_OUTPUTS; ++j) {{
      check({0}_get_record(batch, (uint64_t)k, j, values));
      printf(",%.17g", (double)values[0]);
    }}
    puts("");
  }}
  check({0}_get_failures(batch, failures));
  for (i = 0; i < variants; ++i) num_failed += failures[i] != 0;
  fprintf(stderr, "%ld variants, %ld steps; stopped before the end: %ld\n", variants, steps,
          num_failed);
  free(values);
  free(failures);
  {0}_destroy(batch);
  return num_failed > 0;
}}
)",
        m_.name, c_comment(m_.title), upper_, print_names_in_c(m_.outputs));
  }

  // With the step to try next, where steps are accurate.
  std::vector<CVariable> state() const {
    std::vector<CVariable> out = m_.state();
    if (m_.tolerance) out.push_back({"inner_step", "step to try next", "s", m_.step});
    return out;
  }
  std::size_t num_operations() const {
    return m_.tolerance ? m_.rates.code.size() : m_.advance.code.size();
  }
  std::string number(double value) const { return c_number(value, is_float_); }

  const StepModel& m_;
  bool is_float_;
  std::string real_, upper_;
};

}  // namespace

CudaFiles write_cuda(const StepModel& model, bool is_float) {
  refuse_events(model.prepared.equations);
  return CudaWriter(model, is_float).write();
}

}  // namespace koppel
