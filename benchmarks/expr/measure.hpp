// Times on a machine that others use too. Seconds are those of the processor, compilers that were
// started included. What is compared takes turns in short rounds. A time is the least of all
// rounds: the undisturbed speed. Others slow the two sides down unequally, which the median of the
// ratios within rounds shows; both are reported.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace koppel::benchmarks {

// Does its work this many times.
using Work = std::function<void(std::size_t repetitions)>;

struct Times {
  std::vector<double> seconds;  // a repetition of each
  std::vector<double> ratio;    // of each to the first: the median over the rounds
};
Times measure(std::span<const Work> works);

// Seconds that one call takes.
double time_once(const std::function<void()>& work);

// max |aᵢ − bᵢ| / max |bᵢ|
double relative_difference(std::span<const double> a, std::span<const double> b);

// While it lives, functions and series are made for the interpreter alone.
class OnTape {
 public:
  OnTape() { setenv("KOPPEL_NATIVE", "off", 1); }
  OnTape(const OnTape&) = delete;
  OnTape& operator=(const OnTape&) = delete;
  ~OnTape() { unsetenv("KOPPEL_NATIVE"); }
};
template <typename F>
auto on_tape(F&& make) {
  const OnTape policy;
  return make();
}

// Markdown
void print_heading(const std::string& text);
void print_row(const std::vector<std::string>& cells);
void print_head(const std::vector<std::string>& cells);  // the first column is text, others numbers

// "3.14" with so many digits after the point
std::string number(double value, int digits);

}  // namespace koppel::benchmarks
