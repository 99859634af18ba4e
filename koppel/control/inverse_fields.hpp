// The tables of what an inverse simulation says (base/result.hpp).
#pragma once

#include <koppel/base/result.hpp>
#include <koppel/control/inverse_summary.hpp>

namespace koppel {

const ResultTable& result_fields(const Verification* /*of*/);
const ResultTable& result_fields(const RobustnessCase* /*of*/);
const ResultTable& result_fields(const InputSummary* /*of*/);
const ResultTable& result_fields(const InverseSummary* /*of*/);

}  // namespace koppel
