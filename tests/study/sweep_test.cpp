// Sweeps: rows, failures, threads, journals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/study/sweep_journal.hpp>
#include <koppel/study/sweep_table.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

namespace fs = std::filesystem;

// A four-bar that closes for short enough ground lengths only: 1 + 2 + 1 > b.
constexpr const char* kFourBar = R"(
dimension: 2
parameters: {b: 2.5, m: 1}
gravity: [0, -9.81]
bodies:
  crank: {mass: m, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}, angle: 60 deg}
  coupler: {mass: m, shape: {rod: {to: [2, 0]}}, points: {C: [2, 0]}, position: [0.5, 0.87]}
  rocker: {mass: m, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [b, 0], angle: 80 deg}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b1: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [b, 0]}
outputs: {y: crank.B.y}
run: {end: 0.2, samples: 21}
)";

using testing::error_of;

Sweep four_bar(std::vector<Range> ranges, std::vector<std::string> outputs = {}) {
  Sweep sweep{[](const Settings& settings) {
                return read_model_text(kFourBar, "four_bar.yaml", {settings});
              },
              [](const Model& model) { return options_of(model); },
              Samples({.ranges = std::move(ranges)}),
              {}};
  for (const std::string& text : outputs) sweep.criteria.push_back(parse_criterion(text));
  prepare(sweep);
  return sweep;
}

class InFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() /
        ("koppel_sweep_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

using Journal = InFolder;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(SweepRows, AreThoseOfSingleRunsBitForBit) {
  const Sweep sweep = four_bar({parse_range("b=2:2.5:3")}, {"y", "crank.B.x:min"});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = run_variant(sweep, i);
    ASSERT_TRUE(row);
    const std::vector<double> point = sweep.samples.point(i);
    Model model = read_model_text(kFourBar, "", {{{"b", std::to_string(point[0])}}});
    add_quantities(sweep.criteria, {}, model);
    const Simulation alone = simulate(model, options_of(model));
    EXPECT_EQ(row->values[0], alone["y"].back());
    EXPECT_EQ(row->status, SweepRow::Status::Done);
  }
}

TEST(SweepRows, OfVariantsThatCannotBeAssembledSayWhyAndHarmNoOther) {
  const Sweep sweep = four_bar({parse_range("b=2,5,2.5")});
  std::map<std::size_t, SweepRow> rows;
  SweepQueue queue(std::vector<bool>(3, false));
  EXPECT_TRUE(run_sweep(sweep, queue, 3,
                        [&](std::size_t number, const SweepRow& row) { rows[number] = row; }));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].status, SweepRow::Status::Done);
  EXPECT_EQ(rows[2].status, SweepRow::Status::Done);
  EXPECT_EQ(rows[1].status, SweepRow::Status::Failed);
  EXPECT_EQ(rows[1].id, "assembly.impossible");
  EXPECT_TRUE(rows[1].values.empty());
  const std::string line = table_line(sweep, 1, rows[1]);
  EXPECT_TRUE(line.starts_with("1,5,,failed,assembly.impossible,")) << line;
  EXPECT_EQ(status_of(sweep, line), SweepRow::Status::Failed);
  EXPECT_EQ(status_of(sweep, table_line(sweep, 0, rows[0])), SweepRow::Status::Done);
}

TEST(SweepRows, OfQuantitiesThatAreNotFiniteAreDoubtful) {
  const Sweep sweep = four_bar({parse_range("m=1,2")}, {"log(y - 10):max"});
  const auto row = run_variant(sweep, 0);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, SweepRow::Status::Doubtful);
  EXPECT_EQ(row->id, "study.not-finite");
  EXPECT_EQ(row->reason, "'log(y - 10)' is not finite all the time.");
  EXPECT_EQ(table_line(sweep, 0, *row),
            "0,1,,doubtful,study.not-finite,'log(y - 10)' is not finite all the time.");
}

TEST(SweepRows, OfUnknownParametersAndCriteriaAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(error_of([] { four_bar({parse_range("bb=2,5")}); }),
            "error[study.unknown-parameter]: the model has no parameter 'bb' to be varied.\n"
            "  parameters: b, m. Did you mean 'b'?");
  EXPECT_EQ(error_of([] {
              four_bar({parse_range("b=2,5")}, {"y", "y:final"});
            }),
            "error[study.bad-criterion]: criterion 'y:final' is given twice.");
  EXPECT_EQ(error_of([] { four_bar({parse_range("b=2,5")}, {"crnak.B.x:max"}); }),
            "error[study.unknown-quantity]: criterion 'crnak.B.x:max': the model has no quantity "
            "'crnak.B.x'.\n  Did you mean 'crank.B.x'?");
}

TEST(SweepQueue, GivesOutEachOnceAndAgainWhatComesBack) {
  SweepQueue queue({false, true, false});
  EXPECT_EQ(queue.num_left(), 2u);
  EXPECT_EQ(queue.take(), 0u);
  EXPECT_EQ(queue.take(), 2u);
  EXPECT_FALSE(queue.take());
  queue.give_back(0);
  EXPECT_EQ(queue.take(), 0u);
  EXPECT_FALSE(queue.take());
}

TEST(SweepRun, PassesOnWhatKeepingThrows) {
  const Sweep sweep = four_bar({parse_range("m=1:2:9")});
  SweepQueue queue(std::vector<bool>(9, false));
  int kept = 0;
  EXPECT_THROW(run_sweep(sweep, queue, 2,
                         [&](std::size_t, const SweepRow&) {
                           if (++kept == 3) throw WriteError("full");
                         }),
               WriteError);
  EXPECT_EQ(kept, 3);
}

const Manifest kManifest = {{"model", "\"m\""}, {"end", "1.5"}};

TEST_F(Journal, GoesOnAfterAnyNumberOfBytes) {
  const fs::path path = folder_ / "journal.txt";
  {
    SweepJournal journal(path, kManifest, 4);
    for (const std::size_t i : {2u, 0u, 3u}) journal.append(i, std::to_string(i) + ",row");
  }
  const std::string whole = text_of(path);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    SweepJournal journal(path, kManifest, 4);
    EXPECT_LE(journal.num_done(), 3u);
    for (std::size_t i = 0; i < 4; ++i) {
      if (!journal.is_done()[i]) journal.append(i, std::to_string(i) + ",row");
    }
    int seen = 0;
    journal.write_table(folder_ / "table.csv", "n,what\n", 1,
                        [&](std::size_t, std::size_t, std::string_view) { ++seen; });
    ASSERT_EQ(text_of(folder_ / "table.csv"), "n,what\n0,row\n1,row\n2,row\n3,row\n") << size;
    ASSERT_EQ(seen, 4);
  }
}

// In parts, in any order, with rows that are missing; the table by several threads.
TEST_F(Journal, OfManyRowsBecomesTheSameTableWithAnyNumberOfThreads) {
  constexpr std::size_t kRows = 130'003, kParts = 7;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < kRows; ++i) {
    if (const std::size_t number = i * 48'271 % kRows; number % 1000 != 5)
      numbers.push_back(number);
  }
  std::vector<JournalLines> parts(kParts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    parts[i * kParts / numbers.size()].add([&](std::string& text) {
      text += std::to_string(numbers[i]) + ",row" + std::string(numbers[i] % 7, 'x') + "\t1 2";
    });
  }
  SweepJournal journal(folder_ / "journal.txt", kManifest, kRows);
  journal.append(numbers, parts);
  EXPECT_EQ(journal.num_done(), numbers.size());
  std::string expected = "n,what\n";
  std::vector<std::size_t> in_order;
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i % 1000 == 5) continue;
    expected += std::to_string(i) + ",row" + std::string(i % 7, 'x') + '\n';
    in_order.push_back(i);
  }
  for (const int jobs : {1, 2, 5}) {
    std::vector<std::size_t> seen(numbers.size());
    journal.write_table(folder_ / "table.csv", "n,what\n", jobs,
                        [&](std::size_t place, std::size_t number, std::string_view line) {
                          seen[place] = number;
                          EXPECT_TRUE(line.ends_with("\t1 2"));
                        });
    EXPECT_EQ(text_of(folder_ / "table.csv"), expected) << jobs;
    EXPECT_EQ(seen, in_order) << jobs;
  }
  EXPECT_EQ(journal.line(9), "9,rowxx\t1 2");
  const SweepJournal again(folder_ / "journal.txt", kManifest, kRows);
  EXPECT_EQ(again.is_done(), journal.is_done());
}

TEST_F(Journal, DoesNotCountLinesThatAreDamaged) {
  const fs::path path = folder_ / "journal.txt";
  {
    SweepJournal journal(path, kManifest, 3);
    for (std::size_t i = 0; i < 3; ++i) journal.append(i, std::to_string(i) + ",row");
  }
  std::string text = text_of(path);
  text[text.find("1,row") + 3] = 'x';
  std::ofstream(path, std::ios::binary) << text;
  const SweepJournal journal(path, kManifest, 3);
  EXPECT_EQ(journal.is_done(), (std::vector<bool>{true, false, false}));
}

TEST_F(Journal, OfAnotherSweepIsRefusedWithWhatDiffers) {
  const fs::path path = folder_ / "journal.txt";
  { SweepJournal journal(path, kManifest, 3); }
  EXPECT_EQ(error_of([&] {
              SweepJournal other(path, {{"model", "\"m\""}, {"end", "2"}, {"seed", "1"}}, 3);
            }),
            "error[study.other-sweep]: " + path.string() +
                " is that of another sweep: end is 1.5 there, 2 here; seed is nothing there, 1 "
                "here.\n  Give another folder, or remove the journal to start again.");
  std::ofstream(path) << "something else\n";
  EXPECT_EQ(error_of([&] { SweepJournal other(path, kManifest, 3); }),
            "error[study.other-sweep]: " + path.string() +
                " is not the journal of a sweep of this program.\n"
                "  Give another folder, or remove it.");
}

TEST(Fingerprint, ChangesWithWhatTheModelSaysAndWithNothingElse) {
  const auto of = [](std::string text, const std::string& from, const std::string& to) {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    return fingerprint(read_model_text(text, "m.yaml"));
  };
  const std::string as_it_is = of(kFourBar, "", "");
  EXPECT_EQ(as_it_is, of(kFourBar, "\ndimension: 2", "\n# a remark\ndimension: 2"));
  EXPECT_NE(as_it_is, of(kFourBar, "9.81", "9.80"));
  EXPECT_NE(as_it_is, of(kFourBar, "m: 1}", "m: 1.5}"));
  EXPECT_NE(as_it_is, of(kFourBar, "60 deg", "61 deg"));
  EXPECT_NE(as_it_is, of(kFourBar, "{to: [2, 0]}", "{to: [2.5, 0]}"));
}

// Numbers and words that are part of no expression, and expressions that change places.
TEST(Fingerprint, ChangesWithEventsAndOutputs) {
  const std::string ball = R"(
parameters: {k: 1, c: 2}
coordinates: {x: {start: 1}, y: {start: 1, fixed: true}}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y + k*c*x^2
events:
  floor: {when: y, bounce: 0.8}
  soft: {when: x, direction: falling, set: {k: 3}}
  kick: {when: t - 1, impulse: {x: 4}}
outputs: {a: x, b: y}
)";
  const auto of = [&](const std::string& from, const std::string& to) {
    std::string text = ball;
    text.replace(text.find(from), from.size(), to);
    return fingerprint(read_model_text(text, "m.yaml"));
  };
  const std::string as_it_is = of("floor", "floor");
  EXPECT_NE(as_it_is, of("bounce: 0.8", "bounce: 0.5"));
  EXPECT_NE(as_it_is, of("bounce: 0.8", "stop: true"));
  EXPECT_NE(as_it_is, of("falling", "rising"));
  EXPECT_NE(as_it_is, of("{k: 3}", "{k: 5}"));
  EXPECT_NE(as_it_is, of("{k: 3}", "{c: 3}"));
  EXPECT_NE(as_it_is, of("{x: 4}", "{x: 6}"));
  EXPECT_NE(as_it_is, of("{x: 4}", "{y: 4}"));
  EXPECT_NE(as_it_is, of("{a: x, b: y}", "{a: y, b: x}"));
  EXPECT_NE(as_it_is, of("fixed: true", "fixed: false"));
}

// Criteria of one name, one quantity and another reduction have other rows.
TEST(Manifest, SaysWhatCriteriaOfOneNameAre) {
  const auto of = [](const char* criterion) {
    Sweep sweep{[](const Settings&) { return read_model_text(kFourBar, "m.yaml"); },
                [](const Model& model) { return options_of(model); },
                Samples({.ranges = {parse_range("m=1,2")}}),
                {parse_criterion(criterion)}};
    return to_json(make_manifest(sweep));
  };
  EXPECT_NE(of("c=energy:max"), of("c=energy:min"));
  EXPECT_NE(of("c=energy:max"), of("c=kinetic:max"));
}

// cos 20 t until 2.13 s of 300 that were asked for: of 1001 rows eight are left.
TEST(SweepRows, OfRunsThatAnEventEndsEarlyAreAsExactAsOthers) {
  Sweep sweep{[](const Settings& settings) {
                return read_model_text(R"(
parameters: {last: 2.13}
coordinates: {y: 1}
kinetic: y'^2/2
potential: 200*y^2
events: {there: {when: t - last, stop: true}}
outputs: {y: y}
run: {end: 300}
)",
                                       "early.yaml", {settings});
              },
              [](const Model& model) { return options_of(model); },
              Samples({.ranges = {parse_range("last=2.13,250")}}),
              {}};
  for (const char* text : {"y:max", "y^2:mean", "y:integral", "y", "there:time"}) {
    sweep.criteria.push_back(parse_criterion(text));
  }
  prepare(sweep);
  const auto row = run_variant(sweep, 0);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, SweepRow::Status::Done);
  const double T = 2.13;
  EXPECT_NEAR(row->values[0], 1, 1e-7);
  EXPECT_NEAR(row->values[1], 0.5 + std::sin(40 * T) / (80 * T), 1e-7);
  EXPECT_NEAR(row->values[2], std::sin(20 * T) / 20, 1e-7);
  EXPECT_NEAR(row->values[3], std::cos(20 * T), 1e-6);
  EXPECT_NEAR(row->values[4], T, 1e-9);
}

}  // namespace
}  // namespace koppel
