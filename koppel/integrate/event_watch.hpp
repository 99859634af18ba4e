// Finding events on the dense output of steps. An event function s_i(t, y) has a side, the sign it
// had last; where a step leads to the other side in a direction that counts, the passage is located
// to round-off in t by bisection. Events that pass at that time, or so soon after it that the dense
// output cannot tell, happen together. Several points inside a step are looked at, and where a
// function comes nearest to zero it is followed to its least value (dip.hpp), so that one that
// leaves its side and soon returns is seen, too.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <koppel/integrate/integrator.hpp>

namespace koppel {

class EventWatch {
 public:
  // Sides at the start: those given, or by the signs at y where none are. `follows`: least values
  // are looked for, which needs dense output that is worth it.
  EventWatch(const Problem& problem, const Start& start, bool follows);

  // What happens first within the step, if anything does: the numbers of the events, ascending, and
  // the time just after the first of them; y then has the values there. Sides are those after all.
  struct Found {
    std::vector<int> events;
    double t;
  };
  std::optional<Found> look(const Step& step, std::span<double> y);

  const std::vector<int>& sides() const { return sides_; }

 private:
  void evaluate(const Step& step, double t, std::span<double> y);
  // Whether an event has passed to another side, by values_ at this time and sides_.
  bool passes(std::size_t event, double t) const;
  bool any_passes(double t) const;
  void take_sides(double t);
  void note_leaving(double t);
  // Whether a function has no value that had one where one looked last, such as √(1 − x); and the
  // last time before `after` at which that is not so.
  bool has_ended() const;
  double last_defined(const Step& step, double before, double after, std::span<double> y);
  // The sign of a function, 0 where it is round-off.
  int side_now(std::size_t event) const;
  void find_round_off(const Start& start);
  Found locate(const Step& step, double before, double after, std::span<double> y);
  // A time shortly after which a function is on its other side, between the last three times one
  // looked.
  std::optional<double> find_dip_now(const Step& step, std::span<double> y);

  const Problem* problem_;
  EventFunctions::Workspace work_;
  std::vector<double> values_, times_;
  std::vector<int> sides_;
  std::vector<char> is_leaving_;   // has not come to its side yet, but for round-off
  std::vector<double> left_at_;    // when it was seen there first
  std::vector<char> is_defined_;   // where one looked last
  std::vector<double> round_off_;  // of functions that are zero at the start, until they are not
  bool is_first_ = true, follows_;
  // Where one looked last within the step, the latest last.
  struct Seen {
    double t;
    std::vector<double> values;
  };
  std::array<Seen, 3> seen_;
};

}  // namespace koppel
