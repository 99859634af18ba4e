// A command and a result that exist here alone. What is in their tables is on the command line, in
// its help, its completion, the words of its messages, in JSON, schema and reference pages, and
// nothing else is written for them.
#include <array>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/value_json.hpp>

#include "apps/koppel/command.hpp"
#include "apps/koppel/reference.hpp"

namespace koppel {

struct Throw {
  double height = 0;
  std::optional<double> angle = {};
  std::vector<std::string> touched = {};
  int bounces = 0;
};

const ResultTable& result_fields(const Throw* /*of*/) {
  static const ResultTable kFields = {
      field<&Throw::height>("height", "the highest point", "m"),
      field<&Throw::angle>("angle", "of the throw", "rad", IfNothing::LeftOut),
      field<&Throw::touched>("touched", "what was in the way"),
      field<[](const Throw& t) { return t.bounces + 1; }>("arcs", "between bounces")};
  return kFields;
}

namespace app {
namespace {

struct ThrowOptions {
  std::string ball = "tennis", spin = {};
  std::optional<double> speed = {};
  std::vector<std::string> walls = {};
  int bounces = 3;
  bool has_wind = false;

  static const OptionTable& options();
};

bool is_spin(const std::string& text) { return text == "top" || text == "back"; }

const OptionTable& ThrowOptions::options() {
  using O = ThrowOptions;
  static const OptionTable kOptions = {
      {{.name = "ball", .text = "What is thrown", .typed = "BALL", .is_required = true}, &O::ball},
      {{.name = "initial_speed",
        .text = "Speed of the hand",
        .value = "V",
        .unit = "m/s",
        .unless_given = "10",
        .typed = "speed",
        .bound = OptionBound::Positive},
       &O::speed},
      {{.name = "spin",
        .text = "Spin of the ball",
        .value = "S",
        .is_known = &is_spin,
        .expected = "It is one of: top, back."},
       &O::spin},
      {{.name = "walls", .text = "Walls to hit", .value = "A,B", .has_commas = true}, &O::walls},
      {{.name = "bounces", .text = "Number of bounces", .value = "N", .max = 9}, &O::bounces},
      {{.name = "with_wind", .text = "Let the wind blow"}, &O::has_wind}};
  return kOptions;
}

ThrowOptions last;

void throw_ball(const ThrowOptions& options) { last = options; }

const std::array<Command, 1> kCommands = {
    CommandOf<throw_ball>::make("throw", "Throw a ball", "Example:\n  koppel throw tennis")};

void type(std::vector<std::string> words) {
  words.insert(words.begin(), "koppel");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const CommandLine given =
      parse_command_line(kCommands, static_cast<int>(arguments.size()), arguments.data());
  if (given.command != nullptr) given.command->run(given.options.get());
}

std::string mistake_of(const std::vector<std::string>& words) {
  try {
    type(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TablesOfOptions, AreTheCommandLine) {
  type({"throw", "golf", "--speed", "4.5", "--walls", "north,east", "--with-wind"});
  EXPECT_EQ(last.ball, "golf");
  EXPECT_EQ(last.speed, 4.5);
  EXPECT_EQ(last.walls, (std::vector<std::string>{"north", "east"}));
  EXPECT_EQ(last.bounces, 3);
  EXPECT_TRUE(last.has_wind);
}

TEST(TablesOfOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_TRUE(has(mistake_of({"throw"}), "BALL is required"));
  EXPECT_TRUE(has(mistake_of({"throw", "golf", "--bounces", "12"}), "--bounces"));
  EXPECT_TRUE(has(mistake_of({"throw", "golf", "--speed", "-1"}), "--speed"));
  EXPECT_TRUE(has(mistake_of({"throw", "golf", "--spin", "side"}),
                  "--spin 'side' is not known.\n  It is one of: top, back."));
  EXPECT_TRUE(has(mistake_of({"throww", "golf"}), "Did you mean 'throw'?"));
}

TEST(TablesOfOptions, AreTheHelp) {
  testing::internal::CaptureStdout();
  type({"throw", "--help"});
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(has(help, "  --speed V               Speed of the hand (default: 10)\n")) << help;
  EXPECT_TRUE(has(help, "  --with-wind             Let the wind blow\n")) << help;
  EXPECT_TRUE(has(help, "Example:\n  koppel throw tennis")) << help;
}

TEST(TablesOfOptions, AreTheCompletion) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell, kCommands);
    for (const char* option : {"speed", "spin", "walls", "bounces", "with-wind"}) {
      EXPECT_TRUE(has(script, option)) << shell << ' ' << option;
    }
  }
}

TEST(TablesOfOptions, AreThePageOfReference) {
  const std::string page = options_page(kCommands);
  EXPECT_TRUE(has(page, "## koppel throw\n\nThrow a ball.\n")) << page;
  EXPECT_TRUE(has(page, "| `--speed V` | Speed of the hand | m/s | 10 | `initial_speed` |\n"))
      << page;
  EXPECT_TRUE(has(page, "| `BALL` | What is thrown |  | must be given | `ball` |\n")) << page;
}

TEST(TablesOfResults, AreTheJson) {
  Throw thrown{.height = 2.5, .touched = {"net"}, .bounces = 1};
  EXPECT_EQ(to_json(value_of(thrown)),
            "{\n  \"height\": 2.5,\n  \"touched\": [\n    \"net\"\n  ],\n  \"arcs\": 2\n}");
  thrown.angle = 0.5;
  EXPECT_TRUE(has(to_json(value_of(thrown)), "\"angle\": 0.5"));
}

TEST(TablesOfResults, AreTheSchemaAndThePageOfReference) {
  const ResultTable& fields = results::fields_of<Throw>();
  const std::string schema = to_json(schema_of("throw", "A throw", fields));
  EXPECT_TRUE(has(schema, "\"description\": \"the highest point (m)\"")) << schema;
  EXPECT_TRUE(has(schema, "\"required\": [\n    \"height\",\n    \"touched\",\n    \"arcs\"\n  ]"))
      << schema;
  const std::string page = fields_text(fields);
  EXPECT_TRUE(has(page, "| `touched` | what was in the way |  | list of texts |\n")) << page;
  EXPECT_TRUE(has(page, "| `arcs` | between bounces |  | whole number |\n")) << page;
}

}  // namespace
}  // namespace app
}  // namespace koppel
