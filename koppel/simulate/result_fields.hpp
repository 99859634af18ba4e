// The tables of what a budget and a comparison say (base/result.hpp).
#pragma once

#include <koppel/base/result.hpp>
#include <koppel/simulate/budget.hpp>
#include <koppel/simulate/compare.hpp>

namespace koppel {

const ResultTable& result_fields(const OperationCounts* /*of*/);
const ResultTable& result_fields(const MethodTrial* /*of*/);
const ResultTable& result_fields(const Budget* /*of*/);
const ResultTable& result_fields(const Following* /*of*/);
const ResultTable& result_fields(const Compared* /*of*/);
const ResultTable& result_fields(const Skipped* /*of*/);
const ResultTable& result_fields(const Comparison* /*of*/);

}  // namespace koppel
