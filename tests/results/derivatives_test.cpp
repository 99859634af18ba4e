// Derivatives of outputs come from the equations, exactly.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/derivatives.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

TEST(Derivatives, OfAnOscillatorAreItsOwn) {
  const Model model = read_model_text(
      "coordinates: {x: {start: 0.6, rate: 0.8}}\nkinetic: x'^2/2\npotential: 2*x^2\n"
      "outputs: {x: x, square: x^2}\n",
      "oscillator.yaml");
  const Equations e = derive(model);
  const State state = assemble(Evaluator(e)).state;
  const Derivatives derivatives(formulate(e, "index3", state), e, 4);
  EXPECT_EQ(derivatives.names(), (std::vector<std::string>{"x'", "x''", "x'''", "x''''", "square'",
                                                           "square''", "square'''", "square''''"}));
  Derivatives::Workspace work = derivatives.make_workspace();
  std::vector<double> found(8);
  derivatives.evaluate(0, state.q, state.v, state.x, found, work);
  // x″ = −4 x; (x²)′ = 2 x x′, and (x²)″ = 2 x′² − 8 x², whose second derivative is −16 times
  // 2 x′² − 8 x² by the same rule.
  const double x = state.q[0], v = state.v[0];
  const double expected[] = {v,           -4 * x,
                             -4 * v,      16 * x,
                             2 * x * v,   2 * v * v - 8 * x * x,
                             -32 * x * v, -16 * (2 * v * v - 8 * x * x)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(near(found[i], expected[i], {.relative = 1e-14, .scale = 16})) << i;
  }
}

TEST(Derivatives, OfAPointInAClosedLoopAgreeInAllCoordinates) {
  const Model model = read_model(KOPPEL_MODELS "slider_crank.yaml");
  std::vector<std::vector<double>> all;
  for (const char* coordinates : {"natural", "joint", "absolute"}) {
    const Equations e = derive(model, coordinates);
    const State state = assemble(Evaluator(e)).state;
    const Derivatives derivatives(formulate(e, "index3", state), e, 3);
    Derivatives::Workspace work = derivatives.make_workspace();
    all.emplace_back(derivatives.names().size());
    derivatives.evaluate(0, state.q, state.v, state.x, all.back(), work);
  }
  for (std::size_t i = 0; i < all[0].size(); ++i) {
    for (std::size_t j = 1; j < all.size(); ++j) {
      EXPECT_TRUE(near(all[0][i], all[j][i],
                       {.relative = 1e-9, .scale = 1e3, .because = "jerks of 1e3 m/s^3"}))
          << i << ' ' << j;
    }
  }
}

TEST(Derivatives, OfNoMoreThanEightOrders) {
  const Equations e = derive(read_model(KOPPEL_MODELS "pendulum.yaml"));
  EXPECT_EQ(testing::error_of(
                [&] { const Derivatives derivatives(formulate(e, "index3", start_of(e)), e, 9); }),
            "error[results.bad-derivative]: derivatives of order 9 were asked for; orders go "
            "from 1 to 8.");
}

}  // namespace
}  // namespace koppel
