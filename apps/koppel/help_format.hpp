// The look of `--help`: lines under 100 columns, options as they are typed, an example at the end.
#pragma once

#include <CLI/CLI.hpp>

namespace koppel::app {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace koppel::app
