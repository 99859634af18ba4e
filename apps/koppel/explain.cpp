// koppel explain: what the id of an error means, and the way out; the text is that of
// docs/errors.md.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/print_line.hpp"

namespace koppel::app {

extern const char* const kErrorCatalogue;  // docs/errors.md

namespace {

struct Entry {
  std::string id, meaning, advice;
};

// The rows "| `id` | meaning | what to do |".
std::vector<Entry> read_catalogue() {
  std::vector<Entry> entries;
  std::istringstream lines{std::string(kErrorCatalogue)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::size_t begin = 1;
    for (std::size_t end; (end = line.find(" |", begin)) != line.npos; begin = end + 2) {
      cells.push_back(line.substr(begin + 1, end - begin - 1));
    }
    if (cells.size() == 3) {
      entries.push_back({cells[0].substr(1, cells[0].size() - 2), cells[1], cells[2]});
    }
  }
  return entries;
}

void explain(const std::string& id) {
  const std::vector<Entry> entries = read_catalogue();
  if (id.empty()) {
    for (const Entry& entry : entries) std::printf("%s\n", entry.id.c_str());
    return;
  }
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.id == id; });
  if (found != entries.end()) {
    std::printf("%s\n", found->id.c_str());
    print_line("means", found->meaning);
    print_line("do", found->advice);
    return;
  }
  std::vector<std::string> ids;
  for (const Entry& entry : entries) ids.push_back(entry.id);
  const std::string meant = suggest(id, ids);
  throw Error(
      "arguments.unknown-id", "there is no error '" + id + "'.",
      (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "`koppel explain` lists them all.");
}

}  // namespace

void add_explain(CLI::App& program) {
  CLI::App* command = program.add_subcommand("explain", "Explain an error and what to do about it");
  auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "The id in error[ID] (default: list all ids)");
  command->footer("Example:\n  koppel explain assembly.impossible");
  command->callback([id] { explain(*id); });
}

}  // namespace koppel::app
