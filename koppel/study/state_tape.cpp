#include <koppel/study/state_tape.hpp>

#include <algorithm>

#include <koppel/base/stop.hpp>

namespace koppel {

void StateTape::push(double t, std::span<const double> y, std::span<const double> expansion) {
  if (!expansion.empty() && keeps_expansions() &&
      expansions_.size() + expansion.size() <= most_ / 2) {
    expansion_ends_.resize(t_.size() - 1, expansions_.size());
    expansions_.insert(expansions_.end(), expansion.begin(), expansion.end());
    expansion_ends_.push_back(expansions_.size());
  }
  if (t_.size() % stride_ == 0) {
    if (kept_.size() + size_ + expansions_.size() > most_) {  // states matter more
      expansions_ = {};
      expansion_ends_ = {};
    }
    if (kept_.size() + size_ > std::max(most_, 2 * stride_ * size_)) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k * size_ < kept_.size(); k += 2, ++kept) {
        std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(k * size_), size_,
                    kept_.begin() + static_cast<std::ptrdiff_t>(kept * size_));
      }
      kept_.resize(kept * size_);
      stride_ *= 2;
    }
    if (t_.size() % stride_ == 0) {
      kept_.insert(kept_.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(size_));
    }
  }
  t_.push(t);
  last_.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(size_));
}

std::span<const double> StateTape::expansion_of(std::size_t step) const {
  if (step >= expansion_ends_.size()) return {};
  const std::size_t first = step == 0 ? 0 : expansion_ends_[step - 1];
  return std::span(expansions_).subspan(first, expansion_ends_[step] - first);
}

std::size_t StateTape::bytes() const {
  const std::size_t between = stride_ > 1 ? stride_ + 1 : 0;
  return (kept_.capacity() + between * size_ + expansions_.capacity()) * sizeof(double) +
         expansion_ends_.capacity() * sizeof(std::size_t) + t_.bytes();
}

// The states of one block of steps, and what they are computed again with.
struct StateTape::Between {
  const StepMap& map;
  std::span<const double> given;
  std::unique_ptr<StepMap::Workspace> work = map.make_workspace();
  std::vector<double> states = {};
};

bool StateTape::visit_block(std::size_t block, bool backwards, Between& between,
                            const Visit& visit) const {
  const std::size_t first = block * stride_, last = std::min(first + stride_, t_.size() - 1);
  std::vector<double>& states = between.states;
  const auto state = [&](std::size_t node) {
    return std::span(states).subspan((node - first) * size_, size_);
  };
  states.resize((last - first + 1) * size_);
  const auto put = [&](std::size_t node, std::span<const double> y) {
    std::copy(y.begin(), y.end(), state(node).begin());
  };
  put(first, std::span(kept_).subspan(block * size_, size_));
  for (std::size_t node = first + 1; node < last; ++node) {
    put(node, state(node - 1));
    if (!between.map.advance(t_[node - 1], t_[node] - t_[node - 1], state(node), between.given,
                             *between.work)) {
      return false;
    }
  }
  const std::size_t next = (block + 1) * size_;
  put(last, last + 1 == t_.size() ? std::span<const double>(last_)
                                  : std::span(kept_).subspan(next, size_));
  for (std::size_t k = 0; k < last - first; ++k) {
    check_stop();
    const std::size_t step = backwards ? last - 1 - k : first + k;
    const StepMap::At at{t_[step],        t_[step + 1] - t_[step], state(step),
                         state(step + 1), between.given,           expansion_of(step)};
    if (!visit(step, at)) return false;
  }
  return true;
}

bool StateTape::forwards(const StepMap& map, std::span<const double> given,
                         const Visit& visit) const {
  Between between{map, given};
  for (std::size_t block = 0; block * stride_ + 1 < t_.size(); ++block) {
    if (!visit_block(block, false, between, visit)) return false;
  }
  return true;
}

bool StateTape::backwards(const StepMap& map, std::span<const double> given,
                          const Visit& visit) const {
  Between between{map, given};
  const std::size_t num_blocks = t_.size() == 0 ? 0 : (t_.size() - 1 + stride_ - 1) / stride_;
  for (std::size_t block = num_blocks; block-- > 0;) {
    if (!visit_block(block, true, between, visit)) return false;
  }
  return true;
}

}  // namespace koppel
