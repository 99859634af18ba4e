// Parameters from measurements: those that bring the quantities of a run nearest to what was
// measured,
//
//   minimise  Σ_c Σ_i (y_c(t_i; θ) − d_ci)² / σ_c²                                           (1)
//
// by Levenberg and Marquardt's method with exact derivatives of the run [Marquardt 1963]. Where the
// noise σ_c of a column is not given it is estimated from what remains, and (1) is solved again
// with it. At the solution, with J the derivatives of the residuals,
//
//   C = (JᵀJ)⁻¹,   θ_j ± t_j √C_jj                                                          (2)
//
// t_j the 97.5 % point of Student's distribution, for as many degrees of freedom as the estimates
// of noise that matter for θ_j have; C is larger where columns weigh by such estimates
// (fit_statistics.hpp).
// Where an event stops the run, rows up to there count. Which these are depends on θ: (1) is solved
// with the run as if it went on, and again until its rows are those before the stop of its
// solution. Directions of θ that J hardly sees are told by name. Profile likelihood [Raue et al.
// 2009] gives intervals beyond the linear (2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/study/samples.hpp>
#include <koppel/study/sensitivity.hpp>

namespace koppel {

// A parameter, within bounds where low < high.
using Fitted = Range;
// "k", "k=1e3:1e5". Throws Error `study.bad-range`.
Fitted parse_fitted(const std::string& text);

struct FitOptions {
  SimulateOptions run = {};          // up to the last time of the data that counts
  std::optional<double> until = {};  // measurements after it are left out
  std::vector<Fitted> over = {};
  std::vector<std::string> columns = {};  // of the data; empty: all that the model knows
  struct Noise {
    std::string column;
    double sigma;
  };
  std::vector<Noise> noise = {};
  bool with_profiles = false;
  int max_iterations = 50;

  // Throws Error `study.bad-option`.
  void validate() const;
};

struct Fit {
  enum class End { Converged, TooManyIterations, Stopped, Failed } end = End::Failed;
  std::string text;   // why it failed
  std::string doubt;  // why the run with these values should not be trusted; empty: it should
  std::vector<std::string> parameters;
  std::vector<double> before, values;
  std::vector<double> deviations;  // standard, by (2); infinite: not determined
  std::vector<double> half_width;  // of the interval of 95 %
  Matrix covariance;               // empty where some direction is not determined
  struct Interval {
    double low, high;  // infinite: the data do not bound it
  };
  std::vector<Interval> profiles;  // of 95 %; where asked for
  struct OfColumn {
    std::string name;
    std::size_t num_values = 0, num_gaps = 0;
    double rms_before = 0, rms = 0, sigma = 0;
    bool is_noise_given = false;
  };
  std::vector<OfColumn> columns;
  std::vector<std::string> ignored;       // columns of the data that the model does not know
  std::vector<std::string> undetermined;  // directions, in words
  std::vector<std::string> at_bounds;
  // Where an event stops the run with these values, rows after that are not compared.
  std::optional<double> stop;
  std::size_t num_rows_left_out = 0;
  long runs = 0;
};

// The last time of the data, s.
double end_of(const Trajectory& data);

// The first column of the data is the time, ascending; empty fields are gaps. Headers
// may have units (column_unit.hpp); values are in SI units where there is none. Throws Error
// `study.bad-data`, `study.bad-option`, and as StudiedParameters does.
Fit fit(const Model& model, const std::vector<ParameterOrigin>& origins, const Trajectory& data,
        const FitOptions& options);
Fit fit(const Model& model, const Trajectory& data,
        const FitOptions& options);  // no parameter follows from others

const char* name_of(Fit::End end);
std::string to_text(const Fit& fit);
std::string to_json(const Fit& fit);

}  // namespace koppel
