#include <koppel/base/whole_file.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int num_files(const fs::path& folder) {
  return static_cast<int>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WholeFile, WhatIsNotKeptLeavesTheFileOfBefore) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  write_text(path, "before");
  {
    WholeFile file(path);
    file.write("after");
    EXPECT_EQ(text_of(path), "before");
    EXPECT_EQ(text_of(file.beside()), "after");
  }
  EXPECT_EQ(text_of(path), "before");
  EXPECT_EQ(num_files(folder.path()), 1);
}

TEST(WholeFile, KeptTakesItsPlace) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  write_text(path, "before");
  write_text(path, "after");
  EXPECT_EQ(text_of(path), "after");
  EXPECT_EQ(num_files(folder.path()), 1);
}

TEST(WholeFile, ALinkStaysAndLeadsToTheNewContents) {
  const testing::TemporaryFolder folder;
  write_text(folder.path() / "a", "before");
  fs::create_symlink("a", folder.path() / "b");
  write_text(folder.path() / "b", "after");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "b"));
  EXPECT_EQ(text_of(folder.path() / "a"), "after");
}

TEST(WholeFile, AFullDeviceIsAnError) {
  try {
    write_text("/dev/full", "text");
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_STREQ(error.what(), "/dev/full cannot be written: No space left on device.");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace koppel
