#include "measure.hpp"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace koppel::benchmarks {
namespace {

constexpr double kRoundSeconds = 4e-4;
constexpr int kRounds = 1001;

double seconds_of(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of this process, to the nanosecond, and of those it waited for.
double processor_seconds() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec) +
         seconds_of(children);
}

double shortest_of_three(const Work& work, std::size_t n) {
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) best = std::min(best, time_once([&] { work(n); }));
  return best;
}

}  // namespace

double time_once(const std::function<void()>& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

Times measure(std::span<const Work> works) {
  std::vector<std::size_t> repetitions;
  for (const Work& work : works) {
    std::size_t n = 1;
    while (shortest_of_three(work, n) < kRoundSeconds) n *= 2;
    repetitions.push_back(n);
  }
  Times times{std::vector<double>(works.size(), INFINITY), {}};
  std::vector<std::vector<double>> ratios(works.size());
  for (int round = 0; round < kRounds; ++round) {
    double first = 0;
    for (std::size_t i = 0; i < works.size(); ++i) {
      const double seconds =
          time_once([&] { works[i](repetitions[i]); }) / static_cast<double>(repetitions[i]);
      if (i == 0) first = seconds;
      times.seconds[i] = std::min(times.seconds[i], seconds);
      ratios[i].push_back(seconds / first);
    }
  }
  for (std::vector<double>& r : ratios) {
    std::nth_element(r.begin(), r.begin() + kRounds / 2, r.end());
    times.ratio.push_back(r[kRounds / 2]);
  }
  return times;
}

double relative_difference(std::span<const double> a, std::span<const double> b) {
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return difference / scale;
}

void print_heading(const std::string& text) { std::printf("\n### %s\n\n", text.c_str()); }

void print_row(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) std::printf("| %s ", cell.c_str());
  std::printf("|\n");
  std::fflush(stdout);
}

void print_head(const std::vector<std::string>& cells) {
  print_row(cells);
  std::vector<std::string> rule(cells.size(), "---:");
  rule[0] = "---";
  print_row(rule);
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace koppel::benchmarks
