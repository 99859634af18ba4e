#include <koppel/simulate/passage_log.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/base/quoted.hpp>
#include <koppel/integrate/passage.hpp>

namespace koppel {
namespace {

constexpr std::size_t kTold = 10;  // as many as a person reads

}  // namespace

PassageLog::PassageLog(const Equations& equations, std::vector<Summary::Passage>& passages,
                       std::function<void(std::string)> tell)
    : equations_(equations), passages_(passages), tell_(std::move(tell)) {}

void PassageLog::note(const Step& step, const std::vector<int>& rows,
                      const std::function<bool(double t)>& is_real) {
  const auto* const passing = dynamic_cast<const PassingStep*>(&step);
  const SingularPassage* const passage = passing == nullptr ? nullptr : passing->passage();
  if (passage == nullptr || !is_real(passage->t)) return;
  std::vector<std::string> owners;
  for (const int row : passage->rows) {
    const auto number = static_cast<std::size_t>(rows[static_cast<std::size_t>(row)]);
    owners.push_back(equations_.rows[number].owner.name);
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  if (passages_.size() < kTold) {
    tell_(
        fmt::format("passed a singular configuration at t = {:.6g} s: the constraints of {} "
                    "depend on each other there.",
                    passage->t, quoted(owners)));
  }
  passages_.push_back({passage->t, std::move(owners)});
}

void PassageLog::summarize() const {
  if (passages_.size() <= kTold) return;
  tell_(fmt::format("passed {} singular configurations in all, the last at t = {:.6g} s.",
                    passages_.size(), passages_.back().t));
}

}  // namespace koppel
