// Samples: the points of a parameter space that a study looks at, each by its number. They depend
// on the design alone, not on the order in which they are asked for nor on the machine.
//
//   Samples samples({.ranges = {{"l", 0.5, 1.5, 11}, {"m", 1, 2, 3}}});   // a grid of 33 points
//   samples.point(7);                                                     // values of l and m
//
// The last parameter of a grid changes fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/study/sobol_sequence.hpp>

namespace koppel {

// What a parameter is varied over.
struct Range {
  std::string name;
  double low = 0, high = 0;
  int count = 0;                    // of a grid; 0: none
  bool is_logarithmic = false;      // equal ratios in the place of equal distances
  std::vector<double> values = {};  // of a grid, in the place of all these

  // u in [0, 1] → [low, high]; the ends are exact.
  double at(double u) const;
};

// "l=0.5:1.5:11", "l=0.5:1.5", "k=1e3:1e6:4:log", "n=1,2,5". Throws Error `study.bad-range`.
Range parse_range(std::string_view text);
std::string to_string(const Range& range);  // what parse_range reads

struct Design {
  enum class Kind {
    Grid,
    Random,  // independent, uniform
    Latin,   // each of `count` equal slices of every parameter is met once [McKay et al. 1979]
    Sobol,   // sobol_sequence.hpp, shifted where there is a seed
    Table,   // as given
    // For global sensitivities (indices.hpp): `count` paths along which each parameter moves once,
    // and `count` pairs of points whose coordinates are exchanged one at a time.
    Morris,
    Saltelli,
  };
  Kind kind = Kind::Grid;
  std::vector<Range> ranges = {};
  std::size_t count = 0;  // of points, paths or pairs; none of grids and tables
  std::optional<std::uint64_t> seed = {};
  std::vector<std::vector<double>> table = {};  // by parameter, in the order of the ranges
};

const char* name_of(Design::Kind kind);  // grid, random, latin, sobol, table, morris, saltelli

// Of Morris's paths: levels 0, 1/3, 2/3, 1, and steps of 2/3 [Morris 1991].
inline constexpr int kMorrisLevels = 4;
inline constexpr double kMorrisStep = 2.0 / 3;

class Samples {
 public:
  // Throws Error `study.bad-range`, `study.bad-design`.
  explicit Samples(Design design);

  const Design& design() const { return design_; }
  std::size_t num_parameters() const { return design_.ranges.size(); }
  std::size_t size() const { return size_; }
  // For each path of Morris, the parameters in the order in which they move.
  std::vector<std::size_t> order_of_path(std::size_t path) const;
  // Values of the parameters, in the order of the ranges.
  std::vector<double> point(std::size_t number) const;
  void point(std::size_t number, std::span<double> out) const;
  double value(std::size_t number, std::size_t parameter) const;  // one of them

 private:
  void check() const;
  void make_permutations();
  double of_grid(std::size_t number, std::size_t parameter) const;
  double of_path(std::size_t number, std::size_t parameter) const;  // in [0, 1]
  double of_pair(std::size_t number, std::size_t parameter) const;  // in [0, 1]

  Design design_;
  std::size_t size_ = 0;
  std::optional<SobolSequence> sobol_;
  std::vector<std::vector<std::uint32_t>> permutations_;  // of the slices, by parameter
};

}  // namespace koppel
