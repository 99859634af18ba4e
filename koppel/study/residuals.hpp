// What a run differs by from measurements, with derivatives. For sources of this folder only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/study/fit.hpp>
#include <koppel/study/fit_statistics.hpp>
#include <koppel/study/traced_motion.hpp>

namespace koppel {

class Residuals {
 public:
  Residuals(const Model& model, const std::vector<ParameterOrigin>& origins, const Trajectory& data,
            const FitOptions& options);

  const StudiedParameters& space() const { return space_; }
  const std::vector<std::string>& ignored() const { return ignored_; }
  std::size_t size() const { return num_compared_; }
  std::size_t num_parameters() const { return space_.size(); }
  long num_runs() const { return num_runs_; }
  const std::string& why() const { return why_; }  // the last run failed

  struct Values {
    std::vector<double> at;
    std::vector<double> r;  // over σ
    std::vector<double> J;  // by rows; empty: not asked for
    std::string doubt;      // why the run should not be trusted; empty: it should
  };
  // Null where the run fails. Events that stop the run are left out, so that residuals are smooth
  // while the stop moves with the parameters; whoever has found a solution sees to it with
  // stop_at() and compare_up_to() that all points are before its stop.
  const Values* at(const std::vector<double>& parameters, bool with_slopes);
  double sum_of_squares(const std::vector<double>& parameters);

  // When an event stops the run, within the times of the data.
  std::optional<double> stop_at(const std::vector<double>& parameters);
  // Which points are compared: those up to the stop of a run, all where there is none; of those
  // compared now where they must not grow. True where they change.
  bool compare_up_to(std::optional<double> stop, bool may_grow);
  std::size_t num_rows_left_out() const;  // times with points that are not compared

  // Other σ for columns whose noise is not given, from what remains; false: they are right to 1 %,
  // and stay.
  bool estimate_noise(const std::vector<double>& parameters);
  FitStatistics statistics(const Values& values) const;  // of values with slopes
  void describe(const Values& values, std::vector<Fit::OfColumn>& columns, bool is_before) const;

 private:
  struct Measured {
    std::string name;      // in the data, with its unit
    std::string quantity;  // of the model
    double factor = 1;     // from the column's unit to SI
    double sigma = 1;      // SI
    bool is_noise_given = false;
    std::size_t num_gaps = 0;
  };
  struct Point {
    double t;
    std::size_t column;
    double value;
  };
  std::span<const Point> compared() const { return std::span(points_).first(num_compared_); }
  TraceOptions trace_options(std::span<const Point> points, Model& model) const;
  void take_columns(const Trajectory& data, const FitOptions& options);
  void check_units(const Model& model, const std::vector<std::string>& si) const;
  void check_time_column(const Trajectory& data) const;
  void take_points(const Trajectory& data);
  std::vector<double> root_mean_squares(const Values& values) const;  // SI

  FitOptions options_;
  StudiedParameters space_;
  std::vector<Measured> columns_;
  std::vector<std::size_t> data_columns_;
  std::vector<Point> points_;     // by time
  std::size_t num_compared_ = 0;  // the first of them
  std::vector<std::string> ignored_;
  std::optional<Values> last_;
  long num_runs_ = 0;
  std::string why_;
};

}  // namespace koppel
