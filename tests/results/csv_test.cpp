#include <koppel/results/csv.hpp>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>
#include <random>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <koppel/base/csv.hpp>
#include <koppel/base/diagnostic.hpp>

#include "tests/error_of.hpp"
#include "tests/files.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::same_bits;
using testing::TemporaryFolder;
using testing::text_of;

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string refusal(const std::filesystem::path& path) {
  return testing::message_of([&] { read_csv(path); });
}

TEST(Csv, EveryFiniteDoubleComesBackToTheLastBit) {
  const TemporaryFolder folder;
  Trajectory written({{"t", "s", Group::Time}, {"x", "", {}}, {"y", "", {}}});
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    double x = std::bit_cast<double>(random()), y = std::bit_cast<double>(random());
    if (!std::isfinite(x)) x = std::numeric_limits<double>::denorm_min();
    if (!std::isfinite(y)) y = -0.0;
    written.append(std::array{i / 3.0, x, y});
  }
  write_csv(folder.path() / "a.csv", written);
  const Trajectory read = read_csv(folder.path() / "a.csv");
  ASSERT_EQ(read.num_rows(), written.num_rows());
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < read.num_rows(); ++i) {
      ASSERT_TRUE(same_bits(read.column(j)[i], written.column(j)[i])) << i << ' ' << j;
    }
  }
}

TEST(Csv, NotANumberIsAnEmptyField) {
  const TemporaryFolder folder;
  Trajectory written({{"t", "s", Group::Time}, {"x", "", {}}, {"y", "", {}}});
  written.append(std::array{0.0, std::numeric_limits<double>::quiet_NaN(), 1.5});
  written.append(std::array{0.1, 2.0, std::numeric_limits<double>::infinity()});
  write_csv(folder.path() / "a.csv", written);
  EXPECT_EQ(text_of(folder.path() / "a.csv"), "t,x,y\n0,,1.5\n0.1,2,\n");
  EXPECT_TRUE(std::isnan(read_csv(folder.path() / "a.csv")["x"][0]));
}

TEST(Csv, NamesAreQuotedOnlyWhereTheyNeedIt) {
  const TemporaryFolder folder;
  const Trajectory written({{"t", "s", Group::Time},
                            {"rod.B.x'", "", {}},
                            {"a,b", "", {}},
                            {"the \"best\"", "", {}},
                            {"two\nlines", "", {}}});
  write_csv(folder.path() / "a.csv", written);
  EXPECT_EQ(text_of(folder.path() / "a.csv"),
            "t,rod.B.x',\"a,b\",\"the \"\"best\"\"\",\"two\nlines\"\n");
  const Trajectory read = read_csv(folder.path() / "a.csv");
  for (std::size_t i = 0; i < read.num_columns(); ++i) {
    EXPECT_EQ(read.columns()[i].name, written.columns()[i].name);
  }
}

TEST(Csv, WhatSpreadsheetsAndPeopleAddIsPassedOver) {
  const CsvColumns read =
      parse_csv("\xEF\xBB\xBFv, th ,\"a b\" \n5, 0.3 ,+1\r\n +0.5 ,-2,\n", "x.csv");
  EXPECT_EQ(read.names, (std::vector<std::string>{"v", "th", "a b"}));
  EXPECT_EQ(read.values[0], (std::vector<double>{5, 0.5}));
  EXPECT_EQ(read.values[1], (std::vector<double>{0.3, -2}));
  EXPECT_EQ(read.values[2][0], 1);
  EXPECT_TRUE(std::isnan(read.values[2][1]));
  EXPECT_THROW(parse_csv("v\n+-5\n", "x.csv"), Error);
  const CsvColumns spaced = parse_csv("t,x\r\n\r\n0,1\r\n  \r\n1,2\r\n\r\n", "x.csv");
  EXPECT_EQ(spaced.values[0], (std::vector<double>{0, 1}));
  EXPECT_EQ(spaced.values[1], (std::vector<double>{1, 2}));
}

TEST(Csv, WrongFilesAreRefusedWithTheLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  write_file(path, "");
  EXPECT_EQ(refusal(path), "the file is empty; a header was expected.");
  write_file(path, "t,x\n0,1\n1,two\n");
  EXPECT_EQ(refusal(path), "field 2 is not a number.");
  write_file(path, "t,x\r\n0,1\r\n1\r\n");
  EXPECT_EQ(refusal(path), "1 fields where the header has 2.");
}

// Line breaks inside of quotes count.
TEST(Csv, MistakesAreShownInTheirLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  for (const auto& [text, line] :
       {std::pair{"t,x\n0,1\n1,two\n", 3}, std::pair{"t,\"two\nlines\"\n0,1\n1,two\n", 4},
        std::pair{"t,x\n0,1\n1,2,3\n", 3}}) {
    write_file(path, text);
    try {
      read_csv(path);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.diagnostics().front().where.line, line) << text;
    }
  }
}

TEST(Csv, CompleteRowsAreOnDiskBeforeTheWriterEnds) {
  const TemporaryFolder folder;
  CsvWriter writer(folder.path() / "a.csv", std::vector<Column>{{"t", "s", Group::Time}});
  for (int i = 0; i < 100'000; ++i) writer.append(std::array{i / 7.0});
  // The writer's thread has one block of 8192 numbers in hand at most, and another is not full yet.
  const std::string early = text_of(folder.path() / "a.csv");
  EXPECT_GT(std::count(early.begin(), early.end(), '\n'), 80'000);
  writer.flush();
  const std::string text = text_of(folder.path() / "a.csv");
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100'001);
  EXPECT_EQ(writer.num_complete(), 100'000u);
  EXPECT_TRUE(text.starts_with(early));
}

TEST(Csv, AnErrorOfTheLastRowsIsToldByFlush) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  CsvWriter writer(path, std::vector<Column>{{"t", "s", Group::Time}});
  const rlimit small{50'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (int i = 0; i < 8192; ++i) writer.append(std::array{i / 7.0});  // one block, and no more
  EXPECT_THROW(writer.flush(), WriteError);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read_csv(path).num_rows(), writer.num_complete());
  EXPECT_GT(writer.num_complete(), 2000u);
}

TEST(Csv, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  try {
    CsvWriter writer("/dev/full", std::vector<Column>{{"t", "s", Group::Time}});
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_STREQ(error.what(),
                 "/dev/full cannot be written any further: No space left on device. 0 rows in it "
                 "are complete.");
  }
}

TEST(Csv, ARowThatDoesNotFitIsCutOff) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.csv";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  CsvWriter writer(path, std::vector<Column>{{"t", "s", Group::Time}, {"x", "", {}}});
  const rlimit small{100'003, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    for (int i = 0; i < 100'000; ++i) writer.append(std::array{i / 7.0, i / 3.0});
  } catch (const WriteError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  const Trajectory read = read_csv(path);
  EXPECT_EQ(read.num_rows(), writer.num_complete());
  EXPECT_GT(read.num_rows(), 2000u);
  EXPECT_EQ(read["x"].back(), static_cast<double>(read.num_rows() - 1) / 3.0);
  EXPECT_EQ(message, path.string() + " cannot be written any further: File too large. " +
                         std::to_string(read.num_rows()) + " rows in it are complete.");
}

}  // namespace
}  // namespace koppel
