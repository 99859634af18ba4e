#include <koppel/expr/series/series_program.hpp>

#include <functional>
#include <map>
#include <unordered_map>

#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

struct Companion {
  Expr node, series;
};

// The companions of all varying nodes below the outputs, and of the nodes below those, until there
// are no more: each has simpler companions than the last (tables one degree less; cos and sin each
// other).
std::vector<Companion> find_companions(Graph& graph, std::span<const Expr> variables,
                                       std::span<const Expr> outputs) {
  std::vector<Companion> found;
  std::unordered_map<NodeId, bool> done;
  std::vector<Expr> roots(outputs.begin(), outputs.end());
  while (!roots.empty()) {
    Postorder order(graph);
    order.visit(roots);
    roots.clear();
    const std::vector<char> varies = dependent_nodes(order, variables);
    for (std::size_t p = 0; p < order.size(); ++p) {
      const Expr e = order[p];
      if (!varies[p] || e.is_symbol()) continue;
      // A power needs one where its exponent varies.
      const bool needs_one = e.is(Op::Pow)
                                 ? varies[order.position(e.operand(1))] != 0
                                 : e.is(Op::Table) || operation(e.op()).taylor.companion != nullptr;
      if (!needs_one || !done.try_emplace(e.id(), true).second) continue;
      found.push_back({e, companion(e)});
      roots.push_back(found.back().series);
    }
  }
  return found;
}

// A sum or difference whose operand a or b has a coefficient 0.
void drop_operands(SeriesInstruction& i, bool drops_a, bool drops_b) {
  if (drops_a) {
    i.rule = i.rule == &operation(Op::Sub).taylor ? &operation(Op::Neg).taylor : &operations::kCopy;
    i.a = i.b;
  } else if (drops_b) {
    i.rule = &operations::kCopy;
  }
}

// The cheapest recurrence for an instruction, given which values are constant in time and which
// companion (if any) belongs to it.
SeriesInstruction choose_rule(const Program& program, const Instruction& i,
                              const std::vector<char>& is_static, const ValueId* companion) {
  SeriesInstruction out{&operation(i.op).taylor, i.a, i.b, i.c};
  switch (i.op) {
    case Op::Add:
    case Op::Sub: drop_operands(out, is_static[i.a], is_static[i.b]); break;
    case Op::Mul:
      if (is_static[i.b]) std::swap(out.a, out.b);
      if (is_static[out.a]) {
        out.rule = &operations::kScale;
      } else if (i.a == i.b) {
        out.rule = &operations::kSquare;
      }
      break;
    case Op::Div:
      if (is_static[i.b]) out.rule = &operations::kDivStatic;
      break;
    case Op::Pow:
      if (companion == nullptr) out.rule = &operations::kPowStatic;
      break;
    case Op::Table:
      out.b = i.a;  // not the table's index
      if (i.variant >= program.tables[i.b].data.degree()) out.rule = &operations::kStep;
      break;
    default: break;
  }
  if (companion != nullptr) out.c = *companion;
  return out;
}

// The schedule of instructions in stages; see SeriesStages.
class Schedule {
 public:
  Schedule(const Program& program, const std::vector<SeriesInstruction>& rules,
           std::size_t num_variables, const SeriesStages& stages)
      : program_(program), rules_(rules), num_variables_(num_variables), stages_(stages) {
    const std::size_t n = program.code.size();
    find_leads();
    find_last();
    is_open_.assign(n, false);
    is_needed_.assign(n, false);
    is_zero_.assign(n, false);
    if (!stages.variable_leads.empty()) {
      find_corrections();
      find_zeros();
    }
  }

  std::vector<SeriesGroup> groups() const {
    return by_lead([&](std::size_t i) { return !is_last_[i]; },
                   [&](std::size_t i) { return rules_[i]; });
  }
  std::vector<SeriesGroup> last() const {
    return by_lead([&](std::size_t i) { return is_last_[i] != 0; },
                   [&](std::size_t i) { return rules_[i]; });
  }
  std::vector<SeriesGroup> later() const {
    const std::vector<char> needs = needs_zero();
    std::vector<SeriesGroup> found = by_lead(
        [&](std::size_t i) { return !is_last_[i] && (!is_zero_[i] || needs[leaves() + i]); },
        [&](std::size_t i) { return without_zeros(i); });
    for (SeriesGroup& group : found) {
      const auto is_zero = [&](const SeriesGroup::Entry& entry) {
        return is_zero_[entry.instruction] != 0;
      };
      for (const SeriesGroup::Entry& entry : group.entries) {
        if (is_zero(entry)) group.zeros.push_back(entry.instruction);
      }
      std::erase_if(group.entries, is_zero);
    }
    return found;
  }
  // The values whose coefficient, 0 from stage 1 on, is read all the same.
  std::vector<char> needs_zero() const {
    std::vector<char> needs(program_.num_values(), false);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const bool leaves_out = rules_[i].is_linear() || program_.code[i].op == Op::Mul;
      if (rules_[i].rule == nullptr || (leaves_out && !is_last_[i])) continue;
      for_each_read(i, [&](ValueId v) { needs[v] = needs[v] || is_zero(v, lead_[i]); });
    }
    for (std::size_t j = 0; j < stages_.output_leads.size(); ++j) {
      const ValueId v = program_.outputs[j];
      needs[v] = needs[v] || is_zero(v, stages_.output_leads[j]);
    }
    return needs;
  }
  std::vector<SeriesGroup> corrections() const {
    return by_lead([&](std::size_t i) { return is_needed_[i] != 0; },
                   [&](std::size_t i) { return rules_[i]; });
  }

  // A value's lower orders are read by products and recurrences, by instructions that are evaluated
  // at a lower order than the value is, and by the caller where there are no stages.
  std::vector<char> has_history() const {
    std::vector<char> has(program_.num_values(), false);
    std::fill_n(has.begin(), num_variables_, true);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const SeriesInstruction& rule = rules_[i];
      if (rule.rule == nullptr) continue;
      if (rule.is_linear()) {
        for_each_operand(program_.code[i], [&](ValueId v) {
          if (v < leaves() || rules_[v - leaves()].rule == nullptr) return;
          if (lead_[v - leaves()] != lead_[i]) has[v] = true;
        });
        continue;
      }
      for (const ValueId v : {rule.a, rule.b, rule.c}) has[v] = true;
      if (program_.code[i].op != Op::Mul) has[leaves() + i] = true;
    }
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      const ValueId v = program_.outputs[j];
      const bool is_fresh = v >= leaves() && !stages_.output_leads.empty() &&
                            lead_[v - leaves()] == stages_.output_leads[j] &&
                            rules_[v - leaves()].rule != nullptr && !is_zero_[v - leaves()];
      if (!is_fresh) has[v] = true;
    }
    return has;
  }

 private:
  std::size_t leaves() const { return program_.num_leaves(); }

  // What instruction i reads: operands, and its companion.
  template <typename F>
  void for_each_read(std::size_t i, F&& f) const {
    for_each_operand(program_.code[i], f);
    const SeriesInstruction& rule = rules_[i];
    if (rule.rule != nullptr && rule.rule->companion != nullptr) f(rule.c);
    if (rule.rule != nullptr && program_.code[i].op == Op::Table) f(rule.c);
  }

  // An instruction's lead is the largest of those that read it.
  void find_leads() {
    const std::size_t n = program_.code.size();
    lead_.assign(n, 0);
    if (stages_.output_leads.empty()) return;
    const auto raise = [&](ValueId v, int lead) {
      if (v < leaves() || lead_[v - leaves()] >= lead) return false;
      lead_[v - leaves()] = lead;
      return true;
    };
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      raise(program_.outputs[j], stages_.output_leads[j]);
    }
    // Companions may stand behind their readers (sine and cosine): until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = n; i-- > 0;) {
        for_each_read(i, [&](ValueId v) { changed = raise(v, lead_[i]) || changed; });
      }
    }
  }

  // Last: only last outputs need it, and at one order: sums and multiples of such values, and
  // products, whose factors are needed at all orders.
  void find_last() {
    const std::size_t n = program_.code.size();
    is_last_.assign(n, false);
    if (stages_.first_last >= program_.outputs.size()) return;
    enum Need : char { kNone, kLast, kAll };
    std::vector<char> need(n, kNone);
    const auto raise = [&](ValueId v, char to) {
      if (v < leaves() || need[v - leaves()] >= to) return false;
      need[v - leaves()] = to;
      return true;
    };
    for (std::size_t j = 0; j < program_.outputs.size(); ++j) {
      raise(program_.outputs[j], j < stages_.first_last ? kAll : kLast);
    }
    // Companions may stand behind their readers: until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = n; i-- > 0;) {
        const bool is_linear = rules_[i].is_linear();
        if (need[i] == kLast && !is_linear &&
            (rules_[i].rule == nullptr || program_.code[i].op != Op::Mul)) {
          need[i] = kAll;
        }
        if (need[i] == kNone) continue;
        const char of_operands = need[i] == kLast && is_linear ? kLast : kAll;
        for_each_read(i, [&](ValueId v) { changed = raise(v, of_operands) || changed; });
      }
    }
    for (std::size_t i = 0; i < n; ++i) is_last_[i] = need[i] == kLast;
  }

  // Open: the coefficient that a stage evaluates depends on unknowns of the stage. Needed: it is
  // read again in later stages, so that it must be evaluated again once the unknowns are there.
  void find_corrections() {
    const std::size_t n = program_.code.size();
    for (std::size_t i = 0; i < n; ++i) {
      for_each_operand(program_.code[i], [&](ValueId v) {
        if (v < num_variables_) {
          if (stages_.variable_leads[v] <= lead_[i]) is_open_[i] = true;
        } else if (v >= leaves() && lead_[v - leaves()] == lead_[i] && is_open_[v - leaves()]) {
          is_open_[i] = true;
        }
      });
    }
    for (std::size_t j = 0; j < stages_.output_leads.size(); ++j) {
      const ValueId v = program_.outputs[j];
      if (v < leaves() || !is_open_[v - leaves()] || is_last_[v - leaves()]) continue;
      if (stages_.output_leads[j] < lead_[v - leaves()]) is_needed_[v - leaves()] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = n; i-- > 0;) {
        const TaylorRule* rule = rules_[i].rule;
        if (rule == nullptr) continue;
        if (is_open_[i] && !is_needed_[i] && reads_itself(i)) {
          is_needed_[i] = true;
          changed = true;
        }
        for_each_read(i, [&](ValueId v) {
          if (v < leaves()) return;
          const std::size_t a = v - leaves();
          if (!is_open_[a] || is_needed_[a] || is_last_[a]) return;
          if (lead_[i] < lead_[a] || !rule->is_pointwise || is_needed_[i]) {
            is_needed_[a] = true;
            changed = true;
          }
        });
      }
    }
  }

  // Sums and multiples of unknowns of the stage: 0 from order 1 on, as long as these are.
  void find_zeros() {
    for (std::size_t i = 0; i < lead_.size(); ++i) {
      if (rules_[i].rule == nullptr || !rules_[i].is_linear() || is_last_[i]) continue;
      bool is_zero = true;
      for_each_operand(program_.code[i], [&](ValueId v) {
        if (v < num_variables_) {
          is_zero = is_zero && stages_.variable_leads[v] <= lead_[i];
        } else if (v >= leaves() && rules_[v - leaves()].rule != nullptr) {
          is_zero = is_zero && lead_[v - leaves()] == lead_[i] && is_zero_[v - leaves()];
        }  // else it is constant
      });
      is_zero_[i] = is_zero;
    }
  }

  // Quotients, roots, exponentials: recurrences over their own lower orders. Products have none.
  bool reads_itself(std::size_t i) const {
    const TaylorRule* rule = rules_[i].rule;
    return !rule->is_pointwise && program_.code[i].op != Op::Mul;
  }

  // Whether the coefficient of order k + lead counts as 0 in a stage k ≥ 1.
  bool is_zero(ValueId v, int lead) const {
    if (stages_.variable_leads.empty()) return false;
    if (v < num_variables_) return stages_.variable_leads[v] <= lead;
    return v >= leaves() && is_zero_[v - leaves()] && lead_[v - leaves()] == lead;
  }

  // The instruction from stage 1 on, without the terms that are 0.
  SeriesInstruction without_zeros(std::size_t i) const {
    SeriesInstruction out = rules_[i];
    if (out.rule == nullptr) return out;
    const bool a = is_zero(out.a, lead_[i]), b = is_zero(out.b, lead_[i]);
    if (out.rule == &operation(Op::Add).taylor || out.rule == &operation(Op::Sub).taylor) {
      drop_operands(out, a, b);
    } else if (out.rule == &operation(Op::Mul).taylor && (a || b)) {
      if (!b) std::swap(out.a, out.b);
      out.rule = a && b ? &operations::kMulInner : &operations::kMulOpen;
    } else if (out.rule == &operations::kSquare && a) {
      out.rule = &operations::kSquareInner;
    }
    return out;
  }

  template <typename F, typename R>
  std::vector<SeriesGroup> by_lead(F&& is_in, R&& rule_of) const {
    std::map<int, SeriesGroup, std::greater<>> groups;
    for (std::size_t i = 0; i < lead_.size(); ++i) {
      if (is_in(i)) {
        groups[lead_[i]].entries.push_back({static_cast<std::uint32_t>(i), rule_of(i)});
      }
    }
    std::vector<SeriesGroup> result;
    for (auto& [lead, group] : groups) result.push_back({lead, std::move(group.entries), {}});
    return result;
  }

  const Program& program_;
  const std::vector<SeriesInstruction>& rules_;
  std::size_t num_variables_;
  const SeriesStages& stages_;
  std::vector<int> lead_;
  std::vector<char> is_open_, is_needed_, is_zero_, is_last_;
};

// The values that stages from 1 on read or write.
std::vector<char> find_late_values(const SeriesProgram& series) {
  std::vector<char> is_late(series.program.num_values(), false);
  for (const auto* groups : {&series.later, &series.corrections, &series.last}) {
    for (const SeriesGroup& group : *groups) {
      for (const auto& [n, by] : group.entries) {
        if (by.rule == nullptr) continue;
        for (const std::size_t v : {series.program.num_leaves() + n, std::size_t{by.a},
                                    std::size_t{by.b}, std::size_t{by.c}}) {
          is_late[v] = true;
        }
      }
    }
  }
  return is_late;
}

}  // namespace

bool SeriesInstruction::is_linear() const {
  return rule == &operation(Op::Neg).taylor || rule == &operation(Op::Add).taylor ||
         rule == &operation(Op::Sub).taylor || rule == &operations::kScale ||
         rule == &operations::kDivStatic || rule == &operations::kCopy;
}

SeriesLayout lay_out(const SeriesProgram& series, std::size_t stride) {
  const std::vector<char> is_late = find_late_values(series);
  const std::size_t n = series.program.num_values();
  SeriesLayout layout{std::vector<SeriesPlace>(n), 0};
  for (const bool late : {true, false}) {
    for (const bool has_orders : {false, true}) {
      for (std::size_t v = 0; v < n; ++v) {
        if (is_late[v] != late || series.has_history[v] != has_orders) continue;
        layout.place[v] = SeriesPlace(layout.size, has_orders);
        layout.size += has_orders ? stride : 1;
      }
    }
  }
  return layout;
}

SeriesProgram lower_series(std::span<const Expr> variables, std::span<const Expr> parameters,
                           std::span<const Expr> outputs, const SeriesStages& stages) {
  // Companions and their nodes are lowered as further outputs; that tells their values' numbers.
  // They come first, so that a companion stands before its node where it can: pow reads order k
  // of its companion at order k.
  std::vector<Expr> inputs(variables.begin(), variables.end());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  std::vector<Expr> all;
  if (Graph* graph = graph_of(outputs)) {
    for (const Companion& c : find_companions(*graph, variables, outputs)) {
      all.insert(all.end(), {c.series, c.node});
    }
  }
  const auto num_companions = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), outputs.begin(), outputs.end());
  SeriesProgram result{lower(inputs, all), {}, {}, {}, {}, {}, {}, {}, {}};
  std::vector<SeriesInstruction> rules;  // one an instruction of the program
  Program& program = result.program;
  std::unordered_map<ValueId, ValueId> companion_of;
  for (auto it = program.outputs.begin(); it != program.outputs.begin() + num_companions; it += 2) {
    companion_of.emplace(it[1], it[0]);
  }
  program.outputs.erase(program.outputs.begin(), program.outputs.begin() + num_companions);

  result.is_read.assign(program.num_inputs(), false);
  const auto note = [&](ValueId v) {
    if (program.is_input(v)) result.is_read[v] = true;
  };
  for (const Instruction& i : program.code) for_each_operand(i, note);
  for (const ValueId output : program.outputs) note(output);

  std::vector<char> is_static(program.num_values(), true);
  for (std::size_t v = 0; v < variables.size(); ++v) is_static[v] = false;
  const std::size_t leaves = program.num_leaves();
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const Instruction& instruction = program.code[n];
    bool all_static = true;
    for_each_operand(instruction, [&](ValueId v) { all_static = all_static && is_static[v]; });
    is_static[leaves + n] = all_static;
    const auto it = companion_of.find(static_cast<ValueId>(leaves + n));
    rules.push_back(all_static ? SeriesInstruction{}
                               : choose_rule(program, instruction, is_static,
                                             it == companion_of.end() ? nullptr : &it->second));
  }
  const Schedule schedule(program, rules, variables.size(), stages);
  result.groups = schedule.groups();
  result.later = schedule.later();
  result.corrections = schedule.corrections();
  result.last = schedule.last();
  result.has_history = schedule.has_history();
  result.needs_zero = schedule.needs_zero();
  result.needs_zero.resize(program.num_inputs());
  result.is_read_later = find_late_values(result);
  result.is_read_later.resize(program.num_inputs());
  return result;
}

}  // namespace koppel
