#include <koppel/study/samples.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/random.hpp>

namespace koppel {
namespace {

constexpr std::size_t kMostPoints = 1'000'000'000;

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t first = 0;;) {
    const std::size_t next = text.find(by, first);
    parts.push_back(text.substr(first, next - first));
    if (next == text.npos) return parts;
    first = next + 1;
  }
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error("study.bad-range", fmt::format("'{}' is no range: {}", text, why),
              "Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.");
}

template <typename Number>
Number read(std::string_view text, std::string_view part, const char* what) {
  Number value = {};
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || part.empty()) {
    refuse(text, fmt::format("'{}' is not {}.", part, what));
  }
  return value;
}

double read_number(std::string_view text, std::string_view part) {
  const auto value = read<double>(text, part, "a number");
  if (!std::isfinite(value)) refuse(text, fmt::format("'{}' is not finite.", part));
  return value;
}

}  // namespace

double Range::at(double u) const {
  if (u <= 0) return low;
  if (u >= 1) return high;
  return is_logarithmic ? low * std::pow(high / low, u) : low + (high - low) * u;
}

Range parse_range(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) refuse(text, "it names no parameter.");
  Range out;
  out.name = text.substr(0, equals);
  const std::string_view rest = text.substr(equals + 1);
  if (rest.empty()) refuse(text, "there is nothing behind the '='.");
  if (rest.find(':') == rest.npos) {
    for (const std::string_view part : split(rest, ','))
      out.values.push_back(read_number(text, part));
    return out;
  }
  std::vector<std::string_view> parts = split(rest, ':');
  if (parts.back() == "log") {
    out.is_logarithmic = true;
    parts.pop_back();
  }
  if (parts.size() < 2 || parts.size() > 3) refuse(text, "it has no low and high value.");
  out.low = read_number(text, parts[0]);
  out.high = read_number(text, parts[1]);
  if (parts.size() == 3) {
    out.count = read<int>(text, parts[2], "a number of points");
    if (out.count < 2) refuse(text, "a grid has at least 2 points in each direction.");
  }
  if (!(out.low < out.high)) {
    refuse(text, fmt::format("it is empty: {:g} is not below {:g}.", out.low, out.high));
  }
  if (out.is_logarithmic && !(out.low > 0)) refuse(text, "logarithms need a low value above 0.");
  return out;
}

std::string to_string(const Range& range) {
  std::string out = range.name + '=';
  for (std::size_t i = 0; i < range.values.size(); ++i) {
    out += fmt::format("{}{}", i > 0 ? "," : "", range.values[i]);
  }
  if (!range.values.empty()) return out;
  out += fmt::format("{}:{}", range.low, range.high);
  if (range.count > 0) out += fmt::format(":{}", range.count);
  return range.is_logarithmic ? out + ":log" : out;
}

const char* name_of(Design::Kind kind) {
  switch (kind) {
    case Design::Kind::Grid: return "grid";
    case Design::Kind::Random: return "random";
    case Design::Kind::Latin: return "latin";
    case Design::Kind::Sobol: return "sobol";
    case Design::Kind::Table: return "table";
    case Design::Kind::Morris: return "morris";
    case Design::Kind::Saltelli: return "saltelli";
  }
  return "";
}

Samples::Samples(Design design) : design_(std::move(design)) {
  check();
  switch (design_.kind) {
    case Design::Kind::Grid:
      size_ = 1;
      for (Range& range : design_.ranges) {
        if (!range.values.empty()) range.count = static_cast<int>(range.values.size());
        const auto count = static_cast<std::size_t>(range.count);
        if (size_ > kMostPoints / count) {
          throw Error("study.bad-design",
                      fmt::format("the grid has more than {} points.", kMostPoints),
                      "Use fewer points in each direction, or random or Sobol' points.");
        }
        size_ *= count;
      }
      break;
    case Design::Kind::Table: size_ = design_.table.empty() ? 0 : design_.table[0].size(); break;
    case Design::Kind::Random: size_ = design_.count; break;
    case Design::Kind::Latin:
      size_ = design_.count;
      make_permutations();
      break;
    case Design::Kind::Sobol:
      size_ = design_.count;
      sobol_.emplace(design_.ranges.size(), design_.seed ? &*design_.seed : nullptr);
      break;
    case Design::Kind::Morris: size_ = design_.count * (design_.ranges.size() + 1); break;
    case Design::Kind::Saltelli:
      size_ = design_.count * (design_.ranges.size() + 2);
      sobol_.emplace(2 * design_.ranges.size(), design_.seed ? &*design_.seed : nullptr);
      break;
  }
}

void Samples::check() const {
  const bool is_grid = design_.kind == Design::Kind::Grid;
  const bool is_table = design_.kind == Design::Kind::Table;
  if (design_.ranges.empty()) {
    throw Error("study.bad-design", "no parameter is varied.", "Say which: name=low:high:n.");
  }
  std::set<std::string> names;
  for (const Range& range : design_.ranges) {
    if (!names.insert(range.name).second) {
      throw Error("study.bad-range", fmt::format("parameter '{}' is varied twice.", range.name));
    }
    if (is_table) continue;
    if (is_grid && range.count == 0 && range.values.empty()) {
      refuse(to_string(range), "a grid needs a number of points.");
    }
    if (!is_grid && !range.values.empty()) {
      refuse(to_string(range),
             fmt::format("single values are points of a grid; '{}' needs low:high.",
                         name_of(design_.kind)));
    }
    if (!is_grid && range.count != 0) {
      refuse(to_string(range),
             fmt::format("a number of points belongs to a grid; '{}' has its own.",
                         name_of(design_.kind)));
    }
  }
  if (is_grid || is_table) return;
  if (design_.count == 0 || design_.count > kMostPoints) {
    throw Error("study.bad-design", fmt::format("{} is no number of points: 1 to {} are possible.",
                                                design_.count, kMostPoints));
  }
  const bool is_pairs = design_.kind == Design::Kind::Saltelli;
  if (design_.count < 2 && (is_pairs || design_.kind == Design::Kind::Morris)) {
    throw Error("study.bad-design",
                fmt::format("indices do not follow from one {}: at least 2 are needed.",
                            is_pairs ? "pair of points" : "path"),
                "Take some tens of paths, or some hundreds of pairs.");
  }
  const std::size_t most = SobolSequence::kMostDimensions / (is_pairs ? 2 : 1);
  if ((is_pairs || design_.kind == Design::Kind::Sobol) && design_.ranges.size() > most) {
    throw Error(
        "study.bad-design",
        fmt::format("{} parameters are varied; Sobol' {} are known for at most {}.",
                    design_.ranges.size(), is_pairs ? "indices" : "points", most),
        is_pairs ? "Find those that matter by Morris's method first." : "Use a Latin hypercube.");
  }
}

namespace {

// Random permutations, by exchanges from the end (Fisher & Yates). The bias of the remainder is
// below count/2⁶⁴.
template <typename Index>
std::vector<Index> permutation(std::size_t size, std::uint64_t seed, std::uint64_t stream) {
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = size; i-- > 1;) {
    std::swap(order[i], order[random_bits(seed, stream, i) % (i + 1)]);
  }
  return order;
}

}  // namespace

void Samples::make_permutations() {
  for (std::size_t p = 0; p < design_.ranges.size(); ++p) {
    permutations_.push_back(
        permutation<std::uint32_t>(design_.count, design_.seed.value_or(0), 2 * p + 1));
  }
}

std::vector<std::size_t> Samples::order_of_path(std::size_t path) const {
  return permutation<std::size_t>(design_.ranges.size(), design_.seed.value_or(0), 3 * path);
}

// Each parameter begins at a random level and moves up or down by the step, whichever stays within
// [0, 1], when its turn has come.
double Samples::of_path(std::size_t number, std::size_t parameter) const {
  const std::size_t length = design_.ranges.size() + 1;
  const std::size_t path = number / length, moved = number % length;
  const std::vector<std::size_t> order = order_of_path(path);
  const auto turn =
      static_cast<std::size_t>(std::find(order.begin(), order.end(), parameter) - order.begin());
  const std::uint64_t bits = random_bits(design_.seed.value_or(0), 3 * path + 1, parameter);
  const int level = static_cast<int>(bits % kMorrisLevels);
  constexpr int kSteps = kMorrisLevels / 2;  // levels that a step passes
  const int other = level < kSteps ? level + kSteps : level - kSteps;
  return static_cast<double>(turn < moved ? other : level) / (kMorrisLevels - 1);
}

// Pair i: A_i, B_i, then A_i with one coordinate of B_i after the other. Both come from one Sobol'
// sequence of twice the dimension.
double Samples::of_pair(std::size_t number, std::size_t parameter) const {
  const std::size_t size = design_.ranges.size();
  const std::size_t pair = number / (size + 2), which = number % (size + 2);
  const bool is_of_b = which == 1 || which == parameter + 2;
  return (*sobol_)(pair, is_of_b ? size + parameter : parameter);
}

double Samples::of_grid(std::size_t number, std::size_t parameter) const {
  for (std::size_t i = design_.ranges.size(); --i > parameter;) {
    number /= static_cast<std::size_t>(design_.ranges[i].count);
  }
  const Range& range = design_.ranges[parameter];
  const std::size_t place = number % static_cast<std::size_t>(range.count);
  if (!range.values.empty()) return range.values[place];
  return range.at(static_cast<double>(place) / (range.count - 1));
}

double Samples::value(std::size_t number, std::size_t p) const {
  const std::uint64_t seed = design_.seed.value_or(0);
  const Range& range = design_.ranges[p];
  switch (design_.kind) {
    case Design::Kind::Grid: return of_grid(number, p);
    case Design::Kind::Table: return design_.table[p][number];
    case Design::Kind::Random: return range.at(random_uniform(seed, 2 * p, number));
    case Design::Kind::Latin: {
      const double within = random_uniform(seed, 2 * p, number);
      return range.at((permutations_[p][number] + within) / static_cast<double>(size_));
    }
    case Design::Kind::Sobol: return range.at((*sobol_)(number, p));
    case Design::Kind::Morris: return range.at(of_path(number, p));
    case Design::Kind::Saltelli: return range.at(of_pair(number, p));
  }
  return 0;
}

void Samples::point(std::size_t number, std::span<double> out) const {
  for (std::size_t p = 0; p < out.size(); ++p) out[p] = value(number, p);
}

std::vector<double> Samples::point(std::size_t number) const {
  std::vector<double> out(design_.ranges.size());
  point(number, out);
  return out;
}

}  // namespace koppel
