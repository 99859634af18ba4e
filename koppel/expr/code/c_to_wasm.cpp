#include <koppel/expr/code/c_to_wasm.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include <koppel/expr/code/c_tokens.hpp>
#include <koppel/expr/code/runtime_text.hpp>

namespace koppel::wasm {

namespace {

// The scalar types of C that occur; a struct is none of them.
enum class Scalar { Double, Int, Signed, Unsigned };

struct Value {
  std::string code;  // leaves a scalar on the stack; of a struct: fills its locals
  Scalar type = Scalar::Double;
  std::string structure;  // the name of its type; empty: a scalar
  std::string place;      // of a struct: what the names of its locals begin with
  // A constant, or a local that does not change: may stand for a name.
  bool is_settled = false;
};

bool is_wide(Scalar type) { return type == Scalar::Signed || type == Scalar::Unsigned; }

Type type_in_wasm(Scalar type) {
  return type == Scalar::Double ? Type::F64 : is_wide(type) ? Type::I64 : Type::I32;
}
std::string prefix_of(Scalar type) {
  return type == Scalar::Double ? "f64." : is_wide(type) ? "i64." : "i32.";
}

Scalar scalar_of(const std::string& name) {
  assert(name == "double" || name == "int" || name == "int64_t" || name == "uint64_t");
  return name == "double"    ? Scalar::Double
         : name == "int"     ? Scalar::Int
         : name == "int64_t" ? Scalar::Signed
                             : Scalar::Unsigned;
}

std::string real(double value) {
  char text[40];
  return "f64.const " + std::string(text, std::to_chars(text, text + sizeof text, value).ptr) + ' ';
}

Value converted(Value v, Scalar to) {
  assert(v.structure.empty());
  const Scalar from = v.type;
  v.type = to;
  if (from == to) return v;
  if (is_wide(from) && is_wide(to)) return v;
  constexpr std::string_view kLiteral = "i32.const ";
  if (v.is_settled && v.code.starts_with(kLiteral)) {
    v.code = (to == Scalar::Double ? "f64.const " : "i64.const ") + v.code.substr(kLiteral.size());
    return v;
  }
  v.is_settled = false;
  if (to == Scalar::Double) {
    v.code += from == Scalar::Int      ? "f64.convert_i32_s "
              : from == Scalar::Signed ? "f64.convert_i64_s "
                                       : "f64.convert_i64_u ";
  } else if (to == Scalar::Int) {
    v.code += from == Scalar::Double ? "i32.trunc_f64_s " : "i32.wrap_i64 ";
  } else {
    v.code += from == Scalar::Double ? "i64.trunc_f64_s " : "i64.extend_i32_s ";
  }
  return v;
}

// What a condition is in WebAssembly.
Value condition(Value v) {
  if (v.type == Scalar::Int) return v;
  assert(is_wide(v.type));
  return {v.code + "i64.const 0 i64.ne ", Scalar::Int, "", "", false};
}

// One function of the module, with all that is put into it.
class Translation {
 public:
  Translation(const CSource& source, CFunctions& functions, Module& module)
      : source_(source), functions_(functions), module_(module) {}

  Code translate(const CSource::Function& function) {
    std::string parameters, results;
    Scope scope;
    for (const CSource::Variable& p : function.parameters) {
      parameters += p.name + ' ' + type_name(scalar_of(p.type)) + ' ';
      scope[p.name] = {"local.get " + p.name + ' ', scalar_of(p.type), "", "", true};
    }
    Value value = body(function, std::move(scope));
    std::string code = value.code;
    if (value.structure.empty()) {
      results = type_name(scalar_of(function.type));
      code = converted(std::move(value), scalar_of(function.type)).code;
    } else {
      for_each_member(value.structure, [&](const std::string& path, Scalar type) {
        results += type_name(type) + ' ';
        code += "local.get " + value.place + path + ' ';
      });
    }
    Code out(parameters, results);
    for (const Type type : {Type::F64, Type::I64, Type::I32}) {
      for (const auto& [name, of] : locals_) {
        if (type_in_wasm(of) == type) out.add_local(type, name);
      }
    }
    out.add(with_tees(code));
    return out;
  }

 private:
  using Scope = std::map<std::string, Value>;

  static std::string type_name(Scalar type) {
    return type == Scalar::Double ? "f64" : is_wide(type) ? "i64" : "i32";
  }

  // "set x, get x" is "tee x".
  static std::string with_tees(const std::string& code) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = std::min(code.find(' ', at), code.size());
      if (end > at) words.push_back(code.substr(at, end - at));
      at = end + 1;
    }
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_tee = i + 3 < words.size() && words[i] == "local.set" &&
                          words[i + 2] == "local.get" && words[i + 1] == words[i + 3];
      out += is_tee ? "local.tee " + words[i + 1] : words[i];
      out += ' ';
      if (is_tee) i += 3;
    }
    return out;
  }

  std::string new_local(const std::string& name, Scalar type) {
    locals_.emplace_back(name + '#' + std::to_string(locals_.size()), type);
    return locals_.back().first;
  }
  // f(path, type) for every number of a struct: ".hi", ".up.hi".
  template <typename F>
  void for_each_member(const std::string& structure, F&& f, const std::string& path = "") {
    for (const CSource::Variable& m : source_.structs.at(structure)) {
      if (source_.structs.count(m.type) > 0) {
        for_each_member(m.type, f, path + '.' + m.name);
      } else {
        f(path + '.' + m.name, scalar_of(m.type));
      }
    }
  }
  // Locals for a struct; returns what their names begin with.
  std::string new_struct(const std::string& name, const std::string& structure) {
    const std::string place = name + '#' + std::to_string(locals_.size());
    for_each_member(structure, [&](const std::string& path, Scalar type) {
      locals_.emplace_back(place + path, type);
    });
    return place;
  }
  std::string copy(const std::string& structure, const std::string& to, const std::string& from) {
    std::string out;
    for_each_member(structure, [&](const std::string& path, Scalar) {
      out += "local.get " + from + path + " local.set " + to + path + ' ';
    });
    return out;
  }

  // What a function returns, with its body before.
  Value body(const CSource::Function& function, Scope scope) {
    std::swap(scope, scope_);
    const std::size_t at = at_;
    at_ = function.begin;
    std::string code = statements();
    assert(word() == "return");
    ++at_;
    Value value = expression();
    if (value.structure.empty()) value = converted(std::move(value), scalar_of(function.type));
    value.code = code + value.code;
    value.is_settled = value.is_settled && code.empty();
    at_ = at;
    std::swap(scope, scope_);
    return value;
  }

  const std::string& word(std::size_t ahead = 0) const { return source_.words[at_ + ahead]; }
  bool accept(const char* text) {
    if (word() != text) return false;
    ++at_;
    return true;
  }
  void expect([[maybe_unused]] const char* text) {
    assert(word() == text);
    ++at_;
  }

  // Up to the return, or the end of the block.
  std::string statements() {
    std::string out;
    while (word() != "}" && word() != "return") out += statement();
    return out;
  }
  std::string statement() {
    if (accept("{")) {
      std::string out = statements();
      expect("}");
      return out;
    }
    if (accept("if")) return conditional();
    if (accept("for")) return loop();
    if (is_type()) return declaration();
    std::string out = assignment();
    expect(";");
    return out;
  }
  bool is_type() const {
    return word() == "const" || word() == "static" || word() == "double" || word() == "int" ||
           word() == "uint64_t" || word() == "int64_t" || source_.structs.count(word()) > 0;
  }

  std::string conditional() {
    expect("(");
    std::string out = condition(expression()).code;
    expect(")");
    out += "if " + statement();
    if (accept("else")) out += "else " + statement();
    return out + "end ";
  }
  // The condition holds at first.
  std::string loop() {
    expect("(");
    std::string out = assignment();
    expect(";");
    const std::string test = condition(expression()).code;
    expect(";");
    const std::string step = assignment();
    expect(")");
    return out + "loop " + statement() + step + test + "br_if 0 end ";
  }

  std::string declaration() {
    const bool is_array = accept("static");
    const bool is_constant = accept("const");
    const std::string type = word();
    ++at_;
    if (is_array) return array();
    std::string out;
    do {
      const std::string name = word();
      ++at_;
      if (source_.structs.count(type) > 0) {
        out += declare_struct(name, type);
      } else {
        out += declare(name, scalar_of(type), is_constant);
      }
    } while (accept(","));
    expect(";");
    return out;
  }
  std::string declare(const std::string& name, Scalar type, bool is_constant) {
    Value value;
    const bool has_value = accept("=");
    if (has_value) value = converted(expression(), type);
    if (is_constant && value.is_settled) {
      scope_[name] = value;
      return "";
    }
    const std::string local = new_local(name, type);
    scope_[name] = {"local.get " + local + ' ', type, "", local, is_constant};
    return has_value ? value.code + "local.set " + local + ' ' : "";
  }
  std::string declare_struct(const std::string& name, const std::string& type) {
    if (accept("=")) {  // its own locals already: nothing else knows them
      Value value = expression();
      const std::string code = std::exchange(value.code, "");
      scope_[name] = value;
      return code;
    }
    scope_[name] = {"", Scalar::Double, type, new_struct(name, type), false};
    return "";
  }
  // uint32_t name[39] = {…}; becomes data.
  std::string array() {
    const std::string name = word();
    at_ += 4;  // name [ 39 ]
    expect("=");
    expect("{");
    Bytes bytes;
    do {
      const auto number = static_cast<std::uint32_t>(std::strtoul(word().c_str(), nullptr, 0));
      for (unsigned i = 0; i < 32; i += 8) bytes.push_back(static_cast<std::uint8_t>(number >> i));
      ++at_;
    } while (accept(","));
    expect("}");
    expect(";");
    scope_[name].place = std::to_string(module_.add_data(std::move(bytes)));
    return "";
  }

  // name = …; name.member += …; --name
  std::string assignment() {
    if (word() == "--" || word() == "++") {
      const std::string change = word() == "--" ? "sub" : "add";
      ++at_;
      const Value& v = scope_.at(word());
      ++at_;
      const std::string kind = prefix_of(v.type);
      return v.code + kind + "const 1 " + kind + change + " local.set " + v.place + ' ';
    }
    std::string base = word();
    ++at_;
    const Value target = scope_.at(base);
    std::string local = target.place, structure = target.structure;
    Scalar type = target.type;
    while (accept(".")) std::tie(local, structure, type) = member(local, structure);
    const std::string op = word();
    ++at_;
    Value value = expression();
    if (!structure.empty()) {
      assert(op == "=");
      return value.code + copy(structure, local, value.place);
    }
    value = converted(std::move(value), type);
    const std::string own = "local.get " + local + ' ';
    assert(op == "=" || op == "+=" || op == "-=" || op == "*=");
    if (op == "+=") value.code = own + value.code + prefix_of(type) + "add ";
    if (op == "-=") value.code = own + value.code + prefix_of(type) + "sub ";
    if (op == "*=") value.code = own + value.code + prefix_of(type) + "mul ";
    return value.code + "local.set " + local + ' ';
  }
  // Of a struct: its local, or where an inner struct begins; its type.
  std::tuple<std::string, std::string, Scalar> member(const std::string& place,
                                                      const std::string& structure) {
    const std::string name = word();
    ++at_;
    const std::vector<CSource::Variable>& members = source_.structs.at(structure);
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const CSource::Variable& m) { return m.name == name; });
    assert(found != members.end());
    const bool is_inner = source_.structs.count(found->type) > 0;
    return {place + '.' + name, is_inner ? found->type : "",
            is_inner ? Scalar::Double : scalar_of(found->type)};
  }

  Value expression() {
    Value test = binary(0);
    if (!accept("?")) return test;
    Value yes = expression();
    expect(":");
    Value no = expression();
    const std::string code = condition(std::move(test)).code;
    if (!yes.structure.empty()) {
      const std::string place = new_struct("chosen", yes.structure);
      return {code + "if " + yes.code + copy(yes.structure, place, yes.place) + "else " + no.code +
                  copy(no.structure, place, no.place) + "end ",
              Scalar::Double, yes.structure, place, false};
    }
    const Scalar type = common(yes.type, no.type);
    return {converted(std::move(yes), type).code + converted(std::move(no), type).code + code +
                "select ",
            type, "", "", false};
  }

  static Scalar common(Scalar a, Scalar b) {
    for (const Scalar type : {Scalar::Double, Scalar::Unsigned, Scalar::Signed}) {
      if (a == type || b == type) return type;
    }
    return Scalar::Int;
  }

  struct Infix {
    const char* text;
    const char* name;
    int level;  // binds the tighter, the higher
  };
  static const Infix* infix(const std::string& text) {
    static constexpr Infix kInfix[] = {
        {"|", "or", 1},   {"^", "xor", 2}, {"&", "and", 3}, {"==", "eq", 4}, {"!=", "ne", 4},
        {"<", "lt", 5},   {">", "gt", 5},  {"<=", "le", 5}, {">=", "ge", 5}, {"<<", "shl", 6},
        {">>", "shr", 6}, {"+", "add", 7}, {"-", "sub", 7}, {"*", "mul", 8}, {"/", "div", 8}};
    for (const Infix& i : kInfix) {
      if (text == i.text) return &i;
    }
    return nullptr;
  }

  Value binary(int level) {
    Value left = unary();
    for (const Infix* op; (op = infix(word())) != nullptr && op->level > level;) {
      ++at_;
      Value right = binary(op->level);
      const bool is_shift = op->level == 6, is_comparison = op->level == 4 || op->level == 5;
      const Scalar type = is_shift ? left.type : common(left.type, right.type);
      std::string name = prefix_of(type) + op->name;
      const bool is_signed = type != Scalar::Unsigned;
      if (op->text == std::string(">>") || (op->level == 5 && type != Scalar::Double)) {
        name += is_signed ? "_s" : "_u";
      }
      left = {converted(std::move(left), type).code + converted(std::move(right), type).code +
                  name + ' ',
              is_comparison ? Scalar::Int : type, "", "", false};
    }
    return left;
  }

  Value unary() {
    if (accept("-")) {
      Value v = unary();
      constexpr std::string_view kLiteral = "f64.const ";
      if (v.is_settled && v.code.starts_with(kLiteral)) {
        v.code.insert(kLiteral.size(), 1, '-');
        return v;
      }
      if (v.type == Scalar::Double) return {v.code + "f64.neg ", v.type, "", "", false};
      const std::string kind = prefix_of(v.type);
      return {kind + "const 0 " + v.code + kind + "sub ", v.type, "", "", false};
    }
    if (accept("!")) return {condition(unary()).code + "i32.eqz ", Scalar::Int, "", "", false};
    if (accept("~")) {
      Value v = unary();
      assert(is_wide(v.type));
      return {v.code + "i64.const -1 i64.xor ", v.type, "", "", false};
    }
    if (word() == "(" && (word(1) == "double" || word(1) == "int" || word(1) == "uint64_t" ||
                          word(1) == "int64_t")) {
      const Scalar type = scalar_of(word(1));
      at_ += 3;
      return converted(unary(), type);
    }
    return postfix();
  }

  Value postfix() {
    Value v = primary();
    while (accept(".")) {
      const auto [place, structure, type] = member(v.place, v.structure);
      if (structure.empty()) {
        v = {v.code + "local.get " + place + ' ', type, "", place, false};
      } else {
        v = {v.code, Scalar::Double, structure, place, false};
      }
    }
    return v;
  }

  Value primary() {
    const std::string name = word();
    ++at_;
    if (name == "(") {
      Value v = expression();
      expect(")");
      return v;
    }
    if (name[0] >= '0' && name[0] <= '9') return number(name);
    if (name == "INFINITY") return {"f64.const inf ", Scalar::Double, "", "", true};
    if (name == "NAN") return {"f64.const nan ", Scalar::Double, "", "", true};
    if (accept("(")) return call(name);
    Value v = scope_.at(name);
    if (!accept("[")) return v;
    const Value index = converted(expression(), Scalar::Int);
    expect("]");
    return {index.code + "i32.const 2 i32.shl i64.load32_u " + v.place + ' ', Scalar::Unsigned, "",
            "", false};
  }
  static Value number(const std::string& text) {
    const bool is_hex = text.starts_with("0x");
    if (text.find_first_of(is_hex ? ".p" : ".e") != std::string::npos) {
      return {real(std::strtod(text.c_str(), nullptr)), Scalar::Double, "", "", true};
    }
    const bool is_unsigned = text.ends_with('u');
    const auto bits = static_cast<std::int64_t>(std::strtoull(text.c_str(), nullptr, 0));
    return {(is_unsigned ? "i64.const " : "i32.const ") + std::to_string(bits) + ' ',
            is_unsigned ? Scalar::Unsigned : Scalar::Int, "", "", true};
  }

  Value call(const std::string& name) {
    std::vector<Value> arguments;
    do arguments.push_back(expression());
    while (accept(","));
    expect(")");
    if (name == "fabs" || name == "sqrt") {
      return {arguments[0].code + (name == "fabs" ? "f64.abs " : "f64.sqrt "), Scalar::Double, "",
              "", false};
    }
    if (name == "koppel_bits") {
      return {arguments[0].code + "i64.reinterpret_f64 ", Scalar::Unsigned, "", "", false};
    }
    if (name == "koppel_from_bits") {
      return {converted(arguments[0], Scalar::Unsigned).code + "f64.reinterpret_i64 ",
              Scalar::Double, "", "", false};
    }
    const CSource::Function& function = source_.functions.at(name);
    return function.is_inline ? put(function, arguments) : call_out(name, function, arguments);
  }
  Value put(const CSource::Function& function, std::vector<Value>& arguments) {
    std::string before;
    Scope scope;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const CSource::Variable& p = function.parameters[i];
      Value& v = arguments[i];
      if (!v.structure.empty()) {
        before += std::exchange(v.code, "");
        scope[p.name] = v;
        continue;
      }
      v = converted(std::move(v), scalar_of(p.type));
      if (v.is_settled) {
        scope[p.name] = v;
        continue;
      }
      const std::string local = new_local(p.name, v.type);
      before += v.code + "local.set " + local + ' ';
      scope[p.name] = {"local.get " + local + ' ', v.type, "", local, true};
    }
    Value value = body(function, std::move(scope));
    value.code = before + value.code;
    value.is_settled = value.is_settled && before.empty();
    return value;
  }
  Value call_out(const std::string& name, const CSource::Function& function,
                 const std::vector<Value>& arguments) {
    std::string code;
    for (const Value& v : arguments) code += v.code;
    code += "call " + std::to_string(functions_[name]) + ' ';
    const std::string place = new_struct(name, function.type);
    std::string sets;
    for_each_member(function.type, [&](const std::string& path, Scalar) {
      sets = "local.set " + place + path + ' ' + sets;  // the last is on top
    });
    return {code + sets, Scalar::Double, function.type, place, false};
  }

  const CSource& source_;
  CFunctions& functions_;
  Module& module_;
  std::size_t at_ = 0;
  Scope scope_;  // of the function whose body is read
  std::vector<std::pair<std::string, Scalar>> locals_;
};

const CSource& runtime() {
  static const CSource source = read_c(kOwnFunctionsText);
  return source;
}

}  // namespace

CFunctions::CFunctions(Module& module) : CFunctions(module, runtime()) {}

std::uint32_t CFunctions::operator[](const std::string& name) {
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  Code code = Translation(source_, *this, module_).translate(source_.functions.at(name));
  return functions_[name] = module_.add(std::move(code));
}

}  // namespace koppel::wasm
