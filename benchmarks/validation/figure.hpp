// A line plot as SVG.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace koppel::benchmarks {

struct Line {
  std::string name;
  std::vector<double> x, y;
  bool is_dashed = false;  // in the colours of the whole lines, in their order
  int colour = -1;         // its place among the colours; −1: the next one
  bool is_dotted = false;
};

struct Figure {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  bool is_logarithmic = false;    // |y| by powers of ten; zeros are left out
  bool is_x_logarithmic = false;  // so is x
  bool is_true_to_scale = false;  // the same length for a unit of x and of y

  std::string svg() const;
};

// Writes NAME.svg to the folder and prints the line of Markdown that shows it. No folder: nothing.
void write_figure(const std::string& folder, const std::string& name, const Figure& figure);

}  // namespace koppel::benchmarks
