// What tables of options and results are written to: the pages of reference and the JSON Schema.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/base/result.hpp>

#include "apps/koppel/command.hpp"

namespace koppel::app {

// The page docs/options.md.
std::string options_page(std::span<const Command> commands);

// A table in Markdown of a result and of what is in it.
std::string fields_text(const ResultTable& fields);

// As a JSON Schema [2020-12]. `name`: "run-summary".
Value schema_of(std::string_view name, std::string_view title, const ResultTable& fields);

// What commands write as JSON, by command.
const std::vector<NamedResult>& written_results();

}  // namespace koppel::app
