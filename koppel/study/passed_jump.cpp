#include <koppel/study/passed_jump.hpp>

#include <fmt/format.h>

namespace koppel {

void PassedJump::take(const Problem& problem) {
  pieces_.reset();
  if (problem.energy && problem.energy->has_switches()) pieces_.emplace(*problem.energy);
}

void PassedJump::note(const Step& step, const PowerPieces::At& at) {
  if (pieces_ && !t_) t_ = pieces_->find_jump(step.t0, step.t1, at);
}

std::string PassedJump::text() const {
  if (!t_) return {};
  return fmt::format(
      "at t = {:.6g} s a force jumps because of where the motion is: what the time of the jump "
      "does "
      "to derivatives is left out. An event at that place, which sets a parameter of the force, "
      "has "
      "exact derivatives.",
      *t_);
}

}  // namespace koppel
