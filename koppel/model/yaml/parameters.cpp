// Parameters.
#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/field_reader.hpp>
#include <koppel/model/yaml/names.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

// Indices of 0 … n−1 such that each comes after those it needs; those on cycles, and what needs
// them, are left out [Kahn 1962].
std::vector<std::size_t> sorted(const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::size_t> missing(needs.size()), order;
  std::vector<std::vector<std::size_t>> needed_by(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    missing[i] = needs[i].size();
    if (missing[i] == 0) order.push_back(i);
    for (const std::size_t j : needs[i]) needed_by[j].push_back(i);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const std::size_t i : needed_by[order[k]]) {
      if (--missing[i] == 0) order.push_back(i);
    }
  }
  return order;
}

}  // namespace

void read_parameters(Reader& reader, const Node* section, const ReadOptions& options) {
  Names& names = reader.names;
  std::vector<Element> given = reader.elements(section, "parameters");
  std::map<std::string, std::size_t, std::less<>> index;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < given.size(); ++i) {
    index.emplace(given[i].name, i);
    known.push_back(given[i].name);
  }
  std::vector<std::optional<std::string>> set(given.size());
  // Those of a sub-assembly are handed over.
  for (const auto& [name, value] : options.set) {
    if (const auto it = index.find(name); it != index.end()) {
      set[it->second] = value;
    } else {
      reader.report(Location{reader.source.file(), 0, 0}, "model.unknown-parameter",
                    "there is no parameter '" + name + "' to be set.",
                    list_choices(name, "parameters", known));
    }
  }
  // Those from outside come last: they no longer follow what is handed over.
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto it = names.set.find(given[i].full_name);
    if (it == names.set.end()) continue;
    set[i] = it->second;
    names.set.erase(it);
    names.origins[given[i].full_name].definition.reset();
  }
  std::vector<Node> nodes(given.size());
  std::vector<std::vector<std::size_t>> needs(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Reader::Subject subject(reader, given[i].full_name);
    nodes[i] = value_of<ParameterElement>(reader, given[i], describe("parameter", given[i].name));
    if (set[i]) nodes[i] = make_scalar(*set[i], given[i].offset);
    for (const Name& name : names_in(nodes[i].text)) {
      if (const auto it = index.find(name.text); it != index.end()) needs[i].push_back(it->second);
    }
  }
  const std::vector<std::size_t> order = sorted(needs);
  std::vector<bool> done(given.size(), false);
  for (const std::size_t i : order) done[i] = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (done[i]) continue;
    // Any path through parameters that are not done comes back to itself.
    std::vector<std::size_t> path{i};
    for (;;) {
      const auto& n = needs[path.back()];
      const std::size_t next = *std::find_if(n.begin(), n.end(), [&](auto j) { return !done[j]; });
      const auto seen = std::find(path.begin(), path.end(), next);
      const bool is_cycle = seen != path.end();
      if (is_cycle) path.erase(path.begin(), seen);
      path.push_back(next);
      if (is_cycle) break;
    }
    std::string text;
    for (const std::size_t j : path) text += (text.empty() ? "" : " → ") + given[j].name;
    reader.report(given[path[0]].offset, "model.cyclic-parameters",
                  "parameters need each other: " + text + ".");
    break;  // the others may hang on the same cycle
  }
  // In the order of the file, as far as it goes: symbols first, then values.
  for (const Element& element : given) {
    const Reader::Subject subject(reader, element.full_name);
    if (!reader.claim(element, "plain", "parameter")) continue;
    names.parameters.emplace(element.full_name,
                             Parameter{reader.model.graph->symbol(element.full_name), 0});
  }
  for (const std::size_t i : order) {
    const auto it = names.parameters.find(given[i].full_name);
    const Reader::Subject subject(reader, given[i].full_name);
    const Number value = reader.number(nodes[i], describe("parameter", given[i].name));
    if (it == names.parameters.end()) continue;
    it->second.value = value.value;
    // Those of a sub-assembly may have been handed over.
    ParameterOrigin& origin = names.origins[given[i].full_name];
    if (!origin.definition && !value.e.is_constant()) origin.definition = value.e;
  }
  for (const Element& element : given) {
    const auto it = names.parameters.find(element.full_name);
    if (it != names.parameters.end()) reader.model.parameters.push_back(it->second);
  }
}

}  // namespace koppel::yaml
