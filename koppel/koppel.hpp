// All of Koppel's public interface. A program that cares about its compile time includes
// the headers it needs instead. What is included here, directly or not, is public and installed;
// all other headers are private.
#pragma once

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/motion/driven_motion.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/analysis/motion/statics.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/analysis/structure/structural.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/feedback/robustness.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/export/octave.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/simplify.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/expr.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/table.hpp>
#include <koppel/expr/series/series.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/live/file_channel.hpp>
#include <koppel/live/live.hpp>
#include <koppel/live/shared_channel.hpp>
#include <koppel/live/udp_channel.hpp>
#include <koppel/model/mechanism.hpp>
#include <koppel/model/model.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/problem/problem.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/results/hdf5.hpp>
#include <koppel/results/report.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/simulate/budget.hpp>
#include <koppel/simulate/compare.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/version.hpp>
