// Laws that are put together from pieces, as smooth laws with events between them.
//
// Which piece of abs, sign, min, max, a comparison or a table holds is decided by the side of an
// argument σ. A parameter m of its own, −1 or 1, says which side that is, in the place of σ itself,
//
//   |a| → m a,   sign a → m,   max(a, b) → (m > 0 ? a : b) with σ = a − b,   a < b → m < 0,
//
// (0 where σ stays zero) and an event where σ passes through zero turns m around. Between events
// all laws are smooth, and what goes through events exactly, derivatives do, goes through the
// switches of laws exactly.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>

namespace koppel {

// Its text, which people see where a motion stays at the switch; long ones are cut.
std::string name_of_switch(Expr argument);

// Functions of the state and time that pass through zero where forces, or rates of further states,
// pass from one piece to the next. Tables of many points are left out: a road has no jumps.
std::vector<Expr> switch_functions(const Equations& equations);
// The same where laws by tanh and exp, smooth as they are, begin to change and cease to: beyond,
// they are constant to the last digits, as friction is that slides.
std::vector<Expr> waking_functions(const Equations& equations);

class SwitchEvents {
 public:
  // Those of the laws, and of these expressions, whose arguments follow from the state (laws of
  // time alone have breakpoints; arguments with multipliers are no events).
  SwitchEvents(const Equations& equations, std::span<const Expr> more);

  bool is_empty() const { return switches_.empty(); }
  std::size_t num_modes() const;
  // σ, those with a parameter first.
  std::vector<Expr> arguments() const;

  // These equations, or others in the same symbols: parameters m after those there are, all 1, and
  // events after those there are, in the order of arguments().
  Shared<Equations> apply(const Shared<Equations>& equations) const;

 private:
  struct Switch {
    Expr argument, mode;  // what guards others from the ends of their ranges has no mode
    bool has_mode() const { return mode.graph() != nullptr; }
  };
  void replace(Expr node, std::span<const Expr> of_state, std::span<const Expr> known);
  void replace_table(Expr node, Expr argument);
  void find_guards(std::span<const Expr> nodes, std::span<const Expr> of_state);
  std::size_t find_or_add(Expr argument);
  Expr mode_of(Expr argument);
  std::vector<Expr> replaced(std::span<const Expr> f) const;

  Graph* graph_;
  std::vector<Switch> switches_;
  std::vector<Expr> from_, to_;
  std::set<NodeId> guards_;
};

}  // namespace koppel
