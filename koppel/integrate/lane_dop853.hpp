// The accurate integrator of exported code (runtime/accurate.h) for several copies of one system at
// once, one a lane of generated code. Each lane has its own step, error and acceptance; lanes that
// have arrived, or whose step failed, wait for the others with a step of 0. Each has the bits that
// it has alone.
//
//   LaneDop853 integrator(rates, project, 6, 4, 1e-8);
//   integrator.advance(in, t_end, reasons, work);
//
// Rates and projection are functions of a layout (t, h, y, …); a number of it is a row, a value for
// each lane.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/code/lane_function.hpp>
#include <koppel/integrate/lane_kernels.hpp>

namespace koppel {

class LaneDop853 {
 public:
  // `project` gives the first num_moved numbers of y on the constraints; 0: there are none.
  LaneDop853(LaneFunction rates, LaneFunction project, std::size_t num_y, std::size_t num_moved,
             double tolerance, double scale = 1);  // of small values

  std::size_t lanes() const { return static_cast<std::size_t>(kernels_.lanes); }

  struct Work {
    std::vector<double> rates, project;  // of the functions
    std::vector<double> numbers;         // rows
    std::vector<koppel_dop853> control;  // by lane
    std::vector<koppel_dop853_try> tried;
    std::vector<char> is_active, is_good;
  };
  Work make_work() const;

  // From the times of `in` (row 0) to t_end, with the steps to try first (row 1), which become
  // those to try next. A lane whose time is t_end already stays. Reasons are those of runtime/
  // dop853.h, 0: done; else the lane of `in` is the last state that was reached. Allocates nothing.
  void advance(std::span<double> in, std::span<const double> t_end, std::span<int> reasons,
               Work& work) const noexcept;

 private:
  class Run;

  LaneFunction rates_, project_;
  std::size_t num_y_, num_moved_;
  double tolerance_, scale_;
  const LaneKernels& kernels_;
};

}  // namespace koppel
