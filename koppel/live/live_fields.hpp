// The tables of what a run against the clock says (base/result.hpp).
#pragma once

#include <koppel/base/result.hpp>
#include <koppel/live/live.hpp>

namespace koppel {

struct LiveSummary {
  std::string model;
  const LiveResult* result = nullptr;
};

const ResultTable& result_fields(const Durations* /*of*/);
const ResultTable& result_fields(const LiveSummary* /*of*/);

}  // namespace koppel
