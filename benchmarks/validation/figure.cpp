#include "benchmarks/validation/figure.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>

namespace koppel::benchmarks {
namespace {

constexpr double kWidth = 640, kHeight = 300, kLeft = 70, kRight = 150, kTop = 28, kBottom = 42;
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#e69f00", "#000000"};
constexpr std::size_t kMostPoints = 250;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// 1, 2 or 5 times a power of ten, for about five marks.
double mark_distance(const Range& range) {
  const double raw = (range.high - range.low) / 5,
               power = std::pow(10, std::floor(std::log10(raw)));
  return power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
}

void widen(Range& range, double size) {
  const double middle = (range.low + range.high) / 2;
  range = {middle - size / 2, middle + size / 2};
}

std::string text(double x, double y, const char* anchor, const std::string& what) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     what);
}

}  // namespace

std::string Figure::svg() const {
  const auto value = [&](double y) { return is_logarithmic ? std::log10(std::abs(y)) : y; };
  const auto of_x = [&](double x) { return is_x_logarithmic ? std::log10(x) : x; };
  Range along, up;
  for (const Line& line : lines) {
    for (const double x : line.x) along.add(of_x(x));
    for (const double y : line.y) up.add(value(y));
  }
  if (!(up.high > up.low)) up = {up.low - 1, up.low + 1};
  if (is_true_to_scale) {
    // The shorter of the two is widened.
    const double unit = std::max((along.high - along.low) / (kWidth - kLeft - kRight),
                                 (up.high - up.low) / (kHeight - kTop - kBottom));
    widen(along, unit * (kWidth - kLeft - kRight));
    widen(up, unit * (kHeight - kTop - kBottom));
  }
  const auto at_x = [&](double x) { return kLeft + along.part(x) * (kWidth - kLeft - kRight); };
  const auto at_y = [&](double y) { return kTop + (1 - up.part(y)) * (kHeight - kTop - kBottom); };

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\""
      "sans-serif\" font-size=\"12\" fill=\"#333\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"#fff\"/>\n",
      kWidth, kHeight);
  out += text(kLeft, 16, "start", title);
  out += text((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle", x_label);
  out += text(6, kTop - 10 + 24, "start", y_label);
  const double dx = is_x_logarithmic ? 1 : mark_distance(along), dy = mark_distance(up);
  for (double mark = std::ceil(along.low / dx) * dx; mark <= along.high + 1e-9 * dx; mark += dx) {
    const double x = std::abs(mark) < 1e-9 * dx ? 0 : mark;
    out +=
        text(at_x(x), kHeight - kBottom + 16, "middle",
             is_x_logarithmic ? fmt::format("{:.2g}", std::pow(10, x)) : fmt::format("{:.4g}", x));
  }
  for (double y = std::ceil(up.low / dy) * dy; y <= up.high + 1e-9 * dy; y += dy) {
    const double shown = std::abs(y) < 1e-9 * dy ? 0 : y;
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>\n", kLeft, at_y(y),
                       kWidth - kRight);
    out += text(kLeft - 6, at_y(y) + 4, "end",
                is_logarithmic ? fmt::format("1e{:.3g}", shown) : fmt::format("{:.4g}", shown));
  }
  std::size_t count[2] = {0, 0};  // of whole and of dashed lines
  std::size_t num_named = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::size_t& next = count[lines[k].is_dashed ? 1 : 0];
    const std::size_t place =
        lines[k].colour >= 0 ? static_cast<std::size_t>(lines[k].colour) : next++;
    const char* colour = kColours[place % std::size(kColours)];
    const char* dashes = lines[k].is_dotted   ? " stroke-dasharray=\"1.5 2.5\""
                         : lines[k].is_dashed ? " stroke-dasharray=\"5 3\""
                                              : "";
    std::string path;
    const std::size_t stride = std::max<std::size_t>(1, lines[k].x.size() / kMostPoints);
    for (std::size_t i = 0; i < lines[k].x.size(); i += stride) {
      const double y = value(lines[k].y[i]);
      if (!std::isfinite(y)) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x(of_x(lines[k].x[i])),
                          at_y(y));
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n",
                       path, colour, dashes);
    if (lines[k].name.empty()) continue;
    const double row = kTop + 14 + 18 * static_cast<double>(num_named++);
    out += fmt::format("<path d=\"M{:.0f} {:.0f}h16\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                       kWidth - kRight + 8, row - 4, colour, dashes);
    out += text(kWidth - kRight + 28, row, "start", lines[k].name);
  }
  return out + "</svg>\n";
}

void write_figure(const std::string& folder, const std::string& name, const Figure& figure) {
  if (folder.empty()) return;
  std::ofstream(folder + "/" + name + ".svg") << figure.svg();
  fmt::print("\n![{}](figures/{}.svg)\n", figure.title, name);
}

}  // namespace koppel::benchmarks
