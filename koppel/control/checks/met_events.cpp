#include <koppel/control/checks/met_events.hpp>

#include <algorithm>

namespace koppel {

MetEvents::MetEvents(const Equations& equations, const Observation& observation, const State& state)
    : e_(equations), observation_(observation), state_(state) {
  std::vector<Expr> values;
  for (const Equations::Event& event : e_.events) values.push_back(event.when);
  if (!values.empty()) functions_.emplace(e_, values);
}

std::optional<std::string> MetEvents::look_at(std::span<const double> row) {
  if (!functions_) return {};
  state_.t = row[0];
  const auto& columns = observation_.columns_of_q();
  for (std::size_t i = 0; i < columns.size(); ++i) state_.q[i] = row[columns[i]];
  const auto rates = row.subspan(observation_.first_velocity());
  std::copy_n(rates.begin(), state_.v.size(), state_.v.begin());
  std::copy_n(rates.begin() + static_cast<std::ptrdiff_t>(state_.v.size()), state_.x.size(),
              state_.x.begin());
  std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(observation_.first_input()),
              state_.u.size(), state_.u.begin());
  const std::vector<double> now = (*functions_)(state_);
  std::optional<std::string> met;
  for (std::size_t i = 0; i < before_.size() && !met; ++i) {
    const EventDirection direction = e_.events[i].direction;
    const bool rises = before_[i] < 0 && now[i] >= 0, falls = before_[i] > 0 && now[i] <= 0;
    if ((rises && direction != EventDirection::Falling) ||
        (falls && direction != EventDirection::Rising)) {
      met = e_.events[i].name;
    }
  }
  before_ = now;
  return met;
}

}  // namespace koppel
