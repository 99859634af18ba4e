// Forces that jump because of where the motion is, `select(x < p, 0, F)` say. The time of such a
// jump moves with the parameters as that of an event does, which derivatives of runs do not see:
// they say so. For sources of this folder only.
#pragma once

#include <optional>
#include <string>

#include <koppel/integrate/integrator.hpp>
#include <koppel/simulate/power_pieces.hpp>

namespace koppel {

class PassedJump {
 public:
  // The problem of the motion, not of its changes, from here on. A reference is kept.
  void take(const Problem& problem);

  // An accepted step; `at` gives y of the motion in it, as far as multipliers.
  void note(const Step& step, const PowerPieces::At& at);
  // Of the first one; empty: there was none.
  std::string text() const;

 private:
  std::optional<PowerPieces> pieces_;
  std::optional<double> t_;
};

}  // namespace koppel
