// The equations of motion themselves, for integrators that use their structure (positions apart
// from velocities, masses apart from forces), with what is stated in the place of g = 0:
//
//   Acceleration  0 = C v̇ + γ + 2α (C v + c) + β² g          (for rows of a: α (a v + b), no g)
//   Velocity      0 = C v + c + α g − ε (λ − λ_before)
//
// C = [G; a], c = [g_t; b]. ε = 0 but for sequential regularisation, where multipliers are a state.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <koppel/base/lazy.hpp>
#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {

struct Descriptor {
  enum class Level { Acceleration, Velocity };

  Shared<Equations> equations;
  std::vector<int> kept;     // rows of [g; a] that count
  std::vector<Expr> lambda;  // symbols of their multipliers: forces may depend on them
  State state;               // values of parameters and inputs; q, v where set-up may look
  Level level = Level::Acceleration;
  double alpha = 0, beta = 0;
  double epsilon = 0;
  bool closes_positions = false;  // one Newton step onto g = 0 belongs to the formulation
  CompileOptions compile = {};

  // What integrators compile of it, once for each key.
  template <typename T>
  std::shared_ptr<const T> cached(const std::string& key, const std::function<T()>& make) const {
    const std::lock_guard lock(making());
    std::shared_ptr<const void>& place = (*cache)[key];
    if (place == nullptr) place = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(place);
  }

  std::shared_ptr<std::map<std::string, std::shared_ptr<const void>>> cache =
      std::make_shared<std::map<std::string, std::shared_ptr<const void>>>();
};

}  // namespace koppel
