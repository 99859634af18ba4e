#include <koppel/live/channel.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

namespace koppel {

std::vector<std::size_t> places_of(std::span<const std::string> names,
                                   std::span<const std::string> ports, const std::string& id,
                                   const std::string& what) {
  std::vector<std::size_t> out;
  for (const std::string& name : names) {
    const auto found = std::find(ports.begin(), ports.end(), name);
    if (found == ports.end()) {
      std::string hint = ports.empty() ? "The model has no inputs."
                                       : fmt::format("inputs: {}.", fmt::join(ports, ", "));
      const std::string meant = suggest(name, std::vector<std::string>(ports.begin(), ports.end()));
      if (!meant.empty()) hint += fmt::format(" Did you mean '{}'?", meant);
      throw Error(id, fmt::format("{} '{}', which is no input of the model.", what, name), hint);
    }
    out.push_back(static_cast<std::size_t>(found - ports.begin()));
  }
  return out;
}

}  // namespace koppel
