#include <koppel/expr/code/wasm_kernels.hpp>

#include <string>

namespace koppel::wasm {
namespace {

// The bits of 2/π behind 64 that are zero.
constexpr std::uint32_t kWords[39] = {
    0,           0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
    0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u};

void add_locals(Code& code, Type type, std::initializer_list<const char*> names) {
  for (const char* name : names) code.add_local(type, name);
}

// The number of quarter turns is read from the last bits of x 2/π + 1.5 2⁵².
constexpr const char* kReduce = R"(
  local.get x f64.const 6.36619772367581382433e-01 f64.mul f64.const 6755399441055744 f64.add
  local.tee n i64.reinterpret_f64 i32.wrap_i64 local.set k
  local.get n f64.const 6755399441055744 f64.sub local.set n
  local.get x local.get n f64.const 1.57079632673412561417e+00 f64.mul f64.sub local.set t
  local.get n f64.const 6.07710050630396597660e-11 f64.mul local.set w
  local.get t local.get w f64.sub local.set r
  local.get t local.get r f64.sub local.get w f64.sub f64.neg local.set w
  local.get r local.set t
  local.get n f64.const 2.02226624871116645580e-21 f64.mul local.set u
  local.get t local.get u f64.sub local.set r
  local.get n f64.const 8.47842766036889956997e-32 f64.mul
    local.get t local.get r f64.sub local.get u f64.sub f64.sub local.get w f64.add local.set w
  local.get r local.get w f64.sub local.set y
  local.get r local.get y f64.sub local.get w f64.sub local.set e
)";

constexpr const char* kPolynomials = R"(
  local.get y local.get y f64.mul local.set z
  local.get z local.get y f64.mul local.set v
  f64.const 1.58969099521155010221e-10
    local.get z f64.mul f64.const -2.50507602534068634195e-08 f64.add
    local.get z f64.mul f64.const 2.75573137070700676789e-06 f64.add
    local.get z f64.mul f64.const -1.98412698298579493134e-04 f64.add
    local.get z f64.mul f64.const 8.33333333332248946124e-03 f64.add local.set s
  local.get y
    local.get z f64.const 0.5 local.get e f64.mul local.get v local.get s f64.mul f64.sub f64.mul
    local.get e f64.sub
    local.get v f64.const -1.66666666666666324348e-01 f64.mul f64.sub f64.sub
  i64.reinterpret_f64 local.set sine
  f64.const -1.13596475577881948265e-11
    local.get z f64.mul f64.const 2.08757232129817482790e-09 f64.add
    local.get z f64.mul f64.const -2.75573143513906633035e-07 f64.add
    local.get z f64.mul f64.const 2.48015872894767294178e-05 f64.add
    local.get z f64.mul f64.const -1.38888888888741095749e-03 f64.add
    local.get z f64.mul f64.const 4.16666666666666019037e-02 f64.add
    local.get z f64.mul local.set s
  local.get z f64.const 0.5 f64.mul local.set v
  f64.const 1 local.get v f64.sub local.set h
  local.get h
    f64.const 1 local.get h f64.sub local.get v f64.sub
    local.get z local.get s f64.mul local.get y local.get e f64.mul f64.sub f64.add f64.add
  i64.reinterpret_f64 local.set cosine
)";

// Exchanged where the number of quarter turns is odd, and signed: in bits, without a branch.
constexpr const char* kQuarters = R"(
  local.get sine local.get cosine i64.xor
    i64.const 0 local.get k i32.const 1 i32.and i64.extend_i32_u i64.sub i64.and local.set swap
  local.get sine local.get swap i64.xor
    local.get k i32.const 2 i32.and i64.extend_i32_u i64.const 62 i64.shl i64.xor
    f64.reinterpret_i64
  local.get cosine local.get swap i64.xor
    local.get k i32.const 1 i32.add i32.const 2 i32.and i64.extend_i32_u i64.const 62 i64.shl i64.xor
    f64.reinterpret_i64
)";

// The 128 bits from 2¹⁹¹ on of (1) of trig.h; `at` is the address of the fifth word.
constexpr const char* kProduct = R"(
  local.get x i64.reinterpret_f64 local.tee m i64.const 52 i64.shr_u i32.wrap_i64
    i32.const 0x7ff i32.and i32.const 1013 i32.sub local.set first
  local.get m i64.const 0xfffffffffffff i64.and i64.const 0x10000000000000 i64.or local.set m
  i64.const 32 local.get first i32.const 31 i32.and i64.extend_i32_u i64.sub local.set shift
  local.get at local.get first i32.const 5 i32.shr_u i32.const 2 i32.shl i32.add local.set at
  i32.const 5 local.set n
  loop
    local.get at i64.load32_u 0 i64.const 32 i64.shl local.get at i64.load32_u 4 i64.or
      local.get shift i64.shr_u i64.const 0xffffffff i64.and
      local.get m i64.const 0xffffffff i64.and i64.mul local.get carry i64.add local.set low
    local.get at i64.load32_u 4 i64.const 32 i64.shl local.get at i64.load32_u 8 i64.or
      local.get shift i64.shr_u i64.const 0xffffffff i64.and
      local.get m i64.const 32 i64.shr_u i64.mul
      local.get low i64.const 0xffffffff i64.and i64.add local.set high
    local.get low i64.const 32 i64.shr_u local.get high i64.const 32 i64.shr_u i64.add local.set carry
    local.get rest i64.const 32 i64.shr_u local.get top i64.const 32 i64.shl i64.or local.set rest
    local.get top i64.const 32 i64.shr_u local.get high i64.const 32 i64.shl i64.or local.set top
    local.get at i32.const 4 i32.sub local.set at
    local.get n i32.const 1 i32.sub local.tee n br_if 0
  end
)";

// The nearest number of quarter turns, and what is left: its size in `top` and `rest`, its sign.
constexpr const char* kFraction = R"(
  local.get top i64.const 61 i64.shr_u i64.const 1 i64.add i64.const 1 i64.shr_u i32.wrap_i64
    local.set n
  local.get top local.get n i64.extend_i32_u i64.const 62 i64.shl i64.sub local.set top
  f64.const 1 local.set sign
  local.get x f64.const 0 f64.lt
  if
    f64.const -1 local.set sign
    i32.const 0 local.get n i32.sub local.set n
  end
  local.get top i64.const 0 i64.lt_s
  if
    local.get sign f64.neg local.set sign
    i64.const 0 local.get rest i64.sub local.set rest
    local.get top i64.const -1 i64.xor local.get rest i64.eqz i64.extend_i32_u i64.add local.set top
  end
)";

// a + b quarter turns, times π/2.
constexpr const char* kTimesHalfPi = R"(
  local.get top f64.convert_i64_s local.set a
  local.get top local.get a i64.trunc_f64_s i64.sub f64.convert_i64_s
    local.get rest f64.convert_i64_u f64.const 5.421010862427522e-20 f64.mul f64.add
    f64.const 2.168404344971009e-19 f64.mul local.set b
  local.get a f64.const 2.168404344971009e-19 f64.mul local.set a
  local.get a f64.const 134217729 f64.mul local.set p
  local.get p local.get p local.get a f64.sub f64.sub local.set head
  local.get a local.get head f64.sub local.set tail
  local.get a f64.const 1.57079632679489661923 f64.mul local.set p
  local.get head f64.const 1.5707963407039642 f64.mul local.get p f64.sub
    local.get head f64.const -1.3909067675399456e-08 f64.mul f64.add
    local.get tail f64.const 1.5707963407039642 f64.mul f64.add
    local.get tail f64.const -1.3909067675399456e-08 f64.mul f64.add
    local.get a f64.const 6.12323399573676603587e-17 f64.mul
    local.get b f64.const 1.57079632679489661923 f64.mul f64.add f64.add local.set w
  local.get p local.get w f64.add local.set y
  local.get sign local.get y f64.mul f64.const 0 local.get x f64.mul f64.add
  local.get sign local.get p local.get y f64.sub local.get w f64.add f64.mul
  local.get n
)";

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

std::uint32_t Kernels::reduce_far() {
  Bytes words;
  for (const std::uint32_t word : kWords) {
    for (unsigned i = 0; i < 32; i += 8) words.push_back(static_cast<std::uint8_t>(word >> i));
  }
  const std::uint32_t address = module_.add_data(std::move(words));
  Code code("x f64", "f64 f64 i32");
  add_locals(code, Type::I64, {"m", "shift", "low", "high", "carry", "top", "rest"});
  add_locals(code, Type::I32, {"first", "at", "n"});
  add_locals(code, Type::F64, {"sign", "a", "b", "p", "head", "tail", "w", "y"});
  code.add("i32.const " + std::to_string(address + 16) + " local.set at");
  for (const char* part : {kProduct, kFraction, kTimesHalfPi}) code.add(part);
  return module_.add(std::move(code));
}

std::uint32_t Kernels::turn() {
  if (turn_) return *turn_;
  const std::uint32_t far = reduce_far();
  Code code("x f64", "f64 f64");
  add_locals(code, Type::F64, {"n", "t", "w", "r", "u", "y", "e", "z", "v", "s", "h"});
  add_locals(code, Type::I64, {"sine", "cosine", "swap"});
  add_locals(code, Type::I32, {"k"});
  code.add("local.get x f64.abs f64.const 1.6e6 f64.lt if");
  code.add(kReduce);
  code.add("else local.get x call " + std::to_string(far) +
           " local.set k local.set e local.set y end");
  code.add(kPolynomials);
  code.add(kQuarters);
  turn_ = module_.add(std::move(code));
  return *turn_;
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
