// Steps of Taylor series as maps: what they reach, and their derivatives forwards and backwards.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <koppel/formulation/linear_rates.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/integrate/taylor_plan.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/observed.hpp>
#include <koppel/study/step_map.hpp>

namespace koppel {
namespace {

struct Case {
  const char *model, *coordinates;
  double h;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << ", " << c.coordinates; }

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double length(const Vector& a) { return std::sqrt(dot(a, a)); }

class SeriesMaps : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr double kTolerance = 1e-12;

  SeriesMaps() : model_(read_model(std::string(KOPPEL_MODELS) + GetParam().model + ".yaml")) {
    SimulateOptions options;
    options.integrator = "taylor";
    options.coordinates = GetParam().coordinates;
    options.tolerance = kTolerance;
    options.end = 1;
    const Prepared prepared = prepare(model_, options);
    const RightHandSideTerms rates = make_linear_rates(prepared.independent, prepared.state);
    const ProjectorTerms projection =
        make_projector_terms(prepared.independent, prepared.state.p, prepared.state.u);
    const Lazy<SeriesSystem>& series = prepared.problem.series;
    map_ = make_series_map(series, taylor_order(*series, 0, kTolerance), rates, projection,
                           kTolerance);
    flow_ = make_flow_map(rates, projection, kTolerance);
    y_ = motion_of(prepared.state);
    given_ = given_of(prepared.state);
    t_ = prepared.state.t;
    // Starts are often special: a step away from it, with changes that the constraints allow.
    dgiven_ = random_vector(given_.size());
    for (std::size_t i = 0; i < given_.size(); ++i) dgiven_[i] *= given_[i];
    dy_ = random_vector(y_.size());
    Vector next = y_;
    const auto work = flow_->make_workspace();
    const double h = GetParam().h;
    EXPECT_TRUE(flow_->advance(t_, h, next, given_, *work));
    EXPECT_TRUE(flow_->stand_at({t_, h, y_, next, given_}, *work));
    flow_->tangent(dy_, dgiven_, *work);
    y_ = next;
    t_ += h;
  }

  Vector random_vector(std::size_t n) {
    Vector out(n);
    for (double& x : out) x = 2 * (static_cast<double>(random_()) / 4294967296.0) - 1;
    return out;
  }

  Model model_;
  std::unique_ptr<StepMap> map_, flow_;
  std::mt19937 random_{7};
  Vector y_, given_, dy_, dgiven_;
  double t_ = 0;
};

TEST_P(SeriesMaps, AreTheFlowAndChangeAsItDoes) {
  const double h = GetParam().h;
  Vector by_series = y_, by_flow = y_;
  const auto series = map_->make_workspace(), flow = flow_->make_workspace();
  ASSERT_TRUE(map_->advance(t_, h, by_series, given_, *series));
  ASSERT_TRUE(flow_->advance(t_, h, by_flow, given_, *flow));
  // Each to its tolerance, relative to 1 or to the value.
  for (std::size_t i = 0; i < y_.size(); ++i) {
    EXPECT_NEAR(by_series[i], by_flow[i], 10 * kTolerance * std::max(1.0, std::abs(by_flow[i])));
  }
  ASSERT_TRUE(map_->stand_at({t_, h, y_, by_series, given_}, *series));
  ASSERT_TRUE(flow_->stand_at({t_, h, y_, by_flow, given_}, *flow));
  Vector changes = dy_, expected = dy_;
  map_->tangent(changes, dgiven_, *series);
  flow_->tangent(expected, dgiven_, *flow);
  double size = 1;
  for (const double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < y_.size(); ++i) {
    EXPECT_NEAR(changes[i], expected[i], 1e-10 * size) << i;  // truncation, and cond(J)
  }
}

TEST_P(SeriesMaps, GoBackwardsByTheTransposeOfForwards) {
  const double h = GetParam().h;
  Vector end = y_;
  const auto work = map_->make_workspace();
  ASSERT_TRUE(map_->advance(t_, h, end, given_, *work));
  ASSERT_TRUE(map_->stand_at({t_, h, y_, end, given_}, *work));
  for (int trial = 0; trial < 3; ++trial) {
    const Vector w = random_vector(y_.size());
    const Vector dy = random_vector(y_.size());
    Vector dgiven = random_vector(given_.size());
    for (std::size_t i = 0; i < given_.size(); ++i) dgiven[i] *= given_[i];
    Vector changes = dy, weights = w, w_given(given_.size(), 0.0);
    map_->tangent(changes, dgiven, *work);
    ASSERT_TRUE(map_->adjoint(weights, w_given, *work));
    const double forwards = dot(w, changes);
    const double backwards = dot(weights, dy) + dot(w_given, dgiven);
    // Round-off of sums of some hundred terms, of the size of their vectors.
    const double size = length(w) * length(changes) + length(weights) * length(dy) +
                        length(w_given) * length(dgiven);
    EXPECT_NEAR(forwards, backwards, 1e-12 * size);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SeriesMaps,
    ::testing::Values(Case{"slider_crank", "natural", 0.01},
                      Case{"andrews", "lagrange", 2e-4},  // its matrix is symmetric to the eye
                      Case{"bricard", "natural", 0.02}, Case{"mcpherson", "natural", 2e-3},
                      Case{"whipple_bicycle", "natural", 0.01},  // rolls: rows of velocities
                      Case{"car_axle", "lagrange", 0.01},        // driven
                      Case{"overhead_crane", "lagrange", 0.1},   // with inputs
                      Case{"double_pendulum", "joint", 0.02},    // an ODE
                      Case{"bricard", "absolute", 0.02},         // quaternions
                      Case{"vehicle_trailer", "joint", 1e-3}));

}  // namespace
}  // namespace koppel
