#include <koppel/simulate/passage_log.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/integrate/passage.hpp>

namespace koppel {
namespace {

constexpr std::size_t kTold = 10;  // as many as a person reads

}  // namespace

std::vector<int> rows_kept(std::size_t num_rows, const std::vector<int>& leave_out) {
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(num_rows); ++i) {
    if (!std::binary_search(leave_out.begin(), leave_out.end(), i)) kept.push_back(i);
  }
  return kept;
}

PassageLog::PassageLog(const Equations& equations, std::vector<Summary::Passage>& passages,
                       std::function<void(std::string)> tell)
    : equations_(equations), passages_(passages), tell_(std::move(tell)) {}

void PassageLog::note(const Step& step, const std::vector<int>& leave_out,
                      const std::function<bool(double t)>& is_real) {
  const auto* const passing = dynamic_cast<const PassingStep*>(&step);
  const SingularPassage* const passage = passing == nullptr ? nullptr : passing->passage();
  if (passage == nullptr || !is_real(passage->t)) return;
  const std::vector<int> kept = rows_kept(equations_.g.size() + equations_.mu.size(), leave_out);
  std::vector<std::string> owners;
  for (const int row : passage->rows) {
    owners.push_back(row_owner(equations_, kept[static_cast<std::size_t>(row)]));
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  if (passages_.size() < kTold) {
    tell_(
        fmt::format("passed a singular configuration at t = {:.6g} s: the constraints of '{}' "
                    "depend on each other there.",
                    passage->t, fmt::join(owners, "', '")));
  }
  passages_.push_back({passage->t, std::move(owners)});
}

void PassageLog::summarize() const {
  if (passages_.size() <= kTold) return;
  tell_(fmt::format("passed {} singular configurations in all, the last at t = {:.6g} s.",
                    passages_.size(), passages_.back().t));
}

}  // namespace koppel
