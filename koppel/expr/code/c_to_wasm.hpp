// Functions of koppel/runtime in WebAssembly, translated from their C: one text for every machine,
// so that there is nothing to keep equal by hand. Operations and their order are those of the
// text: the same bits.
//
// What is understood is what those functions are written in: numbers of type double, int, int64_t
// and uint64_t, structs of them, declarations, assignments, if, for, ?:, casts, constant arrays of
// uint32_t, fabs, sqrt, koppel_bits, koppel_from_bits; one return, at the end; parameters and
// constants that nothing assigns to. && and || are not (they would be branches); both sides of ?:
// are computed, unless one calls a function that is not inline. Our own texts only: anything else
// is an assert.
//
// Functions declared KOPPEL_INLINE are put where they are called; those declared KOPPEL_OUTLINE
// become functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <koppel/expr/code/wasm_code.hpp>

namespace koppel::wasm {

struct CSource;

class CFunctions {
 public:
  // Those in the place of libm's; or of another text, which lives as long.
  explicit CFunctions(Module& module);
  CFunctions(Module& module, const CSource& source) : module_(module), source_(source) {}

  // The number of a function of koppel/runtime, such as "koppel_exp"; added to the module when
  // first asked for, with those that it calls. A struct is returned as its members, in order.
  std::uint32_t operator[](const std::string& name);

 private:
  Module& module_;
  const CSource& source_;
  std::map<std::string, std::uint32_t> functions_;
};

}  // namespace koppel::wasm
