#include <koppel/expr/code/split.hpp>

#include <unordered_map>

namespace koppel {
namespace {

// One of the parts while it is made. All inputs are added first, then instructions.
class Part {
 public:
  explicit Part(const Program& whole) : whole_(whole), moved_(whole.num_values(), 0) {}

  // A value of the whole that comes from outside.
  void add_input(ValueId v, std::string name) {
    moved_[v] = static_cast<ValueId>(out_.inputs.size());
    out_.inputs.push_back(std::move(name));
  }
  void add_constants() {
    out_.constants = whole_.constants;
    for (std::size_t k = 0; k < out_.constants.size(); ++k) {
      moved_[whole_.num_inputs() + k] = static_cast<ValueId>(out_.num_inputs() + k);
    }
  }
  void add_instruction(ValueId v) {
    Instruction i = whole_.code[v - whole_.num_leaves()];
    for_each_operand(i, [&](ValueId& operand) { operand = moved_[operand]; });
    if (i.op == Op::Table) i.b = table(i.b);
    moved_[v] = static_cast<ValueId>(out_.num_values());
    out_.code.push_back(i);
  }
  void add_output(ValueId v) { out_.outputs.push_back(moved_[v]); }

  Program take() { return std::move(out_); }

 private:
  ValueId table(ValueId index) {
    const auto [it, is_new] = tables_.try_emplace(index, static_cast<ValueId>(out_.tables.size()));
    if (is_new) out_.tables.push_back(whole_.tables[index]);
    return it->second;
  }

  const Program& whole_;
  Program out_;
  std::vector<ValueId> moved_;  // by value of the whole
  std::unordered_map<ValueId, ValueId> tables_;
};

}  // namespace

SplitProgram split(const Program& program,
                   const std::function<bool(std::size_t)>& is_static_input) {
  const std::size_t leaves = program.num_leaves(), size = program.num_values();
  std::vector<char> is_static(size, true), is_read(size, false);
  for (std::size_t i = 0; i < program.num_inputs(); ++i) is_static[i] = is_static_input(i);
  for (std::size_t v = leaves; v < size; ++v) {
    const Instruction& instruction = program.code[v - leaves];
    for_each_operand(instruction, [&](ValueId a) { is_static[v] = is_static[v] && is_static[a]; });
    if (is_static[v]) continue;
    for_each_operand(instruction, [&](ValueId a) { is_read[a] = true; });
  }
  for (const ValueId v : program.outputs) is_read[v] = true;

  Part prepare(program), rest(program);
  for (ValueId v = 0; v < program.num_inputs(); ++v) {
    (is_static[v] ? prepare : rest).add_input(v, program.inputs[v]);
  }
  prepare.add_constants();
  for (auto v = static_cast<ValueId>(leaves); v < size; ++v) {
    if (is_static[v]) prepare.add_instruction(v);
  }
  std::size_t count = 0;
  for (ValueId v = 0; v < size; ++v) {
    if (!is_static[v] || !is_read[v] || program.is_constant(v)) continue;
    prepare.add_output(v);
    rest.add_input(v, "prepared[" + std::to_string(count++) + ']');
  }
  rest.add_constants();
  for (auto v = static_cast<ValueId>(leaves); v < size; ++v) {
    if (!is_static[v]) rest.add_instruction(v);
  }
  for (const ValueId v : program.outputs) rest.add_output(v);
  return {prepare.take(), rest.take()};
}

}  // namespace koppel
