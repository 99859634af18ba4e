// Health: what a run found out about itself. Simulations are judged while they step
// (simulate/health_watch.hpp), inverse dynamics by what is left of its equations
// (control/inverse.hpp).
#pragma once

#include <string>
#include <vector>

namespace koppel {

struct Health {
  enum class State { Unwatched, Good, Doubtful, Failed } state = State::Unwatched;
  // What was not met: in simulations, and in inverse dynamics.
  enum class What {
    Energy,
    Position,
    Velocity,
    Growth,
    Residual,
    Outputs,
    Verification,
    WrongWay,  // a cable pushes, an open contact pulls
    Jump,      // an angle in a force jumps (simulate/angle_jumps.hpp)
    Switch,    // a step leads over a switch of a law and back (simulate/skipped_laws.hpp)
    Limits,    // an input is beyond what its actuator can do
    Accuracy,  // shorter steps give other inputs
  };
  struct Reason {
    What what = What::Energy;
    double t = 0;      // when its limit was first exceeded
    double value = 0;  // the largest, relative
    double limit = 0;  // there
    std::string text;  // all this in a sentence
    std::string subject = {};  // the row that is violated most, where it is about rows
  };
  std::vector<Reason> reasons;
};
const char* name_of(Health::State state);  // unwatched, good, doubtful, failed
const char* name_of(Health::What what);    // energy, position, …

}  // namespace koppel
