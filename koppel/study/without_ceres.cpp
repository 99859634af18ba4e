// In the place of least_squares.cpp where Ceres was not found when configuring.
#include <koppel/base/diagnostic.hpp>
#include <koppel/study/least_squares.hpp>

namespace koppel {

LeastSquaresEnd solve(const LeastSquares&, std::vector<double>&) {
  throw Error("study.no-library", "this build has no Ceres, which fits parameters.",
              "Install libceres-dev and build again; bin/koppel then does so by itself.");
}

}  // namespace koppel
