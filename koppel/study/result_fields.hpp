// The tables of what studies say (base/result.hpp).
#pragma once

#include <koppel/base/result.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/optimize.hpp>
#include <koppel/study/sensitivity.hpp>

namespace koppel {

// An optimum and what was asked for.
struct OptimumSummary {
  const Optimum* optimum = nullptr;
  const OptimizeOptions* options = nullptr;
};

const ResultTable& result_fields(const Sensitivity* /*of*/);
const ResultTable& result_fields(const Fit::OfColumn* /*of*/);
const ResultTable& result_fields(const Fit* /*of*/);
const ResultTable& result_fields(const OptimumSummary* /*of*/);

}  // namespace koppel
