#include "tests/outcomes/outcomes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include <koppel/model/yaml/read_model.hpp>

#include "tests/outcomes/known.hpp"

namespace koppel::testing {
namespace {

// Sums over all mechanisms of a process, printed at its end.
class Totals : public ::testing::Environment {
 public:
  void add(const Judgement& judgement) {
    ++mechanisms_;
    if (!judgement.is_decided) ++undecided_;
    for (const Judged& run : judgement.runs) ++counts_[static_cast<std::size_t>(run.verdict)];
  }
  void TearDown() override {
    const auto of = [&](Verdict v) { return counts_[static_cast<std::size_t>(v)]; };
    std::cout << fmt::format(
        "{} mechanisms, {} without a reference: {} right, {} refused, {} told, {} slow, {} WRONG\n",
        mechanisms_, undecided_, of(Verdict::Right), of(Verdict::Refused), of(Verdict::Told),
        of(Verdict::Slow), of(Verdict::Wrong));
  }

 private:
  int mechanisms_ = 0, undecided_ = 0;
  std::array<long, 5> counts_{};
};

Totals& totals() {
  static auto* const out =
      static_cast<Totals*>(::testing::AddGlobalTestEnvironment(new Totals));  // owned by gtest
  return *out;
}
[[maybe_unused]] const Totals& kRegistered = totals();

std::string plain(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace

std::string test_name(const ::testing::TestParamInfo<Mechanism>& info) {
  return plain(info.param.name);
}

void expect_no_third_outcome(const Mechanism& mechanism, const Plan& plan) {
  const bool is_built_in = mechanism.text.empty();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "koppel-outcomes";
  const std::string file =
      is_built_in ? mechanism.name : (folder / (plain(mechanism.name) + ".yaml")).string();
  const Model model = is_built_in ? read_model(KOPPEL_MODELS + mechanism.name + ".yaml")
                                  : read_model_text(mechanism.text, mechanism.name);
  const Judgement judgement = judge(mechanism, model, plan);
  totals().add(judgement);
  std::cout << describe(judgement, file);
  if (judgement.count(Verdict::Wrong) > 0 && !is_built_in) {
    std::filesystem::create_directories(folder);
    std::ofstream(file) << mechanism.text;
  }
  std::map<const Known*, int> known;
  int unknown = 0;
  for (const Judged& run : judgement.runs) {
    if (run.verdict != Verdict::Wrong) continue;
    if (const Known* entry = find_known(mechanism.name, run.trial)) {
      ++known[entry];
    } else {
      ++unknown;
    }
  }
  EXPECT_EQ(unknown, 0);
  for (const auto& [entry, count] : known) {
    std::cout << fmt::format("  {} of them are known: {}\n", count, entry->why);
  }
  for (const Known& entry : known_outcomes()) {
    if (!plan.integrators.empty() || entry.mechanism != mechanism.name) continue;
    EXPECT_TRUE(known.contains(&entry)) << "mended: '" << entry.why << "' need not be listed";
  }
}

std::vector<Mechanism> built_in_mechanisms() {
  std::vector<Mechanism> out;
  for (const auto& entry : std::filesystem::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() != ".yaml") continue;
    const Model model = read_model(entry.path());
    out.push_back({entry.path().stem().string(), "", std::min(model.run.end, 0.5)});
  }
  std::sort(out.begin(), out.end(),
            [](const Mechanism& a, const Mechanism& b) { return a.name < b.name; });
  return out;
}

}  // namespace koppel::testing
