#include <koppel/live/file_channel.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/csv.hpp>

namespace koppel {

FileChannel::FileChannel(const std::filesystem::path& path)
    : name_(path.string()), signals_(read_csv(path)) {
  if (signals_.columns()[0].name != "t" || signals_.num_columns() < 2) {
    throw Error("live.bad-signals",
                fmt::format("{} does not have a first column 't' and columns of inputs.", name_),
                "Its first line is such as: t,F,T");
  }
  const auto t = signals_.time();
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i > 0 && !(t[i] > t[i - 1])) {
      throw Error("live.bad-signals",
                  fmt::format("the times in {} do not ascend: row {} has t = {}, after {}.", name_,
                              i + 1, t[i], t[i - 1]));
    }
    for (std::size_t k = 0; k < signals_.num_columns(); ++k) {
      if (std::isfinite(signals_.column(k)[i])) continue;
      throw Error("live.bad-signals", fmt::format("row {} of {} has no number for '{}'.", i + 1,
                                                  name_, signals_.columns()[k].name));
    }
  }
}

void FileChannel::open(const Ports& ports) {
  std::vector<std::string> names;
  for (std::size_t k = 1; k < signals_.num_columns(); ++k) {
    names.push_back(signals_.columns()[k].name);
  }
  places_ = places_of(names, ports.inputs, "live.unknown-input", name_ + " has a column");
  next_ = 0;
}

void FileChannel::read(double t, std::span<double> u) noexcept {
  // Times of steps are multiples of the step, and those of files decimal numbers: the same but for
  // rounding.
  const double now = t + 1e-12 * std::max(1.0, std::abs(t));
  const auto times = signals_.time();
  while (next_ < times.size() && times[next_] <= now) ++next_;
  last_t_ = t;
  if (next_ == 0) return;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    u[places_[k]] = signals_.column(k + 1)[next_ - 1];
  }
}

std::vector<std::string> FileChannel::notes() const {
  if (signals_.empty() || last_t_ <= signals_.time().back()) return {};
  return {fmt::format("the signals of {} end at t = {:.6g} s; inputs kept their last values.",
                      name_, signals_.time().back())};
}

}  // namespace koppel
