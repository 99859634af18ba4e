// Any message to the workbench: it is answered by JSON, or refused with a reason; nothing else is
// thrown, and no file is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include <koppel/play/workbench.hpp>

namespace {

using namespace koppel;

const Workbench& workbench() {
  static const Workbench made([] {
    WorkbenchOptions options;
    options.file = KOPPEL_MODEL;
    options.can_save = false;
    return options;
  }());
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  int answers = 0;
  try {
    const Workbench::Send send = [&](const std::vector<PlayMessage>& all) {
      for (const PlayMessage& answer : all) {
        ++answers;
        if (!answer.is_binary && !nlohmann::json::accept(answer.data)) std::abort();
      }
    };
    const Workbench::Task task = workbench().answer(message, send);
    if (task.run) task.run(send, [] { return true; });
    if (answers == 0) std::abort();
  } catch (const BadMessage& refusal) {
    if (std::string_view(refusal.what()).empty()) std::abort();
  }
  return 0;
}
