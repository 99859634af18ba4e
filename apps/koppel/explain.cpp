// koppel explain: what the id of an error means, and the way out; the text is that of
// docs/errors.md.

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/print_line.hpp"

namespace koppel::app {

extern const char* const kErrorCatalogue;  // docs/errors.md

namespace {

struct CatalogueEntry {
  std::string id, meaning, advice;
};

// The rows "| `id` | meaning | what to do |".
std::vector<CatalogueEntry> read_catalogue() {
  std::vector<CatalogueEntry> entries;
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

struct ExplainOptions {
  std::string id;

  static const OptionTable& options();
};

const OptionTable& ExplainOptions::options() {
  static const OptionTable kOptions = {
      {{.name = "id", .text = "The id in error[ID]", .unless_given = "list all ids", .typed = "ID"},
       &ExplainOptions::id}};
  return kOptions;
}

void explain(const ExplainOptions& options) {
  const std::string& id = options.id;
  const std::vector<CatalogueEntry> entries = read_catalogue();
  if (id.empty()) {
    for (const CatalogueEntry& entry : entries) std::printf("%s\n", entry.id.c_str());
    return;
  }
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const CatalogueEntry& e) { return e.id == id; });
  if (found != entries.end()) {
    std::printf("%s\n", found->id.c_str());
    print_line("means", found->meaning);
    print_line("do", found->advice);
    return;
  }
  std::vector<std::string> ids;
  for (const CatalogueEntry& entry : entries) ids.push_back(entry.id);
  const std::string meant = suggest(id, ids);
  throw Error(
      "arguments.unknown-id", "there is no error '" + id + "'.",
      (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "`koppel explain` lists them all.");
}

}  // namespace

Command explain_command() {
  return CommandOf<explain>::make("explain", "Explain an error and what to do about it",
                                  "Example:\n  koppel explain assembly.impossible");
}

}  // namespace koppel::app
