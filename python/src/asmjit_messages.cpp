// The messages of asmjit. Debian's libasmjit.a is position independent but for these three
// functions, which print to stderr, so that a module that is loaded into Python has to bring its
// own.
#include <asmjit/core.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE

const char* DebugUtils::errorAsString(Error error) noexcept {
  return error == kErrorOk ? "Ok" : "asmjit reports an error";
}

void DebugUtils::debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void DebugUtils::assertionFailed(const char* file, int line, const char* text) noexcept {
  std::fprintf(stderr, "%s:%d: asmjit: %s\n", file, line, text);
  std::abort();
}

ASMJIT_END_NAMESPACE
