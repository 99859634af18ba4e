// What the loops of all integrators share: error norms, the step that ends a segment, telling the
// observer, giving up.
#pragma once

#include <span>
#include <string>

#include <koppel/integrate/segment.hpp>

namespace koppel {

// max_i |e_i| / max(|a_i|, |b_i|, scale): the error relative to what is allowed where divided by
// the tolerance. Infinite where a value is not finite.
double error_norm(std::span<const double> e, std::span<const double> a, std::span<const double> b,
                  double scale);

bool all_finite(std::span<const double> x);

// Steps below this are lost in the rounding of t.
double smallest_step(double t, double t_end);

// The step to take where h is wanted: no longer than allowed; it ends at t_end exactly, or leaves a
// rest that is not much shorter than itself.
struct NextStep {
  double h;
  double t1;  // where it ends
  bool is_last;
};
NextStep next_step(double t, double h, const Segment& segment);

// For fixed steps: equal ones, none longer than wanted.
long num_equal_steps(double t, double t_end, double h);

// After outcome.t and outcome.y are those at the step's end: counts it and shows it to the
// observer. False where the integration is over: stopped, or too many steps.
bool finish_step(const Segment& segment, const Step& step, Outcome& outcome);
// False, with the reason, where the limit of steps is reached before the end.
bool may_go_on(const Segment& segment, Outcome& outcome);

// Sets the status; `why` may be one of the reasons below, `addition` ends the sentence.
void fail(Outcome& outcome, std::string_view why, std::string_view addition = {});
inline constexpr std::string_view kAtAnyStep = ", however small the step";
inline constexpr std::string_view kTrySmallerStep = "; a smaller step may help";

// Reasons that several integrators have to give.
inline constexpr std::string_view kNoRates =
    "the equations cannot be solved for the rates: their matrix is singular, or a value is not "
    "finite";
inline constexpr std::string_view kNoProjection =
    "the constraints cannot be satisfied: their matrix is singular, or Newton's method did not "
    "converge";
inline constexpr std::string_view kTooRough =
    "the tolerance cannot be met; the solution may not be smooth here, or may not exist further";
inline constexpr std::string_view kNoConvergence = "Newton's method does not converge";
inline constexpr std::string_view kSingular = "the matrix of the implicit equations is singular";

// Of a reason of runtime/dop853.h, in words.
std::string describe_dop853_failure(int reason);

}  // namespace koppel
