// Tape: a Program with its values assigned to reused slots, and the loop that runs it.
#pragma once

#include <cstdint>
#include <vector>

#include <koppel/expr/code/program.hpp>

namespace koppel {

// A product that is read once, by a sum or difference, is computed there: two roundings as before,
// but one instruction to interpret. Sine and cosine of an angle are one instruction.
enum class Fused : std::uint8_t {
  AddMul = kNumOps,  // a + b c
  SubMul,            // a − b c
  MulSub,            // b c − a
  Turn,              // sine of a, and in b its cosine
};
inline constexpr int kNumTapeOps = kNumOps + 4;

struct TapeInstruction {
  std::uint8_t op;  // an Op or Fused
  std::uint8_t variant;
  std::uint32_t result;
  std::uint32_t a, b, c;  // slots; Table: b is the table's index; Turn: of the second result
};

// Slots 0 … num_leaves−1 hold inputs and constants; the others are reused once a value has had its
// last use.
class Tape {
 public:
  explicit Tape(const Program& program);

  static constexpr std::size_t kBatch = 64;  // points a block: slots stay in the caches

  std::size_t num_slots() const { return num_slots_; }
  const std::vector<std::uint32_t>& outputs() const { return outputs_; }

  // Runs over slots s, whose leaves are set. `tables` are those of the program.
  void run(double* s, const Program::NamedTable* tables) const noexcept;
  // The same for kBatch points: slot i is s[i·kBatch … ].
  void run_batch(double* s, const Program::NamedTable* tables) const noexcept;

 private:
  std::vector<TapeInstruction> code_;
  std::vector<std::uint32_t> outputs_;  // slots
  std::size_t num_slots_ = 0;
};

}  // namespace koppel
