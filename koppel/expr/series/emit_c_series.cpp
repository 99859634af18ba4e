#include <koppel/expr/series/emit_c_series.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <koppel/expr/code/c_expression.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/series/series_program.hpp>

namespace koppel {
namespace {

// Series store every value, and what looks for dead stores is the slowest pass of all.
constexpr std::size_t kSeriesChunk = 100;

// Statements, split into functions of at most kSeriesChunk, and a function that calls them all.
std::string emit_chunked(const std::string& name, const std::string& parameters,
                         const std::string& arguments, const std::vector<std::string>& lines) {
  std::string out, calls;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (n % kSeriesChunk == 0) {
      const std::string part = name + '_' + std::to_string(n / kSeriesChunk);
      out += (n == 0 ? "" : "}\n") + ("static void " + part) + '(' + parameters + ") {\n";
      calls += "  " + part + '(' + arguments + ");\n";
    }
    out += "  " + lines[n] + '\n';
  }
  if (!lines.empty()) out += "}\n";
  if (lines.empty()) {
    for (const char c : arguments) {
      if (c >= 'a' && c <= 'z') calls += std::string("  (void)") + c + ";\n";  // one letter each
    }
  }
  return out + "static void " + name + '(' + parameters + ") {\n" + calls + "}\n";
}

// Series: for each group of instructions a function for order 0 and one for higher orders, and a
// function that calls them for a stage. Values without history that are read in their own function
// only are variables of it.
class SeriesEmitter {
 public:
  SeriesEmitter(const SeriesProgram& series, const SeriesLayout& layout, std::string_view name)
      : series_(series), layout_(layout), name_(name), is_stored_(layout.place.size(), false) {
    find_stored();
  }

  std::string emit() {
    return emit_c_tables(series_.program, name_) + emit_stage(name_ + "_first", series_.groups, 0) +
           emit_stage(name_ + "_later", series_.later, 1) + "void " + name_ +
           "(int k, double* c) {\n  if (k > 0) " + name_ + "_later(k, c);\n  else " + name_ +
           "_first(k, c);\n}\n" + emit_stage(name_ + "_correct", series_.corrections, -1) +
           emit_stage(name_ + "_last", series_.last, -1);
  }

 private:
  using Entry = SeriesGroup::Entry;

  std::string offset(std::size_t v) const { return std::to_string(layout_.place[v].offset()); }
  std::size_t value_of(std::uint32_t n) const { return series_.program.num_leaves() + n; }

  // What an instruction reads, at order 0 and above.
  template <typename F>
  void for_each_read(const Entry& entry, bool at_zero, F&& f) const {
    if (at_zero) {
      for_each_operand(series_.program.code[entry.instruction], f);
    } else if (entry.by.rule != nullptr) {
      for (const ValueId v : {entry.by.a, entry.by.b, entry.by.c}) f(v);
    }
  }

  // Values that have history, that the caller reads, or that are read in another group than their
  // own, in another stage, or after the stage is solved.
  void find_stored() {
    std::vector<int> lead(is_stored_.size(), 0);
    std::vector<char> is_corrected(is_stored_.size(), false), is_static(is_stored_.size(), false);
    std::vector<char> is_last(is_stored_.size(), false);
    for (std::size_t v = 0; v < is_stored_.size(); ++v) {
      is_stored_[v] = layout_.place[v].has_orders();
    }
    for (const ValueId v : series_.program.outputs) is_stored_[v] = true;
    for (const auto* groups : {&series_.groups, &series_.last}) {
      for (const SeriesGroup& group : *groups) {
        for (const Entry& entry : group.entries) {
          lead[value_of(entry.instruction)] = group.lead;
          is_static[value_of(entry.instruction)] = entry.by.rule == nullptr;
          is_last[value_of(entry.instruction)] = groups == &series_.last;
        }
      }
    }
    for (const SeriesGroup& group : series_.corrections) {
      for (const Entry& entry : group.entries) is_corrected[value_of(entry.instruction)] = true;
    }
    for (const auto* groups :
         {&series_.groups, &series_.later, &series_.corrections, &series_.last}) {
      for (const SeriesGroup& group : *groups) {
        for (const Entry& entry : group.entries) {
          for (const bool at_zero : {true, false}) {
            for_each_read(entry, at_zero, [&](ValueId v) {
              if (lead[v] != group.lead || (is_static[v] && !at_zero)) is_stored_[v] = true;
              if (groups == &series_.corrections && !is_corrected[v]) is_stored_[v] = true;
              if (groups == &series_.last && !is_last[v]) is_stored_[v] = true;
            });
          }
        }
      }
    }
  }

  // A value at order 0, and its coefficient of order k.
  std::string value(ValueId v) const {
    if (is_local_[v]) return local(v);
    return series_.program.is_constant(v) ? c_number(series_.program.constant(v))
                                          : "c[" + offset(v) + ']';
  }
  std::string coefficient(std::size_t v) const {
    if (is_local_[v]) return local(v);
    return "c[" + offset(v) + (layout_.place[v].has_orders() ? " + k]" : "]");
  }
  static std::string local(std::size_t v) { return 'v' + std::to_string(v); }
  std::string assign(std::size_t v, const std::string& place) const {
    return is_local_[v] ? "const double " + local(v) + " = " : place + " = ";
  }

  std::string value_line(std::uint32_t n) const {
    const Instruction& i = series_.program.code[n];
    const bool is_table = i.op == Op::Table;
    return assign(value_of(n), "c[" + offset(value_of(n)) + ']') +
           c_expression(series_.program, name_, i, value(i.a), is_table ? "" : value(i.b),
                        is_table ? "" : value(i.c)) +
           ';';
  }

  std::string order_line(const Entry& entry) const {
    const SeriesInstruction& i = entry.by;
    const std::size_t v = value_of(entry.instruction);
    const std::string r = assign(v, coefficient(v));
    const auto is = [&](Op op) { return i.rule == &operation(op).taylor; };
    if (i.rule == &operations::kCopy) return r + coefficient(i.a) + ';';
    if (is(Op::Neg)) return r + '-' + coefficient(i.a) + ';';
    if (is(Op::Add)) return r + coefficient(i.a) + " + " + coefficient(i.b) + ';';
    if (is(Op::Sub)) return r + coefficient(i.a) + " - " + coefficient(i.b) + ';';
    if (i.rule == &operations::kScale) return r + value(i.a) + " * " + coefficient(i.b) + ';';
    if (i.rule == &operations::kDivStatic) return r + coefficient(i.a) + " / " + value(i.b) + ';';
    return r + i.rule->name + "(c + " + offset(v) + ", c + " + offset(i.a) + ", c + " +
           offset(i.b) + ", c + " + offset(i.c) + ", k);";
  }

  // The statements of a group for order 0 or above, with local variables for what is read in its
  // own chunk only.
  std::vector<std::string> lines_of(const SeriesGroup& group, bool at_zero) {
    std::vector<std::string> lines;
    std::vector<Entry> entries;
    is_local_.assign(is_stored_.size(), false);
    if (!at_zero) {
      for (const std::uint32_t n : group.zeros) lines.push_back(coefficient(value_of(n)) + " = 0;");
    }
    for (const Entry& entry : group.entries) {
      if (at_zero || entry.by.rule != nullptr) entries.push_back(entry);
    }
    const auto chunk_at = [&](std::size_t i) {
      return (group.zeros.size() * !at_zero + i) / kSeriesChunk;
    };
    std::vector<std::size_t> chunk(is_stored_.size(), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t v = value_of(entries[i].instruction);
      chunk[v] = chunk_at(i);
      is_local_[v] = !is_stored_[v];
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for_each_read(entries[i], at_zero, [&](ValueId v) {
        if (chunk[v] != chunk_at(i)) is_local_[v] = false;
      });
    }
    for (const Entry& entry : entries) {
      lines.push_back(at_zero ? value_line(entry.instruction) : order_line(entry));
    }
    return lines;
  }

  // For stages up to 0 (which = 0), from 1 on (1), or all (−1).
  std::string emit_stage(const std::string& name, const std::vector<SeriesGroup>& groups,
                         int which) {
    std::string out, calls;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const SeriesGroup& group = groups[g];
      const std::string part = name + "_g" + std::to_string(g);
      const std::string order = "k + " + std::to_string(group.lead);
      if (which != 1) {
        out += emit_chunked(part + "_values", "double* c", "c", lines_of(group, true));
        calls += "  if (" + order + " == 0) " + part + "_values(c);\n";
      }
      if (which != 0 || group.lead > 0) {
        out += emit_chunked(part + "_order", "double* c, int k", "c, k", lines_of(group, false));
        calls += "  if (" + order + " > 0) " + part + "_order(c, " + order + ");\n";
      }
    }
    const std::string linkage = which < 0 ? "void " : "static void ";
    return out + linkage + name + "(int k, double* c) {\n  (void)k; (void)c;\n" + calls + "}\n";
  }

  const SeriesProgram& series_;
  const SeriesLayout& layout_;
  std::string name_;
  std::vector<char> is_stored_;  // for each value, whether it stands in memory
  std::vector<char> is_local_;   // in the function being written, whether it is a variable
};

}  // namespace

std::string emit_c_series(const SeriesProgram& series, const SeriesLayout& layout,
                          std::string_view name) {
  return SeriesEmitter(series, layout, name).emit();
}

std::string emit_c_expansion(const SeriesExpansion& expansion, const SeriesLayout& layout,
                             std::string_view name) {
  using Term = SeriesExpansion::Term;
  const auto coefficient = [&](const Term& term) {
    const SeriesPlace place = layout.place[term.value];
    if (!place.has_orders()) return "c[" + std::to_string(place.offset()) + ']';
    return "c[k + " + std::to_string(place.of_order(term.lead)) + ']';
  };
  const auto times = [](char factor, int lead) {
    return lead > 0 ? std::string(" * ") + factor + std::to_string(lead) : std::string();
  };
  const auto set_zero = [&](const std::vector<Term>& terms) {
    std::string out;
    for (const Term& term : terms) out += "    " + coefficient(term) + " = 0;\n";
    return out;
  };
  const auto put_results = [&](const std::vector<Term>& terms) {
    std::string out;
    for (const Term& term : terms) {
      out += "    " + coefficient(term) + " = X[" + std::to_string(term.number) + ']' +
             times('r', term.lead) + ";\n";
    }
    return out;
  };
  std::string scales, sides;
  for (int o = 1; o <= expansion.most; ++o) {
    const std::string n = std::to_string(o);
    scales += "    const double s" + n + " = " +
              (o > 1 ? 's' + std::to_string(o - 1) + " * " : "") + "(k + " + n + "), r" + n +
              " = 1 / s" + n + ";\n";
  }
  for (const Term& term : expansion.sides) {
    sides += "    in[" + std::to_string(term.number) + "] = -" + coefficient(term) +
             times('s', term.lead) + ";\n";
  }
  const std::string prefix(name);
  return "void " + prefix +
         "_expand(int k, int last, double* c, double* in, double* X, double* work) {\n" +
         "  for (; k <= last; ++k) {\n" + scales + "    if (k == 0) {\n" +
         set_zero(expansion.first_zeros) + "    }\n" + set_zero(expansion.zeros) + "    " + prefix +
         "(k, c);\n" + sides + "    " + prefix + "_solve(in, X, work);\n" +
         put_results(expansion.results) + "    if (k == 0) {\n" +
         put_results(expansion.first_results) + "    }\n    " + prefix +
         "_correct(k, c);\n  }\n}\n";
}

}  // namespace koppel
