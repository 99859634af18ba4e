#include <koppel/study/indices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/base/csv.hpp>
#include <koppel/results/csv.hpp>
#include <koppel/study/random.hpp>

namespace koppel {
namespace {

constexpr double kNoIndex = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(std::span<const double> values) {
  if (values.size() < 2) return {kNoIndex, kNoIndex};
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1))};
}

// The pairs that have all their values, from which the mean is subtracted.
struct Pairs {
  std::size_t num_parameters;
  std::vector<double> y;  // by pair: of A, B, AB_1, …

  Pairs(const Samples& samples, std::span<const double> all)
      : num_parameters(samples.num_parameters()) {
    const std::size_t length = num_parameters + 2;
    double sum = 0;
    for (std::size_t first = 0; first + length <= all.size(); first += length) {
      const auto pair = all.subspan(first, length);
      if (!std::all_of(pair.begin(), pair.end(), [](double v) { return std::isfinite(v); }))
        continue;
      y.insert(y.end(), pair.begin(), pair.end());
      sum += pair[0] + pair[1];
    }
    for (double& value : y) value -= sum / (2 * static_cast<double>(size()));
  }

  std::size_t size() const { return y.size() / (num_parameters + 2); }

  // Adds S and T of one parameter from these pairs to the lists; (3) and (4).
  void estimate(std::span<const std::size_t> which, std::vector<std::vector<double>>& first,
                std::vector<std::vector<double>>& total) const {
    const auto n = static_cast<double>(which.size());
    double sum = 0, squares = 0;
    std::vector<double> of_first(num_parameters, 0.0), of_total(num_parameters, 0.0);
    for (const std::size_t pair : which) {
      const double* const at = &y[pair * (num_parameters + 2)];
      sum += at[0] + at[1];
      squares += at[0] * at[0] + at[1] * at[1];
      for (std::size_t i = 0; i < num_parameters; ++i) {
        of_first[i] += at[1] * (at[i + 2] - at[0]);
        of_total[i] += (at[0] - at[i + 2]) * (at[0] - at[i + 2]);
      }
    }
    const double mean = sum / (2 * n), variance = squares / (2 * n) - mean * mean;
    for (std::size_t i = 0; i < num_parameters; ++i) {
      first[i].push_back(variance > 0 ? of_first[i] / n / variance : kNoIndex);
      total[i].push_back(variance > 0 ? of_total[i] / (2 * n) / variance : kNoIndex);
    }
  }
};

SobolIndex::Interval interval_of(std::vector<double> values) {
  if (values.empty() ||
      std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
    return {kNoIndex, kNoIndex};
  }
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.025), at(0.975)};
}

void append(std::string& line, std::initializer_list<double> values) {
  for (const double value : values) {
    line += ',';
    if (std::isfinite(value)) append_number(line, value);
  }
}

}  // namespace

std::vector<ElementaryEffects> elementary_effects(const Samples& samples,
                                                  std::span<const double> y) {
  const std::size_t size = samples.num_parameters();
  std::vector<std::vector<double>> effects(size), sizes(size);
  for (std::size_t path = 0; path < samples.design().count; ++path) {
    const std::vector<std::size_t> order = samples.order_of_path(path);
    for (std::size_t step = 0; step < size; ++step) {
      const std::size_t number = path * (size + 1) + step, i = order[step];
      const bool goes_up = samples.point(number + 1)[i] > samples.point(number)[i];
      const double effect = (y[number + 1] - y[number]) / (goes_up ? kMorrisStep : -kMorrisStep);
      if (!std::isfinite(effect)) continue;
      effects[i].push_back(effect);
      sizes[i].push_back(std::abs(effect));
    }
  }
  std::vector<ElementaryEffects> out;
  for (std::size_t i = 0; i < size; ++i) {
    const Moments signed_ones = moments_of(effects[i]), plain = moments_of(sizes[i]);
    out.push_back({signed_ones.mean, plain.mean,
                   plain.deviation / std::sqrt(static_cast<double>(sizes[i].size())),
                   signed_ones.deviation, effects[i].size()});
  }
  return out;
}

std::vector<SobolIndex> sobol_indices(const Samples& samples, std::span<const double> y,
                                      int num_bootstrap) {
  const Pairs pairs(samples, y);
  const std::size_t size = samples.num_parameters(), n = pairs.size();
  std::vector<SobolIndex> out(size, {kNoIndex, kNoIndex, {kNoIndex, kNoIndex}, {kNoIndex, kNoIndex}, n});
  if (n < 2) return out;
  std::vector<std::vector<double>> first(size), total(size);
  std::vector<std::size_t> which(n);
  for (std::size_t i = 0; i < n; ++i) which[i] = i;
  pairs.estimate(which, first, total);
  for (std::size_t i = 0; i < size; ++i) {
    out[i].first = first[i][0];
    out[i].total = total[i][0];
    first[i].clear();
    total[i].clear();
  }
  const std::uint64_t seed = samples.design().seed.value_or(0);
  for (int round = 0; round < num_bootstrap; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      which[i] = random_bits(seed, ~static_cast<std::uint64_t>(round), i) % n;
    }
    pairs.estimate(which, first, total);
  }
  for (std::size_t i = 0; i < size; ++i) {
    out[i].first_95 = interval_of(std::move(first[i]));
    out[i].total_95 = interval_of(std::move(total[i]));
  }
  return out;
}

std::string indices_csv(const Samples& samples, std::span<const std::string> criteria,
                        std::span<const std::vector<double>> values) {
  const bool is_morris = samples.design().kind == Design::Kind::Morris;
  std::string out = is_morris ? "criterion,parameter,mu,mu_star,mu_star_error,sigma,effects\n"
                              : "criterion,parameter,first,first_low,first_high,total,total_low,"
                                "total_high,pairs\n";
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    std::vector<ElementaryEffects> effects;
    std::vector<SobolIndex> indices;
    is_morris ? void(effects = elementary_effects(samples, values[c]))
              : void(indices = sobol_indices(samples, values[c]));
    for (std::size_t p = 0; p < samples.num_parameters(); ++p) {
      out += csv_field(criteria[c]) + ',' + samples.design().ranges[p].name;
      if (is_morris) {
        const ElementaryEffects& e = effects[p];
        append(out, {e.mean, e.mean_size, e.size_error, e.deviation});
        out += ',' + std::to_string(e.num_used) + '\n';
      } else {
        const SobolIndex& s = indices[p];
        append(out, {s.first, s.first_95.low, s.first_95.high, s.total, s.total_95.low,
                     s.total_95.high});
        out += ',' + std::to_string(s.num_used) + '\n';
      }
    }
  }
  return out;
}

}  // namespace koppel
