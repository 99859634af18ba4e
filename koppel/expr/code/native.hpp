// Native code: C source, compiled by the system's compiler and loaded into the process.
//
// Libraries are cached by content under $XDG_CACHE_HOME/koppel (or ~/.cache/koppel): the name is a
// hash of the source, the compiler and its flags; a checksum inside guards against damage. Only
// plain files of the user that nobody else can change are loaded from there. Files
// appear by renaming, so that processes which compile the same thing at once do no harm. Where the
// cache cannot be written, a private temporary folder serves; the cache may be deleted at any time.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <koppel/base/loaded_library.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {

struct NativeResult {
  std::shared_ptr<const LoadedLibrary> library;  // null when it failed
  std::string why_not;                           // then: why
  bool from_cache = false;
};

// Compiles (or finds in the cache) and loads a self-contained C99 source. Never throws. Series
// consist of calls and single operations on memory, where looking for redundant ones takes half of
// the compiler's time and finds none.
enum class NativeKind { Function, Series };
NativeResult compile_native(std::string_view source, NativeKind kind = NativeKind::Function);

inline constexpr const char* kNoExecutableMemory =
    "this system gives no executable memory: equations are interpreted, which is slower.";

inline constexpr const char* kNoMachineCode =
    "no machine code is generated for this processor (it needs x86-64 with AVX): equations are "
    "interpreted, which is slower; KOPPEL_NATIVE=cc in the environment compiles them.";

// What to tell about the first failure to compile, to generate machine code or to get executable
// memory, since this was asked last; empty: there was none.
std::string take_native_failure();
void note_no_executable_memory();
void note_no_machine_code();
// Whether there was none at any time: for who makes many runs, and does not tell of each.
bool has_lacked_executable_memory();

// What this thread has made ready so far to evaluate equations, functions and series together, in
// operations: machine code that was generated, code of the compiler, and what is run in loops on
// the tape.
struct CodeTaken {
  long generated = 0, compiled = 0, interpreted = 0;
  double seconds = 0;  // of generating
};
CodeTaken code_taken_so_far();
void note_generated(std::size_t operations, std::chrono::steady_clock::time_point since);
void note_compiled(std::size_t operations);
void note_interpreted(std::size_t operations);

// Compiles a self-contained C99 source to a shared library of its own, for any processor of this
// kind, with floating point as in native code. A large source of several parts is compiled side by
// side, each part with KOPPEL_PART = 0, 1, … defined. Empty: done; else why not. Never throws.
std::string build_library(const std::filesystem::path& source, const std::filesystem::path& library,
                          int num_parts = 1);

// auto, jit, cc or off; nothing: it is none of them.
std::optional<Native> read_native(std::string_view text);
std::string_view name_of(Native native);
// What to use, given what the caller asked for: KOPPEL_NATIVE decides for everyone unless it is
// auto, the default. Throws Error `expr.bad-environment`.
Native decide_native(Native asked_for);

}  // namespace koppel
