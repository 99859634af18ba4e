#include <koppel/study/sweep_bands.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <koppel/results/csv.hpp>

namespace koppel {
namespace {

constexpr double kNoBand = std::numeric_limits<double>::quiet_NaN();

double interpolate(std::span<const double> t, std::span<const double> y, double at) {
  if (t.empty() || at < t.front() || at > t.back()) return kNoBand;
  const auto next = std::lower_bound(t.begin(), t.end(), at) - t.begin();
  const auto i = static_cast<std::size_t>(next);
  if (t[i] == at) return y[i];
  const double share = (at - t[i - 1]) / (t[i] - t[i - 1]);
  return y[i - 1] + share * (y[i] - y[i - 1]);
}

// Between order statistics linearly, so that half way between two values is their mean.
double quantile(std::span<const double> sorted, double part) {
  if (sorted.empty()) return kNoBand;
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  if (i + 1 >= sorted.size()) return sorted.back();
  return sorted[i] + (place - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

}  // namespace

std::vector<std::string> quantities_of(std::span<const Criterion> criteria) {
  std::vector<std::string> out;
  for (const Criterion& criterion : criteria) {
    if (criterion.reduction == Reduce::Time) continue;
    if (std::find(out.begin(), out.end(), criterion.quantity) == out.end()) {
      out.push_back(criterion.quantity);
    }
  }
  return out;
}

std::vector<double> sample_series(std::span<const Criterion> criteria,
                                  std::span<const double> times, const Trajectory& trajectory) {
  std::vector<double> out;
  for (const std::string& quantity : quantities_of(criteria)) {
    for (const double t : times) {
      out.push_back(interpolate(trajectory.time(), trajectory[quantity], t));
    }
  }
  return out;
}

std::string series_text(std::span<const double> series) {
  std::string out;
  for (const double value : series) {
    if (!out.empty()) out += ' ';
    std::isfinite(value) ? append_number(out, value) : void(out += '-');
  }
  return out;
}

std::vector<double> parse_series(std::string_view text) {
  std::vector<double> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    double value = kNoBand;
    if (text.substr(at, end - at) != "-")
      std::from_chars(text.data() + at, text.data() + end, value);
    out.push_back(value);
    at = end + 1;
  }
  return out;
}

Bands::Bands(std::vector<std::string> quantities, std::vector<double> times)
    : quantities_(std::move(quantities)),
      times_(std::move(times)),
      values_(quantities_.size() * times_.size()) {}

void Bands::add(std::span<const double> series) {
  if (series.size() != values_.size()) return;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (std::isfinite(series[i])) values_[i].push_back(series[i]);
  }
}

std::size_t Bands::count(std::size_t quantity, std::size_t time) const {
  return values_[quantity * times_.size() + time].size();
}

std::vector<double> Bands::at(std::size_t quantity, std::size_t time) const {
  std::vector<double> sorted = values_[quantity * times_.size() + time];
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> out;
  for (const double part : kBandParts) out.push_back(quantile(sorted, part));
  return out;
}

std::string bands_csv(const Bands& bands) {
  std::string out = "quantity,t,p5,p25,p50,p75,p95,variants\n";
  for (std::size_t q = 0; q < bands.quantities().size(); ++q) {
    std::string name = bands.quantities()[q];
    if (name.find_first_of(",\"") != std::string::npos) {
      std::string doubled;
      for (const char c : name) doubled += c == '"' ? "\"\"" : std::string(1, c);
      name = '"' + doubled + '"';
    }
    for (std::size_t i = 0; i < bands.times().size(); ++i) {
      out += name + ',';
      append_number(out, bands.times()[i]);
      for (const double value : bands.at(q, i)) {
        out += ',';
        if (std::isfinite(value)) append_number(out, value);
      }
      out += ',' + std::to_string(bands.count(q, i)) + '\n';
    }
  }
  return out;
}

}  // namespace koppel
