// All of Koppel's public interface. A program that cares about its compile time includes
// the headers it needs instead.
#pragma once

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/calculus.hpp>
#include <koppel/expr/expr.hpp>
#include <koppel/expr/function.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/expr/parse.hpp>
#include <koppel/expr/print.hpp>
#include <koppel/expr/series.hpp>
#include <koppel/expr/simplify.hpp>
#include <koppel/expr/structure.hpp>
#include <koppel/expr/table.hpp>
#include <koppel/version.hpp>
