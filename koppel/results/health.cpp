#include <koppel/results/health.hpp>

namespace koppel {

const char* name_of(Health::State state) {
  switch (state) {
    case Health::State::Unwatched: return "unwatched";
    case Health::State::Good: return "good";
    case Health::State::Doubtful: return "doubtful";
    case Health::State::Failed: return "failed";
  }
  return "";
}

const char* name_of(Health::What what) {
  switch (what) {
    case Health::What::Energy: return "energy";
    case Health::What::Position: return "position";
    case Health::What::Velocity: return "velocity";
    case Health::What::Growth: return "growth";
    case Health::What::Residual: return "residual";
    case Health::What::Outputs: return "outputs";
    case Health::What::Verification: return "verification";
    case Health::What::WrongWay: return "wrong-way";
    case Health::What::Jump: return "jump";
    case Health::What::Switch: return "switch";
    case Health::What::Limits: return "limits";
    case Health::What::Accuracy: return "accuracy";
  }
  return "";
}

}  // namespace koppel
