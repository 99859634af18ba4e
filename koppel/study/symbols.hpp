// Lists of symbols, for sources of this folder only.
#pragma once

#include <string>
#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

using Exprs = std::vector<Expr>;

inline Exprs join(std::initializer_list<Exprs> parts) {
  Exprs all;
  for (const Exprs& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// name[0], name[1], …
inline Exprs make_symbols(Graph& graph, const char* name, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(graph.symbol(name + ('[' + std::to_string(i) + ']')));
  }
  return out;
}

}  // namespace koppel
