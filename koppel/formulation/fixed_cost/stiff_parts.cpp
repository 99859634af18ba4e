#include <koppel/formulation/fixed_cost/stiff_parts.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/tracking.hpp>

namespace koppel {
namespace {

using Parts = std::vector<Equations::ForcePart>;

// "tyre" of "tyre[3]".
std::string_view family_of(std::string_view name) { return name.substr(0, name.find('[')); }

void refuse(const Parts& parts, std::string_view name) {
  std::vector<std::string> known;
  for (const Equations::ForcePart& part : parts) {
    const std::string family(family_of(part.name));
    if (known.empty() || known.back() != family) known.push_back(family);
  }
  std::string hint = fmt::format("parts: {}.", fmt::join(known, ", "));
  if (const std::string meant = suggest(name, known); !meant.empty()) {
    hint += fmt::format(" Did you mean '{}'?", meant);
  }
  throw Error("integrate.unknown-force",
              fmt::format("'{}' is not the name of a force that could be stiff.", name), hint);
}

// One item of the list.
void read_item(const Parts& parts, std::string_view item, StiffParts& out) {
  const std::size_t slash = item.rfind('/');
  const std::string_view kind = slash == item.npos ? "" : item.substr(slash + 1);
  const std::string_view name = item.substr(0, slash);
  bool is_known = kind.empty() || kind == "q" || kind == "v", is_found = false;
  for (std::size_t i = 0; is_known && i < parts.size(); ++i) {
    if (name != "all" && parts[i].name != name && family_of(parts[i].name) != name) continue;
    is_found = true;
    if (kind != "v") out.by_q[i] = true;
    if (kind != "q") out.by_v[i] = true;
  }
  if (!is_found && name != "all") refuse(parts, is_known ? name : item);
}

}  // namespace

StiffParts read_stiff(const Parts& parts, std::string_view text) {
  StiffParts out{std::vector<char>(parts.size()), std::vector<char>(parts.size())};
  if (text == "none") return out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    read_item(parts, text.substr(0, end), out);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string write_stiff(const Parts& parts, const StiffParts& stiff) {
  const auto kind = [&](std::size_t i) {
    return (stiff.by_q[i] ? 1 : 0) + (stiff.by_v[i] ? 2 : 0);
  };
  std::string out;
  bool is_all = true;
  for (std::size_t i = 0; i < parts.size();) {
    const std::string_view family = family_of(parts[i].name);
    std::size_t end = i + 1;  // of a family that is treated alike
    while (end < parts.size() && family_of(parts[end].name) == family) ++end;
    bool is_alike = true;
    for (std::size_t k = i; k < end; ++k) is_alike = is_alike && kind(k) == kind(i);
    for (std::size_t k = i; k < (is_alike ? i + 1 : end); ++k) {
      is_all = is_all && kind(k) == 3;
      if (kind(k) == 0) continue;
      out += fmt::format("{}{}{}", out.empty() ? "" : ",", is_alike ? family : parts[k].name,
                         kind(k) == 1   ? "/q"
                         : kind(k) == 2 ? "/v"
                                        : "");
    }
    i = end;
  }
  return is_all ? "all" : out.empty() ? "none" : out;
}

StiffForces stiff_forces(const Descriptor& descriptor, const std::vector<Expr>& f,
                         std::string_view text) {
  const Equations& e = descriptor.equations;
  const std::string marked = fmt::format("{}", fmt::join(e.stiff, ","));
  if (text.empty()) text = marked;
  if (text.empty() || text == "all") return {f, f};
  if (!e.parts) refuse({}, text);
  const StiffParts stiff = read_stiff(*e.parts, text);
  const auto sum = [&](const std::vector<char>& taken) {
    std::vector<Expr> out(f.size());
    for (std::size_t k = 0; k < taken.size(); ++k) {
      for (std::size_t i = 0; taken[k] && i < f.size(); ++i) out[i] += (*e.parts)[k].f[i];
    }
    std::vector<Expr> chosen = tracking_forces(e);
    chosen.insert(chosen.end(), descriptor.lambda.begin(), descriptor.lambda.end());
    const std::vector<Expr> nothing(chosen.size());
    return depends_on(out, chosen) ? substitute(out, chosen, nothing) : out;
  };
  return {sum(stiff.by_q), sum(stiff.by_v)};
}

}  // namespace koppel
