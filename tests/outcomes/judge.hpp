// Whether runs of a mechanism are right, or say that they are not.
//
// A run is judged by what does not depend on its coordinates: the places and velocities of three
// points of each body (in the plane two), or the model's free coordinates. They are compared with
// those of an accurate run: two of them, in other coordinates and by integrators of other families
// (Taylor series, Runge-Kutta, Radau), that agree to 1e-7. Where they do not agree, where the
// motion magnifies a disturbance more than a hundred times, or where accelerations times the end
// are more than eight times the velocities, the end is brought forward. Where nothing helps, there
// is no reference, and no run may end with `done`.
//
// Bounds. With s the size of what is compared (of places: how far they move; of velocities: the
// largest), w how far the accurate motion departs, per unit, when gravity and the velocities of the
// start are changed by the factor 1 + δ,
//
//   at tolerance τ:   error ≤ 1000 τ max(1, s, w), with order 1 10 √τ max(1, s, w)      (1)
//   with step h:      error ≤ 4 d + floor,                                              (2)
//
// d being the distance between the runs with steps h and h/2 (for the shortest step: 2h and h):
// with order p ≥ 1 the error is d/(1 − 2⁻ᵖ) ≤ 2 d to first order. (An integrator of order p that
// keeps the error of a step at τ takes steps of the size τ^(1/(p+1)), and N of them add up to
// τ^(p/(p+1)): for backward Euler √τ.) Whatever these say, no error may be larger than a tenth of
// s. The floor is what (1) allows at τ = 1e-10. Steps are h = T/(20 n), half and a quarter of it, n
// being accelerations times the end T over velocities; with order 1 a fifth of that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>

#include "tests/outcomes/mechanism.hpp"

namespace koppel::testing {

struct Trial {
  std::string coordinates, formulation, integrator;
  double tolerance = 0;
  std::optional<double> step = {};
};

enum class Verdict {
  Right,
  Refused,  // by an Error, before anything was integrated
  Told,     // a status that is not `done`
  Slow,     // not finished within the time allowed
  Wrong,    // `done`, and not right: the third outcome
};

struct Judged {
  Trial trial;
  Verdict verdict = Verdict::Right;
  double error = 0, bound = 0;  // over the size of what is compared
  std::string text = {};        // why
};

struct Judgement {
  std::string name;
  std::vector<Judged> runs;
  double end = 0;         // up to which it was judged
  std::string reference;  // what it was judged by, or why there is none
  bool is_decided = true;
  int count(Verdict verdict) const;
};

// What to try: all coordinate sets of the model with each of these.
struct Plan {
  std::vector<std::string> integrators;  // empty: all
  int num_settings = 3;                  // tolerances or steps
  double seconds = 2;                    // of processor time, for one run
};

// The model is the mechanism's, or a built-in one with an empty text.
Judgement judge(const Mechanism& mechanism, const Model& model, const Plan& plan);

// A line for people, and with `koppel run` how to see a wrong run again; `file` is its model.
std::string describe(const Judgement& judgement, const std::string& file);

}  // namespace koppel::testing
