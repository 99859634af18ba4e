#include <koppel/base/printable.hpp>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // U+009B, of Latin-1
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // U+202E, from right to left
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("a\nb", true), "a\nb");
  EXPECT_EQ(printable("\xff"), "\\xff");  // not UTF-8
  EXPECT_EQ(printable("ϕ̇ äß €"), "ϕ̇ äß €");
}

TEST(Printable, LongWordsAreCut) {
  const std::string name(70'000, 'x');
  EXPECT_EQ(with_short_words("'" + name + "' is not there", 5), "'xxxx… is not there");
  EXPECT_EQ(with_short_words("ääää is", 5), "ää… is");  // at a whole character
}

TEST(Printable, SoAreDiagnostics) {
  Diagnostic d;
  d.id = "model.unknown-name";
  d.message = "there is no '\x1b]0;x" + std::string(70'000, 'y') + "'.";
  d.hint = "Did you\nmean \x07?";
  d.where = {"a\x1b.yaml", 1, 2};
  const std::string text = to_string(d);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_EQ(text.find('\x07'), text.npos);
  EXPECT_LT(text.size(), 300u);
  EXPECT_TRUE(
      text.starts_with("a\\x1b.yaml:1:2: error[model.unknown-name]: there is no '\\x1b]0;xyyy"));
}

}  // namespace
}  // namespace koppel
