// Any bytes are either a model or refused with an Error. A model passes validation again, and its
// expressions can be printed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/text/print.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace {

using namespace koppel;

void check(std::string_view text) {
  // Other files are not part of the input.
  if (text.find("include") != text.npos || text.find("file") != text.npos) return;
  constexpr std::size_t kLongest = 1 << 20;
  try {
    const Model model = read_model_text(text, "fuzz.yaml");
    model.validate();
    for (const Constraint& c : model.constraints) to_text(c.residual, kLongest);
    for (const Output& o : model.outputs) to_text(o.value, kLongest);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
