#include <koppel/expr/code/wasm_kernels.hpp>

#include <string>

#include <koppel/expr/graph/operations.hpp>

namespace koppel::wasm {
namespace {

void add_locals(Code& code, Type type, std::initializer_list<const char*> names) {
  for (const char* name : names) code.add_local(type, name);
}

constexpr const char* kFind = R"(
  local.get n local.set high
  block
    loop
      local.get low local.get high i32.ge_u br_if 1
      local.get low local.get high local.get low i32.sub i32.const 1 i32.shr_u i32.add local.set middle
      local.get data local.get middle i32.const 3 i32.shl i32.add f64.load 0 local.get x f64.le
      if
        local.get middle i32.const 1 i32.add local.set low
      else
        local.get middle local.set high
      end
      br 0
    end
  end
  local.get x
    local.get data local.get low i32.const 1 i32.sub i32.const 0 local.get low select
    i32.const 3 i32.shl i32.add f64.load 0 f64.sub local.set u
  local.get data local.get n local.get low i32.const 2 i32.shl i32.add i32.const 3 i32.shl i32.add
    local.set data
)";

// Of the piece at `data`: four coefficients.
constexpr const char* kPieces[] = {
    R"(local.get data f64.load 24 local.get u f64.mul local.get data f64.load 16 f64.add
       local.get u f64.mul local.get data f64.load 8 f64.add
       local.get u f64.mul local.get data f64.load 0 f64.add)",
    R"(f64.const 3 local.get data f64.load 24 f64.mul local.get u f64.mul
       f64.const 2 local.get data f64.load 16 f64.mul f64.add
       local.get u f64.mul local.get data f64.load 8 f64.add)",
    R"(f64.const 6 local.get data f64.load 24 f64.mul local.get u f64.mul
       f64.const 2 local.get data f64.load 16 f64.mul f64.add)",
    R"(f64.const 6 local.get data f64.load 24 f64.mul f64.const 0 local.get u f64.mul f64.add)"};

}  // namespace

std::uint32_t Kernels::function(Op op) {
  std::string spelling = operation(op).c;
  return functions_["koppel_" + spelling.substr(0, spelling.find('('))];
}

std::uint32_t Kernels::table(int order) {
  std::optional<std::uint32_t>& function = tables_[static_cast<std::size_t>(order)];
  if (function) return *function;
  Code code("x f64 data i32 n i32", "f64");
  add_locals(code, Type::I32, {"low", "high", "middle"});
  add_locals(code, Type::F64, {"u"});
  code.add(kFind);
  code.add(kPieces[order]);
  function = module_.add(std::move(code));
  return *function;
}

}  // namespace koppel::wasm
