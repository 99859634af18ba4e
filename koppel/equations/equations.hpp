// Equations: what mechanics says about a Model, in chosen coordinates. The descriptor form
//
//   q̇ = K(q) v                                       positions          n_q
//   M(q) v̇ = f(q, v, t, u) − Gᵀλ − aᵀμ               velocities         n_v
//   0 = g(q, t)                    G = (∂g/∂q) K      multipliers λ      n_g
//   0 = a(q, t) v + b(q, t)                           multipliers μ      n_a
//   ẋ = r(x, q, v, t, u)                              further states     n_x
//   y = s(q)                                          servo outputs
//
// as expressions in one graph. Every unknown and every row of [g; a] remembers what it is: its
// name, the element of the model that it is from, its unit. Some coordinate sets have *invariants*
// h(q) = 0 that hold along every motion which satisfies the constraints (the norm of a quaternion,
// an angle that is counted beside the axes it is measured between): (∂h/∂q) K v = 0 where g = 0 and
// G v + g_t = 0. They need no multiplier; a projection restores them.
//
// Immutable once made, and shared by all that is made of it (`Shared<Equations>`). What follows
// from it need not know what a body or a joint is.
#pragma once

#include <compare>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/base/event_direction.hpp>
#include <koppel/base/holds.hpp>
#include <koppel/base/lazy.hpp>
#include <koppel/base/shared.hpp>
#include <koppel/base/tracking_method.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/print.hpp>

namespace koppel {

struct Kinematics;

struct Equations {
  // The element of a model that an unknown or a row is from, by its place in the model's list.
  struct Owner {
    enum class Kind { None, Body, Joint, Coordinate, State, Input, Constraint, Nonholonomic };
    Kind kind = Kind::None;
    int index = -1;
    std::string name = {};

    auto operator<=>(const Owner&) const = default;
  };

  // What an unknown is. Its name is that of its symbol.
  struct Unknown {
    Owner owner = {};
    std::string unit = {};  // SI; empty: none, or not known
    // What an input should stay within, for reports.
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
  };

  // What a row of [g; a] is, and so its multiplier.
  struct Row {
    enum class Level { Position, Velocity };  // of g, of a

    std::string name = {};  // owner and what it holds: "knee.x"
    Owner owner = {};
    int part = 0;    // which of its owner's equations, those included that hold by themselves
    int number = 0;  // its place in [g; a] before any is left out
    std::string unit = {};  // of the residual
    Holds holds = Holds::Other;
    Level level = Level::Position;
    bool pulls = false;  // its multiplier should not become negative: a cable, an open contact
  };

  std::shared_ptr<Graph> graph;
  std::string model;        // its name
  std::string coordinates;  // the set: absolute, cardan, directors, joint, natural, lagrange

  // Symbols. Their names are the names of unknowns.
  Expr t;
  std::vector<Expr> q, v, x, u, p;
  // What else they are, in the same order.
  struct Unknowns {
    std::vector<Unknown> q, v, x, u;
  };
  Unknowns about;
  std::vector<Row> rows;  // of [g; a], with multipliers λ and μ
  // Rows that repeat others and have been left out (leave_out.hpp): they must hold all the same.
  struct LeftOut {
    Row row;
    Expr position, velocity;  // g (0 for a row of a); ġ or a v + b
  };
  std::vector<LeftOut> left_out;

  SparseExpr K;         // n_q × n_v
  Lazy<SparseExpr> M;   // n_v × n_v, symmetric; not all that is done needs it
  std::vector<Expr> f;  // n_v, without λ
  std::vector<Expr> g;  // n_g
  SparseExpr G;         // n_g × n_v
  SparseExpr a;         // n_a × n_v
  std::vector<Expr> b;  // n_a
  std::vector<Expr> h;  // invariants
  // Coordinates that are counted beside the others they follow from: angles beside the axes they
  // are measured between. q[q] follows from h[h] = 0; f contains (row q of K)ᵀ times the force
  // along it.
  struct Counted {
    int q, h;
    Expr force;
  };
  std::vector<Counted> counted;
  std::vector<Expr> r;          // n_x
  std::vector<NamedExpr> s;     // servo outputs, of q and t
  std::vector<Expr> reference;  // what the servo outputs shall be, of t
  // What follows a signal (formulation/fixed_cost/tracking.hpp): outputs of q, what they follow,
  // and the places among x of the forces that fixed-cost steps choose.
  struct Tracking {
    std::string name;
    std::vector<Expr> outputs, targets;
    std::vector<std::size_t> forces;
    TrackingMethod method;
    Expr rho0, rho1, max_force, max_acceleration, max_speed, response, is_active;
    bool compensates;
  };
  std::vector<Tracking> tracking;
  std::vector<NamedExpr> positive;  // of q: what is so on the branch that is meant, for reports

  // v̇ itself, where there are no constraints and a recursion along a tree solves M v̇ = f at a cost
  // that is linear in n_v; else empty.
  std::vector<Expr> v_rate;

  // The parts that f is the sum of: the forces of the model by their names, then `potential`
  // (gravity included), `dissipation` and `inertia` (what is quadratic in velocities), as far as
  // they are not zero. Made when they are asked for; none where nobody said them.
  struct ForcePart {
    std::string name;
    std::vector<Expr> f;  // n_v
  };
  Lazy<std::vector<ForcePart>> parts;
  std::vector<std::string> stiff;  // names of those that the model says are stiff

  // Derived, exact: the rate of g, and the part of its second rate without v̇:
  //   ġ = G v + g_t,    g̈ = G v̇ + gamma.
  std::vector<Expr> g_t, gamma;

  // What happens when an expression passes through zero.
  struct Event {
    std::string name;
    Expr when;       // of q, v, x, t, u
    Expr when_rate;  // for v̇ = 0
    EventDirection direction = EventDirection::Both;
    bool stops = false;
    bool is_switch =
        false;  // another piece of a law holds (switch_events.hpp): no event of the model
    std::vector<std::pair<std::size_t, Expr>> changes;  // parameters, by their place, and values
    std::optional<Expr> restitution;                    // an impact: when_rate is linear in v
    std::vector<Expr> impulse_rates, impulses;          // on the quantities with these rates
  };
  std::vector<Event> events;

  Expr kinetic, potential;  // energies, of q and v
  struct Output : NamedExpr {
    std::string unit = {};
  };
  std::vector<Output> outputs;  // of q, v, t, u, λ
  // Where the bodies of the model are, and what the coordinates say about its joints.
  std::shared_ptr<const Kinematics> kinematics;

  // Values: of the parameters, and what the user expects at the start (not yet consistent).
  std::vector<double> p_value, q_guess, v_guess, x_start;
  // Wishes for the start, as residuals = 0: exact ones first, by the user's word.
  struct Wish {
    Expr residual;  // of q (position) or q and v (velocity)
    bool is_rate;
    bool fixed;
    std::string name;
  };
  std::vector<Wish> wishes;

  std::size_t num_q() const { return q.size(); }
  std::size_t num_v() const { return v.size(); }
  std::size_t num_g() const { return g.size(); }
  std::size_t num_a() const { return b.size(); }
  std::size_t num_rows() const { return g.size() + b.size(); }  // of [g; a]
};

}  // namespace koppel
