// The text of koppel/runtime, embedded at build time so that emitted C can stand alone.
#pragma once

namespace koppel {

extern const char* const kRuntimeText;      // all of it
extern const char* const kKernelText;       // what programs call: tables, sine and cosine
extern const char* const kFloatKernelText;  // the same in single precision

}  // namespace koppel
