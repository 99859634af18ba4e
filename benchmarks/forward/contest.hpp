// Work against precision: programs that compute the same motion, each over a range of settings,
// and the least time with which each reaches an accuracy.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace koppel::benchmarks {

struct Contestant {
  std::string name;
  std::vector<double> settings;                 // tolerances or steps, from coarse to fine
  std::function<bool(double setting)> run;      // what is timed; false: it failed
  std::function<std::vector<double>()> result;  // of the last run
  std::function<long()> steps = nullptr;        // of the last run
  std::function<void()> prepare = nullptr;      // before the first run, not timed
};

// Tolerances, two for every power of ten.
std::vector<double> tolerances(double from, double to);
// `end` divided into 2^k · least equal steps, as long as they are at most `most`.
std::vector<double> step_sizes(double end, long least, long most);

// What to run, where not all: a mechanism, a contestant and a setting, once and untimed (for
// counting instructions), or all that print their points.
struct Selection {
  std::string mechanism, contestant;
  double setting = 0;
  bool prints_points = false;
};
Selection& selection();

class Contest {
 public:
  Contest(std::string mechanism, std::vector<double> reference);

  // Runs all settings, as far as they are quick enough and the error still falls. Contestants of
  // one name count as one with more settings.
  void enter(const Contestant& contestant);
  // Accuracies 1e-4 … 1e-12 and the times of all.
  void print() const;

  // The least time of all contestants whose name begins so, with at most this error, also of the
  // next finer setting; infinite where none reaches it.
  double seconds(std::string_view name, double accuracy) const;
  bool has(std::string_view name) const;
  // Whether another mechanism is selected.
  bool is_skipped() const;

 private:
  struct Point {
    double setting, error, seconds;
    long steps;
    double trusted = 0;  // the larger of the error and that of the next finer setting
  };
  struct Curve {
    std::string name;
    std::vector<Point> points;
  };
  double error_of(const std::vector<double>& result) const;
  static double seconds_of(const Curve& curve, double accuracy);

  std::string mechanism_;
  std::vector<double> reference_;
  std::vector<Curve> curves_;
};

// A row of the table at the end.
struct Target {
  std::string what, wanted;
  double measured;
  bool is_met;
};
void add_target(std::string what, std::string wanted, double measured, bool is_met);
// How many times faster ours shall be.
void add_speedup(std::string what, double other, double ours, double at_least);
// How many times slower ours may be.
void add_slowdown(std::string what, double ours, double other, double at_most);
void print_targets();

// The least processor time of some runs.
double least_seconds(const std::function<void()>& work);
std::string milliseconds(double seconds);  // three digits; — where infinite
std::string scientific(double value);

}  // namespace koppel::benchmarks
