#include <koppel/expr/code/prepared_program.hpp>

#include <algorithm>
#include <cstring>

#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/own_functions.hpp>

namespace koppel {
namespace {

// In sums and products.
std::size_t cost_of(const Instruction& i) {
  if (i.op == Op::Div || i.op == Op::Sqrt) return 5;
  return own_function(i.op) != nullptr || i.op == Op::Table ? 20 : 1;
}

std::vector<double> slots_of(const Program& program, const Tape& tape) {
  std::vector<double> slots(tape.num_slots(), 0.0);
  std::copy(program.constants.begin(), program.constants.end(),
            slots.begin() + static_cast<std::ptrdiff_t>(program.num_inputs()));
  return slots;
}

}  // namespace

bool PreparedProgram::pays(const Program& program, const RareInputs& rare) {
  if (rare.count == 0 && !rare.also) return false;
  const std::size_t leaves = program.num_leaves();
  std::vector<char> is_static(program.num_values(), true);
  for (std::size_t i = 0; i < program.num_inputs(); ++i) is_static[i] = rare[i];
  std::size_t saved = 0;
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    char& all = is_static[leaves + n];
    for_each_operand(program.code[n], [&](ValueId v) { all = all && is_static[v]; });
    if (all) saved += cost_of(program.code[n]);
  }
  return saved > 8;
}

PreparedProgram::PreparedProgram(const Program& program, const RareInputs& rare)
    : programs_(split(program, [&](std::size_t i) { return rare[i]; })),
      prepare_(programs_.prepare) {
  for (std::size_t i = 0; i < program.num_inputs(); ++i) {
    const bool rarely = rare[i];
    std::vector<Range>& ranges = rarely ? rare_ : often_;
    if (!ranges.empty() && ranges.back().begin + ranges.back().size == i) {
      ++ranges.back().size;
    } else {
      ranges.push_back({i, 1});
    }
    ++(rarely ? num_rare_ : num_often_);
    if (!rarely) places_.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::uint32_t k = 0; k < programs_.prepare.outputs.size(); ++k) {
    places_.push_back(MachineCode::kInWork + k);
  }
  num_kept_ = 1 + num_rare_ + prepare_.num_slots();
}

bool PreparedProgram::is_of(const double* in, const double* rare) const noexcept {
  for (const Range& range : rare_) {
    if (std::memcmp(in + range.begin, rare, range.size * sizeof(double)) != 0) return false;
    rare += range.size;
  }
  return true;
}

void PreparedProgram::prepare_anew(const double* in, double* kept,
                                   double* prepared) const noexcept {
  double *rare = kept + 1, *const slots = rare + num_rare_;
  for (const Range& range : rare_) rare = std::copy_n(in + range.begin, range.size, rare);
  std::copy_n(kept + 1, num_rare_, slots);
  prepare_.run(slots, programs_.prepare.tables.data());
  for (const std::uint32_t slot : prepare_.outputs()) *prepared++ = slots[slot];
  kept[0] = 1;
}

void PreparedProgram::add_kept(std::vector<double>& work) const {
  work.resize(work.size() + 1 + num_rare_, 0.0);
  const std::vector<double> slots = slots_of(programs_.prepare, prepare_);
  work.insert(work.end(), slots.begin(), slots.end());
}

std::vector<double> PreparedProgram::make_slots() const {
  std::call_once(has_rest_, [&] { rest_.emplace(programs_.rest); });
  return slots_of(programs_.rest, *rest_);
}

void PreparedProgram::run_tape(const double* in, double* out, double* slots) const noexcept {
  double* to = slots;
  for (const Range& range : often_) to = std::copy_n(in + range.begin, range.size, to);
  rest_->run(slots, programs_.rest.tables.data());
  for (const std::uint32_t slot : rest_->outputs()) *out++ = slots[slot];
}

}  // namespace koppel
