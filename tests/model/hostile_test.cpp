// Input that nobody means well with ends in an error, soon.
#include <koppel/model/yaml/read_model.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace koppel {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// The id of the first mistake. Fails when reading takes longer than any of these may, in seconds of
// the processor: the machine may be busy.
std::string refused_with(const std::string& text, const std::string& file = "m.yaml") {
  const std::clock_t start = std::clock();
  std::string id = "read";
  try {
    read_model_text(text, file);
  } catch (const Error& error) {
    id = error.diagnostics().front().id;
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 10) << "for " << text.size() << " bytes, " << id;
  return id;
}

TEST(HostileModel, MoreThan16MegabytesAreNotRead) {
  EXPECT_EQ(refused_with(std::string(100 << 20, 'x')), "model.too-large");
}

TEST(HostileModel, NestingIsBounded) {
  EXPECT_EQ(refused_with(repeated("[", 8'000'000)), "model.too-large");
  EXPECT_EQ(refused_with(repeated("{a: ", 2'000'000)), "model.too-large");
  EXPECT_EQ(refused_with("a: " + repeated("[", 100) + repeated("]", 100)), "model.too-large");
  EXPECT_EQ(refused_with(repeated("- ", 2'000'000)), "model.too-large");
  EXPECT_EQ(refused_with(repeated("? ", 2'000'000)), "model.syntax");
  std::string block;
  for (std::size_t i = 0; i < 2000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(refused_with(block), "model.too-large");
}

TEST(HostileModel, AliasesThatExplodeAreCounted) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'n'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i)
      bomb += std::string(i > 0 ? ", *" : "*") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  EXPECT_EQ(refused_with(bomb), "model.too-large");
  EXPECT_EQ(refused_with("a: &a [*a]"), "model.syntax");
}

TEST(HostileModel, ManyValuesAreCounted) {
  EXPECT_EQ(refused_with("[" + repeated("1,", 4'000'000) + "]"), "model.too-large");
  EXPECT_EQ(refused_with(repeated("- 1\n", 1'100'000)), "model.too-large");
}

TEST(HostileModel, RepetitionsAreCounted) {
  EXPECT_EQ(refused_with("bodies:\n  b[i]: {repeat: {i: 1..1e9}, point_mass: 1}\n"),
            "model.too-large");
  EXPECT_EQ(refused_with("bodies:\n  b[i]: {repeat: {i: 1..1e9, j: 1..0}, point_mass: 1}\n"),
            "model.too-large");
  // Empty ranges take time too: some are read, very many are not.
  EXPECT_EQ(refused_with("bodies:\n  b[i]: {repeat: {i: 1..40000, j: 1..0}, point_mass: 1}\n"),
            "model.too-large");
  EXPECT_EQ(refused_with("bodies:\n  b[i]: {repeat: {i: 1..1000, j: 1..0}, point_mass: 1}\n"
                         "  c: {point_mass: 1}\n"),
            "read");
  EXPECT_EQ(refused_with("bodies:\n  b: {repeat: {i: 1..10000}, point_mass: 1}\n"),
            "model.duplicate-name");
}

TEST(HostileModel, BytesThatAreNoTextAreRefused) {
  std::string bytes;
  unsigned state = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24);
  }
  EXPECT_EQ(refused_with(bytes), "model.encoding");
  EXPECT_EQ(refused_with(std::string("name: a\0b", 9)), "model.encoding");
  EXPECT_EQ(refused_with("name: \xFF\xFE"), "model.encoding");
}

TEST(HostileModel, LongExpressionsAreRefused) {
  EXPECT_EQ(refused_with("parameters: {a: '" + repeated("(", 1'000'000) + "'}"), "model.too-large");
  EXPECT_EQ(refused_with("parameters: {a: '" + repeated("(", 60'000) + "'}"), "expr.syntax");
}

TEST(HostileModel, ManyElementsInOneLineAreReadInLinearTime) {
  std::string text = "bodies: {";
  for (int i = 0; i < 20'000; ++i) text += 'b' + std::to_string(i) + ": {point_mass: 1}, ";
  EXPECT_EQ(refused_with(text + "}"), "read");
}

TEST(HostileModel, FilesThatIncludeThemselvesEnd) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "includes_itself.yaml";
  std::string text = "include:\n";
  for (char c = 'a'; c < 'k'; ++c)
    text += std::string("  ") + c + ": {file: includes_itself.yaml}\n";
  std::ofstream(file) << text;
  EXPECT_EQ(refused_with(text, file.string()), "model.too-large");
  EXPECT_EQ(refused_with("include: {a: {file: /dev/zero}}"), "model.no-file");
}

}  // namespace
}  // namespace koppel
