#include <koppel/expr/code/machine_code.hpp>

#include <koppel/expr/code/lanes.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/turn_routine.hpp>

#ifdef KOPPEL_MACHINE_CODE

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

using asmjit::x86::Mem;
using asmjit::x86::Vec;
namespace x86 = asmjit::x86;
namespace Id = asmjit::x86::Inst;

constexpr std::uint32_t kNone = 0xFFFFFFFFu, kNever = 0xFFFFFFFFu;

// What a call computes, lane by lane.
void call_each(NumberFunction* f, const double* a, const double* b, double* out, int lanes) {
  for (int i = 0; i < lanes; ++i) out[i] = f(a[i], b[i], 0);
}
void turn_each(const double* a, double* sine, double* cosine, int lanes) {
  for (int i = 0; i < lanes; ++i) library_turn(a[i], sine + i, cosine + i);
}
void look_up_each(const TableData* table, int order, const double* a, double* out, int lanes) {
  for (int i = 0; i < lanes; ++i) out[i] = table->evaluate(a[i], order);
}

class Generator {
 public:
  Generator(const Program& program, int lanes, std::span<const std::uint32_t> places)
      : program_(program),
        places_(places),
        assembler_(writer.assembler),
        lanes_(assembler_, static_cast<std::size_t>(lanes)),
        num_inputs_(program.num_inputs()),
        leaves_(program.num_leaves()),
        turn_(writer, lanes_),
        registers_(lanes_.num_registers() - 1) {
    for (const std::uint32_t place : places) {
      if (place >= MachineCode::kInWork) {
        work_size_ = std::max<std::size_t>(work_size_, place - MachineCode::kInWork + 1);
      }
    }
    find_uses();
    spilled_at_.assign(program.code.size(), kNone);
    register_of_.assign(program.num_values(), kNone);
  }

  void generate() {
    enter();
    for (now_ = 0; now_ < program_.code.size(); ++now_) {
      emit(program_.code[now_]);
      store_outputs();
      drop_dead();
    }
    copy_leaves();
    leave();
    if (turns_) turn_.put();
  }

  CodeWriter writer;
  std::size_t work_size() const { return work_size_; }
  // What `numbers` holds: the program's constants, then masks.
  std::vector<double> numbers() const {
    std::vector<double> out;
    const auto add = [&](double x) { out.insert(out.end(), lanes_.num_copies(), x); };
    for (const double x : program_.constants) add(x);
    add(std::bit_cast<double>(std::uint64_t{1} << 63));
    add(std::bit_cast<double>(~(std::uint64_t{1} << 63)));
    add(1);
    return out;
  }

 private:
  // A register of values: which one, and the instruction that reads it next.
  struct Register {
    ValueId value = kNone;
    std::uint32_t next_use = kNever;
    bool is_pinned = false;  // an operand or the result of the instruction at hand
  };
  Vec reg(unsigned r) const { return lanes_.reg(r); }
  unsigned num_registers() const { return static_cast<unsigned>(registers_.size()); }
  // The last one is for intermediate results.
  Vec scratch() const { return reg(num_registers()); }

  enum Mask { Sign, Rest, One };

  // For every operand of every instruction, and for every result, the instruction that reads that
  // value next; and the outputs that are values of instructions.
  void find_uses() {
    const std::size_t n = program_.code.size();
    next_.assign(n, {kNever, kNever, kNever, kNever});
    std::vector<std::uint32_t> use(program_.num_values(), kNever);
    for (std::size_t i = n; i-- > 0;) {
      const auto at = static_cast<std::uint32_t>(i);
      next_[i][3] = use[leaves_ + i];
      std::size_t k = 0;
      for_each_operand(program_.code[i], [&](ValueId v) { next_[i][k++] = use[v]; });
      for_each_operand(program_.code[i], [&](ValueId v) { use[v] = at; });
    }
    first_output_.assign(n, kNone);
    next_output_.assign(program_.outputs.size(), kNone);
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      if (program_.outputs[j] < leaves_) continue;
      std::uint32_t& first = first_output_[program_.outputs[j] - leaves_];
      next_output_[j] = first;
      first = static_cast<std::uint32_t>(j);
    }
  }

  // in, out, work, numbers in registers that calls preserve.
  void enter() {
    for (const x86::Gp& r : {x86::rbx, x86::r12, x86::r13, x86::r14}) assembler_.push(r);
    assembler_.sub(x86::rsp, 8);  // calls want 16 bytes aligned
    assembler_.mov(x86::rbx, x86::rdi);
    assembler_.mov(x86::r12, x86::rsi);
    assembler_.mov(x86::r13, x86::rdx);
    assembler_.mov(x86::r14, x86::rcx);
  }
  void leave() {
    lanes_.leave_wide();
    assembler_.add(x86::rsp, 8);
    for (const x86::Gp& r : {x86::r14, x86::r13, x86::r12, x86::rbx}) assembler_.pop(r);
    assembler_.ret();
  }

  void move(const asmjit::Operand& to, const asmjit::Operand& from) { lanes_.move(to, from); }
  Mem mask(Mask which) const {
    return lanes_.common(x86::r14, program_.constants.size() + static_cast<std::size_t>(which));
  }
  // Where a value that is in no register stands.
  Mem place(ValueId v) const {
    if (v < num_inputs_ && places_.empty()) return lanes_.row(x86::rbx, v);
    if (v < num_inputs_ && places_[v] < MachineCode::kInWork) {
      return lanes_.row(x86::rbx, places_[v]);
    }
    if (v < num_inputs_) return lanes_.row(x86::r13, places_[v] - MachineCode::kInWork);
    if (v < leaves_) return lanes_.common(x86::r14, v - num_inputs_);
    return lanes_.row(x86::r13, spilled_at_[v - leaves_]);
  }

  // A register for a new value: a free one, or that of the value needed last.
  unsigned take_register() {
    unsigned best = num_registers();
    for (unsigned r = 0; r < num_registers(); ++r) {
      if (registers_[r].is_pinned) continue;
      if (registers_[r].value == kNone) return r;
      if (best == num_registers() || registers_[r].next_use > registers_[best].next_use) best = r;
    }
    spill(best);
    return best;
  }
  // To memory, unless it is there already.
  void save(unsigned r) {
    const ValueId v = registers_[r].value;
    if (v < leaves_ || spilled_at_[v - leaves_] != kNone) return;
    take_place(v);
    move(place(v), reg(r));
  }
  void take_place(ValueId v) { spilled_at_[v - leaves_] = take_place(); }
  std::uint32_t take_place() {
    if (free_places_.empty()) free_places_.push_back(static_cast<std::uint32_t>(work_size_++));
    const std::uint32_t place = free_places_.back();
    free_places_.pop_back();
    return place;
  }
  void spill(unsigned r) {
    save(r);
    forget(r);
  }
  void forget(unsigned r) {
    register_of_[registers_[r].value] = kNone;
    registers_[r] = {};
  }

  void hold(unsigned r, ValueId v, std::uint32_t next_use) {
    registers_[r] = {v, next_use, true};
    register_of_[v] = r;
  }

  // The value in a register that stays for this instruction.
  Vec load(ValueId v, std::uint32_t next_use) {
    unsigned r = register_of_[v];
    if (r == kNone) {
      r = take_register();
      move(reg(r), place(v));
    }
    hold(r, v, next_use);
    return reg(r);
  }
  // The value in a register where it is there already or needed soon; else in memory.
  asmjit::Operand load_or_find(ValueId v, std::uint32_t next_use) {
    constexpr std::uint32_t kSoon = 24;
    if (register_of_[v] != kNone || next_use - now_ < kSoon) return load(v, next_use);
    return place(v);
  }
  // A register for the result. Operands that are read no more give theirs.
  Vec result() {
    for (Register& r : registers_) {
      if (r.is_pinned && r.next_use == kNever) {
        release(static_cast<unsigned>(&r - registers_.data()));
      }
    }
    const unsigned r = take_register();
    hold(r, static_cast<ValueId>(leaves_ + now_), next_[now_][3]);
    return reg(r);
  }
  // A value that has had its last use: register and place are free.
  void release(unsigned r) {
    const ValueId v = registers_[r].value;
    free_place(v);
    forget(r);
  }
  void free_place(ValueId v) {
    if (v < leaves_ || spilled_at_[v - leaves_] == kNone) return;
    free_places_.push_back(spilled_at_[v - leaves_]);
    spilled_at_[v - leaves_] = kNone;
  }

  void emit(const Instruction& i) {
    switch (i.op) {
      case Op::Add: return binary(i, lanes_.id().add);
      case Op::Sub: return binary(i, lanes_.id().subtract);
      case Op::Mul: return binary(i, lanes_.id().multiply);
      case Op::Div: return binary(i, lanes_.id().divide);
      // The instructions give their second operand where the comparison fails.
      case Op::Min: return binary(i, lanes_.id().min, true);
      case Op::Max: return binary(i, lanes_.id().max, true);
      case Op::Sqrt: return root(i);
      case Op::Neg: return masked(i, x86::Inst::kIdVxorpd, Sign);
      case Op::Abs: return masked(i, x86::Inst::kIdVandpd, Rest);
      case Op::Less: return compare(i, kLess);
      case Op::LessEqual: return compare(i, kLessEqual);
      case Op::Equal: return compare(i, kEqual);
      case Op::Select: return select(i);
      default: break;
    }
    if (!is_turn(i.op)) return call(i);
    if (register_of_[leaves_ + now_] != kNone) return note_use(i.a, next_[now_][0]);  // a pair's
    if (i.variant > 0) return turn(i);
    return begins_pair() ? call_turn(i) : call(i);
  }
  // Whether the next instruction wants the other one of sine and cosine.
  bool begins_pair() const {
    return now_ + 1 < program_.code.size() &&
           are_of_one_angle(program_.code[now_], program_.code[now_ + 1]);
  }

  // Predicates of comparisons, which are false for NaN.
  static constexpr int kEqual = 0, kLess = 1, kLessEqual = 2;

  void binary(const Instruction& i, asmjit::InstId id, bool is_reversed = false) {
    const ValueId first = is_reversed ? i.b : i.a, second = is_reversed ? i.a : i.b;
    const std::uint32_t next_first = next_[now_][is_reversed ? 1 : 0],
                        next_second = next_[now_][is_reversed ? 0 : 1];
    const Vec a = load(first, next_first);
    const asmjit::Operand b = load_or_find(second, next_second);
    lanes_.apply(id, result(), a, b);
    release_memory(second, next_second);
  }
  // The place of an operand that was read from memory for the last time.
  void release_memory(ValueId v, std::uint32_t next_use) {
    if (next_use == kNever && register_of_[v] == kNone) free_place(v);
  }

  void root(const Instruction& i) {
    const Vec a = load(i.a, next_[now_][0]);
    lanes_.root(result(), a);
  }
  void masked(const Instruction& i, asmjit::InstId id, Mask which) {
    move(scratch(), mask(which));
    const Vec a = load(i.a, next_[now_][0]);
    lanes_.apply(id, result(), a, scratch());
  }
  void compare(const Instruction& i, int predicate) {
    const Vec a = load(i.a, next_[now_][0]);
    const Vec b = load(i.b, next_[now_][1]);
    lanes_.compare(result(), a, b, predicate, mask(One), scratch());
  }
  void select(const Instruction& i) {
    const Vec a = load(i.a, next_[now_][0]);
    const Vec b = load(i.b, next_[now_][1]);
    const Vec c = load(i.c, next_[now_][2]);
    lanes_.select(result(), a, b, c, scratch());
  }

  // Our own sine or cosine. The routine gives both; where the next instruction wants the other one,
  // it is there.
  void turn(const Instruction& i) {
    turns_ = true;
    for (unsigned r = 0; r < TurnRoutine::kFirstKept; ++r) {
      if (registers_[r].value != kNone) spill(r);
    }
    const unsigned r = register_of_[i.a];
    if (r == kNone) {
      move(reg(0), place(i.a));
    } else {
      lanes_.copy(reg(0), reg(r));
    }
    assembler_.call(turn_.label());
    hold_turn(i);
    note_use(i.a, next_[now_][0]);
  }
  // The sine is in register 0, the cosine in 1.
  void hold_turn(const Instruction& i) {
    const auto v = static_cast<ValueId>(leaves_ + now_);
    const bool is_sine = i.op == Op::Sin;
    if (begins_pair()) hold(is_sine ? 1 : 0, v + 1, next_[now_ + 1][3]);
    hold(is_sine ? 0 : 1, v, next_[now_][3]);
  }
  // That an operand was read, which is next read then.
  void note_use(ValueId v, std::uint32_t next_use) {
    if (register_of_[v] != kNone) {
      registers_[register_of_[v]].next_use = next_use;
    } else {
      release_memory(v, next_use);
    }
  }

  // Calls preserve no register of values.
  void spill_all() {
    for (unsigned r = 0; r < num_registers(); ++r) {
      if (registers_[r].value != kNone) spill(r);
    }
  }
  // Sine and cosine of libm: one call for both, which puts them into `work`.
  void call_turn(const Instruction& i) {
    spill_all();
    const auto v = static_cast<ValueId>(leaves_ + now_);
    const bool is_sine = i.op == Op::Sin;
    const ValueId sine = is_sine ? v : v + 1, cosine = is_sine ? v + 1 : v;
    take_place(sine), take_place(cosine);
    if (lanes_.count() == 1) {
      move(reg(0), place(i.a));
      assembler_.lea(x86::rdi, place(sine));
      assembler_.lea(x86::rsi, place(cosine));
      writer.call(reinterpret_cast<std::uint64_t>(library_turn));
    } else {
      const Mem angle = rows_of(i).front();
      lanes_.leave_wide();
      assembler_.lea(x86::rdi, angle);
      assembler_.lea(x86::rsi, place(sine));
      assembler_.lea(x86::rdx, place(cosine));
      assembler_.mov(x86::ecx, static_cast<int>(lanes_.count()));
      writer.call(reinterpret_cast<std::uint64_t>(&turn_each));
    }
    move(reg(0), place(sine));
    move(reg(1), place(cosine));
    hold_turn(i);
    note_use(i.a, next_[now_][0]);
  }
  void call(const Instruction& i) {
    spill_all();
    const auto v = static_cast<ValueId>(leaves_ + now_);
    if (lanes_.count() == 1) {
      call_one(i);
    } else {
      take_place(v);
      call_lanes(i, place(v));
      move(reg(0), place(v));
    }
    std::size_t k = 0;
    for_each_operand(i, [&](ValueId operand) { release_memory(operand, next_[now_][k++]); });
    hold(0, v, next_[now_][3]);
  }
  void call_one(const Instruction& i) {
    unsigned k = 0;
    for_each_operand(i, [&](ValueId operand) { assembler_.vmovsd(x86::xmm(k++), place(operand)); });
    if (i.op == Op::Table) {
      writer.call_table(program_.tables[i.b].data, i.variant);
    } else {
      writer.call(reinterpret_cast<std::uint64_t>(function_of(i)));
    }
  }
  // The rows of the operands, until something else takes a place.
  std::vector<Mem> rows_of(const Instruction& i) {
    std::vector<Mem> rows;
    std::vector<std::uint32_t> taken;
    for_each_operand(i, [&](ValueId operand) {
      Mem row = place(operand);
      if (program_.is_constant(operand)) {
        taken.push_back(take_place());
        row = lanes_.row(x86::r13, taken.back());
        move(scratch(), place(operand));
        move(row, scratch());
      }
      rows.push_back(row);
    });
    free_places_.insert(free_places_.end(), taken.begin(), taken.end());
    return rows;
  }
  // Operands, of which there are two at most, and where the results go.
  void call_lanes(const Instruction& i, const Mem& to) {
    const std::vector<Mem> rows = rows_of(i);
    const auto lanes = static_cast<int>(lanes_.count());
    lanes_.leave_wide();
    if (i.op == Op::Table) {
      assembler_.mov(x86::rdi, reinterpret_cast<std::uint64_t>(&program_.tables[i.b].data));
      assembler_.mov(x86::esi, i.variant);
      assembler_.lea(x86::rdx, rows.front());
      assembler_.lea(x86::rcx, to);
      assembler_.mov(x86::r8d, lanes);
      writer.call(reinterpret_cast<std::uint64_t>(&look_up_each));
    } else {
      assembler_.mov(x86::rdi, reinterpret_cast<std::uint64_t>(function_of(i)));
      assembler_.lea(x86::rsi, rows.front());
      assembler_.lea(x86::rdx, rows.back());
      assembler_.lea(x86::rcx, to);
      assembler_.mov(x86::r8d, lanes);
      writer.call(reinterpret_cast<std::uint64_t>(&call_each));
    }
  }
  void store_outputs() {
    const ValueId v = static_cast<ValueId>(leaves_ + now_);
    for (std::uint32_t j = first_output_[now_]; j != kNone; j = next_output_[j]) {
      move(lanes_.row(x86::r12, j), reg(register_of_[v]));
    }
  }
  void drop_dead() {
    for (unsigned r = 0; r < num_registers(); ++r) {
      registers_[r].is_pinned = false;
      const bool is_to_come = registers_[r].value > leaves_ + now_;  // or nothing
      if (!is_to_come && registers_[r].next_use == kNever) release(r);
    }
  }
  void copy_leaves() {
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      if (program_.outputs[j] >= leaves_) continue;
      move(scratch(), place(program_.outputs[j]));
      move(lanes_.row(x86::r12, j), scratch());
    }
  }

  const Program& program_;
  std::span<const std::uint32_t> places_;  // of inputs
  x86::Assembler& assembler_;
  Lanes lanes_;
  std::size_t num_inputs_, leaves_;
  TurnRoutine turn_;
  bool turns_ = false;   // it is called
  std::size_t now_ = 0;  // the instruction at hand

  std::vector<std::array<std::uint32_t, 4>> next_;         // uses: of the operands, of the result
  std::vector<std::uint32_t> first_output_, next_output_;  // lists of outputs that are one value
  std::vector<Register> registers_;
  std::vector<std::uint32_t> register_of_;  // by value
  std::vector<std::uint32_t> spilled_at_;   // by instruction: its place in `work`
  std::vector<std::uint32_t> free_places_;
  std::size_t work_size_ = 0;
};

}  // namespace

int MachineCode::most_lanes() {
  int most = 8;
  if (const char* const limit = std::getenv("KOPPEL_LANES")) {
    most = std::atoi(limit);
    if (most != 1 && most != 4 && most != 8) {
      throw Error("expr.bad-environment",
                  "KOPPEL_LANES is '" + std::string(limit) + "'; it can be 1, 4 or 8.");
    }
  }
  for (const int lanes : {8, 4}) {
    if (lanes <= most && Lanes::are_supported(static_cast<std::size_t>(lanes))) return lanes;
  }
  return 1;
}

std::unique_ptr<const MachineCode> MachineCode::generate(const Program& program, int lanes,
                                                         std::span<const std::uint32_t> places) {
  // Displacements have 32 bits.
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / (16 * 8);
  if (!CodeWriter::is_supported()) note_no_machine_code();
  if (!Lanes::are_supported(static_cast<std::size_t>(lanes))) return nullptr;
  if (program.num_values() > kMost) return nullptr;
  Generator generator(program, lanes, places);
  generator.generate();
  std::unique_ptr<MachineCode> out(new MachineCode);
  out->pages_ = generator.writer.finish();
  if (out->pages_ == nullptr) return nullptr;
  out->entry_ = reinterpret_cast<Entry*>(reinterpret_cast<std::uintptr_t>(out->pages_->begin()));
  out->numbers_ = generator.numbers();
  out->lanes_ = static_cast<std::size_t>(lanes);
  out->work_size_ = generator.work_size() * out->lanes_;
  return out;
}

}  // namespace koppel

#else

namespace koppel {

int MachineCode::most_lanes() { return 1; }
std::unique_ptr<const MachineCode> MachineCode::generate(const Program&, int,
                                                         std::span<const std::uint32_t>) {
  note_no_machine_code();
  return nullptr;
}

}  // namespace koppel

#endif
