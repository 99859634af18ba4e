// Mechanisms whose motion is known, and how simulations of them are compared with it, for
// tests/validation; tools/validation compares runs of the program in the same way.
//
// Known motions are the files of tests/reference, closed forms, and, where there is nothing else,
// what two sets of coordinates and two integrators agree upon. With y the simulated and r the known
// values of some columns, the errors are
//   at the end, by column    maxᵢ |yᵢ − rᵢ| / |rᵢ|                                        (1)
//   at the end, as a vector  ‖y − r‖₂ / ‖r‖₂                                              (2)
//   over time                maxᵢ (max_t |yᵢ − rᵢ| / max_t |rᵢ|)                          (3)
// and −log₁₀ of an error are its correct digits; those of (1) are the SCD of [Derakhshan
// 2022, 4.3].
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel::problems {

struct Setting {
  std::string coordinates, formulation, integrator;
  double tolerance = 1e-8;
};

struct Comparison {
  bool is_done = false;
  std::string text;                                            // why it did not come to the end
  double reached = 0;                                          // time
  double end_by_column = 0, end_as_vector = 0, over_time = 0;  // (1), (2), (3)
  double energy = 0;  // the largest change of energy, J; NaN where it is not conserved
  long steps = 0;
};

double digits(double error);

// Positions: the columns for (1) and (2). All columns that both have count for (3).
Comparison compare(const Model& model, const Setting& setting, const Trajectory& known,
                   std::span<const std::string> positions);

Model read_mechanism(const std::string& name, const ReadOptions& options = {});

// tests/reference/NAME.csv
Trajectory known_motion(const std::string& name);

// The parallelogram branch of models/four_bar.yaml by the elliptic integral: xB0, yB0, vxB0, vyB0
// at `count` equal times.
Trajectory four_bar_motion(int N, double end, int count);

// Of models/flyball_governor.yaml: s, sdot and the tip Bx, By, Bz of the right rod.
Trajectory governor_motion();

// Of models/andrews.yaml with the start of IFToMM A03: the point F at 0, 0.03 and 0.05 s.
inline const ReadOptions kA03 = {.set = {{"theta0", "2.14586853799515e-4"}}};
Trajectory a03_motion();

// What four simulations at 1e-12 agree upon: natural and absolute coordinates, `taylor` and
// `dop853`. The motion is their mean.
struct Agreement {
  Trajectory motion;
  double difference = 0;  // the largest |y − r| of the four, all columns and all time
};
Agreement agree(const Model& model, std::span<const std::string> columns);

// A case study of [Derakhshan 2022], with the digits published there.
struct CaseStudy {
  std::string title, model;
  std::vector<std::string> positions;
  double tolerances[4];
  double digits[4];
  enum class Kind {
    Published,  // the published mechanism: digits and seconds can be compared
    OwnData,    // the published one as far as its data are printed; some are chosen here
    Another,    // an example of the same kind
  } kind = Kind::Published;

  bool is_published() const { return kind == Kind::Published; }
  double digits_of(const Comparison& c) const { return problems::digits(c.end_by_column); }
};
std::span<const CaseStudy> case_studies();
// Two more suspensions, in space and with data of their own: nothing is published about them.
std::span<const CaseStudy> other_suspensions();
Agreement motion_of(const CaseStudy& study);  // difference is 0 where the motion is known

}  // namespace koppel::problems
