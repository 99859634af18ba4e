#include <koppel/simulate/progress_watch.hpp>

#include <utility>

#include <fmt/format.h>

namespace koppel {
namespace {

// More steps than this to go: told. So many spans in a row: not just a short stretch.
constexpr double kMany = 1e6, kManyWhereItStays = 3e6;
constexpr int kSpansToTell = 2, kSpansToEnd = 4;

}  // namespace

ProgressWatch::ProgressWatch(double end, long max_steps, const Choice& choice,
                             const Findings& found, std::optional<StayWatch> stays,
                             std::function<void(std::string)> tell)
    : end_(end),
      max_steps_(static_cast<double>(max_steps)),
      choice_(choice),
      found_(found),
      stays_(std::move(stays)),
      tell_(std::move(tell)) {}

bool ProgressWatch::operator()(const Step& step, const Problem& problem,
                               std::span<const double> p) {
  if (!since_) since_ = step.t0;
  if (num_slow_ > 0 && !found_.is_smooth && stays_) stays_->note(step, problem, p);
  if (++steps_ % kSpan != 0) return true;
  const double pace = (step.t1 - *since_) / kSpan, left = (end_ - step.t1) / pace;
  since_ = step.t1;
  num_slow_ = left > kMany ? num_slow_ + 1 : 0;
  const std::string where = stays_ ? stays_->end_span() : "";
  num_staying_ = where.empty() ? 0 : num_staying_ + 1;
  const std::string slow = fmt::format("steps are {:.1e} s long at t = {:.6g} s", pace, step.t1);
  if (num_slow_ >= kSpansToEnd && left > max_steps_) {
    why_ = fmt::format("{}, and {:.0e} more would be needed: the run would not finish. {}", slow,
                       left, advice(!where.empty()));
    return false;
  }
  if (num_staying_ >= kSpansToEnd && left > kManyWhereItStays) {
    why_ = fmt::format(
        "{}, and {:.0e} more would be needed: the motion stays where '{}' is zero, where a law "
        "jumps and leads back to it from both sides. {}",
        slow, left, where, advice(!where.empty()));
    return false;
  }
  if (num_slow_ >= kSpansToTell && !has_told_) {
    has_told_ = true;
    tell_(fmt::format("{}: at this pace {:.0e} more are to come. {}", slow, left,
                      advice(!where.empty())));
  }
  return true;
}

std::string ProgressWatch::advice(bool stays) const {
  if (stays || (!found_.is_smooth && !found_.is_stiff)) {
    return fmt::format(
        "{} of the state switches back and forth, as in sticking friction: use a smooth law "
        "instead, such as tanh(v/eps) for sign(v)",
        found_.rough);
  }
  if (choice_.coordinates == "cardan") {
    return "Cardan angles are singular where the second one is a right angle: try "
           "`coordinates = absolute`";
  }
  if (choice_.integrator.info().is_explicit) {
    return fmt::format(
        "The motion may have very many oscillations, or a fast and strongly damped part that '{}' "
        "has to resolve: then try `integrator = radau5`",
        choice_.integrator.info().name);
  }
  return "The motion may have a fast oscillation, or end in a singular point: try a larger "
         "`tolerance`, or inspect the rows written so far";
}

}  // namespace koppel
