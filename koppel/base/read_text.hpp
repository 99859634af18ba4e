// A file as a text, with a limit to its length: a file may be a device or a pipe that never ends.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace koppel {

// Throws Error `id`, at the file, where it cannot be read or has more than `most` bytes.
std::string read_text(const std::filesystem::path& path, std::size_t most, std::string_view id);

}  // namespace koppel
