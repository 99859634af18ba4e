// The cache of native code survives whatever happens to it, and the tape serves without a compiler.
#include <koppel/expr/code/native.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/series/series.hpp>

#include <tests/temporary_folder.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

namespace fs = std::filesystem;
using koppel::testing::ScopedEnvironment;
using koppel::testing::TemporaryCache;
using koppel::testing::TemporaryFolder;

constexpr std::string_view kSource = "double twice(double x) { return 2 * x; }\n";

// Whether the library is there and works.
bool doubles(const NativeResult& result) {
  if (result.library == nullptr) return false;
  const auto twice = result.library->find<double(double)>("twice");
  return twice != nullptr && twice(21) == 42;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary)
      .write(content.data(), static_cast<std::streamsize>(content.size()));
}

TEST(NativeCache, TheSecondTimeComesFromTheCache) {
  const TemporaryCache cache;
  const NativeResult first = compile_native(kSource);
  ASSERT_TRUE(doubles(first)) << first.why_not;
  EXPECT_FALSE(first.from_cache);
  const NativeResult second = compile_native(kSource);
  EXPECT_TRUE(doubles(second));
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(files_below(cache.folder.path()).size(), 1u);
}

TEST(NativeCache, IsForItsOwnerAlone) {
  const TemporaryCache cache;
  ASSERT_TRUE(doubles(compile_native(kSource)));
  struct stat status {};
  ASSERT_EQ(stat((cache.folder.path() / "koppel").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(NativeCache, OtherSourcesAndOtherCompilersAreOtherEntries) {
  const TemporaryCache cache;
  ASSERT_TRUE(doubles(compile_native(kSource)));
  EXPECT_FALSE(compile_native(std::string(kSource) + "/* more */").from_cache);
  EXPECT_EQ(files_below(cache.folder.path()).size(), 2u);
  const TemporaryFolder tools;
  const fs::path compiler = tools.path() / "other-cc";
  write(compiler, "#!/bin/sh\nexec cc \"$@\"\n");
  chmod(compiler.c_str(), 0755);
  const ScopedEnvironment other("KOPPEL_CC", compiler.string());
  const NativeResult result = compile_native(kSource);
  EXPECT_TRUE(doubles(result)) << result.why_not;
  EXPECT_FALSE(result.from_cache);
  EXPECT_EQ(files_below(cache.folder.path()).size(), 3u);
}

// Whoever can change a file, or where it leads to, could plant code there.
TEST(NativeCache, FilesThatOthersCouldChangeAreNotLoaded) {
  const TemporaryCache cache;
  ASSERT_TRUE(doubles(compile_native(kSource)));
  const fs::path file = files_below(cache.folder.path()).at(0);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  chmod(file.c_str(), 0666);
  EXPECT_FALSE(compile_native(kSource).from_cache);
  EXPECT_TRUE(compile_native(kSource).from_cache);  // in its place is a new one

  const fs::path elsewhere = cache.folder.path() / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_FALSE(compile_native(kSource).from_cache);
  EXPECT_FALSE(fs::is_symlink(file));

  fs::remove(file);
  fs::create_hard_link(elsewhere, file);
  EXPECT_FALSE(compile_native(kSource).from_cache);
}

TEST(NativeCache, AFolderThatIsALinkIsNotUsed) {
  const TemporaryCache cache;
  const TemporaryFolder other;
  fs::create_directory_symlink(other.path(), cache.folder.path() / "koppel");
  EXPECT_TRUE(doubles(compile_native(kSource)));
  EXPECT_TRUE(files_below(other.path()).empty());
}

struct Damage {
  const char* name;
  std::function<std::string(std::string)> apply;

  friend void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }
};

class DamagedCache : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedCache, IsCompiledAgain) {
  const TemporaryCache cache;
  ASSERT_TRUE(doubles(compile_native(kSource)));
  const std::vector<fs::path> files = files_below(cache.folder.path());
  ASSERT_EQ(files.size(), 1u);
  write(files[0], GetParam().apply(read(files[0])));
  const NativeResult again = compile_native(kSource);
  EXPECT_TRUE(doubles(again)) << again.why_not;
  EXPECT_FALSE(again.from_cache);
  const NativeResult repaired = compile_native(kSource);
  EXPECT_TRUE(doubles(repaired));
  EXPECT_TRUE(repaired.from_cache);
}

std::string random_bytes(std::size_t n) {
  std::mt19937_64 engine(1);
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(engine());
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(
    NativeCache, DamagedCache,
    ::testing::Values(Damage{"Empty", [](std::string) { return std::string(); }},
                      Damage{"OneByte", [](std::string) { return std::string("x"); }},
                      Damage{"Truncated", [](std::string s) { return s.substr(0, s.size() / 2); }},
                      Damage{"TruncatedByOne",
                             [](std::string s) { return s.substr(0, s.size() - 1); }},
                      Damage{"Extended", [](std::string s) { return s + '\n'; }},
                      Damage{"RandomBytes", [](std::string s) { return random_bytes(s.size()); }},
                      Damage{"FlippedBit",
                             [](std::string s) {
                               s[s.size() / 3] = static_cast<char>(s[s.size() / 3] ^ 1);
                               return s;
                             }},
                      Damage{"FlippedBitInTheChecksum",
                             [](std::string s) {
                               s[s.size() - 5] = static_cast<char>(s[s.size() - 5] ^ 1);
                               return s;
                             }}),
    [](const auto& test) { return test.param.name; });

TEST(NativeCache, ALibraryInUseOutlivesItsFile) {
  const TemporaryCache cache;
  const NativeResult result = compile_native(kSource);
  ASSERT_TRUE(doubles(compile_native(kSource)));
  fs::remove_all(cache.folder.path() / "koppel");
  EXPECT_TRUE(doubles(result));
  const NativeResult again = compile_native(kSource);
  EXPECT_TRUE(doubles(again));
  EXPECT_FALSE(again.from_cache);
}

TEST(NativeCache, WhereItCannotBeWrittenATemporaryFolderServes) {
  const TemporaryCache cache;
  const fs::path file = cache.folder.path() / "file";
  write(file, "not a folder");
  for (const std::string& unwritable :
       {file.string(), std::string("/proc"), std::string("/dev/null/x")}) {
    const ScopedEnvironment home("XDG_CACHE_HOME", unwritable);
    const NativeResult result = compile_native(kSource);
    EXPECT_TRUE(doubles(result)) << unwritable << ": " << result.why_not;
    EXPECT_FALSE(result.from_cache);
  }
  EXPECT_EQ(files_below(cache.folder.path()).size(), 1u);
}

TEST(NativeCache, AFolderThatOthersCanWriteIsNotTrusted) {
  const TemporaryCache cache;
  const fs::path folder = cache.folder.path() / "koppel";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  chmod(folder.c_str(), 0777);
  EXPECT_TRUE(doubles(compile_native(kSource)));
  EXPECT_FALSE(compile_native(kSource).from_cache);
  EXPECT_TRUE(files_below(folder).empty());
}

TEST(NativeCache, AFolderInTheWayOfAnEntryDoesNoHarm) {
  const TemporaryCache cache;
  ASSERT_TRUE(doubles(compile_native(kSource)));
  const fs::path entry = files_below(cache.folder.path()).at(0);
  fs::remove(entry);
  fs::create_directory(entry);
  EXPECT_TRUE(doubles(compile_native(kSource)));
  EXPECT_TRUE(files_below(cache.folder.path()).empty()) << "leftovers";
}

TEST(NativeCache, ProcessesMayCompileTheSameThingAtOnce) {
  const TemporaryCache cache;
  std::vector<pid_t> children;
  for (int n = 0; n < 4; ++n) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        if (!doubles(compile_native(kSource))) _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(files_below(cache.folder.path()).size(), 1u);
  const NativeResult result = compile_native(kSource);
  EXPECT_TRUE(doubles(result));
  EXPECT_TRUE(result.from_cache);
}

TEST(NativeCache, SourcesThatDoNotCompileAreReported) {
  const TemporaryCache cache;
  const NativeResult result = compile_native("this is not C\n");
  EXPECT_EQ(result.library, nullptr);
  EXPECT_NE(result.why_not.find("'cc' failed: "), std::string::npos) << result.why_not;
  EXPECT_TRUE(files_below(cache.folder.path()).empty());
}

// f(x) = x + sin x asked for as native code, with this compiler.
Function sum_with(const std::string& compiler) {
  const ScopedEnvironment scoped("KOPPEL_CC", compiler);
  Graph graph;
  const Expr x = graph.symbol("x");
  return {{x}, {x + sin(x)}, {.native = Native::Cc}};
}

TEST(NativeFallback, WithoutACompilerTheTapeServesAndSaysWhy) {
  const TemporaryCache cache;
  const TemporaryFolder tools;
  const fs::path not_a_program = tools.path() / "cc";
  write(not_a_program, "text");
  const std::pair<std::string, std::string> cases[] = {
      {"/nonexistent", "there is no compiler '/nonexistent'"},
      {"no-such-compiler", "there is no compiler 'no-such-compiler'"},
      {not_a_program.string(), "the compiler '" + not_a_program.string() + "' cannot be run"},
      {"false", "'false' failed"},
      {"true", "'true' wrote no library"},
  };
  for (const auto& [compiler, why] : cases) {
    const Function f = sum_with(compiler);
    EXPECT_FALSE(f.is_native()) << compiler;
    EXPECT_EQ(f.why_not_native().substr(0, why.size()), why);
    EXPECT_EQ(f({0.5}), (std::vector<double>{0.5 + std::sin(0.5)}));
  }
  const ScopedEnvironment scoped("KOPPEL_CC", "/nonexistent");
  Graph graph;
  const Expr x = graph.symbol("x");
  const Series series({x}, {}, {sin(x)}, 3, {.native = Native::Cc});
  EXPECT_FALSE(series.is_native());
  EXPECT_EQ(series.why_not_native(), "there is no compiler '/nonexistent'");
}

TEST(NativeFallback, CompilersThatWriteNonsenseAreNoDanger) {
  const TemporaryCache cache;
  const TemporaryFolder tools;
  const fs::path compiler = tools.path() / "cc";
  write(compiler, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done; echo nonsense > \"$2\"\n");
  chmod(compiler.c_str(), 0755);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Function f = sum_with(compiler.string());
    EXPECT_FALSE(f.is_native());
    EXPECT_EQ(f.why_not_native(), "the compiled library cannot be loaded");
    EXPECT_EQ(f({0.5}), (std::vector<double>{0.5 + std::sin(0.5)}));
  }
}

TEST(NativePolicy, TheEnvironmentDecides) {
  const TemporaryCache cache;
  const auto is_native = [](const char* policy, Native asked_for) {
    const ScopedEnvironment scoped("KOPPEL_NATIVE", policy);
    Graph graph;
    const Expr x = graph.symbol("x");
    const Function f({x}, {exp(x)}, {.native = asked_for});
    EXPECT_EQ(f.why_not_native(), "");
    return f.is_native();
  };
  EXPECT_TRUE(is_native("auto", Native::Cc));
  EXPECT_FALSE(is_native("auto", Native::Auto));
  EXPECT_TRUE(is_native("", Native::Cc));
  EXPECT_FALSE(is_native("", Native::Auto));
  EXPECT_TRUE(is_native("cc", Native::Off));
  EXPECT_FALSE(is_native("jit", Native::Cc));
  EXPECT_FALSE(is_native("off", Native::Cc));
}

TEST(NativePolicy, AnUnknownPolicyIsAnError) {
  const ScopedEnvironment scoped("KOPPEL_NATIVE", "yes");
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(testing::error_of([&] { const Function f({x}, {exp(x)}); }),
            "error[expr.bad-environment]: KOPPEL_NATIVE is 'yes'; it can be auto, jit, cc or off.");
}

}  // namespace
}  // namespace koppel
