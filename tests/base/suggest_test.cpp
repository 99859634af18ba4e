#include <koppel/base/suggest.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace koppel {
namespace {

const std::vector<std::string> kNames = {"trolley", "load", "ground", "x", "sin", "sqrt"};

TEST(Suggest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(suggest("troley", kNames), "trolley");    // one is missing
  EXPECT_EQ(suggest("trolleyy", kNames), "trolley");  // one too many
  EXPECT_EQ(suggest("grond", kNames), "ground");
  EXPECT_EQ(suggest("sqtr", kNames), "sqrt");  // neighbours swapped are one mistake
  EXPECT_EQ(suggest("lood", kNames), "load");
}

TEST(Suggest, MeasuresByTheLongerName) {
  EXPECT_EQ(suggest("bodys", std::vector<std::string>{"bodies"}), "bodies");
  EXPECT_EQ(suggest("bodies", std::vector<std::string>{"bodys"}), "bodys");
}

TEST(Suggest, KeepsQuietWhereNothingIsNear) {
  EXPECT_EQ(suggest("hoist", kNames), "");
  EXPECT_EQ(suggest("trxxxey", kNames), "");
  EXPECT_EQ(suggest("load", std::vector<std::string>{}), "");
}

TEST(Suggest, TakesTheNearest) {
  const std::vector<std::string> names = {"position1", "position", "positions2"};
  EXPECT_EQ(suggest("positoin", names), "position");
}

TEST(Suggest, TakesTheFirstOfEquallyNearOnes) {
  const std::vector<std::string> names = {"q1", "q2"};
  EXPECT_EQ(suggest("q3", names), "q1");
}

TEST(Suggest, LettersThatAreLeftOutGoBeforeWrongOnes) {
  const std::vector<std::string> names = {"sin", "sign", "sinh"};
  EXPECT_EQ(suggest("sgn", names), "sign");
  EXPECT_EQ(suggest("sn", names), "sin");
}

TEST(Suggest, LeavesVeryLongNamesAlone) {
  const std::vector<std::string> names = {std::string(65, 'a'), std::string(1 << 20, 'a')};
  EXPECT_EQ(suggest(std::string(64, 'a'), names), "");
  EXPECT_EQ(suggest(std::string(1 << 20, 'a'), names), "");
}

}  // namespace
}  // namespace koppel
