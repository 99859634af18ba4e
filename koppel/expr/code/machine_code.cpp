#include <koppel/expr/code/machine_code.hpp>

#if defined(__x86_64__) && defined(__linux__)

#include <asmjit/x86.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <koppel/runtime/trig.h>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

using asmjit::x86::Mem;
using asmjit::x86::Xmm;
namespace x86 = asmjit::x86;

constexpr std::uint32_t kNone = 0xFFFFFFFFu, kNever = 0xFFFFFFFFu;
// A page and two calls of the system cost more than the tape of fewer operations does.
constexpr std::size_t kFewest = 16;

double fixed_cost_sine(double x, double, double) { return koppel_sin(x); }
double fixed_cost_cosine(double x, double, double) { return koppel_cos(x); }
double table_value(const TableData* table, int order, double x) {
  return table->evaluate(x, order);
}

// Remembers that an instruction could not be encoded.
struct Refusal : asmjit::ErrorHandler {
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { is_refused = true; }
  bool is_refused = false;
};

class Generator {
 public:
  explicit Generator(const Program& program)
      : program_(program), num_inputs_(program.num_inputs()), leaves_(program.num_leaves()) {
    code_.init(asmjit::Environment::host());
    code_.setErrorHandler(&refusal_);
    code_.attach(&assembler_);
    find_uses();
    spilled_at_.assign(program.code.size(), kNone);
    register_of_.assign(program.num_values(), kNone);
    for (Register& r : registers_) r = {};
  }

  bool generate() {
    enter();
    for (now_ = 0; now_ < program_.code.size(); ++now_) {
      emit(program_.code[now_]);
      store_outputs();
      drop_dead();
    }
    copy_leaves();
    leave();
    code_.flatten();
    code_.resolveUnresolvedLinks();
    return !refusal_.is_refused;
  }

  asmjit::CodeHolder& code() { return code_; }
  std::size_t work_size() const { return work_size_; }
  // What `numbers` holds: the program's constants, then masks as pairs of numbers.
  std::vector<double> numbers() const {
    std::vector<double> out = program_.constants;
    const double sign = std::bit_cast<double>(std::uint64_t{1} << 63);
    const double rest = std::bit_cast<double>(~(std::uint64_t{1} << 63));
    for (const double x : {sign, rest, 1.0}) out.push_back(x);
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
  static Xmm scratch() { return x86::xmm15; }

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
    assembler_.add(x86::rsp, 8);
    for (const x86::Gp& r : {x86::r14, x86::r13, x86::r12, x86::rbx}) assembler_.pop(r);
    assembler_.ret();
  }

  static Mem at(const x86::Gp& base, std::size_t index) {
    return x86::qword_ptr(base, static_cast<std::int32_t>(8 * index));
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
    if (free_places_.empty()) free_places_.push_back(static_cast<std::uint32_t>(work_size_++));
    spilled_at_[v - leaves_] = free_places_.back();
    free_places_.pop_back();
    assembler_.vmovsd(place(v), x86::xmm(r));
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
  Xmm load(ValueId v, std::uint32_t next_use) {
    unsigned r = register_of_[v];
    if (r == kNone) {
      r = take_register();
      assembler_.vmovsd(x86::xmm(r), place(v));
    }
    hold(r, v, next_use);
    return x86::xmm(r);
  }
  // The value in a register where it is there already or needed soon; else in memory.
  asmjit::Operand load_or_find(ValueId v, std::uint32_t next_use) {
    constexpr std::uint32_t kSoon = 24;
    if (register_of_[v] != kNone || next_use - now_ < kSoon) return load(v, next_use);
    return place(v);
  }
  // A register for the result. Operands that are read no more give theirs.
  Xmm result() {
    for (Register& r : registers_) {
      if (r.is_pinned && r.next_use == kNever) {
        release(static_cast<unsigned>(&r - registers_.data()));
      }
    }
    const unsigned r = take_register();
    hold(r, static_cast<ValueId>(leaves_ + now_), next_[now_][3]);
    return x86::xmm(r);
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
      case Op::Add: return binary(i, x86::Inst::kIdVaddsd);
      case Op::Sub: return binary(i, x86::Inst::kIdVsubsd);
      case Op::Mul: return binary(i, x86::Inst::kIdVmulsd);
      case Op::Div: return binary(i, x86::Inst::kIdVdivsd);
      // The instructions give their second operand where the comparison fails.
      case Op::Min: return binary(i, x86::Inst::kIdVminsd, true);
      case Op::Max: return binary(i, x86::Inst::kIdVmaxsd, true);
      case Op::Sqrt: return root(i);
      case Op::Neg: return masked(i, x86::Inst::kIdVxorpd, Sign);
      case Op::Abs: return masked(i, x86::Inst::kIdVandpd, Rest);
      case Op::Less: return compare(i, kLess);
      case Op::LessEqual: return compare(i, kLessEqual);
      case Op::Equal: return compare(i, kEqual);
      case Op::Select: return select(i);
      default: return call(i);
    }
  }

  // Predicates of vcmpsd; only the last is true for NaN.
  static constexpr int kEqual = 0, kLess = 1, kLessEqual = 2, kNotEqual = 4;

  void binary(const Instruction& i, asmjit::InstId id, bool is_reversed = false) {
    const ValueId first = is_reversed ? i.b : i.a, second = is_reversed ? i.a : i.b;
    const std::uint32_t next_first = next_[now_][is_reversed ? 1 : 0],
                        next_second = next_[now_][is_reversed ? 0 : 1];
    const Xmm a = load(first, next_first);
    const asmjit::Operand b = load_or_find(second, next_second);
    assembler_.emit(id, result(), a, b);
    release_memory(second, next_second);
  }
  // The place of an operand that was read from memory for the last time.
  void release_memory(ValueId v, std::uint32_t next_use) {
    if (next_use == kNever && register_of_[v] == kNone) free_place(v);
  }

  void root(const Instruction& i) {
    const Xmm a = load(i.a, next_[now_][0]);
    assembler_.vsqrtsd(result(), a, a);
  }
  void masked(const Instruction& i, asmjit::InstId id, Mask which) {
    assembler_.vmovsd(scratch(), mask(which));
    const Xmm a = load(i.a, next_[now_][0]);
    assembler_.emit(id, result(), a, scratch());
  }
  void compare(const Instruction& i, int predicate) {
    const Xmm a = load(i.a, next_[now_][0]);
    const Xmm b = load(i.b, next_[now_][1]);
    assembler_.vcmpsd(scratch(), a, b, predicate);
    const Xmm r = result();
    assembler_.vmovsd(r, mask(One));
    assembler_.vandpd(r, r, scratch());
  }
  void select(const Instruction& i) {
    const Xmm a = load(i.a, next_[now_][0]);
    const Xmm b = load(i.b, next_[now_][1]);
    const Xmm c = load(i.c, next_[now_][2]);
    assembler_.vxorpd(scratch(), scratch(), scratch());
    assembler_.vcmpsd(scratch(), a, scratch(), kNotEqual);
    assembler_.vblendvpd(result(), c, b, scratch());
  }

  // Calls preserve no register of values.
  void call(const Instruction& i) {
    std::array<ValueId, 3> operand{};
    int count = 0;
    for_each_operand(i, [&](ValueId v) { operand[static_cast<std::size_t>(count++)] = v; });
    for (unsigned r = 0; r < kNumRegisters; ++r) {
      if (registers_[r].value != kNone) spill(r);
    }
    for (int k = 0; k < count; ++k) {
      assembler_.vmovsd(x86::xmm(static_cast<unsigned>(k)),
                        place(operand[static_cast<std::size_t>(k)]));
    }
    if (i.op == Op::Table) {
      assembler_.mov(x86::rdi, reinterpret_cast<std::uint64_t>(&program_.tables[i.b].data));
      assembler_.mov(x86::esi, static_cast<int>(i.variant));
      call_address(reinterpret_cast<std::uint64_t>(&table_value));
    } else {
      call_address(reinterpret_cast<std::uint64_t>(function_of(i)));
    }
    for (int k = 0; k < count; ++k) {
      release_memory(operand[static_cast<std::size_t>(k)],
                     next_[now_][static_cast<std::size_t>(k)]);
    }
    hold(0, static_cast<ValueId>(leaves_ + now_), next_[now_][3]);
  }
  static double (*function_of(const Instruction& i))(double, double, double) {
    if (i.variant > 0 && i.op == Op::Sin) return fixed_cost_sine;
    if (i.variant > 0 && i.op == Op::Cos) return fixed_cost_cosine;
    return operation(i.op).value;
  }
  void call_address(std::uint64_t address) {
    assembler_.mov(x86::rax, address);
    assembler_.call(x86::rax);
  }

  void store_outputs() {
    const ValueId v = static_cast<ValueId>(leaves_ + now_);
    for (std::uint32_t j = first_output_[now_]; j != kNone; j = next_output_[j]) {
      assembler_.vmovsd(at(x86::r12, j), x86::xmm(register_of_[v]));
    }
  }
  void drop_dead() {
    for (unsigned r = 0; r < kNumRegisters; ++r) {
      registers_[r].is_pinned = false;
      if (registers_[r].value != kNone && registers_[r].next_use == kNever) release(r);
    }
  }
  void copy_leaves() {
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      if (program_.outputs[j] >= leaves_) continue;
      assembler_.vmovsd(scratch(), place(program_.outputs[j]));
      assembler_.vmovsd(at(x86::r12, j), scratch());
    }
  }

  const Program& program_;
  std::size_t num_inputs_, leaves_;
  Refusal refusal_;
  asmjit::CodeHolder code_;
  x86::Assembler assembler_;
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

std::unique_ptr<const MachineCode> MachineCode::generate(const Program& program) {
  // Displacements have 32 bits.
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 16;
  const bool can = asmjit::CpuInfo::host().features().x86().hasAVX();
  if (!can || program.code.size() < kFewest || program.num_values() > kMost) return nullptr;
  Generator generator(program);
  if (!generator.generate()) return nullptr;
  asmjit::CodeHolder& code = generator.code();
  const std::size_t size = code.codeSize();
  void* const pages =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  std::unique_ptr<MachineCode> out(new MachineCode);
  out->pages_ = pages;
  out->num_bytes_ = size;
  if (code.relocateToBase(reinterpret_cast<std::uint64_t>(pages)) != asmjit::kErrorOk ||
      code.copyFlattenedData(pages, size) != asmjit::kErrorOk ||
      mprotect(pages, size, PROT_READ | PROT_EXEC) != 0) {
    return nullptr;
  }
  out->entry_ = reinterpret_cast<Entry*>(pages);
  out->numbers_ = generator.numbers();
  out->work_size_ = generator.work_size();
  return out;
}

MachineCode::~MachineCode() {
  if (pages_ != nullptr) munmap(pages_, num_bytes_);
}

}  // namespace koppel

#else

namespace koppel {

std::unique_ptr<const MachineCode> MachineCode::generate(const Program&) { return nullptr; }
MachineCode::~MachineCode() = default;

}  // namespace koppel

#endif
