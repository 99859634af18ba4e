// Any bytes are a robot or mistakes with places.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/urdf/read_urdf.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koppel;
  const yaml::Source source("fuzz.urdf", std::string(reinterpret_cast<const char*>(data), size));
  std::vector<Diagnostic> mistakes;
  try {
    urdf::read_robot(source, mistakes);
  } catch (const Error& error) {
    mistakes = error.diagnostics();
  }
  for (const Diagnostic& d : mistakes) {
    if (d.where.file.empty() || d.message.empty()) std::abort();
  }
  return 0;
}
