#include <koppel/simulate/code_report.hpp>

#include <fmt/format.h>

namespace koppel {
namespace {

std::string reason(Native asked, const Summary::Code& code, double seconds,
                   const std::string& failure) {
  if (!failure.empty()) return failure;
  const Native decided = decide_native(asked);
  if (decided != asked) return fmt::format("KOPPEL_NATIVE is {}", name_of(decided));
  if (asked != Native::Auto) return fmt::format("{} was asked for", name_of(asked));
  if (code.generated == 0) {
    return code.interpreted == 0
               ? "nothing was evaluated in a loop"
               : "the evaluations are too few, or the programs too short, for machine code to pay";
  }
  return fmt::format(
      "generated in {:.2g} ms, which a hundred evaluations by the interpreter outweigh",
      1e3 * seconds);
}

}  // namespace

Summary::Code describe_code(Native asked, const CodeTaken& before, const std::string& failure) {
  const CodeTaken now = code_taken_so_far();
  Summary::Code out;
  out.asked = name_of(asked);
  out.generated = now.generated - before.generated;
  out.compiled = now.compiled - before.compiled;
  out.interpreted = now.interpreted - before.interpreted;
  out.taken = out.compiled > 0 ? "cc" : out.generated > 0 ? "jit" : "interpreter";
  out.why = reason(asked, out, now.seconds - before.seconds, failure);
  return out;
}

}  // namespace koppel
