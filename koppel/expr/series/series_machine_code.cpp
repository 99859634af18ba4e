#include <koppel/expr/series/series_machine_code.hpp>

#include <koppel/expr/code/code_writer.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/series/register_cache.hpp>

#ifdef KOPPEL_MACHINE_CODE

#include <algorithm>

namespace koppel {
namespace {

using asmjit::Label;
using asmjit::x86::Mem;
using asmjit::x86::Xmm;
namespace x86 = asmjit::x86;

void solve_by(const MachineCode* code, const double* in, double* X, double* work) {
  code->run(in, X, work);
}

// In pieces: rbx = c, r12 = c + k, r13 = 8 k, r14 = k, and the stack is aligned as calls want it.
class Generator {
 public:
  Generator(const SeriesProgram& series, const SeriesLayout& layout)
      : series_(series), layout_(layout), a_(writer.assembler) {
    sign_ = a_.newLabel();
    sum_ = a_.newLabel();
    symmetric_sum_ = a_.newLabel();
    put_sum();
    put_symmetric_sum();
    a_.bind(sign_);
    for (int i = 0; i < 2; ++i) a_.embedUInt64(std::uint64_t{1} << 63);
  }

  // Enter: calls a piece with its registers.
  Label enter() {
    const Label label = bind_new();
    for (const x86::Gp& r : kKept) a_.push(r);
    a_.mov(x86::rbx, x86::rdi);
    a_.mov(x86::r14, x86::rsi);
    point_to_order();
    a_.call(x86::rdx);
    for (auto r = kKept.rbegin(); r != kKept.rend(); ++r) a_.pop(*r);
    a_.ret();
    return label;
  }
  Label values(const SeriesGroup& group) {
    const Label label = begin();
    for (std::size_t k = 0; k < group.entries.size(); ++k) {
      const std::uint32_t n = group.entries[k].instruction;
      if (k + 1 < group.entries.size() && put_turn(n, group.entries[k + 1].instruction)) {
        ++k;
      } else {
        put_value(n);
      }
    }
    a_.ret();
    return label;
  }
  Label order(const SeriesGroup& group) {
    const Label label = begin();
    if (!group.zeros.empty()) a_.vxorpd(x86::xmm0, x86::xmm0, x86::xmm0);
    for (const std::uint32_t n : group.zeros) {
      a_.vmovsd(coefficient(value_of(n)), x86::xmm0);
    }
    for (const SeriesGroup::Entry& entry : group.entries) {
      if (entry.by.rule != nullptr) put_order(value_of(entry.instruction), entry.by);
    }
    a_.ret();
    return label;
  }

  struct GroupLabels {
    int lead;
    Label values, order;
  };
  // Expand, by the pieces for orders above 0. rbp = stage k; above the stack pointer s_1 … s_most,
  // 1/s_1 … 1/s_most, and the arguments that are kept.
  Label expand(const std::vector<GroupLabels>& groups, const std::vector<GroupLabels>& corrections,
               const SeriesExpansion& expansion) {
    const int most = expansion.most;
    const Mem last = slot(2 * most), in = slot(2 * most + 1), X = slot(2 * most + 2),
              work = slot(2 * most + 3);
    const int frame = 8 * (2 * most + 4);  // an even number
    // The last argument is on the stack, behind what is pushed and the address to return to.
    const Mem by = x86::qword_ptr(x86::rsp, frame + 8 + 8 * (int{kKept.size()} + 2));
    const Label label = bind_new(), stage = a_.newLabel(), one = a_.newLabel();
    a_.push(x86::rbp);
    for (const x86::Gp& r : kKept) a_.push(r);
    a_.sub(x86::rsp, frame + 8);  // so that pieces find the stack aligned
    a_.mov(x86::rbx, x86::rdi);
    a_.mov(x86::rbp, x86::rsi);
    a_.mov(last, x86::rdx);
    a_.mov(in, x86::rcx);
    a_.mov(X, x86::r8);
    a_.mov(work, x86::r9);
    a_.bind(stage);
    for (int o = 1; o <= most; ++o) {
      a_.lea(x86::rax, x86::ptr(x86::rbp, o));
      a_.vcvtsi2sd(x86::xmm1, x86::xmm1, x86::rax);
      if (o > 1) a_.vmulsd(x86::xmm1, x86::xmm0, x86::xmm1);
      a_.vmovapd(x86::xmm0, x86::xmm1);
      a_.vmovsd(scale(o), x86::xmm0);
      a_.vmovsd(x86::xmm2, x86::qword_ptr(one));
      a_.vdivsd(x86::xmm2, x86::xmm2, x86::xmm0);
      a_.vmovsd(reciprocal(o, most), x86::xmm2);
    }
    a_.lea(x86::r12, x86::ptr(x86::rbx, x86::rbp, 3));
    if (!expansion.zeros.empty()) a_.vxorpd(x86::xmm0, x86::xmm0, x86::xmm0);
    for (const SeriesExpansion::Term& term : expansion.zeros) {
      a_.vmovsd(coefficient(term), x86::xmm0);
    }
    call_pieces(groups);
    a_.lea(x86::r12, x86::ptr(x86::rbx, x86::rbp, 3));
    a_.mov(x86::rsi, in);
    for (const SeriesExpansion::Term& term : expansion.sides) {
      a_.vmovsd(x86::xmm0, coefficient(term));
      a_.vxorpd(x86::xmm0, x86::xmm0, x86::ptr(sign_));
      if (term.lead > 0) a_.vmulsd(x86::xmm0, x86::xmm0, scale(term.lead));
      a_.vmovsd(at(x86::rsi, term.number), x86::xmm0);
    }
    a_.mov(x86::rdx, X);
    a_.mov(x86::rcx, work);
    a_.mov(x86::rdi, by);
    a_.sub(x86::rsp, 8);
    writer.call(reinterpret_cast<std::uint64_t>(solve_by));
    a_.add(x86::rsp, 8);
    a_.mov(x86::rdx, X);
    for (const SeriesExpansion::Term& term : expansion.results) {
      a_.vmovsd(x86::xmm0, at(x86::rdx, term.number));
      if (term.lead > 0) a_.vmulsd(x86::xmm0, x86::xmm0, reciprocal(term.lead, most));
      a_.vmovsd(coefficient(term), x86::xmm0);
    }
    call_pieces(corrections);
    a_.inc(x86::rbp);
    a_.cmp(x86::rbp, last);
    a_.jle(stage);
    a_.add(x86::rsp, frame + 8);
    for (auto r = kKept.rbegin(); r != kKept.rend(); ++r) a_.pop(*r);
    a_.pop(x86::rbp);
    a_.ret();
    a_.align(asmjit::AlignMode::kData, 8);
    a_.bind(one);
    a_.embedDouble(1);
    return label;
  }

  CodeWriter writer;

 private:
  ValueId value_of(std::uint32_t n) const {
    return static_cast<ValueId>(series_.program.num_leaves() + n);
  }
  static Mem at(const x86::Gp& base, std::size_t index) {
    return x86::qword_ptr(base, static_cast<std::int32_t>(8 * index));
  }
  Mem value(ValueId v) const { return at(x86::rbx, layout_.place[v].offset()); }
  Mem coefficient(ValueId v) const {
    const SeriesPlace place = layout_.place[v];
    return at(place.has_orders() ? x86::r12 : x86::rbx, place.offset());
  }
  // A place in memory has a register of its own in the cache: by value, and whether order 0 is
  // meant. (Of a value without orders both are one number, which does no harm: it is written as a
  // coefficient only where it is read as one.)
  static std::uint64_t key(ValueId v, bool is_zero) { return 2 * std::uint64_t{v} + is_zero; }

  static constexpr std::array kKept{x86::rbx, x86::r12, x86::r13, x86::r14};

  Label bind_new() {
    const Label label = a_.newLabel();
    a_.align(asmjit::AlignMode::kCode, 16);
    a_.bind(label);
    return label;
  }
  Label begin() {
    cache_.clear();
    return bind_new();
  }
  // r12 and r13, by r14.
  void point_to_order() {
    a_.lea(x86::r13, x86::ptr(0, x86::r14, 3));
    a_.lea(x86::r12, x86::ptr(x86::rbx, x86::r14, 3));
  }
  void call_pieces(const std::vector<GroupLabels>& groups) {
    for (const GroupLabels& group : groups) {
      a_.lea(x86::r14, x86::ptr(x86::rbp, group.lead));
      point_to_order();
      a_.call(group.order);
    }
  }
  static Mem slot(int i) { return x86::qword_ptr(x86::rsp, 8 * i); }
  static Mem scale(int o) { return slot(o - 1); }
  static Mem reciprocal(int o, int most) { return slot(most + o - 1); }
  // With r12 = c + k.
  Mem coefficient(const SeriesExpansion::Term& term) const {
    const SeriesPlace place = layout_.place[term.value];
    return at(place.has_orders() ? x86::r12 : x86::rbx, place.of_order(term.lead));
  }

  // koppel_sum(x, y, k, first, last): x in rdi, y in rsi, 8 first in rax, 8 last in rcx → xmm0.
  void put_sum() {
    a_.align(asmjit::AlignMode::kCode, 32);
    a_.bind(sum_);
    const Label loop = a_.newLabel(), end = a_.newLabel(), done = a_.newLabel();
    a_.mov(x86::rdx, x86::r13);
    a_.sub(x86::rdx, x86::rax);
    a_.mov(x86::r8, x86::r13);
    a_.sub(x86::r8, x86::rcx);
    a_.vxorpd(x86::xmm0, x86::xmm0, x86::xmm0);
    a_.vxorpd(x86::xmm1, x86::xmm1, x86::xmm1);
    a_.cmp(x86::rax, x86::rcx);
    a_.jge(end);
    a_.align(asmjit::AlignMode::kCode, 16);
    a_.bind(loop);
    a_.vmovsd(x86::xmm2, x86::qword_ptr(x86::rdi, x86::rax));
    a_.vmulsd(x86::xmm2, x86::xmm2, x86::qword_ptr(x86::rsi, x86::rdx));
    a_.vaddsd(x86::xmm0, x86::xmm0, x86::xmm2);
    a_.vmovsd(x86::xmm3, x86::qword_ptr(x86::rdi, x86::rcx));
    a_.vmulsd(x86::xmm3, x86::xmm3, x86::qword_ptr(x86::rsi, x86::r8));
    a_.vaddsd(x86::xmm1, x86::xmm1, x86::xmm3);
    a_.add(x86::rax, 8);
    a_.sub(x86::rdx, 8);
    a_.sub(x86::rcx, 8);
    a_.add(x86::r8, 8);
    a_.cmp(x86::rax, x86::rcx);
    a_.jl(loop);
    a_.bind(end);
    a_.jne(done);
    a_.vmovsd(x86::xmm2, x86::qword_ptr(x86::rdi, x86::rax));
    a_.vmulsd(x86::xmm2, x86::xmm2, x86::qword_ptr(x86::rsi, x86::rdx));
    a_.vaddsd(x86::xmm0, x86::xmm0, x86::xmm2);
    a_.bind(done);
    a_.vaddsd(x86::xmm0, x86::xmm0, x86::xmm1);
    a_.ret();
  }
  // koppel_symmetric_sum(x, k, first): x in rdi and rsi, 8 first in rax → xmm0. Sums that begin
  // with 0 are never −0, so that a middle of 0 need not be added.
  void put_symmetric_sum() {
    a_.align(asmjit::AlignMode::kCode, 32);
    a_.bind(symmetric_sum_);
    const Label done = a_.newLabel();
    a_.mov(x86::r9, x86::rax);
    a_.lea(x86::rcx, x86::ptr(x86::r14, -1));
    a_.shr(x86::rcx, 1);
    a_.shl(x86::rcx, 3);
    a_.call(sum_);
    a_.vaddsd(x86::xmm0, x86::xmm0, x86::xmm0);
    a_.mov(x86::rax, x86::r13);
    a_.shr(x86::rax, 1);
    a_.test(x86::rax, 4);  // 8 k/2: k is odd
    a_.jnz(done);
    a_.cmp(x86::rax, x86::r9);
    a_.jl(done);
    a_.vmovsd(x86::xmm2, x86::qword_ptr(x86::rdi, x86::rax));
    a_.vmulsd(x86::xmm2, x86::xmm2, x86::xmm2);
    a_.vaddsd(x86::xmm0, x86::xmm0, x86::xmm2);
    a_.bind(done);
    a_.ret();
  }

  // In a register.
  Xmm load(ValueId v, bool is_zero) {
    const int cached = cache_.find(key(v, is_zero));
    if (cached >= 0) return x86::xmm(static_cast<unsigned>(cached));
    const Xmm r = x86::xmm(cache_.take(key(v, is_zero)));
    a_.vmovsd(r, is_zero ? value(v) : coefficient(v));
    return r;
  }
  // In a register where it is there already, else in memory.
  asmjit::Operand find(ValueId v, bool is_zero) {
    const int cached = cache_.find(key(v, is_zero));
    if (cached >= 0) return x86::xmm(static_cast<unsigned>(cached));
    return is_zero ? value(v) : coefficient(v);
  }
  // xmm0 is the result.
  void store(ValueId v, bool is_zero) {
    a_.vmovsd(is_zero ? value(v) : coefficient(v), x86::xmm0);
    a_.vmovapd(x86::xmm(cache_.take(key(v, is_zero))), x86::xmm0);
  }
  void binary(asmjit::InstId id, ValueId r, ValueId a, bool a_is_zero, ValueId b, bool b_is_zero,
              bool r_is_zero) {
    const Xmm x = load(a, a_is_zero);
    const asmjit::Operand y = find(b, b_is_zero);
    const Xmm result = x86::xmm(cache_.take(key(r, r_is_zero)));
    a_.emit(id, result, x, y);
    a_.vmovsd(r_is_zero ? value(r) : coefficient(r), result);
  }
  void negate(ValueId r, ValueId a, bool is_zero) {
    const Xmm x = load(a, is_zero);
    a_.vxorpd(x86::xmm0, x, x86::ptr(sign_));
    store(r, is_zero);
  }

  // Sine and cosine of one angle in one call; false: these are others.
  bool put_turn(std::uint32_t n, std::uint32_t next) {
    const Instruction &i = series_.program.code[n], &other = series_.program.code[next];
    if (!are_of_one_angle(i, other)) return false;
    const bool is_sine = i.op == Op::Sin;
    a_.vmovsd(x86::xmm0, value(i.a));
    a_.lea(x86::rdi, value(value_of(is_sine ? n : next)));
    a_.lea(x86::rsi, value(value_of(is_sine ? next : n)));
    writer.call(reinterpret_cast<std::uint64_t>(library_turn));
    cache_.clear();
    return true;
  }
  void put_value(std::uint32_t n) {
    const Instruction& i = series_.program.code[n];
    const ValueId r = value_of(n);
    switch (i.op) {
      case Op::Add: return binary(x86::Inst::kIdVaddsd, r, i.a, true, i.b, true, true);
      case Op::Sub: return binary(x86::Inst::kIdVsubsd, r, i.a, true, i.b, true, true);
      case Op::Mul: return binary(x86::Inst::kIdVmulsd, r, i.a, true, i.b, true, true);
      case Op::Div: return binary(x86::Inst::kIdVdivsd, r, i.a, true, i.b, true, true);
      case Op::Neg: return negate(r, i.a, true);
      default: break;
    }
    unsigned count = 0;
    for_each_operand(i, [&](ValueId v) { a_.vmovsd(x86::xmm(count++), value(v)); });
    if (i.op == Op::Table) {
      writer.call_table(series_.program.tables[i.b].data, i.variant);
    } else {
      writer.call(reinterpret_cast<std::uint64_t>(operation(i.op).value));
    }
    cache_.clear();
    store(r, true);
  }

  void put_order(ValueId r, const SeriesInstruction& i) {
    const auto is = [&](Op op) { return i.rule == &operation(op).taylor; };
    if (i.rule == &operations::kCopy) {
      a_.vmovapd(x86::xmm0, load(i.a, false));
      return store(r, false);
    }
    if (is(Op::Neg)) return negate(r, i.a, false);
    if (is(Op::Add)) return binary(x86::Inst::kIdVaddsd, r, i.a, false, i.b, false, false);
    if (is(Op::Sub)) return binary(x86::Inst::kIdVsubsd, r, i.a, false, i.b, false, false);
    if (i.rule == &operations::kScale) {
      return binary(x86::Inst::kIdVmulsd, r, i.a, true, i.b, false, false);
    }
    if (i.rule == &operations::kDivStatic) {
      return binary(x86::Inst::kIdVdivsd, r, i.a, false, i.b, true, false);
    }
    if (is(Op::Mul)) return sum(r, i.a, i.b, 0, 0);
    if (i.rule == &operations::kMulOpen) return sum(r, i.a, i.b, 1, 0);
    if (i.rule == &operations::kMulInner) return sum(r, i.a, i.b, 1, 1);
    if (i.rule == &operations::kSquare) return square(r, i.a, 0);
    if (i.rule == &operations::kSquareInner) return square(r, i.a, 1);
    if (is(Op::Div)) return divide(r, i);
    if (is(Op::Sqrt)) return root(r, i);
    call_kernel(r, i);
  }

  void point_to(ValueId x, ValueId y) {
    a_.lea(x86::rdi, value(x));
    a_.lea(x86::rsi, value(y));
  }
  // Σ x_i y_{k−i} from `first` to k − `before_last`, in xmm0.
  void call_sum(ValueId x, ValueId y, int first, int before_last) {
    point_to(x, y);
    a_.mov(x86::eax, 8 * first);
    a_.lea(x86::rcx, x86::ptr(x86::r13, -8 * before_last));
    a_.call(sum_);
  }
  void call_symmetric_sum(ValueId x, int first) {
    point_to(x, x);
    a_.mov(x86::eax, 8 * first);
    a_.call(symmetric_sum_);
  }
  void sum(ValueId r, ValueId x, ValueId y, int first, int before_last) {
    call_sum(x, y, first, before_last);
    store(r, false);
  }
  void square(ValueId r, ValueId x, int first) {
    call_symmetric_sum(x, first);
    store(r, false);
  }
  // (a_k − Σ_{j<k} r_j b_{k−j}) / b_0
  void divide(ValueId r, const SeriesInstruction& i) {
    call_sum(r, i.b, 0, 1);
    a_.vsubsd(x86::xmm0, load(i.a, false), x86::xmm0);
    a_.emit(x86::Inst::kIdVdivsd, x86::xmm0, x86::xmm0, find(i.b, true));
    store(r, false);
  }
  // (a_k − Σ_{0<j<k} r_j r_{k−j}) / (2 r_0)
  void root(ValueId r, const SeriesInstruction& i) {
    call_symmetric_sum(r, 1);
    a_.vsubsd(x86::xmm0, load(i.a, false), x86::xmm0);
    const Xmm r0 = load(r, true);
    a_.vaddsd(x86::xmm1, r0, r0);
    a_.vdivsd(x86::xmm0, x86::xmm0, x86::xmm1);
    store(r, false);
  }
  void call_kernel(ValueId r, const SeriesInstruction& i) {
    point_to(r, i.a);
    a_.lea(x86::rdx, value(i.b));
    a_.lea(x86::rcx, value(i.c));
    a_.mov(x86::r8d, x86::r14d);
    writer.call(reinterpret_cast<std::uint64_t>(i.rule->kernel));
    cache_.clear();
    store(r, false);
  }

  const SeriesProgram& series_;
  const SeriesLayout& layout_;
  x86::Assembler& a_;
  RegisterCache cache_;
  Label sign_, sum_, symmetric_sum_;
};

}  // namespace

std::unique_ptr<const SeriesMachineCode> SeriesMachineCode::generate(
    const SeriesProgram& series, const SeriesLayout& layout,
    const std::optional<Solution>& solution) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 16;  // displacements
  if (!CodeWriter::is_supported()) note_no_machine_code();
  if (!CodeWriter::is_supported() || layout.size > kMost) return nullptr;
  Generator generator(series, layout);
  const auto put = [&](const std::vector<SeriesGroup>& groups) {
    std::vector<Generator::GroupLabels> labels;
    for (const SeriesGroup& group : groups) {
      labels.push_back({group.lead, generator.values(group), generator.order(group)});
    }
    return labels;
  };
  const auto first = put(series.groups), later = put(series.later), again = put(series.corrections);
  const auto last = put(series.last);
  const Label enter = generator.enter();
  Label expand;
  if (solution) expand = generator.expand(later, again, solution->expansion);
  std::unique_ptr<SeriesMachineCode> out(new SeriesMachineCode);
  out->pages_ = generator.writer.finish();
  if (out->pages_ == nullptr) return nullptr;
  const auto place = [&](const std::vector<Generator::GroupLabels>& labels,
                         std::vector<Group>& groups) {
    for (const Generator::GroupLabels& of : labels) {
      groups.push_back({of.lead, generator.writer.address_of<Piece>(*out->pages_, of.values),
                        generator.writer.address_of<Piece>(*out->pages_, of.order)});
    }
  };
  place(first, out->first_);
  place(later, out->later_);
  place(again, out->corrections_);
  place(last, out->last_);
  out->enter_ = generator.writer.address_of<Enter>(*out->pages_, enter);
  if (!solution) return out;
  out->expand_ = generator.writer.address_of<Expand>(*out->pages_, expand);
  out->solution_ = &solution->code;
  out->expands_from_ = 1;
  for (const auto* const groups : {&later, &again}) {
    for (const Generator::GroupLabels& of : *groups) {
      out->expands_from_ = std::max(out->expands_from_, 1 - of.lead);
    }
  }
  return out;
}

}  // namespace koppel

#else

namespace koppel {

std::unique_ptr<const SeriesMachineCode> SeriesMachineCode::generate(
    const SeriesProgram&, const SeriesLayout&, const std::optional<Solution>&) {
  note_no_machine_code();
  return nullptr;
}

}  // namespace koppel

#endif
