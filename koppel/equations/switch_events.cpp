#include <koppel/equations/switch_events.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/algebra/switches.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <koppel/expr/text/print.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Exprs join(std::initializer_list<Exprs> parts) {
  Exprs all;
  for (const Exprs& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Where a table has more corners than these they stay in its steps: a road of ten thousand points.
constexpr std::size_t kManyCorners = 64;

// The constants of a table, or a derivative of one, whose pieces are constant; empty where one of
// them is not finite.
std::vector<double> steps_of(const TableData& table, int derivative) {
  const std::span<const double> x = table.breakpoints();
  std::vector<double> out = {table.evaluate(x.front() - 1, derivative)};
  for (std::size_t i = 1; i < x.size(); ++i) {
    out.push_back(table.evaluate(0.5 * (x[i - 1] + x[i]), derivative));
  }
  out.push_back(table.evaluate(x.back() + 1, derivative));
  const bool is_finite =
      std::all_of(out.begin(), out.end(), [](double y) { return std::isfinite(y); });
  return is_finite ? out : std::vector<double>{};
}

// σ and −σ switch together: one of them stands for both.
struct Signed {
  Expr argument;
  int sign;
};
Signed without_sign(Expr a, int sign) {
  return !a.is_constant() && a.op() == Op::Neg ? Signed{a.operand(0), -sign} : Signed{a, sign};
}
Signed difference(Expr a, Expr b) {
  if (a.is_constant(0)) return without_sign(b, -1);
  if (b.is_constant(0)) return without_sign(a, 1);
  const bool is_turned = a.is_constant() || (!b.is_constant() && b.id() < a.id());
  return is_turned ? Signed{b - a, -1} : Signed{a - b, 1};
}

// A sum of squares and positive numbers.
bool is_positive(Expr a) {
  if (a.is_constant()) return a.value() >= 0;
  switch (a.op()) {
    case Op::Add: return is_positive(a.operand(0)) && is_positive(a.operand(1));
    case Op::Mul:
      return a.operand(0) == a.operand(1) ||
             (is_positive(a.operand(0)) && is_positive(a.operand(1)));
    case Op::Pow: {
      const Expr power = a.operand(1);
      return power.is_constant() && std::fmod(power.value(), 2) == 0;
    }
    default: return false;
  }
}

bool has_limits(Expr node) {
  switch (node.op()) {
    case Op::Sqrt: return !is_positive(node.operand(0));
    case Op::Pow: {
      const Expr power = node.operand(1);
      return !power.is_constant() || power.value() != std::round(power.value());
    }
    case Op::Log:
    case Op::Asin:
    case Op::Acos: return true;
    default: return false;
  }
}

bool is_of(Expr e, const Exprs& known) {
  const Exprs symbols = symbols_of(e);
  return std::all_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
    return std::find(known.begin(), known.end(), symbol) != known.end();
  });
}

}  // namespace

std::string name_of_switch(Expr argument) {
  constexpr std::size_t kLong = 60;
  const std::string text = to_text(argument);
  return text.size() <= kLong ? text : text.substr(0, kLong - 3) + "...";
}

std::vector<Expr> switch_functions(const Equations& e) {
  const Exprs moving = join({e.q, e.v, e.x}), known = join({moving, {e.t}, e.p, e.u});
  Exprs out;
  for (const koppel::Switch& one : switches_of(join({e.f, e.r}), moving)) {
    if (!is_of(one.argument, known) || one.at.size() > kManyCorners) continue;
    for (const double at : one.at) out.push_back(one.argument - at);
  }
  return out;
}

std::vector<Expr> waking_functions(const Equations& e) {
  // 1 − tanh(10) = 4e-9; e⁻²⁰ = 2e-9. A step from −1 to 1 of tanh leads over the change and back to
  // rest: two such laws may cancel at its end.
  constexpr double kTanh = 10, kExp = 20;
  const Exprs laws = join({e.f, e.r}), moving = join({e.q, e.v, e.x}),
              known = join({moving, {e.t}, e.p, e.u});
  if (!may_sleep(laws, moving)) return {};
  Postorder order(*e.graph);
  order.visit(laws);
  const std::vector<char> depends = dependent_nodes(order, moving);
  Exprs arguments;  // what is made of them grows the graph
  std::vector<Op> ops;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!depends[i] || (order[i].op() != Op::Tanh && order[i].op() != Op::Exp)) continue;
    if (!is_of(order[i].operand(0), known)) continue;
    arguments.push_back(order[i].operand(0));
    ops.push_back(order[i].op());
  }
  Exprs out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (ops[i] == Op::Exp) {
      out.push_back(arguments[i] + kExp);
    } else {
      out.push_back(abs(arguments[i]) - kTanh);
    }
  }
  return out;
}

SwitchEvents::SwitchEvents(const Equations& e, std::span<const Expr> more) : graph_(e.graph.get()) {
  Exprs laws = join({e.f, e.g, e.b, e.r, e.v_rate, e.g_t, e.gamma, e.G.values, e.a.values});
  laws.insert(laws.end(), more.begin(), more.end());
  const Exprs of_state = join({e.q, e.v, e.x}), known = join({of_state, {e.t}, e.p, e.u});
  if (!has_switches(laws, of_state)) return;
  Postorder order(*graph_);
  order.visit(laws);
  Exprs nodes;  // what replaces them grows the graph
  for (std::size_t i = 0; i < order.size(); ++i) nodes.push_back(order[i]);
  find_guards(nodes, of_state);
  for (const Expr node : nodes) replace(node, of_state, known);
  std::stable_partition(switches_.begin(), switches_.end(),
                        [](const Switch& one) { return one.has_mode(); });
}

// √a, log a and others end where their arguments do. What keeps such an argument in its range, as
// in max(0, −x)^1.5 or select(x < 0, (−x)^1.5, 0), must not be held to its piece beyond the switch.
void SwitchEvents::find_guards(std::span<const Expr> nodes, std::span<const Expr> of_state) {
  const auto add = [&](Expr root) {
    if (root.is_constant()) return;
    Postorder below(*graph_);
    below.visit(root);
    for (std::size_t i = 0; i < below.size(); ++i) guards_.insert(below[i].id());
  };
  const auto ends = [&](Expr node) {
    return has_limits(node) && depends_on(node.operand(0), of_state);
  };
  for (const Expr node : nodes) {
    if (ends(node)) add(node.operand(0));
    if (node.op() != Op::Select) continue;
    for (const int branch : {1, 2}) {
      if (node.operand(branch).is_constant()) continue;
      Postorder below(*graph_);
      below.visit(node.operand(branch));
      bool has_end = false;
      for (std::size_t i = 0; i < below.size(); ++i) has_end = has_end || ends(below[i]);
      if (has_end) add(node.operand(0));
    }
  }
}

// Parts come before what they are parts of.
void SwitchEvents::replace(Expr node, std::span<const Expr> of_state, std::span<const Expr> known) {
  const Op op = node.op();
  const bool is_of_one = op == Op::Abs || op == Op::Sign || op == Op::Table;
  const bool is_of_two = op == Op::Min || op == Op::Max || op == Op::Less || op == Op::LessEqual;
  if (!is_of_one && !is_of_two) return;
  const Expr original = is_of_one ? node.operand(0) : node.operand(0) - node.operand(1);
  if (!depends_on(original, of_state)) return;
  const std::vector<Expr> symbols = symbols_of(original);
  if (!std::all_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
        return std::find(known.begin(), known.end(), symbol) != known.end();
      })) {
    return;
  }
  const Expr a = replaced({{node.operand(0)}})[0];
  if (op == Op::Table) return replace_table(node, a);
  const Expr b = is_of_two ? replaced({{node.operand(1)}})[0] : Expr(0);
  const auto [argument, sign] = is_of_two ? difference(a, b) : without_sign(a, 1);
  if (argument.is_constant()) return;
  if (guards_.contains(node.id())) return void(find_or_add(argument));
  const Expr m = sign * mode_of(argument);
  from_.push_back(node);
  switch (op) {
    case Op::Abs: to_.push_back(m * a); break;
    case Op::Sign: to_.push_back(m); break;
    case Op::Min: to_.push_back(select(m < 0, a, b)); break;
    case Op::Max: to_.push_back(select(m < 0, b, a)); break;
    case Op::Less: to_.push_back(m < 0); break;
    default: to_.push_back(m <= 0); break;
  }
}

// With pieces from x₀ on, where y has the value y₀, and slopes sᵢ of the pieces,
//   y = y₀ + s₀ (σ − x₀) + Σ (sᵢ₊₁ − sᵢ) (σ − xᵢ)   over all i with mᵢ ≥ 0;
// where pieces are constants yᵢ, y = y₀ + Σ (yᵢ₊₁ − yᵢ) likewise. Splines have no corners.
void SwitchEvents::replace_table(Expr node, Expr argument) {
  const Node& data = graph_->node(node.id());
  const TableData& table = graph_->table_data(data.operand[1]);
  const int derivative = static_cast<int>(data.operand[2]);
  const std::vector<double> x(table.breakpoints().begin(), table.breakpoints().end());
  if (table.degree() > derivative + 1 || x.size() > kManyCorners) return;
  const bool has_slopes = table.degree() == derivative + 1;
  const std::vector<double> y = steps_of(table, derivative + (has_slopes ? 1 : 0));
  if (y.empty()) return;
  Expr sum = has_slopes ? table.evaluate(x[0], derivative) + y[0] * (argument - x[0]) : Expr(y[0]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (y[i + 1] == y[i]) continue;
    const Expr from = argument - x[i], change = y[i + 1] - y[i];
    sum += select(mode_of(from) < 0, 0, has_slopes ? change * from : change);
  }
  from_.push_back(node);
  to_.push_back(sum);
}

std::size_t SwitchEvents::find_or_add(Expr argument) {
  const auto found = std::find_if(switches_.begin(), switches_.end(),
                                  [&](const Switch& one) { return one.argument == argument; });
  const auto number = static_cast<std::size_t>(found - switches_.begin());
  if (found == switches_.end()) switches_.push_back({argument, {}});
  return number;
}

Expr SwitchEvents::mode_of(Expr argument) {
  const std::size_t number = find_or_add(argument);
  Switch& one = switches_[number];
  if (!one.has_mode()) one.mode = graph_->symbol(fmt::format("side[{}]", number));
  return one.mode;
}

std::vector<Expr> SwitchEvents::replaced(std::span<const Expr> f) const {
  return substitute(f, from_, to_);
}

std::size_t SwitchEvents::num_modes() const {
  std::size_t count = 0;
  while (count < switches_.size() && switches_[count].has_mode()) ++count;
  return count;
}

std::vector<Expr> SwitchEvents::arguments() const {
  std::vector<Expr> out;
  for (const Switch& one : switches_) out.push_back(one.argument);
  return out;
}

Shared<Equations> SwitchEvents::apply(const Shared<Equations>& equations) const {
  if (is_empty()) return equations;
  Equations out = *equations;
  std::vector<Expr*> parts;
  const auto add = [&](auto& values) {
    for (Expr& value : values) parts.push_back(&value);
  };
  add(out.f), add(out.g), add(out.b), add(out.h), add(out.r), add(out.v_rate), add(out.g_t);
  add(out.gamma), add(out.K.values), add(out.G.values), add(out.a.values);
  for (Equations::Output& output : out.outputs) parts.push_back(&output.value);
  for (Equations::LeftOut& left : out.left_out) {
    parts.push_back(&left.position), parts.push_back(&left.velocity);
  }
  for (Equations::Counted& counted : out.counted) parts.push_back(&counted.force);
  for (Equations::Event& event : out.events) {
    parts.push_back(&event.when), parts.push_back(&event.when_rate);
    for (auto& [place, value] : event.changes) parts.push_back(&value);
    if (event.restitution) parts.push_back(&*event.restitution);
    add(event.impulse_rates), add(event.impulses);
  }
  parts.push_back(&out.kinetic), parts.push_back(&out.potential);
  Exprs values;
  for (const Expr* part : parts) values.push_back(*part);
  const Exprs images = replaced(values);
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i] = images[i];
  out.M = Lazy<SparseExpr>([equations, with = *this] {
    SparseExpr M = *equations->M;
    M.values = with.replaced(M.values);
    return M;
  });
  out.parts = {};
  for (const Switch& one : switches_) {
    Equations::Event event;
    // As the model has it: sides are put back.
    event.name = name_of_switch(substitute({&one.argument, 1}, to_, from_)[0]);
    event.when = one.argument;
    event.when_rate = 0;
    event.is_switch = true;
    if (one.has_mode()) {
      event.changes.emplace_back(out.p.size(), -one.mode);
      out.p.push_back(one.mode);
      out.p_value.push_back(1);
    }
    out.events.push_back(std::move(event));
  }
  return out;
}

}  // namespace koppel
