#include "apps/koppel/health_option.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include <koppel/base/diagnostic.hpp>

namespace koppel::app {
namespace {

// "off", or the factor that loosens all limits.
HealthOptions read_health(const std::string& text) {
  if (text == "off") return {.is_watched = false};
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, factor);
  if (error == std::errc() && rest == end && factor > 0) return {.loosen = factor};
  throw Error("arguments.wrong", "--health '" + text + "' is not known.",
              "It is 'off', or a positive factor by which the limits are loosened, such as 10.");
}

}  // namespace

std::shared_ptr<HealthOptions> add_health_option(CLI::App& command) {
  auto options = std::make_shared<HealthOptions>();
  command
      .add_option_function<std::string>(
          "--health", [options](const std::string& text) { *options = read_health(text); },
          "Relax the limits of a healthy run by this factor, or 'off'")
      ->type_name("X");
  return options;
}

}  // namespace koppel::app
