// The tables of what summaries say (base/result.hpp).
#pragma once

#include <koppel/base/result.hpp>
#include <koppel/results/excess.hpp>
#include <koppel/results/summary.hpp>

namespace koppel {

const ResultTable& result_fields(const Health* /*of*/);
const ResultTable& result_fields(const Health::Reason* /*of*/);
const ResultTable& result_fields(const Excess* /*of*/);
const ResultTable& result_fields(const ColumnStatistics* /*of*/);
const ResultTable& result_fields(const Summary::Code* /*of*/);
const ResultTable& result_fields(const Summary::Event* /*of*/);
const ResultTable& result_fields(const Summary::Passage* /*of*/);
const ResultTable& result_fields(const Summary* /*of*/);

}  // namespace koppel
