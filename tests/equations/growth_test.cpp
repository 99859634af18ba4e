// The size of the equations of a chain grows linearly with its bodies.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

Equations chain(int n, const std::string& set) {
  return derive(read_model(KOPPEL_MODELS "chain.yaml", {.set = {{"n", std::to_string(n)}}}), set);
}

std::size_t size_of(const Equations& e, bool forces_only) {
  std::vector<Expr> all = e.f;
  if (!forces_only) {
    for (const auto* part : {&e.M->values, &e.g, &e.G.values, &e.gamma}) {
      all.insert(all.end(), part->begin(), part->end());
    }
  }
  return num_operations(all);
}

// Twice the bodies, twice the operations: the exponent between two sizes is 1.
void expect_linear(const std::string& set, bool forces_only, int small, int large) {
  const double a = static_cast<double>(size_of(chain(small, set), forces_only));
  const double b = static_cast<double>(size_of(chain(large, set), forces_only));
  EXPECT_NEAR(std::log(b / a) / std::log(static_cast<double>(large) / small), 1.0, 0.02) << set;
}

TEST(Growth, OfAllTermsIsLinearInAbsoluteAndNaturalCoordinates) {
  for (const char* set : {"absolute", "natural", "directors"}) expect_linear(set, false, 100, 1000);
}

TEST(Growth, OfTheForcesIsLinearInJointCoordinates) { expect_linear("joint", true, 50, 200); }

}  // namespace
}  // namespace koppel
