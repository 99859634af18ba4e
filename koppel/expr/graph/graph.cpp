#include <koppel/expr/graph/graph.hpp>

#include <cassert>
#include <cmath>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/printable.hpp>
#include <koppel/base/text.hpp>
#include <koppel/base/utf8.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

std::size_t hash(const Node& node) {
  // Two rounds of multiply and fold (Fibonacci constants) over the 16 bytes.
  std::uint64_t h = static_cast<std::uint64_t>(node.op) << 32 | node.operand[0];
  h *= 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h ^= std::uint64_t{node.operand[1]} << 32 | node.operand[2];
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ h >> 32;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

void check_name(std::string_view name) {
  if (is_valid_name(name)) return;
  throw Error(
      "expr.bad-name", "'" + std::string(name) + "' cannot name a symbol or a table.",
      "A name is a letter, then letters, digits, dots or an index like [3], then quotes for "
      "time derivatives; it is not a function or a constant.");
}

}  // namespace

bool is_valid_name(std::string_view name) {
  std::string_view rest = name;
  while (rest.ends_with('\'')) rest.remove_suffix(1);
  if (rest.empty() || !is_letter(rest[0]) || rest.back() == '.' || !is_utf8(rest)) return false;
  if (control_length(rest) > 0) return false;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (control_length(rest.substr(i)) > 0) return false;
    if (rest[i] == '[') {
      const std::size_t first = ++i;
      while (i < rest.size() && is_digit(rest[i])) ++i;
      if (i == first || i == rest.size() || rest[i] != ']') return false;
    } else if (!is_letter(rest[i]) && !is_digit(rest[i]) && rest[i] != '.') {
      return false;
    }
  }
  return find_function(rest) == nullptr && rest != "pi";
}

Graph::Graph() : buckets_(1024, 0) {}

Expr Graph::intern(const Node& node) {
  if (4 * (nodes_.size() + 1) > 3 * buckets_.size()) grow();
  const std::size_t mask = buckets_.size() - 1;
  std::size_t bucket = hash(node) & mask;
  while (buckets_[bucket] != 0) {
    const NodeId id = buckets_[bucket] - 1;
    if (nodes_[id] == node) return {*this, id};
    bucket = (bucket + 1) & mask;
  }
  nodes_.push_back(node);
  buckets_[bucket] = static_cast<NodeId>(nodes_.size());
  return {*this, static_cast<NodeId>(nodes_.size() - 1)};
}

void Graph::grow() {
  if (nodes_.size() >= std::size_t{0xFFFFFF00u}) {
    throw Error("expr.too-large",
                "an expression graph is full: it holds 4 thousand million nodes.");
  }
  buckets_.assign(2 * buckets_.size(), 0);
  const std::size_t mask = buckets_.size() - 1;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    std::size_t bucket = hash(nodes_[id]) & mask;
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & mask;
    buckets_[bucket] = id + 1;
  }
}

Expr Graph::constant(double value) {
  if (!std::isfinite(value)) {
    throw Error("expr.not-finite", "a constant of an expression must be a finite number.");
  }
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // −0 is 0
  return intern({Op::Constant, {static_cast<NodeId>(bits), static_cast<NodeId>(bits >> 32), 0}});
}

NodeId Graph::adopt(Expr e) {
  if (e.graph() == this) return e.id();
  if (e.graph() != nullptr) {
    throw Error("expr.mixed-graphs", "expressions of two different graphs cannot be combined.",
                "Make all symbols of a problem in one Graph.");
  }
  return constant(e.value()).id();
}

Expr Graph::symbol(std::string_view name) {
  if (const Expr* known = find_symbol(name)) return *known;
  check_name(name);
  const auto index = static_cast<NodeId>(symbol_names_.size());
  symbol_names_.emplace_back(name);
  const Expr e = intern({Op::Symbol, {index, 0, 0}});
  symbols_.emplace(symbol_names_.back(), e);
  return e;
}

const Expr* Graph::find_symbol(std::string_view name) const {
  const auto it = symbols_.find(name);
  return it == symbols_.end() ? nullptr : &it->second;
}

std::vector<std::string> Graph::symbol_names() const {
  return {symbol_names_.begin(), symbol_names_.end()};
}

Table Graph::add_table(std::string_view name, TableData data) {
  check_name(name);
  if (name.ends_with('\'')) {
    throw Error("expr.bad-name", "the name of a table, '" + std::string(name) +
                                     "', ends in a quote; quotes mean its derivatives.");
  }
  if (find_table(name) != nullptr) {
    throw Error("expr.duplicate-table", "there is a table '" + std::string(name) + "' already.");
  }
  const Table table(*this, static_cast<NodeId>(tables_.size()));
  tables_.push_back({std::string(name), std::move(data)});
  table_handles_.emplace(tables_.back().name, table);
  return table;
}

const Table* Graph::find_table(std::string_view name) const {
  const auto it = table_handles_.find(name);
  return it == table_handles_.end() ? nullptr : &it->second;
}

std::vector<std::string> Graph::table_names() const {
  std::vector<std::string> names;
  for (const NamedTable& table : tables_) names.push_back(table.name);
  return names;
}

std::string_view Table::name() const { return graph_->table_name(index_); }

const TableData& Table::data() const { return graph_->table_data(index_); }

Expr Table::derivative(Expr x, int order) const {
  if (order > data().degree()) return 0;
  if (x.is_constant()) {
    const double value = data().evaluate(x.value(), order);
    if (std::isfinite(value)) return value;
  }
  return graph_->intern({Op::Table, {graph_->adopt(x), index_, static_cast<NodeId>(order)}});
}

std::string_view Expr::name() const {
  assert(is_symbol());
  return graph_->symbol_name(graph_->node(id()));
}

int Expr::num_operands() const { return graph_ == nullptr ? 0 : operation(op()).arity; }

}  // namespace koppel
