#include <koppel/analysis/assembly/gaps.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppel {
namespace {

// The gap of an owner: the distance of its points where coordinates of points are what stays open.
std::string describe_gap(const std::string& owner, const std::vector<Gap>& gaps) {
  double points = 0;
  std::string others;
  for (const Gap& gap : gaps) {
    if (gap.owner != owner) continue;
    if (gap.is_point) {
      points += gap.size * gap.size;
    } else if (others.empty() && gap.name.starts_with(owner + ".rigid")) {
      others = fmt::format("as a rigid body it would have to change its shape by {:.3g}", gap.size);
    } else if (others.empty()) {
      others = fmt::format("'{}' stays off by {:.3g}", gap.name, gap.size);
    }
  }
  if (points > 0) return fmt::format("its points stay {:.3g} m apart", std::sqrt(points));
  return others;
}

}  // namespace

Gap gap_of(const Equations::Row& row, double size) {
  return {row.name, row.owner.name, size, row.holds == Holds::Point};
}

Gap initial_gap(std::string name, double size) {
  return {std::move(name), "initial value", size, false, true};
}

std::string explain_gaps(const std::vector<Gap>& gaps) {
  std::vector<std::string> owners;
  for (const Gap& gap : gaps) {
    if (std::find(owners.begin(), owners.end(), gap.owner) == owners.end()) {
      owners.push_back(gap.owner);
    }
  }
  const std::string& worst = owners[0];
  std::string text = fmt::format("'{}' cannot close: {}.", worst, describe_gap(worst, gaps));
  if (owners.size() > 1) {
    constexpr std::size_t kMost = 4;
    text += " It contradicts ";
    for (std::size_t i = 1; i < std::min(owners.size(), kMost); ++i) {
      text += fmt::format("{}'{}'", i > 1 ? ", " : "", owners[i]);
    }
    if (owners.size() > kMost) text += fmt::format(" and {} more", owners.size() - kMost);
    text += '.';
  }
  return text;
}

std::string explain_initial(const Gap& gap) {
  return fmt::format(
      "the initial value of '{}' cannot be met: with the constraints and the initial values before "
      "it, it stays off by {:.3g}. Correct it, or mark it as a wish: {{value: …, wish: true}}.",
      gap.name, gap.size);
}

}  // namespace koppel
