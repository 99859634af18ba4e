#include <algorithm>
#include <set>

#include <koppel/expr/text/print.hpp>
#include <koppel/expr/text/writer.hpp>

namespace koppel {
namespace {

// A number, a symbol, or the negative or a multiple of anything else: not worth a name.
bool is_trivial(Expr e) {
  const auto is_multiple = [](Expr m) {
    return m.is(Op::Neg) || (m.is(Op::Mul) && m.operand(0).is_constant());
  };
  if (e.num_operands() == 0) return true;
  return is_multiple(e) && !is_multiple(e.operand(e.num_operands() - 1));
}

// How often each node would be written if those that occur more than once had names. Ascending
// ids are a topological order, so that one sweep down from the highest suffices.
std::vector<NodeId> count_uses(Graph& graph, std::span<const NamedExpr> expressions) {
  std::vector<NodeId> uses;
  for (const NamedExpr& named : expressions) {
    if (named.value.graph() == nullptr) continue;
    const NodeId id = graph.adopt(named.value);  // refuses those of another graph
    if (id >= uses.size()) uses.resize(id + 1, 0);
    ++uses[id];
  }
  for (auto id = static_cast<NodeId>(uses.size()); id-- > 0;) {
    if (uses[id] == 0) continue;
    const Expr e(graph, id);
    const NodeId times = is_trivial(e) ? uses[id] : 1;
    const bool square = e.is(Op::Mul) && e.operand(0) == e.operand(1);
    for (int i = square ? 1 : 0; i < e.num_operands(); ++i) {
      NodeId& count = uses[e.operand(i).id()];
      count = std::max(count, count + times);
    }
  }
  return uses;
}

std::unique_ptr<Writer> make_writer(const ListingOptions& options) {
  switch (options.notation) {
    case Notation::Latex: return make_latex_writer(options.max_bytes);
    case Notation::Matlab: return make_matlab_writer(options.max_bytes);
    default: return make_text_writer(options.max_bytes);
  }
}

class Listing {
 public:
  Listing(std::span<const NamedExpr> expressions, const ListingOptions& options)
      : expressions_(expressions),
        options_(options),
        latex_(options.notation == Notation::Latex),
        writer_(make_writer(options)) {
    for (const NamedExpr& s : options.symbols) writer_->names.emplace(s.value.id(), s.name);
    writer_->table_names = options.tables;
  }

  std::string make() {
    if (latex_) writer_->append("\\begin{aligned}\n");
    for (const NamedExpr& named : expressions_) {
      if (named.value.graph() != nullptr) {
        list_common_parts(*named.value.graph());
        break;
      }
    }
    for (const NamedExpr& named : expressions_) {
      const bool is_common =
          named.value.graph() != nullptr && writer_->names.contains(named.value.id());
      list(named.name, named.value, is_common);
    }
    if (latex_) writer_->append("\n\\end{aligned}\n");
    return writer_->take();
  }

 private:
  void list_common_parts(Graph& graph) {
    const std::vector<NodeId> uses = count_uses(graph, expressions_);
    std::set<std::string_view> taken;
    for (const NamedExpr& named : expressions_) taken.insert(named.name);
    for (const NamedExpr& named : options_.symbols) taken.insert(named.name);
    for (const auto& [table, name] : options_.tables) taken.insert(name);
    int number = 0;
    for (NodeId id = 0; id < uses.size(); ++id) {
      const Expr e(graph, id);
      if (uses[id] < 2 || is_trivial(e)) continue;
      std::string name;
      do {
        name = options_.prefix + std::to_string(++number);
      } while (graph.find_symbol(name) != nullptr || taken.contains(name));
      list(name, e, false);
      writer_->names.emplace(id, writer_->symbol(name));
    }
  }

  void list(const std::string& name, Expr e, bool is_common) {
    if (latex_ && !first_) writer_->append(" \\\\\n");
    first_ = false;
    writer_->append(writer_->symbol(name));
    writer_->append(latex_ ? " &= " : " = ");
    if (is_common) {
      writer_->append(writer_->names.at(e.id()));
    } else {
      writer_->write(e);
    }
    if (!latex_) writer_->append(options_.notation == Notation::Matlab ? ";\n" : "\n");
  }

  std::span<const NamedExpr> expressions_;
  const ListingOptions& options_;
  bool latex_;
  std::unique_ptr<Writer> writer_;
  bool first_ = true;
};

}  // namespace

std::string to_listing(std::span<const NamedExpr> expressions, const ListingOptions& options) {
  return Listing(expressions, options).make();
}

}  // namespace koppel
