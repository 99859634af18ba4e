// The C emitter: Programs as C99 that needs nothing but libm, or not even that. The output depends
// on the program only, so that it can be cached by content and compared between versions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/expr/code/program.hpp>

namespace koppel {

struct CCode {
  std::string source;         // function definitions, to follow emit_c_prelude()
  std::size_t work_size = 0;  // how many numbers `work` must hold
};

// Includes and the kernels of koppel/runtime that emitted functions call; once a file.
std::string emit_c_prelude();

// Which kernels of koppel/runtime programs call: nothing, where there are no tables and all
// functions are libm's.
class CKernels {
 public:
  void add(const Program& program);
  // Once a file, before emit_c's functions. In single precision only sines, cosines and tangents
  // are our own; a card takes the others in double precision and rounds, so that it has a host's
  // bits.
  std::string text(bool is_float = false, bool is_for_card = false) const;

 private:
  bool has_tables_ = false;
  std::uint64_t own_ = 0;  // a bit for each operation
};

struct CArgument {
  std::string type, name;  // "const double*", "in"
};

struct CStyle {
  bool is_static = false;  // not seen outside of its file
  bool is_float = false;   // single precision
  // For a card (export/cuda/card.h): functions and tables are marked KOPPEL_CARD, and what the card
  // does in fewer instructions, with the same bits, is called by name: koppel_quotient(a, b),
  // koppel_reciprocal(b).
  bool is_for_card = false;
  // On a card also koppel_scaled_sum(c, a, b) = c a + b, c a power of two: c a is exact, and the
  // bits are the same, unless it overflows.
  bool fuses_scaled = false;
  // Where the inputs of the program do not stand in one array `in`: how each is written, such as
  // "state->x", and the pointers that the function has then in place of `in`.
  std::vector<std::string> inputs = {};
  std::vector<CArgument> in = {};
};

// void NAME(const double* in, double* out, double* work)
// The body is split into functions of a few hundred operations, so that compile time grows
// linearly; values that live from one to another are kept in `work`, whose places are reused. The
// arrays must not overlap. Sine and cosine of one angle are computed together.
CCode emit_c(const Program& program, std::string_view name, CStyle style = {});

// C that reads back as exactly this number (of single precision: as its nearest, which may be
// infinite).
std::string c_number(double value, bool is_float = false);

}  // namespace koppel
