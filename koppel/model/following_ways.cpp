#include <koppel/model/following_ways.hpp>

#include <algorithm>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

constexpr double kTime = 0.02;  // s
constexpr double kFewestSteps = 5, kBaumgarte = 0.2;

// Of the outputs of a tracking: their rates, and the differences to targets.
class Followed {
 public:
  Followed(const Model& model, const Tracking& t) : model_(model), t_(t) {
    Exprs values = {model.time}, rates = {1};
    for (const Quantity& quantity : model.quantities) {
      values.push_back(quantity.value);
      rates.push_back(quantity.rate);
      // Angular velocities have no values, which stand for zero.
      if (std::holds_alternative<Quantity::AngularVelocity>(quantity.of)) {
        turned_.push_back(quantity.value);
      }
    }
    rates_ = time_derivative(t.outputs, values, rates);
    outputs_ = substitute(t.outputs, turned_, Exprs(turned_.size()));
  }

  bool is_orientation() const { return depends_on(t_.outputs, turned_); }
  bool follows_positions() const {
    Exprs moving;
    for (const Quantity& quantity : model_.quantities) moving.push_back(quantity.value);
    return !is_orientation() && depends_on(t_.targets, moving);
  }
  const Exprs& rates() const { return rates_; }
  Exprs differences(Exprs targets) const {
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] -= outputs_[i];
    return targets;
  }

 private:
  const Model& model_;
  const Tracking& t_;
  Exprs turned_, rates_, outputs_;
};

// What is followed, and its rates.
struct Goals {
  Exprs values, rates;
};

class Follow {
 public:
  Follow(const Model& model, FollowingWay way, double step, const std::vector<double>& masses)
      : model_(model),
        out_(model),
        way_(way),
        step_(step),
        time_(std::max(kTime, kFewestSteps * step)),
        masses_(masses) {}

  Model make() {
    out_.tracking.clear();
    for (std::size_t k = 0; k < model_.tracking.size(); ++k) {
      const Tracking& t = model_.tracking[k];
      const Followed followed(model_, t);
      check(t, followed);
      switch (way_) {
        case FollowingWay::Constraint: constrain(t, followed, on_steps(t), 0); break;
        case FollowingWay::Baumgarte:
          constrain(t, followed, as_given(t), kBaumgarte / step_);
          break;
        case FollowingWay::Spring: pull(t, followed, masses_[k]); break;
        case FollowingWay::FilteredConstraint: follow(t, filtered(t), step_ / kBaumgarte); break;
        case FollowingWay::FilteredInverse: follow(t, filtered(t), time_); break;
      }
    }
    return std::move(out_);
  }

 private:
  void check(const Tracking& t, const Followed& followed) const {
    const bool has_filter =
        way_ == FollowingWay::FilteredConstraint || way_ == FollowingWay::FilteredInverse;
    const char* why = !t.is_active.is_constant(1)               ? "can be let go"
                      : followed.follows_positions()            ? "follows positions"
                      : has_filter && followed.is_orientation() ? "follows an orientation"
                                                                : nullptr;
    if (why == nullptr) return;
    throw Error("compare.cannot-follow",
                "tracking '" + t.name + "' " + why + ", which '" + name_of(way_) + "' cannot do.");
  }

  Goals as_given(const Tracking& t) const {
    const Exprs time = {model_.time}, one = {1};
    return {t.targets, time_derivative(t.targets, time, one)};
  }
  // Just after the ends of steps, so that a jump at one of them counts once, however t is rounded.
  Goals on_steps(const Tracking& t) const {
    constexpr double kAfter = 1e-3;  // of a step
    const Exprs time = {model_.time}, now = {model_.time + kAfter * step_};
    const Exprs before = {model_.time - (1 - kAfter) * step_};
    const Exprs last = substitute(t.targets, time, before);
    Goals goals{t.targets, substitute(t.targets, time, now)};
    for (std::size_t i = 0; i < last.size(); ++i)
      goals.rates[i] = (goals.rates[i] - last[i]) / step_;
    return goals;
  }
  // Behind the filter, which starts at the target.
  Goals filtered(const Tracking& t) {
    const Exprs time = {model_.time}, begin = {0}, none(model_.inputs.size());
    const Exprs start = substitute(substitute(t.targets, time, begin), model_.inputs, none);
    Goals goals;
    for (std::size_t i = 0; i < t.targets.size(); ++i) {
      const std::string name = t.name + ".filtered_" + std::to_string(i + 1);
      const Expr y = out_.graph->symbol(name), rate = out_.graph->symbol(name + ".rate");
      const Expr pull = (t.targets[i] - y) / (time_ * time_) - 2 / time_ * rate;
      out_.first_order.push_back({name, y, rate, t.where});
      out_.first_order.push_back({name + ".rate", rate, pull, t.where});
      out_.initial.push_back({y, start[i], true, t.where});
      out_.initial.push_back({rate, 0, true, t.where});
      goals.values.push_back(y);
      goals.rates.push_back(rate);
    }
    return goals;
  }

  void constrain(const Tracking& t, const Followed& followed, const Goals& goals, double alpha) {
    const Exprs d = followed.differences(goals.values);
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::string name = t.name + ".row_" + std::to_string(i + 1);
      out_.nonholonomic.push_back(
          {name, followed.rates()[i] - goals.rates[i] - alpha * d[i], t.where});
    }
  }

  // The forces of the model are its own, with a spring's in the place of the states.
  void pull(const Tracking& t, const Followed& followed, double mass) {
    const Goals goals = as_given(t);
    const Exprs d = followed.differences(goals.values);
    Exprs springs;
    for (std::size_t i = 0; i < d.size(); ++i) {
      springs.push_back(mass / (time_ * time_) * d[i] +
                        2 * mass / time_ * (goals.rates[i] - followed.rates()[i]));
      out_.outputs.push_back({t.name + ".pull_" + std::to_string(i + 1), springs[i], t.where});
    }
    for (Force& force : out_.forces) {
      for (Action& action : force.actions) {
        action.effort = substitute(Exprs{action.effort}, t.forces, springs)[0];
      }
    }
  }

  // The force that makes σ = ẏ + (y − s)/τ hold at the end of the step, which is (z − s)/τ for
  // z = y + τ ẏ: that of inverse dynamics, and the multiplier of a constraint with this feedback.
  void follow(const Tracking& t, const Goals& goals, double tau) {
    Tracking law = t;
    for (std::size_t i = 0; i < law.targets.size(); ++i) {
      law.targets[i] = goals.values[i] + tau * goals.rates[i];
    }
    law.method = TrackingMethod::Automatic;
    law.max_force = law.max_acceleration = law.max_speed = 0;
    law.response = tau;
    out_.tracking.push_back(std::move(law));
  }

  const Model& model_;
  Model out_;
  FollowingWay way_;
  double step_, time_;
  const std::vector<double>& masses_;
};

}  // namespace

std::string name_of(FollowingWay way) {
  switch (way) {
    case FollowingWay::Constraint: return "constraint";
    case FollowingWay::Baumgarte: return "constraint, Baumgarte";
    case FollowingWay::Spring: return "spring and damper";
    case FollowingWay::FilteredConstraint: return "filter, constraint";
    case FollowingWay::FilteredInverse: break;
  }
  return "filter, inverse dynamics";
}

Model following_by(const Model& model, FollowingWay way, double step,
                   const std::vector<double>& masses) {
  return Follow(model, way, step, masses).make();
}

void show_following(Model& shown, const Model& model) {
  for (const Tracking& t : model.tracking) {
    const Followed followed(model, t);
    const auto show = [&](const char* what, const Exprs& values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        shown.outputs.push_back({t.name + '.' + what + std::to_string(i + 1), values[i], t.where});
      }
    };
    show("z", t.targets);
    show("d", followed.differences(t.targets));
    show("s", followed.rates());
  }
}

}  // namespace koppel
