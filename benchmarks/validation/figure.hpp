// A line plot as SVG, for figures of docs/.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace koppel::benchmarks {

struct Line {
  std::string name;
  std::vector<double> x, y;
};

struct Figure {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  bool is_logarithmic = false;  // |y| by powers of ten; zeros are left out

  std::string svg() const;
};

}  // namespace koppel::benchmarks
