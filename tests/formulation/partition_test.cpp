// Independent coordinates by name, and what is said where that cannot be.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>

#include "tests/analysis/mechanisms.hpp"
#include "tests/error_of.hpp"

namespace koppel::testing {
namespace {

std::string error_of(std::string_view formulation) {
  const Equations e = derive(make_slider_crank(), "joint");
  return testing::error_of([&] { formulate(e, formulation, start_of(e)); });
}

TEST(Partition, NamesAreSplitAtPlus) {
  const Formulation formulation = "partition:x+beta";
  EXPECT_EQ(formulation.info().name, "partition");
  EXPECT_EQ(formulation.independent, (std::vector<std::string>{"x", "beta"}));
  EXPECT_EQ(formulation.text(), "partition:x+beta");
  EXPECT_EQ(Formulation("qr").text(), "qr");
  EXPECT_TRUE(Formulation("qr").independent.empty());
}

TEST(Partition, UnknownCoordinatesAreRefused) {
  EXPECT_EQ(error_of("partition:a.angel"),
            "error[formulation.unknown-coordinate]: 'a.angel' is named as independent, but 'slider "
            "crank' has no such coordinate.\n  Did you mean 'a.angle'? There are: a.angle, "
            "guide.position, b.angle.");
}

TEST(Partition, TheirNumberIsThatOfFreedoms) {
  EXPECT_EQ(error_of("partition:a.angle+b.angle"),
            "error[formulation.wrong-number]: 2 coordinates are named as independent; 'slider "
            "crank' has 3 velocities and 2 independent constraints.\n  Name 1, or none: then they "
            "are chosen by pivoting.");
}

}  // namespace
}  // namespace koppel::testing
