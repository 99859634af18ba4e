// Which part of a model each effort comes from, so that the force f can be taken apart again
// (Equations::parts).
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>

namespace koppel {

class Origins {
 public:
  // The next `count` efforts are those of a part; the first is that of inertia.
  void add(std::string name, std::size_t count) { origins_.push_back({std::move(name), count}); }

  // f of each part: Σ effort ∂rate/∂v; `inertia` is added to the first part, `friction` is the
  // part `dissipation` with the opposite sign. Parts that are zero are left out.
  std::vector<Equations::ForcePart> parts(const std::vector<Expr>& rates,
                                          const std::vector<Expr>& efforts,
                                          const std::vector<Expr>& v,
                                          const std::vector<Expr>& inertia,
                                          const std::vector<Expr>& friction) const;

 private:
  struct Origin {
    std::string name;
    std::size_t count;
  };
  std::vector<Origin> origins_;
};

}  // namespace koppel
