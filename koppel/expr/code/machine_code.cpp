#include <koppel/expr/code/machine_code.hpp>

#include <koppel/expr/code/code_writer.hpp>
#include <koppel/expr/code/turn_routine.hpp>

#ifdef KOPPEL_MACHINE_CODE

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

using asmjit::x86::Mem;
using asmjit::x86::Vec;
namespace x86 = asmjit::x86;
namespace Id = asmjit::x86::Inst;

constexpr std::uint32_t kNone = 0xFFFFFFFFu, kNever = 0xFFFFFFFFu;
// A page and two calls of the system cost more than the tape of fewer operations does.
constexpr std::size_t kFewest = 16;

class Generator {
 public:
  Generator(const Program& program, int lanes)
      : program_(program),
        lanes_(static_cast<std::size_t>(lanes)),
        id_(lanes == 1 ? kScalar : kPacked),
        num_inputs_(program.num_inputs()),
        leaves_(program.num_leaves()),
        assembler_(writer.assembler),
        turn_(writer, static_cast<std::size_t>(lanes)) {
    find_uses();
    spilled_at_.assign(program.code.size(), kNone);
    register_of_.assign(program.num_values(), kNone);
    for (Register& r : registers_) r = {};
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
  // What `numbers` holds: the program's constants, then masks; each as often as there are lanes.
  std::vector<double> numbers() const {
    std::vector<double> out;
    const auto add = [&](double x) { out.insert(out.end(), lanes_, x); };
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
  static constexpr unsigned kNumRegisters = 15;  // the last one is for intermediate results
  // A register of values: of one lane, or of all.
  Vec reg(unsigned r) const { return lanes_ == 1 ? Vec(x86::xmm(r)) : Vec(x86::ymm(r)); }
  Vec scratch() const { return reg(kNumRegisters); }

  // The instructions, for one lane and for several.
  struct Instructions {
    asmjit::InstId move, add, sub, mul, div, min, max, compare;
  };
  static constexpr Instructions kScalar{Id::kIdVmovsd, Id::kIdVaddsd, Id::kIdVsubsd, Id::kIdVmulsd,
                                        Id::kIdVdivsd, Id::kIdVminsd, Id::kIdVmaxsd, Id::kIdVcmpsd};
  static constexpr Instructions kPacked{Id::kIdVmovupd, Id::kIdVaddpd, Id::kIdVsubpd,
                                        Id::kIdVmulpd,  Id::kIdVdivpd, Id::kIdVminpd,
                                        Id::kIdVmaxpd,  Id::kIdVcmppd};

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
    if (lanes_ > 1) assembler_.vzeroupper();
    assembler_.add(x86::rsp, 8);
    for (const x86::Gp& r : {x86::r14, x86::r13, x86::r12, x86::rbx}) assembler_.pop(r);
    assembler_.ret();
  }

  Mem at(const x86::Gp& base, std::size_t index) const {
    const auto offset = static_cast<std::int32_t>(8 * lanes_ * index);
    return lanes_ == 1 ? x86::qword_ptr(base, offset) : x86::ymmword_ptr(base, offset);
  }
  static Mem lane_of(Mem values, std::size_t lane) {
    values.setSize(8);
    values.addOffset(static_cast<std::int64_t>(8 * lane));
    return values;
  }
  void move(const asmjit::Operand& to, const asmjit::Operand& from) {
    assembler_.emit(id_.move, to, from);
  }
  Mem mask(Mask which) const { return at(x86::r14, program_.constants.size() + which); }
  // Where a value that is in no register stands.
  Mem place(ValueId v) const {
    if (v < num_inputs_) return at(x86::rbx, v);
    if (v < leaves_) return at(x86::r14, v - num_inputs_);
    return at(x86::r13, spilled_at_[v - leaves_]);
  }

  // A register for a new value: a free one, or that of the value needed last.
  unsigned take_register() {
    unsigned best = kNumRegisters;
    for (unsigned r = 0; r < kNumRegisters; ++r) {
      if (registers_[r].is_pinned) continue;
      if (registers_[r].value == kNone) return r;
      if (best == kNumRegisters || registers_[r].next_use > registers_[best].next_use) best = r;
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
  void take_place(ValueId v) {
    if (free_places_.empty()) free_places_.push_back(static_cast<std::uint32_t>(work_size_++));
    spilled_at_[v - leaves_] = free_places_.back();
    free_places_.pop_back();
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
      case Op::Add: return binary(i, id_.add);
      case Op::Sub: return binary(i, id_.sub);
      case Op::Mul: return binary(i, id_.mul);
      case Op::Div: return binary(i, id_.div);
      // The instructions give their second operand where the comparison fails.
      case Op::Min: return binary(i, id_.min, true);
      case Op::Max: return binary(i, id_.max, true);
      case Op::Sqrt: return root(i);
      case Op::Neg: return masked(i, x86::Inst::kIdVxorpd, Sign);
      case Op::Abs: return masked(i, x86::Inst::kIdVandpd, Rest);
      case Op::Less: return compare(i, kLess);
      case Op::LessEqual: return compare(i, kLessEqual);
      case Op::Equal: return compare(i, kEqual);
      case Op::Select: return select(i);
      default: return i.variant > 0 && i.op != Op::Table ? turn(i) : call(i);
    }
  }

  // Predicates of comparisons; only the last is true for NaN.
  static constexpr int kEqual = 0, kLess = 1, kLessEqual = 2, kNotEqual = 4;

  void binary(const Instruction& i, asmjit::InstId id, bool is_reversed = false) {
    const ValueId first = is_reversed ? i.b : i.a, second = is_reversed ? i.a : i.b;
    const std::uint32_t next_first = next_[now_][is_reversed ? 1 : 0],
                        next_second = next_[now_][is_reversed ? 0 : 1];
    const Vec a = load(first, next_first);
    const asmjit::Operand b = load_or_find(second, next_second);
    assembler_.emit(id, result(), a, b);
    release_memory(second, next_second);
  }
  // The place of an operand that was read from memory for the last time.
  void release_memory(ValueId v, std::uint32_t next_use) {
    if (next_use == kNever && register_of_[v] == kNone) free_place(v);
  }

  void root(const Instruction& i) {
    const Vec a = load(i.a, next_[now_][0]);
    if (lanes_ == 1) {
      assembler_.vsqrtsd(result().xmm(), a.xmm(), a.xmm());
    } else {
      assembler_.vsqrtpd(result().ymm(), a.ymm());
    }
  }
  void masked(const Instruction& i, asmjit::InstId id, Mask which) {
    move(scratch(), mask(which));
    const Vec a = load(i.a, next_[now_][0]);
    assembler_.emit(id, result(), a, scratch());
  }
  void compare(const Instruction& i, int predicate) {
    const Vec a = load(i.a, next_[now_][0]);
    const Vec b = load(i.b, next_[now_][1]);
    assembler_.emit(id_.compare, scratch(), a, b, asmjit::Imm(predicate));
    const Vec r = result();
    move(r, mask(One));
    assembler_.emit(Id::kIdVandpd, r, r, scratch());
  }
  void select(const Instruction& i) {
    const Vec a = load(i.a, next_[now_][0]);
    const Vec b = load(i.b, next_[now_][1]);
    const Vec c = load(i.c, next_[now_][2]);
    assembler_.emit(Id::kIdVxorpd, scratch(), scratch(), scratch());
    assembler_.emit(id_.compare, scratch(), a, scratch(), asmjit::Imm(kNotEqual));
    assembler_.emit(Id::kIdVblendvpd, result(), c, b, scratch());
  }

  // The sine or cosine of fixed cost. The routine gives both; where the next instruction wants the
  // other one, it is there.
  void turn(const Instruction& i) {
    const auto v = static_cast<ValueId>(leaves_ + now_);
    if (register_of_[v] == kNone) {
      turns_ = true;
      for (unsigned r = 0; r < TurnRoutine::kFirstKept; ++r) {
        if (registers_[r].value != kNone) spill(r);
      }
      const unsigned r = register_of_[i.a];
      if (r == kNone) {
        move(reg(0), place(i.a));
      } else {
        assembler_.emit(Id::kIdVmovapd, reg(0), reg(r));
      }
      assembler_.call(turn_.label());
      const bool is_sine = i.op == Op::Sin;
      if (now_ + 1 < program_.code.size()) {
        const Instruction& next = program_.code[now_ + 1];
        if (next.variant > 0 && next.op == (is_sine ? Op::Cos : Op::Sin) && next.a == i.a) {
          hold(is_sine ? 1 : 0, v + 1, next_[now_ + 1][3]);
        }
      }
      hold(is_sine ? 0 : 1, v, next_[now_][3]);
    }
    note_use(i.a, next_[now_][0]);
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
  void call(const Instruction& i) {
    std::array<ValueId, 3> operand{};
    int count = 0;
    for_each_operand(i, [&](ValueId v) { operand[static_cast<std::size_t>(count++)] = v; });
    for (unsigned r = 0; r < kNumRegisters; ++r) {
      if (registers_[r].value != kNone) spill(r);
    }
    const auto v = static_cast<ValueId>(leaves_ + now_);
    if (lanes_ > 1) {
      take_place(v);
      assembler_.vzeroupper();  // what is called uses half of the registers
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      for (int k = 0; k < count; ++k) {
        assembler_.vmovsd(x86::xmm(static_cast<unsigned>(k)),
                          lane_of(place(operand[static_cast<std::size_t>(k)]), lane));
      }
      call_function(i);
      if (lanes_ > 1) assembler_.vmovsd(lane_of(place(v), lane), x86::xmm0);
    }
    for (int k = 0; k < count; ++k) {
      release_memory(operand[static_cast<std::size_t>(k)],
                     next_[now_][static_cast<std::size_t>(k)]);
    }
    if (lanes_ > 1) move(reg(0), place(v));
    hold(0, v, next_[now_][3]);
  }
  void call_function(const Instruction& i) {
    if (i.op == Op::Table) {
      writer.call_table(program_.tables[i.b].data, i.variant);
    } else {
      writer.call(reinterpret_cast<std::uint64_t>(operation(i.op).value));
    }
  }
  void store_outputs() {
    const ValueId v = static_cast<ValueId>(leaves_ + now_);
    for (std::uint32_t j = first_output_[now_]; j != kNone; j = next_output_[j]) {
      move(at(x86::r12, j), reg(register_of_[v]));
    }
  }
  void drop_dead() {
    for (unsigned r = 0; r < kNumRegisters; ++r) {
      registers_[r].is_pinned = false;
      const bool is_to_come = registers_[r].value > leaves_ + now_;  // or nothing
      if (!is_to_come && registers_[r].next_use == kNever) release(r);
    }
  }
  void copy_leaves() {
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      if (program_.outputs[j] >= leaves_) continue;
      move(scratch(), place(program_.outputs[j]));
      move(at(x86::r12, j), scratch());
    }
  }

  const Program& program_;
  std::size_t lanes_;
  Instructions id_;
  std::size_t num_inputs_, leaves_;
  x86::Assembler& assembler_;
  TurnRoutine turn_;
  bool turns_ = false;   // it is called
  std::size_t now_ = 0;  // the instruction at hand

  std::vector<std::array<std::uint32_t, 4>> next_;         // uses: of the operands, of the result
  std::vector<std::uint32_t> first_output_, next_output_;  // lists of outputs that are one value
  std::array<Register, kNumRegisters> registers_;
  std::vector<std::uint32_t> register_of_;  // by value
  std::vector<std::uint32_t> spilled_at_;   // by instruction: its place in `work`
  std::vector<std::uint32_t> free_places_;
  std::size_t work_size_ = 0;
};

}  // namespace

std::unique_ptr<const MachineCode> MachineCode::generate(const Program& program, int lanes) {
  // Displacements have 32 bits.
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / (16 * kLanes);
  if (!CodeWriter::is_supported() || (lanes > 1 && !CodeWriter::has_packed_integers()))
    return nullptr;
  if (program.code.size() < kFewest || program.num_values() > kMost) return nullptr;
  Generator generator(program, lanes);
  generator.generate();
  std::unique_ptr<MachineCode> out(new MachineCode);
  out->pages_ = generator.writer.finish();
  if (out->pages_ == nullptr) return nullptr;
  out->entry_ = reinterpret_cast<Entry*>(out->pages_->begin());
  out->numbers_ = generator.numbers();
  out->work_size_ = generator.work_size() * static_cast<std::size_t>(lanes);
  return out;
}

}  // namespace koppel

#else

namespace koppel {

std::unique_ptr<const MachineCode> MachineCode::generate(const Program&, int) { return nullptr; }

}  // namespace koppel

#endif
