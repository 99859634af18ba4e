// What the workbench answers to a page, without a network.
#include <koppel/play/workbench.hpp>

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using Json = nlohmann::json;

// A bob on a rope of length l: on a circle, with one freedom.
const std::string kSwing =
    "dimension: 2\ngravity: [0, -9.81]\nparameters: {l: 1}\n"
    "bodies: {bob: {point_mass: 1, position: [l, 0]}}\n"
    "joints: {rope: {type: distance, between: [ground, bob]}}\n"
    "outputs: {x: bob.x, y: bob.y}\nrun: {end: 0.1}\n";

class WorkbenchTest : public ::testing::Test {
 protected:
  WorkbenchTest() {
    file_ = folder_.path() / "model.yaml";
    std::ofstream(file_) << kSwing;
  }

  // All answers, those of the task included; the module is counted only.
  std::vector<Json> ask(const Json& message, bool goes_on = true) {
    WorkbenchOptions options;
    options.file = file_;
    options.studies.push_back({"run", [](const Model&) { return true; },
                               [](const Model& model, const std::function<bool()>&) {
                                 return "{\"title\":\"" + model.name + "\"}";
                               }});
    const Workbench workbench(options);
    std::vector<Json> answers;
    const Workbench::Send send = [&](const std::vector<PlayMessage>& all) {
      for (const PlayMessage& m : all) {
        if (m.is_binary) {
          ++num_modules_;
        } else {
          answers.push_back(Json::parse(m.data));
        }
      }
    };
    const Workbench::Task task = workbench.answer(message.dump(), send);
    at_once_ = answers.size();
    if (task.run) task.run(send, [=] { return goes_on; });
    return answers;
  }
  Json edit(const std::string& text) const {
    return {{"kind", "edit"}, {"number", 3}, {"name", ""}, {"text", text}};
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path file_;
  int num_modules_ = 0;
  std::size_t at_once_ = 0;
};

TEST_F(WorkbenchTest, MistakesAreToldBeforeTheMechanismIsMade) {
  const auto right = ask(edit(kSwing));
  EXPECT_EQ(at_once_, 1u);
  EXPECT_EQ(right.at(0), Json({{"kind", "errors"}, {"number", 3}, {"errors", Json::array()}}));
  EXPECT_EQ(right.at(1)["kind"], "mechanism");
  EXPECT_EQ(num_modules_, 1);
  const auto wrong = ask(edit("bodies: 3"));
  EXPECT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong.at(0)["errors"].size(), 1u);
}

TEST_F(WorkbenchTest, TasksThatNobodyWantsAreNotDone) {
  EXPECT_EQ(ask(edit(kSwing), false).size(), 1u);
  EXPECT_EQ(num_modules_, 0);
}

TEST_F(WorkbenchTest, TheMechanismIsAssembledNextToItsPose) {
  // The coordinates of the step, x and y of the bob and their rates, by their names.
  const Json state = ask(edit(kSwing)).at(1)["mechanism"]["state"];
  const std::vector<double> pose = {0.61, -0.8, 1, 0};
  Json message = edit(kSwing);
  message["set"] = {{"l", 2.0}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(state.at(i)["group"], i < 2 ? "coordinates" : "velocities");
    message["pose"][state.at(i)["name"].get<std::string>()] = pose[i];
  }
  const Json mechanism = ask(message).at(1);
  const auto present = mechanism["present"].get<std::vector<double>>();
  ASSERT_EQ(present.size(), 4u);
  const double x = present[0], y = present[1], vx = present[2], vy = present[3];
  EXPECT_NEAR(std::hypot(x, y), 2, 1e-9);                              // on the longer rope,
  EXPECT_NEAR(y / x, -0.8 / 0.61, 1e-6);                               // in the same direction,
  EXPECT_NEAR(x * vx + y * vy, 0, 1e-9);                               // along the circle,
  EXPECT_NEAR(std::hypot(vx, vy), 0.8 / std::hypot(0.61, 0.8), 1e-6);  // the part of (1, 0) that is
}

TEST_F(WorkbenchTest, WithoutAPoseItBeginsAtTheStart) {
  EXPECT_TRUE(ask(edit(kSwing)).at(1)["present"].is_null());
}

TEST_F(WorkbenchTest, StudiesAreComputedOfTheTextWithWhatIsSet) {
  Json message = edit("name: other\n" + kSwing);
  message["kind"] = "study";
  message["of"] = "run";
  const auto answers = ask(message);
  EXPECT_EQ(at_once_, 0u);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(
      answers[0],
      Json({{"kind", "report"}, {"of", "run"}, {"number", 3}, {"report", {{"title", "other"}}}}));
  message["of"] = "nothing";
  EXPECT_THROW(ask(message), BadMessage);
  message["of"] = "run";
  message["set"] = Json::array();
  EXPECT_THROW(ask(message), BadMessage);
}

TEST_F(WorkbenchTest, AModelWithoutAStepIsShownStandingStill) {
  const auto answers = ask(edit(kSwing + "events: {low: {when: bob.y + 0.5, stop: true}}\n"));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[1]["errors"].at(0)["id"], "export.has-events");
  EXPECT_EQ(answers[2]["kind"], "still");
  EXPECT_EQ(answers[2]["scene"]["bodies"].size(), 2u);
  EXPECT_EQ(answers[2]["studies"], Json({"run"}));
}

// A rod on two parallel guides: the second one repeats that it does not turn.
TEST_F(WorkbenchTest, RedundantJointsAreNamed) {
  const Json mechanism = ask(edit("dimension: 2\nbodies: {rod: {mass: 1, inertia: 0.1}}\n"
                                  "joints:\n"
                                  "  a: {type: prismatic, between: [ground, rod], axis: [1, 0]}\n"
                                  "  b: {type: prismatic, between: [ground, rod], axis: [1, 0]}\n"
                                  "run: {end: 0.1}\n"))
                             .at(1);
  EXPECT_EQ(mechanism["redundant"].at(0), "b");
}

}  // namespace
}  // namespace koppel
