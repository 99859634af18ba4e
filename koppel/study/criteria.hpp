// Criteria: a run in a few numbers. Each is a quantity over time, reduced: its value at the end,
// its smallest and largest value, its mean, its integral over time; or the time of an event.
//
//   "x"  "bob.y:min"  "0.5*m*vx^2:max"  "effort = abs(motor.torque):integral"  "landing:time"
//
// A quantity is a column of the trajectory (an output, a coordinate, an energy), or any expression
// of the model's quantities, rates, parameters and time. All is computed from the rows: a smooth
// extremum between them is that of the quartic through five of them, integrals are of the fourth
// order in their distance.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/results/summary.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

enum class Reduce { Final, Min, Max, Mean, Integral, Time };

struct Criterion {
  std::string label;  // "bob.y:min"
  std::string
      quantity;  // "bob.y"; with Time the name of an event, which counts when it happens first
  Reduce reduction = Reduce::Final;
};

const char* name_of(Reduce reduction);
std::string to_string(
    const Criterion& criterion);  // what it is, whatever it is called: "bob.y:min"

// Throws Error `study.bad-criterion`.
Criterion parse_criterion(std::string_view text);
// Results are told apart by their labels. Throws the same where two are equal.
void check_labels(std::span<const Criterion> criteria);

// What a model is asked for where nothing else is said: its outputs at the end.
std::vector<Criterion> criteria_of(const Model& model);

// Makes expressions that are no column of the model's trajectory outputs of it. `columns` has the
// names of the columns that it has by itself. Throws Error `study.unknown-quantity`, with a
// suggestion, and `study.unknown-event`.
void add_quantities(std::span<const Criterion> criteria, std::span<const std::string> columns,
                    Model& model);

double reduce(std::span<const double> t, std::span<const double> values, Reduce reduction);

// One number for each criterion; not a number where a value of the quantity is not finite, or the
// event did not happen.
std::vector<double> evaluate(std::span<const Criterion> criteria, const Trajectory& trajectory,
                             std::span<const Summary::Event> events = {});

// ∫ values dt: over each interval the mean of the parabolas through its ends and the neighbours on
// either side, exact for cubic polynomials on equal distances.
double integrate_samples(std::span<const double> t, std::span<const double> values);

}  // namespace koppel
