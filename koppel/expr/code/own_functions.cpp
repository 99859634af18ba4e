#include <koppel/expr/code/own_functions.hpp>

#include <cmath>

#include <koppel/runtime/arcs.h>
#include <koppel/runtime/exponentials.h>
#include <koppel/runtime/power.h>
#include <koppel/runtime/tangent.h>
#include <koppel/runtime/trig.h>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {

NumberFunction* own_function(Op op) {
  using D = double;
  switch (op) {
    case Op::Exp: return [](D a, D, D) { return koppel_exp(a); };
    case Op::Log: return [](D a, D, D) { return koppel_log(a); };
    case Op::Sin: return [](D a, D, D) { return koppel_sin(a); };
    case Op::Cos: return [](D a, D, D) { return koppel_cos(a); };
    case Op::Tan: return [](D a, D, D) { return koppel_tan(a); };
    case Op::Asin: return [](D a, D, D) { return koppel_asin(a); };
    case Op::Acos: return [](D a, D, D) { return koppel_acos(a); };
    case Op::Atan: return [](D a, D, D) { return koppel_atan(a); };
    case Op::Sinh: return [](D a, D, D) { return koppel_sinh(a); };
    case Op::Cosh: return [](D a, D, D) { return koppel_cosh(a); };
    case Op::Tanh: return [](D a, D, D) { return koppel_tanh(a); };
    case Op::Pow: return [](D a, D b, D) { return koppel_pow(a, b); };
    case Op::Atan2: return [](D a, D b, D) { return koppel_atan2(a, b); };
    default: return nullptr;
  }
}

NumberFunction* function_of(const Instruction& i) {
  return is_own(i) ? own_function(i.op) : operation(i.op).value;
}

#ifdef __GLIBC__
TurnFunction* const library_turn = &::sincos;
#else
TurnFunction* const library_turn = [](double x, double* sine, double* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
};
#endif

}  // namespace koppel
