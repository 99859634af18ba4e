#include <koppel/base/diagnostic.hpp>

#include <gtest/gtest.h>

namespace koppel {
namespace {

TEST(Diagnostic, SaysWhereWhatAndWhatToDo) {
  const Diagnostic diagnostic{"model.unknown-body",
                              "joint 'hoist' names body 'troley'; there is none.",
                              "bodies: ground, trolley, load. Did you mean 'trolley'?",
                              {"crane.yaml", 42, 7},
                              ""};
  EXPECT_EQ(to_string(diagnostic),
            "crane.yaml:42:7: error[model.unknown-body]: joint 'hoist' names body 'troley'; there "
            "is none.\n"
            "  bodies: ground, trolley, load. Did you mean 'trolley'?");
}

TEST(Diagnostic, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(to_string({"a.b", "bad.", "", {}, ""}), "error[a.b]: bad.");
  EXPECT_EQ(to_string({"a.b", "bad.", "", {"f", 0, 0}, ""}), "f: error[a.b]: bad.");
  EXPECT_EQ(to_string({"a.b", "bad.", "", {"", 3, 4}, ""}), "3:4: error[a.b]: bad.");
}

TEST(Diagnostic, IndentsExcerptAndHintByLines) {
  EXPECT_EQ(to_string({"a.b", "bad.", "first\nsecond", {}, "x +\n  ^"}),
            "error[a.b]: bad.\n  x +\n    ^\n  first\n  second");
}

TEST(Error, HoldsAllDiagnosticsAndTheirText) {
  const Error error({{"a.b", "one.", "", {}, ""}, {"a.c", "two.", "do this", {}, ""}});
  EXPECT_STREQ(error.what(), "error[a.b]: one.\nerror[a.c]: two.\n  do this");
  ASSERT_EQ(error.diagnostics().size(), 2u);
  EXPECT_EQ(error.diagnostics()[1].id, "a.c");
  EXPECT_STREQ(Error("x.y", "bad.", "hint").what(), "error[x.y]: bad.\n  hint");
}

Diagnostic located(std::string_view text, std::size_t offset) {
  Diagnostic diagnostic;
  locate(text, offset, diagnostic);
  return diagnostic;
}

TEST(Locate, CountsLinesAndColumnsFromOne) {
  const Diagnostic first = located("a + b", 0);
  EXPECT_EQ(first.where.line, 1);
  EXPECT_EQ(first.where.column, 1);
  EXPECT_EQ(first.excerpt, "a + b\n^");
  const Diagnostic later = located("a +\n(b\n* c", 5);
  EXPECT_EQ(later.where.line, 2);
  EXPECT_EQ(later.where.column, 2);
  EXPECT_EQ(later.excerpt, "(b\n ^");
}

TEST(Locate, PutsTheCaretBehindTheTextWhereItEndsTooSoon) {
  EXPECT_EQ(located("sin(", 4).excerpt, "sin(\n    ^");
  EXPECT_EQ(located("sin(", 400).excerpt, "sin(\n    ^");
  EXPECT_EQ(located("a\n", 2).excerpt, "\n^");
  EXPECT_EQ(located("a\n", 2).where.line, 2);
  EXPECT_EQ(located("", 0).excerpt, "\n^");
  EXPECT_EQ(located("a\nb", 1).excerpt, "a\n ^");
}

TEST(Locate, CountsCharactersNotBytes) {
  const Diagnostic diagnostic = located("θ̈ + ω x", std::string_view("θ̈ + ω ").size());
  EXPECT_EQ(diagnostic.where.column, 8);  // the two dots are a character of their own
  EXPECT_EQ(diagnostic.excerpt, "θ̈ + ω x\n       ^");
}

TEST(Locate, ShortensLongLinesAroundThePlace) {
  const std::string text = std::string(1000, 'a') + '?' + std::string(1000, 'b');
  const Diagnostic diagnostic = located(text, 1000);
  EXPECT_EQ(diagnostic.where.column, 1001);
  EXPECT_EQ(diagnostic.excerpt, "…" + std::string(60, 'a') + '?' + std::string(59, 'b') + "…\n" +
                                    std::string(61, ' ') + '^');
}

TEST(Locate, DoesNotCutCharactersInTwo) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "€";
  const std::string excerpt = located(text, 300).excerpt;
  EXPECT_EQ(excerpt.substr(0, 6), "…€");
  EXPECT_EQ(excerpt.substr(excerpt.find('\n') - 6, 6), "€…");
}

TEST(Locate, ShowsControlCharactersAsSpaces) {
  EXPECT_EQ(located("a\tb\x01", 1).excerpt, "a b \n ^");
}

}  // namespace
}  // namespace koppel
