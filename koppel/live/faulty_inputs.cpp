#include <koppel/live/faulty_inputs.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

void FaultyInputs::open(const Ports& ports) {
  arrival_.assign(kMost, 0.0);
  values_.assign(kMost * ports.inputs.size(), 0.0);
  given_.assign(ports.inputs.size(), 0.0);
  sent_ = given_;
}

void FaultyInputs::send(double t, std::span<const double> u) noexcept {
  ++num_samples_;
  const double at = t + faults_.latency + faults_.jitter * random_.uniform();
  const std::size_t last = (first_ + count_ + kMost - 1) % kMost;
  const bool is_overtaking = count_ > 0 && at <= arrival_[last];
  const std::size_t place = (first_ + count_) % kMost;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double value = u[i] + faults_.noise * random_.normal();
    if (count_ < kMost) values_[place * u.size() + i] = value;
  }
  if (is_overtaking || count_ == kMost || is_dropped(faults_, t)) {
    ++num_lost_;
    return;
  }
  arrival_[place] = at;
  ++count_;
}

// Channels leave what they have nothing new for as it was: as it was given to the step.
void FaultyInputs::read(double t, std::span<double> u) noexcept {
  if (!has_begun_) {  // the first values are there
    has_begun_ = true;
    std::copy(u.begin(), u.end(), given_.begin());
    std::copy(u.begin(), u.end(), sent_.begin());
    return;
  }
  bool is_new = false;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (u[i] == given_[i]) {
      u[i] = sent_[i];
    } else if (u[i] != sent_[i]) {
      is_new = true;
    }
  }
  if (is_new) {
    std::copy(u.begin(), u.end(), sent_.begin());
    send(t, u);
  }
  while (count_ > 0 && arrival_[first_] <= t) {
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(first_ * u.size());
    std::copy_n(from, u.size(), given_.begin());
    first_ = (first_ + 1) % kMost;
    --count_;
  }
  std::copy(given_.begin(), given_.end(), u.begin());
}

std::vector<std::string> FaultyInputs::notes() const {
  return {fmt::format("of {} samples of the inputs {} were lost on the way, as asked for.",
                      num_samples_, num_lost_)};
}

SignalFaults parse_faults(const std::string& text) {
  SignalFaults out;
  const std::pair<std::string_view, double*> keys[] = {
      {"noise", &out.noise},           {"latency", &out.latency},   {"jitter", &out.jitter},
      {"drop_every", &out.drop_every}, {"drop_for", &out.drop_for}, {"seed", &out.seed}};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, end - from);
    const std::size_t equals = part.find('=');
    const auto* key = std::find_if(std::begin(keys), std::end(keys), [&](const auto& k) {
      return k.first == std::string_view(part).substr(0, equals);
    });
    const std::string number = equals == part.npos ? "" : part.substr(equals + 1);
    double value = -1;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool is_number = error == std::errc() && rest == number.data() + number.size();
    if (key == std::end(keys) || !is_number || !(value >= 0) || !std::isfinite(value)) {
      throw Error("live.bad-option", fmt::format("'{}' is no fault of a signal.", part),
                  "Such as noise=0.01,latency=0.05,jitter=0.02,drop_every=1,drop_for=0.1,seed=3; "
                  "times in s, none negative.");
    }
    *key->second = value;
    from = end + 1;
  }
  if (out.drop_for > out.drop_every) {
    throw Error("live.bad-option", "drop_for is longer than drop_every: nothing would arrive.");
  }
  return out;
}

}  // namespace koppel
