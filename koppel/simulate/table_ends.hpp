// Which table a run came to the end of. With `outside: error` a table is not a number beyond its
// points: no step leads there, and steps become shorter until the run fails just before.
#pragma once

#include <string>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// A sentence about the table of the equations of motion whose end is reached; empty: none.
std::string describe_table_end(const Equations& equations, const State& reached);

// The first table with `outside: error` that an expression uses; empty: none.
std::string table_that_ends(const Equations& equations, Expr value);

}  // namespace koppel
