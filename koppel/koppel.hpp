// All of Koppel's public interface. A program that cares about its compile time includes
// the headers it needs instead.
#pragma once

#include <koppel/analysis/accelerations.hpp>
#include <koppel/analysis/assembly.hpp>
#include <koppel/analysis/driven_motion.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/linearize.hpp>
#include <koppel/analysis/rank.hpp>
#include <koppel/analysis/statics.hpp>
#include <koppel/analysis/structural.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/control/robustness.hpp>
#include <koppel/equations/derive.hpp>
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
#include <koppel/live/file_channel.hpp>
#include <koppel/live/live.hpp>
#include <koppel/live/shared_channel.hpp>
#include <koppel/live/udp_channel.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/results/report.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/simulate/compare.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/version.hpp>
