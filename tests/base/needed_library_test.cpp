#include <koppel/base/needed_library.hpp>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

const NeededLibrary::Absence kAbsence = {"results.not-written", "the library", "Install it."};

struct Mathematics : NeededLibrary {
  explicit Mathematics(const char* name) : NeededLibrary("libm.so.6", kAbsence) {
    function = find(name);
  }
  double (*function)(double) = nullptr;
};

std::string message_of(const auto& attempt) {
  return testing::error_of([&] { attempt(); });
}

TEST(NeededLibrary, GivesFunctionsByTheirNames) { EXPECT_EQ(Mathematics("sqrt").function(4), 2); }

TEST(NeededLibrary, SaysWhatIsMissingAndWhatToDo) {
  const std::string text = message_of([] { NeededLibrary("libnowhere.so.7", kAbsence); });
  EXPECT_NE(text.find("error[results.not-written]: the library cannot be used: libnowhere.so.7"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Install it."), std::string::npos) << text;
  EXPECT_NE(
      message_of([] { Mathematics("no_such_function"); }).find("libm.so.6 has no no_such_function"),
      std::string::npos);
}

}  // namespace
}  // namespace koppel
