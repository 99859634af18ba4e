#include <koppel/expr/code/wasm_part.hpp>

#include <algorithm>

#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

using wasm::Opcode;

// How deep expressions are nested: readers of modules recurse.
constexpr int kDeepest = 64;

// How often an instruction reads each of its operands.
std::uint32_t reads_of(Op op) { return op == Op::Min || op == Op::Max || op == Op::Sign ? 2 : 1; }

bool is_comparison(Op op) { return op == Op::Less || op == Op::LessEqual || op == Op::Equal; }

class Part {
 public:
  Part(const Program& program, std::size_t begin, std::size_t end, const WasmPlaces& places,
       WasmWorkspace& workspace, wasm::Kernels& kernels, wasm::Code& code)
      : program_(program),
        leaves_(program.num_leaves()),
        begin_(begin),
        end_(end),
        places_(places),
        kernels_(kernels),
        code_(code),
        uses_(workspace.uses),
        last_(workspace.last),
        local_(workspace.local) {}
  ~Part() {
    for (const ValueId v : touched_) {
      uses_[v] = 0;
      last_[v] = 0;
      local_[v] = kNowhere;
    }
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // `kept`: values that shall be in locals afterwards.
  void emit(const std::vector<ValueId>& kept = {}) {
    count_uses(kept);
    find_pairs();
    choose_inlined();
    find_last_uses(kept);
    for (std::size_t n = begin_; n < end_; ++n) {
      if (is_inlined_[n - begin_]) continue;
      n += emit_root(n);
    }
    for (const ValueId v : kept) keep(v);
  }

  std::uint32_t local(ValueId v) const { return local_[v]; }

 private:
  bool is_own(ValueId v) const { return v >= leaves_ + begin_ && v < leaves_ + end_; }
  std::size_t own(ValueId v) const { return v - leaves_ - begin_; }
  const Instruction& instruction(ValueId v) const { return program_.code[v - leaves_]; }

  std::size_t num_stores(ValueId v) const {
    const auto found = places_.outputs.find(v);
    return (places_.store[v] != kNowhere ? 1u : 0u) +
           (found != places_.outputs.end() ? found->second.size() : 0u);
  }

  void count_uses(const std::vector<ValueId>& kept) {
    const auto add = [&](ValueId v, std::uint32_t count) {
      if (uses_[v] == 0) touched_.push_back(v);
      uses_[v] += count;
    };
    for (std::size_t n = begin_; n < end_; ++n) {
      const Instruction& i = program_.code[n];
      for_each_operand(i, [&](ValueId v) { add(v, reads_of(i.op)); });
    }
    for (const ValueId v : kept) add(v, 2);
  }

  // Values that one instruction reads once stand there; not a sine with its cosine.
  void choose_inlined() {
    is_inlined_.assign(end_ - begin_, false);
    std::vector<int> depth(end_ - begin_, 1);
    for (std::size_t n = begin_; n < end_; ++n) {
      const Instruction& i = program_.code[n];
      int& deep = depth[n - begin_];
      for_each_operand(i, [&](ValueId v) {
        if (!is_own(v) || uses_[v] != 1 || num_stores(v) > 0 || has_two_results(v)) return;
        if (depth[own(v)] + 1 > kDeepest) return;
        is_inlined_[own(v)] = true;
        deep = std::max(deep, depth[own(v)] + 1);
      });
    }
  }

  // Which instructions begin a pair: sine and cosine of an angle, one after the other.
  void find_pairs() {
    begins_pair_.assign(end_ - begin_, false);
    for (std::size_t n = begin_; n + 1 < end_; ++n) {
      const Instruction &first = program_.code[n], &second = program_.code[n + 1];
      if (are_of_one_angle(first, second)) begins_pair_[n++ - begin_] = true;
    }
  }
  bool begins_pair(std::size_t n) const { return begins_pair_[n - begin_]; }
  // Of a pair; a cosine alone has a sine to be dropped beneath it.
  bool has_two_results(ValueId v) const {
    const std::size_t n = v - leaves_;
    return program_.code[n].op == Op::Cos || begins_pair(n) || (n > begin_ && begins_pair(n - 1));
  }

  // Where each value is read last: at the instruction that is not inlined.
  void find_last_uses(const std::vector<ValueId>& kept) {
    std::vector<std::size_t> root(end_ - begin_);
    for (std::size_t n = end_; n-- > begin_;) {
      const std::size_t k = n - begin_;
      const std::size_t at = is_inlined_[k] ? root[k] : n;
      for_each_operand(program_.code[n], [&](ValueId v) {
        last_[v] = std::max(last_[v], at);
        if (is_own(v)) root[own(v)] = at;  // of an inlined one this is the only reader
      });
    }
    for (const ValueId v : kept) last_[v] = end_;
    ends_.assign(end_ - begin_ + 1, {});
    for (const ValueId v : touched_) ends_[last_[v] - begin_].push_back(v);
  }

  std::uint32_t take_local() {
    if (free_.empty()) return code_.add_local(wasm::Type::F64);
    const std::uint32_t local = free_.back();
    free_.pop_back();
    return local;
  }
  void release(std::size_t n) {
    for (const ValueId v : ends_[n - begin_]) {
      if (local_[v] == kNowhere) continue;
      free_.push_back(local_[v]);
      local_[v] = kNowhere;
    }
  }

  // Returns how many instructions it took beyond this one.
  std::size_t emit_root(std::size_t n) {
    const auto v = static_cast<ValueId>(leaves_ + n);
    if (has_two_results(v)) return emit_turn(n);
    const bool is_only_stored = uses_[v] == 0 && num_stores(v) == 1;
    if (is_only_stored) code_.store_at();
    emit_operation(program_.code[n]);
    release(n);
    if (is_only_stored) {
      store(v);
    } else {
      take_result(v);
    }
    return 0;
  }

  std::size_t emit_turn(std::size_t n) {
    const bool is_pair = begins_pair(n);
    const bool is_sine_first = program_.code[n].op == Op::Sin;
    value(program_.code[n].a);
    code_.call(kernels_.turn());
    release(n);
    if (is_pair) release(n + 1);
    const auto first = static_cast<ValueId>(leaves_ + n);
    take_result(is_pair && is_sine_first ? first + 1 : first);  // the cosine is on top
    if (!is_pair) {
      code_.add("drop");
      return 0;
    }
    take_result(is_sine_first ? first : first + 1);
    return 1;
  }

  // The value on the stack goes to a local, and to memory.
  void take_result(ValueId v) {
    if (uses_[v] == 0 && num_stores(v) == 0) {
      code_.add("drop");
      return;
    }
    const std::uint32_t local = take_local();
    code_.set(local);
    if (uses_[v] > 0) local_[v] = local;
    for_each_store(v, [&](std::uint32_t address) {
      code_.store_at();
      code_.get(local);
      code_.store(address);
    });
    if (uses_[v] == 0) free_.push_back(local);
  }
  void store(ValueId v) {
    for_each_store(v, [&](std::uint32_t address) { code_.store(address); });
  }
  template <typename F>
  void for_each_store(ValueId v, F&& f) {
    if (places_.store[v] != kNowhere) f(places_.store[v]);
    const auto found = places_.outputs.find(v);
    if (found == places_.outputs.end()) return;
    for (const std::uint32_t address : found->second) f(address);
  }

  // A value on the stack.
  void value(ValueId v) {
    if (local_[v] != kNowhere) return code_.get(local_[v]);
    if (is_own(v)) return emit_operation(instruction(v));
    if (program_.is_constant(v)) {
      code_.real(program_.constant(v));
    } else {
      code_.load(places_.load[v]);
    }
    if (uses_[v] < 2) return;
    local_[v] = take_local();
    code_.tee(local_[v]);
  }
  void keep(ValueId v) {
    if (local_[v] != kNowhere) return;
    value(v);
    code_.add("drop");  // it is in a local now
  }

  void emit_operation(const Instruction& i) {
    switch (i.op) {
      case Op::Add: return binary(i, Opcode::Add);
      case Op::Sub: return binary(i, Opcode::Sub);
      case Op::Mul: return binary(i, Opcode::Mul);
      case Op::Div: return binary(i, Opcode::Div);
      case Op::Neg: return unary(i, Opcode::Neg);
      case Op::Abs: return unary(i, Opcode::Abs);
      case Op::Sqrt: return unary(i, Opcode::Sqrt);
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal: condition(i); return code_.add(Opcode::FromInteger);
      // (f64.min and f64.max treat zeros and NaN otherwise.)
      case Op::Min: return choose(i.b, i.a, i.b, i.a);
      case Op::Max: return choose(i.b, i.a, i.a, i.b);
      case Op::Sign: return sign(i.a);
      case Op::Select: return select(i);
      case Op::Table: return table(i);
      case Op::Sin:  // alone
        value(i.a);
        code_.call(kernels_.turn());
        return code_.add("drop");
      default: return call(i);
    }
  }
  void call(const Instruction& i) {
    for_each_operand(i, [&](ValueId v) { value(v); });
    code_.call(kernels_.function(i.op));
  }
  void unary(const Instruction& i, Opcode opcode) {
    value(i.a);
    code_.add(opcode);
  }
  void binary(const Instruction& i, Opcode opcode) {
    value(i.a);
    value(i.b);
    code_.add(opcode);
  }
  // 1 or 0, an integer.
  void condition(const Instruction& i) {
    binary(i, i.op == Op::Less        ? Opcode::Less
              : i.op == Op::LessEqual ? Opcode::LessEqual
                                      : Opcode::Equal);
  }
  // a < b ? yes : no
  void choose(ValueId yes, ValueId no, ValueId a, ValueId b) {
    for (const ValueId v : {yes, no, a, b}) value(v);
    code_.add(Opcode::Less);
    code_.add(Opcode::Select);
  }
  void sign(ValueId a) {
    value(a);
    code_.real(0);
    code_.add(Opcode::Greater);
    value(a);
    code_.real(0);
    code_.add(Opcode::Less);
    code_.add(Opcode::SubtractIntegers);
    code_.add(Opcode::FromInteger);
  }
  // A comparison that is read here only is the condition itself.
  void select(const Instruction& i) {
    value(i.b);
    value(i.c);
    const bool is_inlined = is_own(i.a) && local_[i.a] == kNowhere;
    if (is_inlined && is_comparison(instruction(i.a).op)) {
      condition(instruction(i.a));
    } else {
      value(i.a);
      code_.real(0);
      code_.add(Opcode::NotEqual);
    }
    code_.add(Opcode::Select);
  }
  void table(const Instruction& i) {
    value(i.a);
    code_.integer(places_.tables[i.b]);
    code_.integer(program_.tables[i.b].data.num_points());
    code_.call(kernels_.table(std::min<int>(i.variant, 3)));
  }

  const Program& program_;
  std::size_t leaves_, begin_, end_;
  const WasmPlaces& places_;
  wasm::Kernels& kernels_;
  wasm::Code& code_;
  std::vector<std::uint32_t>& uses_;
  std::vector<std::size_t>& last_;
  std::vector<std::uint32_t>& local_;
  std::vector<ValueId> touched_;            // values that are read here
  std::vector<char> begins_pair_;           // by instruction of the part
  std::vector<char> is_inlined_;            // the same
  std::vector<std::vector<ValueId>> ends_;  // by instruction: values that are read last there
  std::vector<std::uint32_t> free_;         // locals to be taken
};

}  // namespace

std::vector<std::uint32_t> emit_wasm_part(const Program& program, std::size_t begin,
                                          std::size_t end, const WasmPlaces& places,
                                          WasmWorkspace& workspace, wasm::Kernels& kernels,
                                          wasm::Code& code, const std::vector<ValueId>& kept) {
  Part part(program, begin, end, places, workspace, kernels, code);
  part.emit(kept);
  std::vector<std::uint32_t> locals;
  for (const ValueId v : kept) locals.push_back(part.local(v));
  return locals;
}

}  // namespace koppel
