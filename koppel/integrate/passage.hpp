// What a step may say besides its values: that it passed a singular configuration. Integrators that
// see this, `taylor`, show steps that are also these.
#pragma once

#include <vector>

namespace koppel {

// A configuration in which constraints depend on each other and freedoms meet: there other motions
// branch off, and round-off must not choose between them.
struct SingularPassage {
  double t = 0;
  std::vector<int> rows;  // of the problem's [λ; μ], whose constraints depend on each other there
};

class PassingStep {
 public:
  virtual ~PassingStep() = default;
  virtual const SingularPassage* passage() const = 0;  // null: none
};

}  // namespace koppel
