// The keys of a model: its sections, and what it says about itself.
#pragma once

#include <span>
#include <string_view>

namespace koppel {

struct SectionInfo {
  std::string_view key;
  std::string_view text;  // what it holds, a phrase
};

std::span<const SectionInfo> model_sections();

}  // namespace koppel
