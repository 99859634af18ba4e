#include <koppel/formulation/time_features.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <koppel/expr/algebra/enclosure.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/time_parts.hpp>

namespace koppel {
namespace {

constexpr double kConstant = 1e-10, kStraight = 0.05, kGrowth = 100;
constexpr int kFirstPieces = 16;
// Bounds of nodes to compute at most, and pieces.
constexpr std::size_t kMostBounds = 4'000'000, kMostPieces = 50'000, kMostFound = 10'000;
// Of the range: no feature is narrower.
constexpr double kNarrowest = 1e-12;
// What is constant for less than this part of the time that follows, in which it varies, turns
// there and no more.
constexpr double kPause = 0.05;
// Pieces at the beginning of a feature that are stepped to one by one; all of them in a short one.
constexpr std::size_t kRise = 32, kMostInside = 200;

bool can_hide(Op op) {
  switch (op) {
    case Op::Constant:
    case Op::Symbol:
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Sign:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal: return false;
    default: return true;
  }
}

// The parts that may be more than they look like from a distance.
std::vector<Expr> parts_to_look_at(std::span<const Expr> expressions, Expr t,
                                   std::span<const Expr> symbols) {
  const std::vector<Expr> time = {t};
  std::vector<Expr> parts = time_parts(expressions, t, symbols);
  std::erase_if(parts, [&](Expr e) { return !can_hide(e.op()) || is_linear(e, time); });
  return parts;
}

class Search {
 public:
  Search(const std::vector<Expr>& parts, Expr t, std::span<const Expr> symbols,
         std::span<const double> values, Interval range)
      : range_(range), num_parts_(parts.size()), bounds_(parts, t, symbols, values) {}

  std::vector<double> run(std::span<const double> breakpoints) {
    std::deque<Interval> open = first_pieces(breakpoints);
    measure(open);
    const std::size_t most =
        std::clamp(kMostBounds / bounds_.num_nodes(), std::size_t{1000}, kMostPieces);
    // Longest first: halves are put behind.
    for (std::size_t count = 0; !open.empty(); ++count) {
      const Interval piece = open.front();
      open.pop_front();
      Piece found{piece, std::vector<char>(num_parts_, 0)};
      if (is_resolved(found) || count >= most || piece.width() < kNarrowest * range_.width()) {
        pieces_.push_back(std::move(found));
        continue;
      }
      const double middle = piece.lo + 0.5 * piece.width();
      open.push_back({piece.lo, middle});
      open.push_back({middle, piece.hi});
    }
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.at.lo < b.at.lo; });
    for (std::size_t part = 0; part < num_parts_; ++part) collect(part, breakpoints);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  struct Piece {
    Interval at;
    std::vector<char> varies;  // by part: not constant
  };

  // Equal ones, divided at breakpoints: up to the number before, and from the number after.
  std::deque<Interval> first_pieces(std::span<const double> breakpoints) const {
    std::deque<Interval> out;
    auto next = std::upper_bound(breakpoints.begin(), breakpoints.end(), range_.lo);
    double from = range_.lo;
    for (int i = 1; i <= kFirstPieces; ++i) {
      const double to =
          i == kFirstPieces ? range_.hi : range_.lo + range_.width() * i / kFirstPieces;
      for (; next != breakpoints.end() && *next <= to; ++next) {
        out.push_back({from, std::nextafter(*next, from)});
        from = std::nextafter(*next, HUGE_VAL);
      }
      if (from < to) out.push_back({from, to});
      from = std::max(from, to);
    }
    return out;
  }

  // What each part takes over the range: from bounds, where they are finite, and from values.
  void measure(const std::deque<Interval>& pieces) {
    size_.assign(num_parts_, 0.0);
    rate_.assign(num_parts_, 0.0);
    std::vector<Interval> taken(num_parts_, {HUGE_VAL, -HUGE_VAL});
    const auto add = [&] {
      for (std::size_t i = 0; i < num_parts_; ++i) {
        if (bounds_[i].value.is_finite()) taken[i] = hull(taken[i], bounds_[i].value);
      }
    };
    for (const Interval& piece : pieces) {
      for (const double t : {piece.lo, piece.lo + 0.5 * piece.width(), piece.hi}) {
        bounds_.evaluate({t, t});
        add();
      }
      bounds_.evaluate(piece);
      add();
    }
    for (std::size_t i = 0; i < num_parts_; ++i) {
      if (taken[i].is_finite() && taken[i].hi > taken[i].lo) size_[i] = taken[i].width();
    }
  }

  bool is_resolved(Piece& piece) {
    bounds_.evaluate({piece.at.lo, piece.at.lo});
    for (std::size_t i = 0; i < num_parts_; ++i) {
      const Interval& rate = bounds_[i].rate;
      rate_[i] = std::min(std::abs(rate.lo), std::abs(rate.hi));
    }
    bounds_.evaluate(piece.at);
    bool all = true;
    for (std::size_t i = 0; i < num_parts_; ++i) {
      if (size_[i] == 0) continue;
      const Enclosure::Bounds& b = bounds_[i];
      if (b.value.width() <= kConstant * size_[i]) continue;
      piece.varies[i] = 1;
      const double most = std::max(std::abs(b.rate.lo), std::abs(b.rate.hi));
      all = all && b.rate.width() * piece.at.width() <= kStraight * size_[i] &&
            most <= kGrowth * rate_[i];
    }
    return all;
  }

  // Pieces first … last, on which the part varies but for pauses.
  struct Stretch {
    std::size_t first, last;
  };

  std::vector<Stretch> stretches_of(std::size_t part) const {
    std::vector<Stretch> out;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!pieces_[i].varies[part]) continue;
      if (!out.empty() && out.back().last + 1 == i) {
        out.back().last = i;
      } else {
        out.push_back({i, i});
      }
    }
    if (out.empty()) return out;
    const auto length = [&](const Stretch& s) {
      return pieces_[s.last].at.hi - pieces_[s.first].at.lo;
    };
    if (pieces_[out[0].first].at.lo - range_.lo < kPause * length(out[0])) out[0].first = 0;
    if (range_.hi - pieces_[out.back().last].at.hi < kPause * length(out.back())) {
      out.back().last = pieces_.size() - 1;
    }
    std::vector<Stretch> merged = {out[0]};
    for (std::size_t i = 1; i < out.size(); ++i) {
      const double pause = pieces_[out[i].first].at.lo - pieces_[merged.back().last].at.hi;
      if (pause < kPause * std::max(length(out[i]), length(merged.back()))) {
        merged.back().last = out[i].last;
      } else {
        merged.push_back(out[i]);
      }
    }
    return merged;
  }

  // The ends of each stretch, and places within from which one sees what is to come.
  void collect(std::size_t part, std::span<const double> breakpoints) {
    const auto add = [&](double t, double length) {
      if (t <= range_.lo || t >= range_.hi || found_.size() >= kMostFound) return;
      const auto next = std::lower_bound(breakpoints.begin(), breakpoints.end(), t - length);
      if (next == breakpoints.end() || *next > t + length) found_.push_back(t);
    };
    for (const Stretch& s : stretches_of(part)) {
      if (s.first == 0 && s.last + 1 == pieces_.size()) continue;
      const std::size_t count = s.last - s.first;
      const std::size_t last = s.first + (count <= kMostInside ? count : kRise);
      for (std::size_t i = s.first; i <= last; ++i) {
        add(pieces_[i].at.lo, 0.01 * pieces_[i].at.width());
      }
      add(pieces_[s.last].at.hi, 0.01 * pieces_[s.last].at.width());
    }
  }

  Interval range_;
  std::size_t num_parts_;
  Enclosure bounds_;
  std::vector<double> size_;  // by part: what it takes over the range
  std::vector<double> rate_;  // by part: |rate| where a piece begins
  std::vector<Piece> pieces_;
  std::vector<double> found_;
};

}  // namespace

std::vector<double> find_time_features(std::span<const Expr> expressions, Expr t,
                                       std::span<const Expr> symbols,
                                       std::span<const double> values, Interval range,
                                       std::span<const double> breakpoints) {
  if (!(range.width() > 0)) return {};
  const std::vector<Expr> parts = parts_to_look_at(expressions, t, symbols);
  if (parts.empty()) return {};
  return Search(parts, t, symbols, values, range).run(breakpoints);
}

}  // namespace koppel
