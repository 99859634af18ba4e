// Equations that the structure hides: how many there are, and the index with them.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/structure/hidden_equations.hpp>
#include <koppel/analysis/structure/numeric_index.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

struct Found {
  explicit Found(const Equations& equations)
      : dae(make_dae(equations)),
        point(make_point(dae, Evaluator(equations), assemble(Evaluator(equations)).state)),
        revealed(reveal_hidden_equations(dae, point)) {}
  Dae dae;
  DaePoint point;
  RevealedDae revealed;
};

TEST(HiddenEquations, OfCranesInMinimalCoordinates) {
  const std::vector<std::pair<const char*, int>> known = {{"overhead_crane_minimal", 1},
                                                          {"rotary_crane_minimal", 2}};
  for (const auto& [name, hidden] : known) {
    const Found found(derive(read_model(KOPPEL_MODELS + std::string(name) + ".yaml")));
    // The structure says 3, ranks say 5.
    EXPECT_EQ(analyze_structure(found.dae).index, 3) << name;
    EXPECT_EQ(found.revealed.num_hidden, hidden) << name;
    EXPECT_EQ(found.revealed.index, 5) << name;
    EXPECT_EQ(found.revealed.index, find_numeric_index(found.dae, found.point).index) << name;
    EXPECT_EQ(found.revealed.structure.degrees_of_freedom, 0) << name;
    EXPECT_EQ(found.revealed.order.back(), 4) << "derivatives of the last reference";
  }
}

TEST(HiddenEquations, VelocitiesThatCancelAreGone) {
  const Found found(derive(read_model(KOPPEL_MODELS "overhead_crane_minimal.yaml")));
  for (std::size_t i = 0; i < found.dae.residuals.size(); ++i) {
    const NamedExpr& residual = found.revealed.dae.residuals[i];
    if (!residual.name.starts_with("hidden")) continue;
    // Across the cable: l (γ̈_x cos θ + (g + γ̈_z) sin θ) = 0, without any rate.
    const auto& signature = found.revealed.structure.signature;
    EXPECT_EQ(signature.row_start[i + 1] - signature.row_start[i], 2);
    for (int k = signature.row_start[i]; k < signature.row_start[i + 1]; ++k) {
      EXPECT_EQ(signature.order[static_cast<std::size_t>(k)], 0);
    }
  }
}

TEST(HiddenEquations, NothingIsHiddenWhereTheStructureIsRight) {
  for (const char* name : {"overhead_crane", "navy_crane_2d_massless", "mass_chain"}) {
    const Found found(derive(read_model(KOPPEL_MODELS + std::string(name) + ".yaml")));
    EXPECT_EQ(found.revealed.num_hidden, 0) << name;
    EXPECT_EQ(found.revealed.index, found.revealed.structure.index) << name;
    EXPECT_EQ(found.revealed.order, found.revealed.structure.c) << name;
  }
}

}  // namespace
}  // namespace koppel
