// A line plot as SVG, for figures of docs/.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace koppel::benchmarks {

struct Line {
  std::string name;
  std::vector<double> x, y;
  bool is_dashed = false;  // in the colours of the whole lines, in their order
};

struct Figure {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  bool is_logarithmic = false;    // |y| by powers of ten; zeros are left out
  bool is_x_logarithmic = false;  // so is x

  std::string svg() const;
};

// Writes NAME.svg to the folder and prints the line of Markdown that shows it. No folder: nothing.
void write_figure(const std::string& folder, const std::string& name, const Figure& figure);

}  // namespace koppel::benchmarks
