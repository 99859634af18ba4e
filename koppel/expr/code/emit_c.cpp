#include <koppel/expr/code/emit_c.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <vector>

#include <koppel/expr/code/c_expression.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/code/runtime_text.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

// Long enough for the compiler to optimise across, short enough for its superlinear passes.
constexpr std::size_t kChunk = 400;

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// 2, -4, 8 …, 2²⁰: products with it are exact, as long as they do not overflow.
bool is_power_of_two(double c) {
  int exponent = 0;
  return std::abs(c) >= 1 && std::abs(c) <= 0x1p20 && std::abs(std::frexp(c, &exponent)) == 0.5;
}

class Emitter {
 public:
  Emitter(const Program& program, std::string_view name, CStyle style)
      : program_(program),
        name_(name),
        style_(style),
        real_(style.is_float ? "float" : "double"),
        leaves_(program.num_leaves()) {
    if (style_.in.empty()) style_.in = {{"const " + real_ + '*', "in"}};
    find_uses();
    find_absorbed();
    assign_places();
  }

  CCode emit() {
    out_ = emit_c_tables(program_, name_, style_.is_float,
                         style_.is_for_card ? "KOPPEL_CARD_DATA " : "");
    const std::size_t chunks = (program_.code.size() + kChunk - 1) / kChunk;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) emit_chunk(chunk);
    out_ += (style_.is_static ? "static " : "") + marked("void ") + name_ + parameters() + " {\n";
    out_ += ignored();
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      out_ += "  " + name_ + '_' + std::to_string(chunk) + arguments() + ";\n";
    }
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      const ValueId v = program_.outputs[j];
      if (v < leaves_) out_ += "  out[" + std::to_string(j) + "] = " + operand(v, 0) + ";\n";
    }
    out_ += "}\n";
    return {std::move(out_), work_size_};
  }

 private:
  std::size_t chunk_of(ValueId v) const { return (v - leaves_) / kChunk; }

  // The last chunk that reads each instruction's value.
  void find_uses() {
    last_chunk_.assign(program_.num_values(), 0);
    for (std::size_t n = 0; n < program_.code.size(); ++n) {
      for_each_operand(program_.code[n], [&](ValueId v) { last_chunk_[v] = n / kChunk; });
    }
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      if (program_.outputs[j] >= leaves_) outputs_of_[program_.outputs[j]].push_back(j);
    }
  }

  // Values that outlive their chunk get a place in `work`, free again after the last chunk that
  // reads them.
  void assign_places() {
    place_.assign(program_.num_values(), kNone);
    const std::size_t chunks = program_.code.size() / kChunk + 1;
    std::vector<std::vector<std::uint32_t>> ends(chunks);
    std::vector<std::uint32_t> free;
    for (std::size_t n = 0; n < program_.code.size(); ++n) {
      const std::size_t chunk = n / kChunk;
      if (n % kChunk == 0 && chunk > 0) {
        free.insert(free.end(), ends[chunk - 1].begin(), ends[chunk - 1].end());
      }
      const std::size_t v = leaves_ + n;
      if (last_chunk_[v] <= chunk) continue;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(work_size_++));
      place_[v] = free.back();
      free.pop_back();
      ends[last_chunk_[v]].push_back(place_[v]);
    }
  }

  std::string operand(ValueId v, std::size_t chunk) const {
    if (program_.is_input(v)) {
      return style_.inputs.empty() ? "in[" + std::to_string(v) + ']' : style_.inputs[v];
    }
    if (v < leaves_) return c_number(program_.constant(v), style_.is_float);
    if (chunk_of(v) == chunk) return 'v' + std::to_string(v - leaves_);
    return "work[" + std::to_string(place_[v]) + ']';
  }

  std::string marked(const char* type) const {
    return style_.is_for_card ? std::string("KOPPEL_CARD ") + type : type;
  }

  // The factor of a product with a power of two that is made in this chunk; else none.
  ValueId factor_of(ValueId v, std::size_t chunk) const {
    if (v < leaves_ || chunk_of(v) != chunk) return kNone;
    const Instruction& i = program_.code[v - leaves_];
    if (i.op != Op::Mul) return kNone;
    for (const ValueId factor : {i.a, i.b}) {
      if (program_.is_constant(factor) && is_power_of_two(program_.constant(factor))) return factor;
    }
    return kNone;
  }

  // The operand of a sum that is such a product, to be computed there; else none.
  ValueId absorbed(const Instruction& i, std::size_t chunk) const {
    if (!style_.fuses_scaled || (i.op != Op::Add && i.op != Op::Sub)) return kNone;
    if (factor_of(i.a, chunk) != kNone) return i.a;
    return factor_of(i.b, chunk) != kNone ? i.b : kNone;
  }

  // Which values nothing reads any more.
  void find_absorbed() {
    is_read_.assign(program_.num_values(), !style_.fuses_scaled);
    if (!style_.fuses_scaled) return;
    for (std::size_t n = 0; n < program_.code.size(); ++n) {
      const ValueId product = absorbed(program_.code[n], n / kChunk);
      bool is_first = true;
      for_each_operand(program_.code[n], [&](ValueId v) {
        if (v == product && is_first) {
          is_first = false;
        } else {
          is_read_[v] = true;
        }
      });
    }
    for (const ValueId v : program_.outputs) is_read_[v] = true;
  }

  // What a card does in fewer instructions; else empty.
  std::string on_card(const Instruction& i, std::size_t chunk) const {
    if (i.op == Op::Div) {
      const bool is_reciprocal = program_.is_constant(i.a) && program_.constant(i.a) == 1;
      return is_reciprocal
                 ? "koppel_reciprocal(" + operand(i.b, chunk) + ')'
                 : "koppel_quotient(" + operand(i.a, chunk) + ", " + operand(i.b, chunk) + ')';
    }
    const ValueId product = absorbed(i, chunk);
    if (product == kNone) return "";
    const bool is_first = product == i.a;
    const ValueId factor = factor_of(product, chunk);
    const Instruction& scaled = program_.code[product - leaves_];
    const double sign = i.op == Op::Sub && !is_first ? -1 : 1;
    return "koppel_scaled_sum(" + c_number(sign * program_.constant(factor), style_.is_float) +
           ", " + operand(factor == scaled.a ? scaled.b : scaled.a, chunk) + ", " +
           (i.op == Op::Sub && is_first ? "-" : "") + operand(is_first ? i.b : i.a, chunk) + ')';
  }

  std::string expression(const Instruction& i, std::size_t chunk) const {
    if (style_.is_for_card) {
      if (std::string call = on_card(i, chunk); !call.empty()) return call;
    }
    const int arity = operation(i.op).arity;
    return c_expression(program_, name_, i, operand(i.a, chunk),
                        arity > 1 ? operand(i.b, chunk) : "", arity > 2 ? operand(i.c, chunk) : "",
                        style_.is_float, style_.is_for_card);
  }

  // Whether the sine and the cosine of an angle stand here, one after the other.
  bool is_turn(std::size_t n, std::size_t end) const {
    if (n + 1 >= end) return false;
    const Instruction &first = program_.code[n], &second = program_.code[n + 1];
    return is_own(first) && are_of_one_angle(first, second);  // compilers see to libm's
  }

  static std::string part_of_turn(const std::string& turn, const Instruction& i) {
    return turn + (i.op == Op::Sin ? ".sin" : ".cos");
  }

  void emit_chunk(std::size_t chunk) {
    out_ += "static " + marked("void ") + name_ + '_' + std::to_string(chunk) + parameters() +
            " {\n" + ignored();
    const std::size_t end = std::min(program_.code.size(), (chunk + 1) * kChunk);
    std::string turn;  // the variable of the sine and cosine that are being written
    std::size_t last_of_turn = 0;
    for (std::size_t n = chunk * kChunk; n < end; ++n) {
      const auto v = static_cast<ValueId>(leaves_ + n);
      if (!is_read_[v] && turn.empty()) continue;
      const std::string value = 'v' + std::to_string(n);
      if (turn.empty() && is_turn(n, end)) {
        turn = 't' + std::to_string(n);
        out_ += "  const koppel_turned " + turn + " = koppel_turn(" +
                operand(program_.code[n].a, chunk) + ");\n";
        last_of_turn = n + 1;
      }
      out_ += "  const " + real_ + ' ' + value + " = " +
              (turn.empty() ? expression(program_.code[n], chunk)
                            : part_of_turn(turn, program_.code[n])) +
              ";\n";
      if (n == last_of_turn) turn.clear();
      if (place_[v] != kNone) {
        out_ += "  work[" + std::to_string(place_[v]) + "] = " + value + ";\n";
      }
      if (const auto it = outputs_of_.find(v); it != outputs_of_.end()) {
        for (const std::size_t j : it->second) {
          out_ += "  out[" + std::to_string(j) + "] = " + value + ";\n";
        }
      }
    }
    out_ += "}\n";
  }

  std::string parameters() const {
    std::string out = "(";
    for (const CArgument& in : style_.in) out += in.type + " restrict " + in.name + ", ";
    return out + real_ + "* restrict out, " + real_ + "* restrict work)";
  }
  std::string arguments() const {
    std::string out = "(";
    for (const CArgument& in : style_.in) out += in.name + ", ";
    return out + "out, work)";
  }
  std::string ignored() const {
    std::string out = "  ";
    for (const CArgument& in : style_.in) out += "(void)" + in.name + "; ";
    return out + "(void)out; (void)work;\n";
  }

  const Program& program_;
  std::string name_;
  CStyle style_;
  std::string real_;
  std::size_t leaves_;
  std::vector<std::size_t> last_chunk_;
  std::vector<std::uint32_t> place_;
  std::vector<char> is_read_;
  std::unordered_map<ValueId, std::vector<std::size_t>> outputs_of_;
  std::size_t work_size_ = 0;
  std::string out_;
};

}  // namespace

std::string emit_c_prelude() { return std::string("#include <math.h>\n\n") + kRuntimeText; }

void CKernels::add(const Program& program) {
  static_assert(kNumOps <= 64);
  has_tables_ = has_tables_ || !program.tables.empty();
  for (const Instruction& i : program.code) {
    if (is_own(i)) own_ |= std::uint64_t{1} << static_cast<unsigned>(i.op);
  }
}

std::string CKernels::text(bool is_float, bool is_for_card) const {
  const auto needs = [&](std::initializer_list<Op> ops) {
    return std::any_of(ops.begin(), ops.end(),
                       [&](Op op) { return (own_ >> static_cast<unsigned>(op) & 1) != 0; });
  };
  const bool tangents = needs({Op::Tan}), turns = tangents || needs({Op::Sin, Op::Cos});
  const bool others = !is_float || is_for_card, powers = others && needs({Op::Pow});
  const bool exponentials =
      others && (powers || needs({Op::Exp, Op::Log, Op::Sinh, Op::Cosh, Op::Tanh}));
  const bool arcs = others && needs({Op::Asin, Op::Acos, Op::Atan, Op::Atan2});
  std::string out;
  if (has_tables_) out += kTableText;
  if ((turns && !is_float) || exponentials || arcs) out += kPairText;
  if (turns) out += is_float ? kFloatTrigText : kTrigText;
  if (tangents && !is_float) out += kTangentText;
  if (exponentials) out += kExponentialsText;
  if (powers) out += kPowerText;
  if (arcs) out += kArcsText;
  return out;
}

CCode emit_c(const Program& program, std::string_view name, CStyle style) {
  return Emitter(program, name, style).emit();
}

std::string c_number(double value, bool is_float) {
  if (std::isnan(value)) return "NAN";  // in tables: outside of their points
  char text[32];
  char* const last = text + sizeof text;
  const auto end = is_float ? std::to_chars(text, last, static_cast<float>(value)).ptr
                            : std::to_chars(text, last, value).ptr;
  std::string out(text, end);
  if (out.ends_with("inf")) return value < 0 ? "(-INFINITY)" : "INFINITY";
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  if (is_float) out += 'f';
  return value < 0 ? '(' + out + ')' : out;
}

}  // namespace koppel
