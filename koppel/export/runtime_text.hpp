// The text of kernels of koppel/runtime, embedded at build time.
#pragma once

namespace koppel {

extern const char* const kStepText;  // runtime/step.h

}  // namespace koppel
