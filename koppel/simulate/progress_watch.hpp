// ProgressWatch: sees a run whose steps become so short that it will take very long, or never end,
// while that happens.
//
// Every kSpan steps the pace is what they covered. At that pace the rest takes (end − t)/pace
// steps. Where that is more than a million, which is minutes to hours, it is told once, with the
// reason; where it is more than the largest number of steps that a run may take, the run is over.
// Where the motion stays at a switch (stay_watch.hpp), which no shorter step ends, three million
// are enough: some ten seconds for the smallest mechanisms.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include <koppel/integrate/integrator.hpp>
#include <koppel/simulate/choose.hpp>
#include <koppel/simulate/stay_watch.hpp>

namespace koppel {

class ProgressWatch {
 public:
  // For a run to `end` with this choice; `tell` gets what is to be said while it runs. What `stays`
  // refers to has to live on; without it nobody looks whether the motion stays.
  ProgressWatch(double end, long max_steps, const Choice& choice, const Findings& found,
                std::optional<StayWatch> stays, std::function<void(std::string)> tell);

  // After every step of a problem with parameters `p`. False: there is no end to it, and why() says
  // so.
  bool operator()(const Step& step, const Problem& problem, std::span<const double> p);
  const std::string& why() const { return why_; }

 private:
  static constexpr long kSpan = 5000;

  // What may make steps short, and what to do about it. `stays`: the motion does, at a switch.
  std::string advice(bool stays) const;

  double end_;
  double max_steps_;
  Choice choice_;
  Findings found_;
  std::optional<StayWatch> stays_;
  std::function<void(std::string)> tell_;
  long steps_ = 0;
  int num_slow_ = 0, num_staying_ = 0;  // spans in a row
  std::optional<double> since_;
  bool has_told_ = false;
  std::string why_;
};

}  // namespace koppel
